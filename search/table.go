package search

import "math/bits"

const (
	minSlots  = 64
	slotBytes = 8
	idBytes   = 4
)

// A table is the visited set of one shard: fingerprints in an open-addressing
// hash table with linear probing. The shard uses the low bits of a fingerprint and
// the table the high ones, so that growing moves fingerprints in order.
//
// Any number of goroutines may find at the same time, as long as none inserts.
type table struct {
	slots []uint64 // 0: free
	ids   []uint32 // the state's number in its shard, where the search asks for it
	shift uint8    // home slot = fingerprint >> shift
	used  int
}

func newTable(numbered bool) table {
	t := table{}
	t.resize(minSlots, numbered)
	return t
}

// first returns what lies in the home slot of fp. Most lookups end there, and
// loads of several home slots overlap.
func (t *table) first(fp uint64) uint64 {
	return t.slots[fp>>t.shift]
}

// find returns the slot that holds fp, or the free one where it belongs.
func (t *table) find(fp uint64) (slot uint64, found bool) {
	last := uint64(len(t.slots) - 1)
	for slot = fp >> t.shift; ; slot = (slot + 1) & last {
		switch t.slots[slot] {
		case fp:
			return slot, true
		case 0:
			return slot, false
		}
	}
}

// insert adds fp, for which reserve has made room, and returns its slot.
func (t *table) insert(fp uint64) (slot uint64, fresh bool) {
	slot, found := t.find(fp)
	if !found {
		t.slots[slot] = fp
		t.used++
	}
	return slot, !found
}

// wants returns how many slots the table needs to take extra more
// fingerprints: at most three of four slots may be used.
func (t *table) wants(extra int) int {
	slots := len(t.slots)
	for (t.used+extra)*4 > slots*3 {
		slots *= 2
	}
	return slots
}

// reserve makes room for extra more fingerprints.
func (t *table) reserve(extra int) {
	if slots := t.wants(extra); slots > len(t.slots) {
		t.resize(slots, t.ids != nil)
	}
}

func (t *table) resize(slots int, numbered bool) {
	old := *t
	t.slots, t.ids = make([]uint64, slots), nil
	t.shift = uint8(64 - bits.TrailingZeros(uint(slots)))
	if numbered {
		t.ids = make([]uint32, slots)
	}
	for i, fp := range old.slots {
		if fp == 0 {
			continue
		}
		slot, _ := t.find(fp)
		t.slots[slot] = fp
		if numbered {
			t.ids[slot] = old.ids[i]
		}
	}
}

// bytesFor is what a table of so many slots weighs.
func (t *table) bytesFor(slots int) int64 {
	if t.ids != nil {
		return int64(slots) * (slotBytes + idBytes)
	}
	return int64(slots) * slotBytes
}

func (t *table) bytes() int64 { return t.bytesFor(len(t.slots)) }
