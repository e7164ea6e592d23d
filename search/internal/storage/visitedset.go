package storage

import (
	"math/bits"
	"unsafe"
)

const (
	// minBuckets is the least that a set may have, so that what a bucket's number
	// leaves open of a home fits into the 15 bits of a remainder.
	minBuckets = 1 << (homeBits - 8 - lowBits)
	// maxSmallSlots is the most that a set uses before it has buckets.
	maxSmallSlots = 1 << 13
	// A set with buckets is at most maxFill/fillParts full, and then grows by an
	// eighth. As each shard starts with a size of its own, their sum is always
	// about halfway between: less than 10 bytes a state.
	maxFill, fillParts = 39, 40
	maxEvictions       = 1000
	entryBytes         = 16
)

// A visitedSet is that of one shard, a hash table. It quotients: of a fingerprint it does
// not store what the place of the entry says already. A home is scaled to the
// number of buckets; the bucket is the integer part and the fraction gives the remainder,
// so that the table can grow in small steps and everything is recovered from them.
//
// Where an entry's bucket is full, it goes to a second one, which follows from the
// first and the key; where that is full as well, an entry there moves to its other
// bucket, and so on (a bucketised cuckoo table).
//
// A small set keeps whole fingerprints: there the places say too little.
//
// Any number of goroutines may look up at the same time, as long as none inserts.
type visitedSet struct {
	buckets    []bucket
	small      smallSet
	used       int
	initial    int     // how many buckets to begin with
	displaced  []entry // buffer for growing
	reciprocal uint64
	shift      uint8
	evictions  uint // entries moved so far; chooses whom to move next
}

// newVisitedSet makes that of a shard.
func newVisitedSet(id int) visitedSet {
	return visitedSet{small: newSmallSet(minSmallSlots), initial: minBuckets + minBuckets*id/(8*Shards)}
}

// An entry is a fingerprint on its way: the home is that of the bucket it is meant
// for, its first or its second choice.
type entry struct {
	key    uint64
	home   uint32
	second uint32
}

// other is the same entry, meant for the other of its buckets.
func (e entry) other() entry {
	e.home ^= uint32(e.key*hashE>>(64-homeBits)) & (1<<homeBits - 1)
	e.second ^= 1
	return e
}

// locate returns the bucket of an entry, and what is to be stored there.
func (v *visitedSet) locate(e entry) (uint32, item) {
	n, rest := v.locateHome(e.home)
	return n, item{e.key<<lowBits | rest&(1<<lowBits-1), rest >> lowBits, uint64(e.second)}
}

// locateHome returns the bucket of a home, and what it leaves open.
func (v *visitedSet) locateHome(home uint32) (n uint32, rest uint64) {
	scaled := uint64(home) * uint64(len(v.buckets))
	return uint32(scaled >> homeBits), (scaled & (1<<homeBits - 1)) * v.reciprocal >> v.shift // divided by len(v.buckets)
}

// bucketOf returns the bucket of a home.
func (v *visitedSet) bucketOf(home uint32) uint32 {
	return uint32(uint64(home) * uint64(len(v.buckets)) >> homeBits)
}

// base is the first home of a bucket.
func (v *visitedSet) base(n int) uint32 {
	return uint32((uint64(n)<<homeBits + uint64(len(v.buckets)) - 1) / uint64(len(v.buckets)))
}

// read recovers an entry.
func (v *visitedSet) read(base uint32, it item) entry {
	rest := uint32(it.word&(1<<lowBits-1) | it.high<<lowBits)
	return entry{it.word >> lowBits, base + rest, uint32(it.second)}
}

// setBuckets sets how many buckets there are.
func (v *visitedSet) setBuckets(buckets []bucket) {
	v.buckets = buckets
	v.shift = uint8(homeBits + bits.Len(uint(len(buckets))))
	v.reciprocal = 1<<v.shift/uint64(len(buckets)) + 1
}

// first is where f may be found: its place in its first bucket.
func (v *visitedSet) first(f Fingerprint) lookup {
	if v.buckets == nil {
		return nowhere
	}
	return lookupOf(v, f.entry())
}

// find returns the slot that holds f, or -1.
func (v *visitedSet) find(f Fingerprint) int {
	if v.buckets == nil {
		return v.small.find(f)
	}
	e := f.entry()
	n, it := v.locate(e)
	if i := v.buckets[n].find(it); i >= 0 {
		return int(n)*bucketSlots + i
	}
	if v.buckets[n][7]&overflowed == 0 {
		return -1
	}
	return v.findSecond(e)
}

