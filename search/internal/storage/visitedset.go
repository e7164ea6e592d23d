package storage

import (
	"math/bits"
	"unsafe"
)

const (
	// firstLines is the least that a table may have, so that what a line's number
	// leaves open of a spot fits into the 15 bits of a remainder.
	minBuckets = 1 << (homeBits - 8 - lowBits)
	// youngSlots is the most that a table uses before it has lines.
	maxSmallSlots = 1 << 13
	// A table with lines is at most maxFill/fillParts full, and then grows by an
	// eighth. As each shard starts with a size of its own, their sum is always
	// about halfway between: less than 10 bytes a state.
	maxFill, fillParts = 39, 40
	maxEvictions       = 1000
	entryBytes         = 16
)

// A table is the visited set of one shard. It quotients: of a fingerprint it does
// not store what the place of the entry says already. A spot is scaled to the
// number of lines; the line is the integer part and the fraction gives the remainder,
// so that lines can grow in small steps and everything is recovered from them.
//
// Where an entry's line is full, it goes to a second one, which follows from the
// first and the key; where that is full as well, an entry there moves to its other
// line, and so on (a bucketised cuckoo table).
//
// A small table keeps whole fingerprints: there the places say too little.
//
// Any number of goroutines may look up at the same time, as long as none inserts.
type visitedSet struct {
	buckets    []bucket
	small      smallSet
	used       int
	initial    int     // how many lines to begin with
	displaced  []entry // buffer for growing
	reciprocal uint64
	shift      uint8
	evictions  uint // entries moved so far; chooses whom to move next
}

// newTable makes the table of a shard.
func newVisitedSet(id int) visitedSet {
	return visitedSet{small: newSmallSet(minSmallSlots), initial: minBuckets + minBuckets*id/(8*Shards)}
}

// An entry is a fingerprint on its way: the spot is that of the line it is meant
// for, its first or its second choice.
type entry struct {
	key    uint64
	home   uint32
	second uint32
}

// other is the same entry, meant for the other of its lines.
func (e entry) other() entry {
	e.home ^= uint32(e.key*hashE>>(64-homeBits)) & (1<<homeBits - 1)
	e.second ^= 1
	return e
}

// locate returns the line of an entry, and what is to be stored there.
func (t *visitedSet) locate(e entry) (uint32, item) {
	n, rest := t.locateHome(e.home)
	return n, item{e.key<<lowBits | rest&(1<<lowBits-1), rest >> lowBits, uint64(e.second)}
}

// locateSpot returns the line of a spot, and what it leaves open.
func (t *visitedSet) locateHome(spot uint32) (n uint32, rest uint64) {
	scaled := uint64(spot) * uint64(len(t.buckets))
	return uint32(scaled >> homeBits), (scaled & (1<<homeBits - 1)) * t.reciprocal >> t.shift // divided by len(t.lines)
}

// lineOf returns the line of a spot.
func (t *visitedSet) bucketOf(spot uint32) uint32 {
	return uint32(uint64(spot) * uint64(len(t.buckets)) >> homeBits)
}

// base is the first spot of a line.
func (t *visitedSet) base(n int) uint32 {
	return uint32((uint64(n)<<homeBits + uint64(len(t.buckets)) - 1) / uint64(len(t.buckets)))
}

// read recovers an entry.
func (t *visitedSet) read(base uint32, it item) entry {
	rest := uint32(it.word&(1<<lowBits-1) | it.high<<lowBits)
	return entry{it.word >> lowBits, base + rest, uint32(it.second)}
}

// shape sets how many lines there are.
func (t *visitedSet) setBuckets(lines []bucket) {
	t.buckets = lines
	t.shift = uint8(homeBits + bits.Len(uint(len(lines))))
	t.reciprocal = 1<<t.shift/uint64(len(lines)) + 1
}

// first is where f may be found: its place in its first line.
func (t *visitedSet) first(f Fingerprint) lookup {
	if t.buckets == nil {
		return lookup{bucket: &emptyBucket, word: 1}
	}
	return lookupOf(t, f.entry())
}

// find returns the slot that holds f, or -1.
func (t *visitedSet) find(f Fingerprint) int {
	if t.buckets == nil {
		return t.small.find(f)
	}
	e := f.entry()
	n, it := t.locate(e)
	if i := t.buckets[n].find(it); i >= 0 {
		return int(n)*bucketSlots + i
	}
	if t.buckets[n][7]&overflowed == 0 {
		return -1
	}
	return t.findSecond(e)
}

