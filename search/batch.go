package search

// batchSize successors are looked up together, so that the cache misses of
// their lookups overlap.
const batchSize = 32

// A batch holds encoded successors until enough have come together.
type batch struct {
	n        int
	codes    []byte
	fps      [batchSize]uint64
	homes    [batchSize]uint64 // what lies in the home slot of each
	ends     [batchSize]uint32 // of each encoding in codes
	parents  [batchSize]uint32
	ordinals [batchSize]uint32
	helps    [batchSize]uint32 // the goals that each step helps
}

// load reads the home slots. Nothing in the loop waits for a load.
func (b *batch) load(ss *[shards]shard) {
	for i, fp := range b.fps[:b.n] {
		b.homes[i] = ss[shardOf(fp)].table.first(fp)
	}
}

func (b *batch) clear() {
	b.n, b.codes = 0, b.codes[:0]
}

// recent remembers some of the successors of a page. Neighbouring states have
// many in common, and a quarter of all lookups may end here, in the fastest
// cache. It starts anew with each page, lest what it drops depend on which
// pages a worker happened to expand before.
type recent [1 << 10]uint64

// has reports whether it remembers fp, and remembers it from now on.
func (r *recent) has(fp uint64) bool {
	last := &r[fp%uint64(len(r))]
	if *last == fp {
		return true
	}
	*last = fp
	return false
}
