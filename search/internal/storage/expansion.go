package storage

import "unsafe"

// A candidate is a successor that was not in the visited set when a page was
// expanded. It may still turn out to be known: a round can find a state twice.
type candidate struct {
	key        uint64 // with home: its fingerprint
	home       uint32
	start, end uint32 // its encoding in expansion.codes
	parent     uint32 // its place in the page
	step       StepRef
	next       uint32 // the next candidate of the same shard, counted from 1; 0: none
}

func (c *candidate) fingerprint() Fingerprint { return Fingerprint{c.key, c.home} }

// An Expansion is what expanding one page yields: the candidates, in a chain for each
// shard.
type Expansion struct {
	base        int64 // number of the page's first state within its level
	candidates  []candidate
	first, last [Shards]uint32 // of each chain, counted from 1
	count       [Shards]uint32
	codes       []byte
	Hints       Hints // of the page, where they are recorded
}

// Reset empties it for a page.
func (x *Expansion) Reset(base int64) {
	x.base = base
	x.candidates, x.codes = x.candidates[:0], x.codes[:0]
	clear(x.first[:])
	clear(x.count[:])
}

// add puts a candidate at the end of the chain of its shard.
func (x *Expansion) add(f Fingerprint, code []byte, parent uint32, step StepRef) {
	start := uint32(len(x.codes))
	x.codes = append(x.codes, code...)
	x.candidates = append(x.candidates, candidate{f.key, f.home, start, uint32(len(x.codes)), parent, step, 0})
	id, n := f.Shard(), uint32(len(x.candidates))
	if x.count[id]++; x.count[id] == 1 {
		x.first[id] = n
	} else {
		x.candidates[x.last[id]-1].next = n
	}
	x.last[id] = n
}

// Bytes is what the buffers hold.
func (x *Expansion) Bytes() int64 {
	return int64(cap(x.codes)) + int64(cap(x.candidates))*int64(unsafe.Sizeof(candidate{})) + int64(cap(x.Hints.Edges))*edgeBytes
}

// growth bounds what the frontier may need to take the encodings: a page that grows
// may double.
func (x *Expansion) growth() int64 { return 2*int64(len(x.codes)) + x.Hints.Bytes() }