// findAlt returns the slot of an entry's second line that holds it, or -1.
func (t *visitedSet) findSecond(e entry) int {
	n, it := t.locate(e.other())
	if i := t.buckets[n].find(it); i >= 0 {
		return int(n)*bucketSlots + i
	}
	return -1
}

// insert adds f, for which reserve has made room, and reports whether it is new.
func (t *visitedSet) insert(f Fingerprint) bool {
	if t.buckets == nil {
		if t.small.find(f) >= 0 {
			return false
		}
		t.used++
		t.small.insert(f)
		return true
	}
	e := f.entry()
	n, it := t.locate(e)
	l := &t.buckets[n]
	if l.find(it) >= 0 || l[7]&overflowed != 0 && t.findSecond(e) >= 0 {
		return false
	}
	t.used++
	if l.add(it) {
		return true
	}
	for !t.put(&e) {
		t.grow(t.nextSize())
	}
	return true
}

// put finds a place for an entry that the table does not hold. If it fails, *e is
// another entry, for which there is no place.
func (t *visitedSet) put(e *entry) bool {
	for range maxEvictions {
		other := e.other()
		if t.putIfFree(*e, other) || t.relocate(*e) || t.relocate(other) {
			return true
		}
		t.evict(e)
	}
	return false
}

// putNear puts an entry into the line that it is meant for or into the other one, if
// there is room.
func (t *visitedSet) putIfFree(e, other entry) bool {
	n, it := t.locate(e)
	first, second := &t.buckets[n], &t.buckets[n]
	if !first.add(it) {
		n, it = t.locate(other)
		if second = &t.buckets[n]; !second.add(it) {
			return false
		}
	}
	if it.second == 0 {
		return true
	}
	if first == second {
		n, _ = t.locate(other)
		first = &t.buckets[n]
	}
	first[7] |= overflowed
	return true
}

// nudge puts an entry into a full line, if one that is there can move to its
// other line.
func (t *visitedSet) relocate(e entry) bool {
	n, it := t.locate(e)
	l, base := &t.buckets[n], t.base(int(n))
	var moved [bucketSlots]entry
	var places [BatchSize]lookup
	for i := range moved {
		moved[i] = t.read(base, l.at(i)).other()
		places[i].bucket = &t.buckets[t.bucketOf(moved[i].home)]
	}
	prefetch(&places, bucketSlots)
	for i := range moved {
		if places[i].bucket.full() {
			continue
		}
		_, free := t.locate(moved[i])
		places[i].bucket.add(free)
		if moved[i].second == 1 {
			l[7] |= overflowed
		}
		t.replace(l, i, e, it)
		return true
	}
	return false
}

// replace puts an entry into a slot of its line.
func (t *visitedSet) replace(l *bucket, i int, e entry, it item) {
	l.set(i, it)
	if e.second == 1 {
		n, _ := t.locate(e.other())
		t.buckets[n][7] |= overflowed
	}
}

// kick puts an entry in the place of another one, which becomes *e, meant for
// its other line.
func (t *visitedSet) evict(e *entry) {
	n, it := t.locate(*e)
	l := &t.buckets[n]
	i := int(t.evictions % bucketSlots)
	t.evictions++
	out := t.read(t.base(int(n)), l.at(i))
	t.replace(l, i, *e, it)
	*e = out.other()
}

// bigger is the next size.
func (t *visitedSet) nextSize() int {
	if t.buckets == nil {
		return t.initial
	}
	return len(t.buckets) + len(t.buckets)/8
}

// transient bounds the memory that growing takes beside the table.
func (t *visitedSet) growthBytes() int64 { return int64(t.used) * entryBytes / 2 }

// wants returns how many lines, or else young slots, the table needs to take
// extra more fingerprints.
func (t *visitedSet) sizeFor(extra int) (lines, slots int) {
	lines, slots = len(t.buckets), len(t.small.slots)
	for lines == 0 {
		if (t.used+extra)*4 <= slots*3 {
			return 0, slots
		}
		if slots *= 2; slots > maxSmallSlots {
			lines, slots = t.initial, 0
		}
	}
	for (t.used+extra)*fillParts > lines*bucketSlots*maxFill {
		lines += lines / 8
	}
	return lines, 0
}