// findSecond returns the slot of an entry's second bucket that holds it, or -1.
func (v *visitedSet) findSecond(e entry) int {
	n, it := v.locate(e.other())
	if i := v.buckets[n].find(it); i >= 0 {
		return int(n)*bucketSlots + i
	}
	return -1
}

// insert adds f, for which reserve has made room, and reports whether it is new.
func (v *visitedSet) insert(f Fingerprint) bool {
	if v.buckets == nil {
		if v.small.find(f) >= 0 {
			return false
		}
		v.used++
		v.small.insert(f)
		return true
	}
	e := f.entry()
	n, it := v.locate(e)
	l := &v.buckets[n]
	if l.find(it) >= 0 || l[7]&overflowed != 0 && v.findSecond(e) >= 0 {
		return false
	}
	v.used++
	if l.add(it) {
		return true
	}
	for !v.put(&e) {
		v.grow(v.nextSize())
	}
	return true
}

// put finds a place for an entry that the set does not hold. If it fails, *e is
// another entry, for which there is no place.
func (v *visitedSet) put(e *entry) bool {
	for range maxEvictions {
		other := e.other()
		if v.putIfFree(*e, other) || v.relocate(*e) || v.relocate(other) {
			return true
		}
		v.evict(e)
	}
	return false
}

// putIfFree puts an entry into the bucket that it is meant for or into the other one, if
// there is room.
func (v *visitedSet) putIfFree(e, other entry) bool {
	n, it := v.locate(e)
	first, second := &v.buckets[n], &v.buckets[n]
	if !first.add(it) {
		n, it = v.locate(other)
		if second = &v.buckets[n]; !second.add(it) {
			return false
		}
	}
	if it.second == 0 {
		return true
	}
	if first == second {
		n, _ = v.locate(other)
		first = &v.buckets[n]
	}
	first[7] |= overflowed
	return true
}

// relocate puts an entry into a full bucket, if one that is there can move to its
// other bucket.
func (v *visitedSet) relocate(e entry) bool {
	n, it := v.locate(e)
	l, base := &v.buckets[n], v.base(int(n))
	var moved [bucketSlots]entry
	var lookups [BatchSize]lookup
	for i := range moved {
		moved[i] = v.read(base, l.at(i)).other()
		lookups[i].bucket = &v.buckets[v.bucketOf(moved[i].home)]
	}
	prefetch(&lookups, bucketSlots)
	for i := range moved {
		if lookups[i].bucket.full() {
			continue
		}
		_, free := v.locate(moved[i])
		lookups[i].bucket.add(free)
		if moved[i].second == 1 {
			l[7] |= overflowed
		}
		v.replace(l, i, e, it)
		return true
	}
	return false
}

// replace puts an entry into a slot of its bucket.
func (v *visitedSet) replace(l *bucket, i int, e entry, it item) {
	l.set(i, it)
	if e.second == 1 {
		n, _ := v.locate(e.other())
		v.buckets[n][7] |= overflowed
	}
}

// evict puts an entry in the place of another one, which becomes *e, meant for
// its other bucket.
func (v *visitedSet) evict(e *entry) {
	n, it := v.locate(*e)
	l := &v.buckets[n]
	i := int(v.evictions % bucketSlots)
	v.evictions++
	out := v.read(v.base(int(n)), l.at(i))
	v.replace(l, i, *e, it)
	*e = out.other()
}

// nextSize is the next size.
func (v *visitedSet) nextSize() int {
	if v.buckets == nil {
		return v.initial
	}
	return len(v.buckets) + len(v.buckets)/8
}

// growthBytes bounds the memory that growing takes beside the set.
func (v *visitedSet) growthBytes() int64 { return int64(v.used) * entryBytes / 2 }

// sizeFor returns how many buckets, or else small slots, the set needs to take
// extra more fingerprints.
func (v *visitedSet) sizeFor(extra int) (buckets, slots int) {
	buckets, slots = len(v.buckets), len(v.small.slots)
	for buckets == 0 {
		if (v.used+extra)*4 <= slots*3 {
			return 0, slots
		}
		if slots *= 2; slots > maxSmallSlots {
			buckets, slots = v.initial, 0
		}
	}
	for (v.used+extra)*fillParts > buckets*bucketSlots*maxFill {
		buckets += buckets / 8
	}
	return buckets, 0
}

