package storage

import "unsafe"

const (
	minSmallSlots  = 16
	smallSlotBytes = 16
)

// A smallSet is an open-addressing hash table of whole fingerprints, with linear probing.
type smallSet struct {
	slots []Fingerprint // a key of 0: free
}

func newSmallSet(slots int) smallSet { return smallSet{make([]Fingerprint, slots)} }

// find returns the slot that holds f, or -1.
func (s *smallSet) find(f Fingerprint) int {
	if i := s.probe(f); s.slots[i].key != 0 {
		return i
	}
	return -1
}

// probe returns the slot that holds f, or the free one where it belongs.
func (s *smallSet) probe(f Fingerprint) int {
	last := uint32(len(s.slots) - 1)
	for i := f.tableHome() & last; ; i = (i + 1) & last {
		if s.slots[i] == f || s.slots[i].key == 0 {
			return int(i)
		}
	}
}

// around returns memory around the slot of f, to be fetched and not to be read: it is no
// bucket.
func (s *smallSet) around(f Fingerprint) *bucket {
	const together = BucketBytes / smallSlotBytes
	i := f.tableHome() & uint32(len(s.slots)-1) &^ (together - 1)
	return (*bucket)(unsafe.Pointer(&s.slots[i]))
}

func (s *smallSet) insert(f Fingerprint) { s.slots[s.probe(f)] = f }

// grown is the same set in more slots.
func (s *smallSet) grown(slots int) smallSet {
	bigger := newSmallSet(slots)
	for _, f := range s.slots {
		if f.key != 0 {
			bigger.insert(f)
		}
	}
	return bigger
}
