package search

import (
	"encoding/binary"
	"math/bits"
)

// The constants are wyhash's: odd, with as many ones as zeros in every byte.
const (
	hashSeed = 0xa0761d6478bd642f
	hashA    = 0xe7037ed1a0b428db
	hashB    = 0x8ebc6af09c88c6e3
)

// fingerprint hashes an encoded state in the manner of wyhash: a 128-bit
// product for each 16 bytes, folded. It is never 0, which marks a free slot.
func fingerprint(b []byte) uint64 {
	h, n := uint64(hashSeed), uint64(len(b))
	for tail := b; len(tail) > 16; tail = tail[16:] {
		h = mix(binary.LittleEndian.Uint64(tail)^hashA, binary.LittleEndian.Uint64(tail[8:])^h)
	}
	lo, hi := lastWords(b)
	h = mix(n^hashB, mix(lo^hashA, hi^h))
	return max(h, 1)
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
