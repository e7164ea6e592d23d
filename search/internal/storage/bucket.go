package storage

const (
	bucketSlots = 7
	BucketBytes = 64
	lowBits     = 64 - keyBits // of a remainder, kept beside the key
)

// A bucket of a visited set is as wide as a cache line. Words 0 to 6 are slots,
// filled from the first: a key, and below it the low bits of what its place in
// the set leaves open of its home, the remainder. The last word holds, in
// byte i, the other bits of the remainder in slot i; in bit 56+i whether the
// bucket is that entry's second choice; and in the highest bit whether an entry
// whose first choice is this bucket lies elsewhere.
type bucket [8]uint64

const overflowed = 1 << 63

// An item is what a slot holds, in the terms of one bucket.
type item struct {
	word   uint64 // key and low bits of the remainder
	high   uint64 // the other bits of the remainder
	second uint64 // 1 if the bucket is the second choice, else 0
}

// find returns the slot that holds it, or -1.
func (b *bucket) find(it item) int {
	for i := range bucketSlots {
		if b[i] == it.word && b.at(i) == it {
			return i
		}
	}
	return -1
}

// at reads a slot.
func (b *bucket) at(i int) item {
	return item{b[i], b[7] >> (8 * i) & 0xff, b[7] >> (56 + i) & 1}
}

// set overwrites a slot.
func (b *bucket) set(i int, it item) {
	b[i] = it.word
	b[7] = b[7]&^(0xff<<(8*i)|1<<(56+i)) | it.high<<(8*i) | it.second<<(56+i)
}

// add fills the first free slot, if there is one.
func (b *bucket) add(it item) bool {
	n := b.count()
	if n == bucketSlots {
		return false
	}
	b.fill(n, it)
	return true
}

// fill writes to a slot that has never been used.
func (b *bucket) fill(i int, it item) {
	b[i] = it.word
	b[7] |= it.high<<(8*i) | it.second<<(56+i)
}

// count returns how many slots are used. Most buckets are nearly full.
func (b *bucket) count() int {
	n := bucketSlots
	for n > 0 && b[n-1] == 0 {
		n--
	}
	return n
}

func (b *bucket) full() bool { return b[bucketSlots-1] != 0 }
