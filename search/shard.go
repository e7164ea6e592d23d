package search

// shards is how many parts the visited set is split into. It is fixed, so that
// the order in which states are found is the same for any number of workers.
const shards = 64

// A shard owns the states whose fingerprints share their low bits: no two
// workers ever write to one shard at the same time, so that it needs no locks.
type shard struct {
	table    table
	frontier frontier
	ancestry ancestry
	states   int64
	goals    []uint32 // by state, the goals that it satisfies, where there are goals

	level mark  // where the current level starts in ancestry
	first int64 // the first state of the current level
}

func shardOf(fp uint64) int { return int(fp % shards) }

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

// warm touches the slots that the misses will need. Nothing in it waits for
// a slot, so that the cache misses overlap.
func (s *shard) warm(id int, chunks []*chunk) (sum uint64) {
	for _, c := range chunks {
		for i := c.first[id]; i != 0; i = c.misses[i-1].next {
			sum += s.table.first(c.misses[i-1].fp)
		}
	}
	return sum
}

// admit adds a state that may be new, and returns its number within the shard.
func (s *shard) admit(m *miss, code []byte, parent int64) (number int64, fresh bool) {
	slot, fresh := s.table.insert(m.fp)
	if !fresh {
		return s.number(slot), false
	}
	number = s.states
	s.states++
	if s.table.ids != nil {
		s.table.ids[slot] = uint32(number)
	}
	s.frontier.add(code, number)
	s.ancestry.add(parent, m.ordinal)
	return number, true
}

func (s *shard) number(slot uint64) int64 {
	if s.table.ids == nil {
		return 0
	}
	return int64(s.table.ids[slot])
}

// bytes is what the shard holds.
func (s *shard) bytes() int64 {
	return s.table.bytes() + s.frontier.bytes + s.ancestry.bytes() + 4*int64(cap(s.goals))
}

// growth bounds what the shard may need to admit n more states, their encodings
// apart: a new table lives beside the old one for a while.
func (s *shard) growth(n int) int64 {
	need := s.frontier.growth() + s.ancestry.growth(n)
	if len(s.goals)+n > cap(s.goals) {
		need += 4 * int64(cap(s.goals)+n)
	}
	if slots := s.table.wants(n); slots > len(s.table.slots) {
		need += s.table.bytesFor(slots)
	}
	return need
}
