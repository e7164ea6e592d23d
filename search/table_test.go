package search

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTableAgainstMap inserts fingerprints of which most crowd at the ends of the
// range, where probing wraps around, and compares with a map.
func TestTableAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	table, known := newTable(true), map[uint64]uint32{}
	for range 300 {
		n := r.IntN(100)
		table.reserve(n)
		for range n {
			fp := []uint64{1 + r.Uint64N(500), -(1 + r.Uint64N(500)), r.Uint64() | 1}[r.IntN(3)]
			_, had := known[fp]
			slot, fresh := table.insert(fp)
			require.Equal(t, !had, fresh)
			if fresh {
				known[fp] = uint32(len(known))
				table.ids[slot] = known[fp]
			}
			require.Equal(t, known[fp], table.ids[slot])
		}
	}
	require.Equal(t, len(known), table.used)
	assert.LessOrEqual(t, table.used*4, len(table.slots)*3)
	for fp, id := range known {
		slot, ok := table.find(fp)
		require.True(t, ok)
		require.Equal(t, id, table.ids[slot])
	}
	for range 10_000 {
		fp := 1 + r.Uint64N(1000)
		_, had := known[fp]
		_, ok := table.find(fp)
		require.Equal(t, had, ok)
	}
}

func TestTableWants(t *testing.T) {
	table := newTable(false)
	assert.Equal(t, minSlots, table.wants(minSlots*3/4))
	assert.Equal(t, 2*minSlots, table.wants(minSlots*3/4+1))
	assert.Equal(t, int64(minSlots*slotBytes), table.bytes())
}

// TestFingerprintSpreads: no two similar encodings share a fingerprint,
// whatever their length, and the bits that select a shard and a slot are evenly
// used.
func TestFingerprintSpreads(t *testing.T) {
	for _, length := range []int{3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 64} {
		seen := make(map[uint64]bool, 1<<15)
		var perShard, perSlot [64]int
		code := make([]byte, length)
		for i := range uint32(1 << 15) {
			var four [4]byte
			binary.LittleEndian.PutUint32(four[:], i)
			copy(code[length-3:], four[:3])
			fp := fingerprint(code)
			require.False(t, seen[fp], "length %d", length)
			seen[fp] = true
			perShard[shardOf(fp)]++
			perSlot[fp>>58]++
		}
		for i := range 64 {
			assert.InDelta(t, 512, perShard[i], 150, "length %d", length)
			assert.InDelta(t, 512, perSlot[i], 150, "length %d", length)
		}
	}
}

// TestFingerprintSeesEveryBit flips each bit of encodings of each length.
func TestFingerprintSeesEveryBit(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for length := range 70 {
		code := make([]byte, length)
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		fp := fingerprint(code)
		assert.NotEqual(t, fp, fingerprint(append(code, 0)), "length %d", length)
		for bit := range length * 8 {
			code[bit/8] ^= 1 << (bit % 8)
			changed := bits.OnesCount64(fp ^ fingerprint(code))
			assert.Greater(t, changed, 8, "length %d, bit %d", length, bit)
			code[bit/8] ^= 1 << (bit % 8)
		}
	}
}
