package storage

import (
	"encoding/binary"
	"math/bits"
)

const (
	keyBits  = 57
	homeBits = 26
	// FingerprintBits tell states apart: a key, a home, and the shard. The
	// visited set stores the key only, and of the home what the place of the
	// key leaves open.
	FingerprintBits = keyBits + homeBits + shardBits
)

// A Fingerprint stands for a state in the visited set.
type Fingerprint struct {
	key  uint64 // never 0, which marks a free slot
	home uint32 // where it belongs in a visited set, and its shard in the low bits
}

// entry is the fingerprint on its way to the first of its buckets.
func (f Fingerprint) entry() entry { return entry{key: f.key, home: f.tableHome()} }

// Shard is the number of the shard that owns the state.
func (f Fingerprint) Shard() int { return int(f.home % Shards) }

// tableHome is where it belongs in the visited set of its shard.
func (f Fingerprint) tableHome() uint32 { return f.home >> shardBits }

// The constants are wyhash's and xxhash's: odd, with about as many ones as zeros.
const (
	hashA = 0xa0761d6478bd642f
	hashB = 0xe7037ed1a0b428db
	hashC = 0x8ebc6af09c88c6e3
	hashD = 0x589965cc75374cc3
	hashE = 0x9e3779b185ebca87
	hashF = 0xc2b2ae3d27d4eb4f
)

// Hash fingerprints an encoded state in the manner of wyhash: a 128-bit product
// for each 16 bytes, folded. It does so in two lanes, since the 64 bits of one
// would bound what the fingerprint can tell apart.
func Hash(b []byte) Fingerprint {
	n := uint64(len(b))
	g, h := uint64(hashC), uint64(hashD)
	for tail := b; len(tail) > 16; tail = tail[16:] {
		lo, hi := binary.LittleEndian.Uint64(tail), binary.LittleEndian.Uint64(tail[8:])
		g, h = mix(lo^hashA, hi^g), mix(lo^h, hi^hashB)
	}
	lo, hi := lastWords(b)
	g, h = mix(lo^hashA, hi^g), mix(lo^h, hi^hashB)
	key := mix(g^hashE, h^n) >> (64 - keyBits)
	home := mix(g^n, h^hashF)
	return Fingerprint{max(key, 1), uint32(home >> 32)}
}

// lastWords reads the last 16 bytes, or all where there are fewer; the two
// words may overlap, since the length is hashed as well.
func lastWords(b []byte) (lo, hi uint64) {
	n := len(b)
	switch {
	case n > 16:
		b = b[n-16:]
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	case n >= 8:
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		return uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[n-4:]))
	case n > 0:
		return uint64(b[0])<<16 | uint64(b[n/2])<<8 | uint64(b[n-1]), 0
	default:
		return 0, 0
	}
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// CollisionProbability bounds the chance that among n states some two share a
// fingerprint: the sum over all pairs, as if fingerprints were random.
func CollisionProbability(n int64) float64 {
	pairs := float64(n) * float64(max(n-1, 0)) / 2
	return pairs / (1 << FingerprintBits)
}
