package storage

const (
	bucketSlots = 7
	BucketBytes = 64
	lowBits     = 64 - keyBits // of a remainder, kept beside the key
)

// A line is a bucket of a table, as wide as a cache line. Words 0 to 6 are slots,
// filled from the first: a key, and below it the low bits of what its place in
// the table leaves open of its spot, the remainder. The last word holds, in
// byte i, the other bits of the remainder in slot i; in bit 56+i whether the
// line is that entry's second choice; and in the highest bit whether an entry
// whose first choice is this line lies elsewhere.
type bucket [8]uint64

const overflowed = 1 << 63

// An item is what a slot holds, in the terms of one line.
type item struct {
	word   uint64 // key and low bits of the remainder
	high   uint64 // the other bits of the remainder
	second uint64 // 1 if the line is the second choice, else 0
}

// find returns the slot that holds it, or -1.
func (l *bucket) find(it item) int {
	for i := range bucketSlots {
		if l[i] == it.word && l.at(i) == it {
			return i
		}
	}
	return -1
}

// at reads a slot.
func (l *bucket) at(i int) item {
	return item{l[i], l[7] >> (8 * i) & 0xff, l[7] >> (56 + i) & 1}
}

// set overwrites a slot.
func (l *bucket) set(i int, it item) {
	l[i] = it.word
	l[7] = l[7]&^(0xff<<(8*i)|1<<(56+i)) | it.high<<(8*i) | it.second<<(56+i)
}

// add fills the first free slot, if there is one.
func (l *bucket) add(it item) bool {
	n := l.count()
	if n == bucketSlots {
		return false
	}
	l.fill(n, it)
	return true
}

// fill writes to a slot that has never been used.
func (l *bucket) fill(i int, it item) {
	l[i] = it.word
	l[7] |= it.high<<(8*i) | it.second<<(56+i)
}

// count returns how many slots are used. Most lines are nearly full.
func (l *bucket) count() int {
	n := bucketSlots
	for n > 0 && l[n-1] == 0 {
		n--
	}
	return n
}

func (l *bucket) full() bool { return l[bucketSlots-1] != 0 }
