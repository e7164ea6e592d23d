package search

// shards is how many parts the visited set is split into. It is fixed, so that
// the order in which states are found is the same for any number of workers.
const (
	shards    = 1 << shardBits
	shardBits = 6
)

// A shard owns the states whose spots share their low bits: no two
// workers ever write to one shard at the same time, so that it needs no locks.
type shard struct {
	table    table
	frontier frontier
	ancestry ancestry
	states   int64

	level mark  // where the current level starts in ancestry
	first int64 // the first state of the current level
}

// close ends a level and returns what the shard found in it.
func (s *shard) close(id int) segment {
	g := segment{shard: id, from: s.level, first: s.first, count: s.states - s.first}
	s.level, s.first = s.ancestry.open(), s.states
	return g
}

// incoming counts the misses of a shard.
func incoming(id int, chunks []*chunk) (n int) {
	for _, c := range chunks {
		n += int(c.count[id])
	}
	return n
}

// A pending miss is one whose turn comes soon.
type pending struct {
	fingerprint
	chunk *chunk
	miss  *miss
}

// appendPending appends the misses of a shard in the order of the search.
func appendPending(dst []pending, id int, chunks []*chunk) []pending {
	for _, c := range chunks {
		for i := c.first[id]; i != 0; i = c.misses[i-1].next {
			m := &c.misses[i-1]
			dst = append(dst, pending{m.fingerprint(), c, m})
		}
	}
	return dst
}

// warm fetches the first lines of some misses.
func (s *shard) warm(ps []pending) {
	var places [batchSize]place
	for i := range ps {
		places[i] = s.table.first(ps[i].fingerprint)
	}
	prefetch(&places, len(ps))
}

// warmAlt fetches the second lines of those whose first one is full.
func (s *shard) warmAlt(ps []pending) {
	if s.table.lines == nil {
		return
	}
	var places [batchSize]place
	n := 0
	for i := range ps {
		e := entry{key: ps[i].key, spot: ps[i].place()}
		if places[n] = placeOf(&s.table, e); places[n].line.full() {
			places[n] = placeOf(&s.table, e.other())
			n++
		}
	}
	prefetch(&places, n)
}

// admit adds a state that may be new, and reports whether it is.
func (s *shard) admit(m *miss, code []byte, parent int64) bool {
	if !s.table.insert(m.fingerprint()) {
		return false
	}
	if p := s.frontier.add(code, s.states); p.states == 1 {
		p.born = s.ancestry.here()
	}
	s.ancestry.add(parent, m.how)
	s.states++
	return true
}

// bytes is what the shard holds.
func (s *shard) bytes() int64 {
	return s.table.bytes() + s.frontier.bytes + s.ancestry.bytes()
}

// growth bounds what the shard may need to admit n more states, their encodings
// apart.
func (s *shard) growth(n int) int64 {
	need := s.frontier.growth() + s.ancestry.growth(n)
	if bytes := tableBytes(s.table.wants(n)); bytes > s.table.bytes() {
		need += bytes - s.table.bytes() + s.table.transient()
	}
	return need
}
