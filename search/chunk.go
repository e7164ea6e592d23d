package search

// A miss is a successor that was not in the visited set when a page was
// expanded. It may still turn out to be known: a round can find a state twice.
type miss struct {
	key        uint64 // with spot: its fingerprint
	spot       uint32
	start, end uint32 // its encoding in chunk.codes
	parent     uint32 // its place in the page
	how        how
	next       uint32 // the next miss of the same shard, counted from 1; 0: none
}

func (m *miss) fingerprint() fingerprint { return fingerprint{m.key, m.spot} }

// A chunk is what expanding one page yields: the misses, in a chain for each
// shard.
type chunk struct {
	base        int64 // number of the page's first state within its level
	misses      []miss
	first, last [shards]uint32 // of each chain, counted from 1
	count       [shards]uint32
	codes       []byte
	hints       hints // of the page, where they are recorded
}

const missBytes = 32

func (c *chunk) reset(base int64) {
	c.base = base
	c.misses, c.codes = c.misses[:0], c.codes[:0]
	clear(c.first[:])
	clear(c.count[:])
}

// add puts a miss at the end of the chain of its shard.
func (c *chunk) add(f fingerprint, code []byte, parent uint32, how how) {
	start := uint32(len(c.codes))
	c.codes = append(c.codes, code...)
	c.misses = append(c.misses, miss{f.key, f.spot, start, uint32(len(c.codes)), parent, how, 0})
	id, n := f.shard(), uint32(len(c.misses))
	if c.count[id]++; c.count[id] == 1 {
		c.first[id] = n
	} else {
		c.misses[c.last[id]-1].next = n
	}
	c.last[id] = n
}

// bytes is what the buffers hold.
func (c *chunk) bytes() int64 {
	return int64(cap(c.codes)) + int64(cap(c.misses))*missBytes + int64(cap(c.hints.edges))*edgeBytes
}
