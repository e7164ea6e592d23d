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

// warm fetches the lines that the misses will need: the first ones, and then the
// second ones of those whose first is full.
func (s *shard) warm(id int, chunks []*chunk) {
	if s.table.lines == nil {
		return
	}
	var places [batchSize]place
	for alt := range 2 {
		n := 0
		for _, c := range chunks {
			for i := c.first[id]; i != 0; i = c.misses[i-1].next {
				f := c.misses[i-1].fingerprint()
				e := entry{key: f.key, spot: f.place()}
				places[n] = placeOf(&s.table, e)
				if alt == 1 {
					if !places[n].line.full() {
						continue
					}
					places[n] = placeOf(&s.table, e.other())
				}
				if n++; n == batchSize {
					prefetch(&places, n)
					n = 0
				}
			}
		}
		prefetch(&places, n)
	}
}

// admit adds a state that may be new, and reports whether it is.
func (s *shard) admit(m *miss, code []byte, parent int64) bool {
	if !s.table.insert(m.fingerprint()) {
		return false
	}
	s.frontier.add(code, s.states)
	s.ancestry.add(parent, m.ordinal)
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