// reserve makes room for extra more fingerprints.
func (v *visitedSet) reserve(extra int) {
	buckets, slots := v.sizeFor(extra)
	switch {
	case buckets > len(v.buckets):
		for 0 < len(v.buckets) && 2*len(v.buckets) < buckets {
			v.grow(2 * len(v.buckets)) // at most, so that rehash has few buckets to fill at a time
		}
		v.grow(buckets)
	case slots > len(v.small.slots):
		v.small = v.small.grown(slots)
	}
}

// grow makes it so many buckets, in place. Each entry moves up, and so the buckets are
// passed from the last to the first. Who finds no room comes last, a few at a time, so
// that their cache misses overlap.
func (v *visitedSet) grow(buckets int) {
	old := *v
	v.setBuckets(growBuckets(v.buckets, buckets))
	v.displaced = v.displaced[:0]
	for _, f := range v.small.slots {
		if f.key != 0 {
			v.displaced = append(v.displaced, f.entry())
		}
	}
	v.small = smallSet{}
	v.rehash(&old)
	v.putAll(v.displaced)
}

// rehash moves the entries of all buckets up to where they are now, and collects in displaced
// those that find their bucket full. Their second buckets move as the first ones do, so that
// an entry stays in the one that it is in. That an entry lies elsewhere is from
// then on said of each bucket that may be its first.
func (v *visitedSet) rehash(old *visitedSet) {
	var counts [4]uint8 // of the buckets that are being filled, by their last bits
	lowest, end := len(v.buckets), uint32(1<<homeBits)
	for n := len(old.buckets) - 1; n >= 0; n-- {
		l, base := v.buckets[n], old.base(n)
		v.buckets[n] = bucket{}
		for first := int(v.bucketOf(base)); lowest > first; {
			lowest--
			counts[lowest%len(counts)] = 0
		}
		if l[7]&overflowed != 0 {
			for to := lowest; to <= int(v.bucketOf(end-1)); to++ {
				v.buckets[to][7] |= overflowed
			}
		}
		end = base
		for k, word := range l[:bucketSlots] {
			if word == 0 {
				break
			}
			rest := word&(1<<lowBits-1) | l[7]>>(8*k)&0xff<<lowBits
			to, moved := v.locateHome(base + uint32(rest))
			at := &counts[to%uint32(len(counts))]
			if *at == bucketSlots {
				v.displaced = append(v.displaced, old.read(base, l.at(k)))
				continue
			}
			v.buckets[to].fill(int(*at), item{word&^(1<<lowBits-1) | moved&(1<<lowBits-1), moved >> lowBits, l[7] >> (56 + k) & 1})
			*at++
		}
	}
}

// putAll puts entries, if possible into their first buckets.
func (v *visitedSet) putAll(es []entry) {
	var lookups [BatchSize]lookup
	for len(es) > 0 {
		n := min(len(es), BatchSize)
		for i, e := range es[:n] {
			if e.second == 1 {
				es[i] = e.other()
			}
			lookups[i] = lookupOf(v, es[i])
		}
		prefetch(&lookups, n)
		for _, e := range es[:n] {
			for !v.put(&e) {
				v.displaced = nil // that is where es lies
				v.grow(v.nextSize())
			}
		}
		es = es[n:]
	}
}

// release gives the memory back.
func (v *visitedSet) release() {
	freeBuckets(v.buckets)
	*v = visitedSet{}
}

// slots is how many slots there are, for whoever keeps something beside them.
func (v *visitedSet) slots() int { return len(v.buckets)*bucketSlots + len(v.small.slots) }

func (v *visitedSet) bytes() int64 { return visitedSetBytes(len(v.buckets), len(v.small.slots)) }

// tableBytes is what a set of so many buckets and small slots weighs.
func visitedSetBytes(buckets, slots int) int64 {
	return int64(buckets)*BucketBytes + int64(slots)*smallSlotBytes
}

// archive saves a visited set as it lies in memory, or loads it.
func (v *visitedSet) archive(a *Archive) {
	a.Values(&v.used, &v.evictions)
	buckets := a.length(len(v.buckets))
	if !a.Saving() && buckets > 0 && a.err == nil {
		v.setBuckets(growBuckets(nil, buckets))
		v.small = smallSet{}
	}
	if buckets > 0 {
		a.raw(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v.buckets))), len(v.buckets)*BucketBytes))
		return
	}
	a.Values(&v.small)
}
