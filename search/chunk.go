package search

// A miss is a successor that was not in the visited set when a page was
// expanded. It may still turn out to be known: the same round can find a state twice.
type miss struct {
	fp         uint64
	start, end uint32 // its encoding in chunk.codes
	parent     uint32 // its place in the page
	ordinal    uint32 // its place among the successors of the parent
	edge       uint32 // its edge in chunk.edges, where there are goals
}

// A chunk is what expanding one page yields: the misses, by shard.
type chunk struct {
	base   int64 // number of the page's first state within its level
	misses [shards][]miss
	codes  []byte
	edges  []edge
}

func (c *chunk) reset(base int64) {
	c.base = base
	c.codes, c.edges = c.codes[:0], c.edges[:0]
	for i := range c.misses {
		c.misses[i] = c.misses[i][:0]
	}
}

// bytes is what the buffers hold.
func (c *chunk) bytes() int64 {
	n := int64(cap(c.codes)) + int64(cap(c.edges))*edgeBytes
	for i := range c.misses {
		n += int64(cap(c.misses[i])) * missBytes
	}
	return n
}

const missBytes = 32
