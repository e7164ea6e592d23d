package storage

import "unsafe"

const (
	minSmallSlots  = 16
	smallSlotBytes = 16
)

// A young table is small: an open-addressing hash table of whole fingerprints,
// with linear probing.
type smallSet struct {
	slots []Fingerprint // a key of 0: free
}

func newSmallSet(slots int) smallSet { return smallSet{make([]Fingerprint, slots)} }

// find returns the slot that holds f, or -1.
func (y *smallSet) find(f Fingerprint) int {
	if i := y.probe(f); y.slots[i].key != 0 {
		return i
	}
	return -1
}

// probe returns the slot that holds f, or the free one where it belongs.
func (y *smallSet) probe(f Fingerprint) int {
	last := uint32(len(y.slots) - 1)
	for i := f.tableHome() & last; ; i = (i + 1) & last {
		if y.slots[i] == f || y.slots[i].key == 0 {
			return int(i)
		}
	}
}

// near returns memory around the slot of f, to be fetched and not to be read: it is no
// line.
func (y *smallSet) around(f Fingerprint) *bucket {
	const together = BucketBytes / smallSlotBytes
	i := f.tableHome() & uint32(len(y.slots)-1) &^ (together - 1)
	return (*bucket)(unsafe.Pointer(&y.slots[i]))
}

func (y *smallSet) insert(f Fingerprint) { y.slots[y.probe(f)] = f }

// grown is the same set in more slots.
func (y *smallSet) grown(slots int) smallSet {
	bigger := newSmallSet(slots)
	for _, f := range y.slots {
		if f.key != 0 {
			bigger.insert(f)
		}
	}
	return bigger
}
