package storage

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func randomFingerprint(r *rand.Rand) Fingerprint {
	return Fingerprint{1 + r.Uint64N(1<<keyBits-1), r.Uint32()}
}

// TestVisitedSetAgainstMap inserts fingerprints of which many are alike, in one part or
// in both, through all sizes up to some growths with buckets.
func TestVisitedSetAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	set, known := newVisitedSet(5), map[Fingerprint]bool{}
	defer set.release()
	var all []Fingerprint
	for round := range 400 {
		n := r.IntN(200)
		set.reserve(n)
		for range n {
			f := randomFingerprint(r)
			if len(all) > 0 {
				switch g := all[r.IntN(len(all))]; r.IntN(8) {
				case 0:
					f = g
				case 1:
					f.key = g.key
				case 2:
					f.home = g.home + uint32(r.IntN(3)<<shardBits)
				}
			}
			require.Equal(t, !known[f], set.insert(f), "round %d", round)
			if !known[f] {
				known[f] = true
				all = append(all, f)
			}
		}
	}
	require.Equal(t, len(known), set.used)
	require.NotNil(t, set.buckets)
	slots := map[int]bool{}
	for f := range known {
		slot := set.find(f)
		require.GreaterOrEqual(t, slot, 0)
		require.Less(t, slot, set.slots())
		require.False(t, slots[slot], "two entries in a slot")
		slots[slot] = true
		f.home ^= 1 << (shardBits + r.IntN(homeBits))
		require.Equal(t, known[f], set.find(f) >= 0)
	}
}

// TestVisitedSetIsDense fills the sets of all shards, and looks at what they cost a
// state whenever it is over a million.
func TestVisitedSetIsDense(t *testing.T) {
	const step, most = 1000, 20_000
	r := rand.New(rand.NewPCG(7, 8))
	sets := make([]visitedSet, Shards)
	for id := range sets {
		sets[id] = newVisitedSet(id)
	}
	var all []Fingerprint
	for n := step; n <= most; n += step {
		var held int64
		for id := range sets {
			sets[id].reserve(step)
			for range step {
				f := randomFingerprint(r)
				if sets[id].insert(f) && id == 0 {
					all = append(all, f)
				}
			}
			held += sets[id].bytes()
		}
		if n*Shards > 1_000_000 {
			assert.Less(t, float64(held)/float64(n*Shards), 10.0, "%d states a shard", n)
		}
	}
	for _, f := range all {
		require.GreaterOrEqual(t, sets[0].find(f), 0)
	}
	for id := range sets {
		sets[id].release()
	}
}

// TestVisitedSetQuotients: every home, in sets of odd sizes, is recovered from its
// bucket and its remainder, and its other bucket leads back.
func TestVisitedSetQuotients(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, buckets := range []int{minBuckets, minBuckets + 1, 2304, 3001, 65_536, 99_999} {
		var set visitedSet
		set.setBuckets(make([]bucket, buckets))
		for i := range 20_000 {
			e := entry{randomFingerprint(r).key, r.Uint32N(1 << homeBits), 0}
			switch i {
			case 0:
				e.home = 0
			case 1:
				e.home = 1<<homeBits - 1
			}
			n, it := set.locate(e)
			require.Less(t, int(n), buckets)
			require.Less(t, it.high, uint64(1<<8))
			require.Equal(t, e, set.read(set.base(int(n)), it))
			require.Equal(t, e, e.other().other())
			require.EqualValues(t, 1, e.other().second)
		}
	}
}

func TestVisitedSetWants(t *testing.T) {
	set := newVisitedSet(0)
	buckets, slots := set.sizeFor(minSmallSlots * 3 / 4)
	assert.Equal(t, []int{0, minSmallSlots}, []int{buckets, slots})
	buckets, slots = set.sizeFor(minSmallSlots*3/4 + 1)
	assert.Equal(t, []int{0, 2 * minSmallSlots}, []int{buckets, slots})
	buckets, slots = set.sizeFor(maxSmallSlots)
	assert.Equal(t, []int{minBuckets, 0}, []int{buckets, slots})
	assert.EqualValues(t, minSmallSlots*smallSlotBytes, set.bytes())
}

func TestCollisionProbability(t *testing.T) {
	assert.Equal(t, 89, FingerprintBits)
	assert.Zero(t, CollisionProbability(0))
	assert.Less(t, CollisionProbability(1_000_000_000), 1e-9)
	assert.Greater(t, CollisionProbability(1_000_000_000), 1e-10)
}

// TestHashSpreads: no two similar encodings share a key or a home more often than
// chance has it, and the bits that select a shard and a bucket are evenly used.
func TestHashSpreads(t *testing.T) {
	const n = 1 << 15
	for _, length := range []int{3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 64} {
		keys, homes := make(map[uint64]bool, n), make(map[uint32]bool, n)
		var perShard [Shards]int
		var perBucket [64]int
		code := make([]byte, length)
		for i := range uint32(n) {
			var four [4]byte
			binary.LittleEndian.PutUint32(four[:], i)
			copy(code[length-3:], four[:3])
			f := Hash(code)
			keys[f.key], homes[f.home] = true, true
			perShard[f.Shard()]++
			perBucket[f.tableHome()>>(homeBits-6)]++
		}
		assert.Len(t, keys, n, "length %d", length)
		assert.Greater(t, len(homes), n-6, "length %d", length)
		for _, got := range perShard {
			assert.InDelta(t, n/Shards, got, 7*math.Sqrt(n/Shards), "length %d", length)
		}
		for _, got := range perBucket {
			assert.InDelta(t, n/64, got, 7*math.Sqrt(n/64), "length %d", length)
		}
	}
}

// TestHashSeesEveryBit flips each bit of encodings of each length.
func TestHashSeesEveryBit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for length := range 70 {
		code := make([]byte, length)
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		f := Hash(code)
		assert.NotEqual(t, f, Hash(append(code, 0)), "length %d", length)
		for bit := range length * 8 {
			code[bit/8] ^= 1 << (bit % 8)
			g := Hash(code)
			assert.Greater(t, bits.OnesCount64(f.key^g.key), 8, "length %d, bit %d", length, bit)
			assert.Greater(t, bits.OnesCount32(f.home^g.home), 2, "length %d, bit %d", length, bit)
			code[bit/8] ^= 1 << (bit % 8)
		}
	}
}
