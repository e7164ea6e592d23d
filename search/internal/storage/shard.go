package storage

// Shards is how many parts the visited set is split into. It is fixed, so that
// the order in which states are found is the same for any number of workers.
const (
	Shards    = 1 << shardBits
	shardBits = 6
)

// A shard owns the states whose fingerprints share the low bits of their homes: no two
// workers ever write to one shard at the same time, so that it needs no locks.
type shard struct {
	visited      visitedSet
	frontier     frontier
	predecessors predecessors
	states       int64

	levelStart recordAddress // where the predecessor records of the current level start
	levelFirst int64         // number of the first state of the current level
}

// closeLevel ends a level and returns what the shard found in it.
func (s *shard) closeLevel(id int) segment {
	g := segment{shard: id, from: s.levelStart, first: s.levelFirst, count: s.states - s.levelFirst}
	s.levelStart, s.levelFirst = s.predecessors.beginLevel(), s.states
	return g
}

// incoming counts the candidates of a shard.
func incoming(id int, expansions []*Expansion) (n int) {
	for _, x := range expansions {
		n += int(x.count[id])
	}
	return n
}

// An Admission lets shards admit the new ones among their candidates. Each worker has one,
// for the buffers.
type Admission struct {
	queue     []queued
	displaced []entry // for visited sets that grow
}

// A queued candidate is one whose turn comes soon.
type queued struct {
	f Fingerprint
	*candidate
	from *Expansion
}

// Run admits the candidates of a shard, in the order of the search, and calls found for
// each state that is new, unless that is nil.
func (a *Admission) Run(st *Store, id int, expansions []*Expansion, found func(code []byte, parent int64, step StepRef)) {
	s := &st.shards[id]
	s.visited.displaced = a.displaced
	s.visited.reserve(incoming(id, expansions))
	a.displaced, s.visited.displaced = s.visited.displaced, nil
	a.enqueue(id, expansions)
	for i := -2 * BatchSize; i < len(a.queue); i += BatchSize {
		s.fetchFirst(a.batch(i + 2*BatchSize))
		s.fetchSecond(a.batch(i + BatchSize))
		for _, q := range a.batch(i) {
			code, parent := q.from.codes[q.start:q.end], q.from.base+int64(q.parent)
			if s.admit(q.f, code, parent, q.step) && found != nil {
				found(code, parent, q.step)
			}
		}
	}
}

// enqueue lists the candidates of a shard.
func (a *Admission) enqueue(id int, expansions []*Expansion) {
	a.queue = a.queue[:0]
	for _, x := range expansions {
		for i := x.first[id]; i != 0; i = x.candidates[i-1].next {
			c := &x.candidates[i-1]
			a.queue = append(a.queue, queued{c.fingerprint(), c, x})
		}
	}
}

// batch is a part of the queue, as far as there is one.
func (a *Admission) batch(i int) []queued {
	return a.queue[max(0, min(i, len(a.queue))):max(0, min(i+BatchSize, len(a.queue)))]
}

// fetchFirst fetches the first buckets of some candidates.
func (s *shard) fetchFirst(qs []queued) {
	var lookups [BatchSize]lookup
	for i := range qs {
		lookups[i] = s.visited.first(qs[i].f)
	}
	prefetch(&lookups, len(qs))
}

// fetchSecond fetches the second buckets of those whose first one is full.
func (s *shard) fetchSecond(qs []queued) {
	if s.visited.buckets == nil {
		return
	}
	var lookups [BatchSize]lookup
	n := 0
	for i := range qs {
		e := qs[i].f.entry()
		if lookups[n] = lookupOf(&s.visited, e); lookups[n].bucket.full() {
			lookups[n] = lookupOf(&s.visited, e.other())
			n++
		}
	}
	prefetch(&lookups, n)
}

// admit adds a state that may be new, and reports whether it is.
func (s *shard) admit(f Fingerprint, code []byte, parent int64, step StepRef) bool {
	if !s.visited.insert(f) {
		return false
	}
	if p := s.frontier.add(code, s.states); p.States == 1 {
		p.record = s.predecessors.end()
	}
	s.predecessors.add(parent, step)
	s.states++
	return true
}

// bytes is what the shard holds.
func (s *shard) bytes() int64 {
	return s.visited.bytes() + s.frontier.bytes + s.predecessors.bytes()
}

// growth bounds what the shard may need to admit n more states, their encodings
// apart.
func (s *shard) growth(n int) int64 {
	need := s.frontier.growth() + s.predecessors.growth(n)
	if bytes := visitedSetBytes(s.visited.sizeFor(n)); bytes > s.visited.bytes() {
		need += bytes - s.visited.bytes() + s.visited.growthBytes()
	}
	return need
}
