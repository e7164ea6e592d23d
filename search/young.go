package search

import "unsafe"

const (
	youngMinSlots = 16
	youngBytes    = 16
)

// A young table is small: an open-addressing hash table of whole fingerprints,
// with linear probing.
type young struct {
	slots []fingerprint // a key of 0: free
}

func newYoung(slots int) young { return young{make([]fingerprint, slots)} }

// find returns the slot that holds f, or -1.
func (y *young) find(f fingerprint) int {
	if i := y.probe(f); y.slots[i].key != 0 {
		return i
	}
	return -1
}

// probe returns the slot that holds f, or the free one where it belongs.
func (y *young) probe(f fingerprint) int {
	last := uint32(len(y.slots) - 1)
	for i := f.place() & last; ; i = (i + 1) & last {
		if y.slots[i] == f || y.slots[i].key == 0 {
			return int(i)
		}
	}
}

// near returns memory around the slot of f, to be fetched and not to be read: it is no
// line.
func (y *young) near(f fingerprint) *line {
	const together = lineBytes / youngBytes
	i := f.place() & uint32(len(y.slots)-1) &^ (together - 1)
	return (*line)(unsafe.Pointer(&y.slots[i]))
}

func (y *young) insert(f fingerprint) { y.slots[y.probe(f)] = f }

// grown is the same set in more slots.
func (y *young) grown(slots int) young {
	bigger := newYoung(slots)
	for _, f := range y.slots {
		if f.key != 0 {
			bigger.insert(f)
		}
	}
	return bigger
}