// reserve makes room for extra more fingerprints.
func (t *visitedSet) reserve(extra int) {
	lines, slots := t.sizeFor(extra)
	switch {
	case lines > len(t.buckets):
		for 0 < len(t.buckets) && 2*len(t.buckets) < lines {
			t.grow(2 * len(t.buckets)) // at most, so that lift has few lines to fill at a time
		}
		t.grow(lines)
	case slots > len(t.small.slots):
		t.small = t.small.grown(slots)
	}
}

// grow makes it so many lines, in place. Each entry moves up, and so the lines are
// passed from the last to the first. Who finds no room comes last, a few at a time, so
// that their cache misses overlap.
func (t *visitedSet) grow(lines int) {
	old := *t
	t.setBuckets(growBuckets(t.buckets, lines))
	t.displaced = t.displaced[:0]
	for _, f := range t.small.slots {
		if f.key != 0 {
			t.displaced = append(t.displaced, f.entry())
		}
	}
	t.small = smallSet{}
	t.rehash(&old)
	t.putAll(t.displaced)
}

// lift moves the entries of all lines up to where they are now, and collects in late
// those that find their line full. Their second lines move as the first ones do, so that
// an entry stays in the one that it is in. That an entry lies elsewhere is from
// then on said of each line that may be its first.
func (t *visitedSet) rehash(old *visitedSet) {
	var counts [4]uint8 // of the lines that are being filled, by their last bits
	lowest, end := len(t.buckets), uint32(1<<homeBits)
	for n := len(old.buckets) - 1; n >= 0; n-- {
		l, base := t.buckets[n], old.base(n)
		t.buckets[n] = bucket{}
		for first := int(t.bucketOf(base)); lowest > first; {
			lowest--
			counts[lowest%len(counts)] = 0
		}
		if l[7]&overflowed != 0 {
			for to := lowest; to <= int(t.bucketOf(end-1)); to++ {
				t.buckets[to][7] |= overflowed
			}
		}
		end = base
		for k, word := range l[:bucketSlots] {
			if word == 0 {
				break
			}
			rest := word&(1<<lowBits-1) | l[7]>>(8*k)&0xff<<lowBits
			to, moved := t.locateHome(base + uint32(rest))
			at := &counts[to%uint32(len(counts))]
			if *at == bucketSlots {
				t.displaced = append(t.displaced, old.read(base, l.at(k)))
				continue
			}
			t.buckets[to].fill(int(*at), item{word&^(1<<lowBits-1) | moved&(1<<lowBits-1), moved >> lowBits, l[7] >> (56 + k) & 1})
			*at++
		}
	}
}

// putAll puts entries, if possible into their first lines.
func (t *visitedSet) putAll(es []entry) {
	var places [BatchSize]lookup
	for len(es) > 0 {
		n := min(len(es), BatchSize)
		for i, e := range es[:n] {
			if e.second == 1 {
				es[i] = e.other()
			}
			places[i] = lookupOf(t, es[i])
		}
		prefetch(&places, n)
		for _, e := range es[:n] {
			for !t.put(&e) {
				t.displaced = nil // that is where es lies
				t.grow(t.nextSize())
			}
		}
		es = es[n:]
	}
}

// release gives the memory back.
func (t *visitedSet) release() {
	freeBuckets(t.buckets)
	*t = visitedSet{}
}

// slots is how many slots there are, for whoever keeps something beside them.
func (t *visitedSet) slots() int { return len(t.buckets)*bucketSlots + len(t.small.slots) }

func (t *visitedSet) bytes() int64 { return visitedSetBytes(len(t.buckets), len(t.small.slots)) }

// tableBytes is what a table of so many lines and young slots weighs.
func visitedSetBytes(lines, slots int) int64 {
	return int64(lines)*BucketBytes + int64(slots)*smallSlotBytes
}

// archive saves a visited set as it lies in memory, or loads it.
func (v *visitedSet) archive(a *Archive) {
	Number(a, &v.used)
	Number(a, &v.evictions)
	buckets := a.length(len(v.buckets))
	if !a.Saving() && buckets > 0 && a.err == nil {
		v.setBuckets(growBuckets(nil, buckets))
		v.small = smallSet{}
	}
	if buckets > 0 {
		a.raw(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v.buckets))), len(v.buckets)*BucketBytes))
		return
	}
	resize(a, &v.small.slots)
	for i := range v.small.slots {
		Number(a, &v.small.slots[i].key)
		Number(a, &v.small.slots[i].home)
	}
}
