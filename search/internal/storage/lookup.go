package storage

import "math/bits"

// BatchSize successors are looked up together, so that the cache misses of
// their look-ups overlap.
const BatchSize = 32

// A lookup says where something may be found: a bucket, and what a slot of it must hold.
// Where there is nothing to look at, the bucket is empty.
type lookup struct {
	bucket *bucket
	word   uint64 // as in item
	tag    uint64 // the rest of the item
}

func (l *lookup) item() item { return item{l.word, l.tag & 0xff, l.tag >> 8} }

var (
	emptyBucket bucket
	nowhere     = lookup{bucket: &emptyBucket, word: 1}
)

func lookupOf(v *visitedSet, e entry) lookup {
	n, it := v.locate(e)
	return lookup{&v.buckets[n], it.word, it.high | it.second<<8}
}

// holds tells whether the entry is there, given the slots whose word is equal: bit
// 2i for slot i, as match has it.
func (l *lookup) holds(mask uint16) bool {
	if mask == 0 {
		return false
	}
	if i := bits.TrailingZeros16(mask) / 2; l.bucket.at(i) == l.item() {
		return true
	}
	return l.bucket.find(l.item()) >= 0
}

// PrefetchAll fetches the first buckets of up to BatchSize fingerprints.
func (st *Store) PrefetchAll(fps []Fingerprint) {
	var lookups [BatchSize]lookup
	for i, f := range fps {
		lookups[i] = st.shards[f.Shard()].visited.first(f)
	}
	prefetch(&lookups, len(fps))
}

// A Batch holds encoded successors until enough have come together.
type Batch struct {
	n       int
	Codes   []byte
	fps     [BatchSize]Fingerprint
	ends    [BatchSize]uint32 // of each encoding in codes
	parents [BatchSize]uint32
	steps   [BatchSize]StepRef

	lookups [BatchSize]lookup
	misses  int
	missing [BatchSize]uint8  // those not found in their first bucket
	seconds [BatchSize]lookup // by place in missing: their second buckets
}

// Add adds a successor whose encoding was appended to codes, and reports whether the
// batch is full.
func (b *Batch) Add(f Fingerprint, parent uint32, step StepRef) (full bool) {
	i := b.n
	b.fps[i], b.ends[i] = f, uint32(len(b.Codes))
	b.parents[i], b.steps[i] = parent, step
	b.n++
	return b.n == BatchSize
}

// A Pipeline takes batches through the three stages of a look-up: to fetch the
// first bucket of each successor, to search it and fetch the second one where that is
// needed, to search that. Between two stages of a batch lies the making of
// another one, so that no stage waits for memory.
type Pipeline struct {
	batches [3]Batch
	at      int // the one that is being filled
}

// Filling is the batch that is being filled.
func (p *Pipeline) Filling() *Batch { return &p.batches[p.at] }

// Advance moves each batch to its next stage. Of the one that is through, the successors
// that are not in the visited set become candidates. It returns the one to fill next.
func (p *Pipeline) Advance(st *Store, out *Expansion) *Batch {
	last := &p.batches[(p.at+1)%3]
	last.searchSecond(&st.shards)
	p.batches[(p.at+2)%3].searchFirst(&st.shards)
	p.Filling().fetchFirst(&st.shards)
	p.at = (p.at + 1) % 3
	for _, i := range last.missing[:last.misses] {
		out.add(last.fps[i], last.code(int(i)), last.parents[i], last.steps[i])
	}
	last.n, last.misses, last.Codes = 0, 0, last.Codes[:0]
	return last
}

// Flush empties the pipeline.
func (p *Pipeline) Flush(st *Store, out *Expansion) {
	for range p.batches {
		p.Advance(st, out)
	}
}

// fetchFirst fetches the first buckets, or what visited sets without buckets have instead.
func (b *Batch) fetchFirst(ss *[Shards]shard) {
	small := 0
	for i, f := range b.fps[:b.n] {
		v := &ss[f.Shard()].visited
		b.lookups[i] = v.first(f)
		if v.buckets == nil {
			b.seconds[small].bucket = v.small.around(f)
			small++
		}
	}
	prefetch(&b.lookups, b.n)
	prefetch(&b.seconds, small)
}

// searchFirst searches the first buckets, and fetches the second ones of what is not
// there.
func (b *Batch) searchFirst(ss *[Shards]shard) {
	var masks [BatchSize]uint16
	match(&b.lookups, &masks, b.n)
	b.misses = 0
	for i := range b.n {
		if b.lookups[i].holds(masks[i]) {
			continue
		}
		second := nowhere
		if b.lookups[i].bucket[7]&overflowed != 0 {
			f := b.fps[i]
			second = lookupOf(&ss[f.Shard()].visited, f.entry().other())
		}
		b.missing[b.misses], b.seconds[b.misses] = uint8(i), second
		b.misses++
	}
	prefetch(&b.seconds, b.misses)
}

// searchSecond searches the second buckets, and the visited sets without buckets.
func (b *Batch) searchSecond(ss *[Shards]shard) {
	var masks [BatchSize]uint16
	match(&b.seconds, &masks, b.misses)
	missing := b.missing[:b.misses]
	b.misses = 0
	for n, i := range missing {
		if b.seconds[n].holds(masks[n]) {
			continue
		}
		if v := &ss[b.fps[i].Shard()].visited; v.buckets == nil && v.small.find(b.fps[i]) >= 0 {
			continue
		}
		b.missing[b.misses] = i
		b.misses++
	}
}

// code is the encoding of the i-th successor.
func (b *Batch) code(i int) []byte {
	var start uint32
	if i > 0 {
		start = b.ends[i-1]
	}
	return b.Codes[start:b.ends[i]]
}

// A RecentSet remembers some of the successors of a page. Neighbouring states have
// many in common, and a quarter of all look-ups may end here, in the fastest
// cache. It starts anew with each page, lest what it drops depend on which
// pages a worker happened to expand before.
type RecentSet [1 << 10]Fingerprint

// Has reports whether it remembers f, and remembers it from now on.
func (r *RecentSet) Has(f Fingerprint) bool {
	last := &r[f.key%uint64(len(r))]
	if *last == f {
		return true
	}
	*last = f
	return false
}
