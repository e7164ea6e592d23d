package search

import "slices"

// A sweeper is one worker of a reachability analysis.
type sweeper[S any] struct {
	analysis   *reachability[S]
	worker     *worker[S]
	sys        System[S]
	emit       func(Step) // s.emitted, bound once
	cur, next  S
	edges      adjacency
	slots      []uint32 // by edge, as far as it was followed
	queue      pageQueue
	reaches    [pageStates]uint64 // by state of the page: the goals that are in reach
	propagated [pageStates]uint64 // and those of them that were propagated
	unsettled  []unsettled
	code       []byte
	parents    parentReader
	links      [pageStates]parentLink
}

// An unsettled state may reach more than is known: so far edges lie before the next
// one to look at.
type unsettled struct{ state, edge int }

func newSweeper[S any](r *reachability[S], w *worker[S]) *sweeper[S] {
	s := &sweeper[S]{analysis: r, worker: w, sys: w.sys}
	s.emit = s.emitted
	return s
}

// sweep finds what it can in one page.
func (s *sweeper[S]) sweep(p *page, q *pageQueue) {
	if q.done {
		return
	}
	complete := s.loadReached(p)
	switch {
	case complete && !s.analysis.firstSweep:
		q.done = true
	case q.known && (q.complete || !s.analysis.hintsUsed):
		s.followPending(q)
	default:
		s.followEdges(p, q)
	}
	s.propagate(p, q)
}

// loadReached looks up what is known of a page, and reports whether that is everything.
func (s *sweeper[S]) loadReached(p *page) (complete bool) {
	r := s.analysis
	reaches, common := s.reaches[:p.states], r.all
	r.reached[p.shard].read(p.first, reaches, r.all)
	r.propagated[p.shard].read(p.first, s.propagated[:p.states], r.all)
	for _, set := range reaches {
		common &= set
	}
	return common == r.all
}

// followPending follows the edges of a queue, and drops those that have nothing more to give.
func (s *sweeper[S]) followPending(q *pageQueue) {
	kept := q.pending[:0]
	for _, w := range q.pending {
		set, reaches := q.sets[w.set], &s.reaches[w.state]
		*reaches |= s.analysis.reachedBySlot[w.shard].get(int64(w.slot)) & set
		if set&^*reaches != 0 {
			kept = append(kept, w)
		}
	}
	q.pending = kept
}

// followEdges follows the steps of a page, or those that its hints have, and queues
// those that may help later.
func (s *sweeper[S]) followEdges(p *page, q *pageQueue) {
	whole := p.hints == nil || s.analysis.hintsUsed
	if whole {
		if s.expand(p); s.worker.err != nil {
			return
		}
	} else {
		s.edges.fromHints(p.hints, p.states)
	}
	if s.analysis.firstSweep {
		for i := range p.states {
			s.reaches[i] |= s.edges.satisfied[i]
		}
	}
	s.followAll(p.states)
	s.enqueue(p, q, whole)
}

// enqueue queues the edges that may help later, if there is room.
func (s *sweeper[S]) enqueue(p *page, q *pageQueue, whole bool) {
	s.queue.pending, s.queue.sets = s.queue.pending[:0], s.queue.sets[:0]
	edge := 0
	for i := range p.states {
		for ; edge < s.edges.ends[i]; edge++ {
			if set := s.edges.helped[edge]; set&^s.reaches[i] != 0 && !s.queue.add(s.edges.to[edge], s.slots[edge], i, set) {
				return
			}
		}
	}
	need := s.queue.bytes() - q.bytes()
	if p.hints != nil {
		need -= p.hints.bytes()
	}
	if s.analysis.budget.Add(-need) < 0 {
		s.analysis.budget.Add(need)
		return
	}
	q.known, q.complete, q.pending, q.sets = true, whole, slices.Clone(s.queue.pending), slices.Clone(s.queue.sets)
	p.hints = nil // the queue says as much in less
}

// expand makes the steps of those states that may reach more than is known.
func (s *sweeper[S]) expand(p *page) {
	data, err := p.load(&s.worker.buffer)
	if err != nil {
		s.worker.err = err
		return
	}
	r := s.analysis
	s.edges.reset()
	var code []byte
	for i := range p.states {
		code, data = nextCode(data)
		if s.reaches[i] == r.all {
			s.edges.state(0)
			continue
		}
		s.sys.Decode(code, &s.cur)
		var set uint64
		if r.firstSweep {
			set = satisfied(r.goals, &s.cur)
		}
		s.edges.state(set)
		if set|s.reaches[i] != r.all {
			s.sys.Next(&s.cur, &s.next, s.emit)
		}
	}
}

// emitted adds an edge.
func (s *sweeper[S]) emitted(st Step) {
	set := helped(s.analysis.goals, st)
	if set == 0 {
		return
	}
	if canon := s.worker.canon; canon != nil {
		canon(&s.next)
	}
	s.code = s.sys.Append(s.code[:0], &s.next)
	s.edges.edge(hash(s.code), set)
}

// followAll follows the edges: the first one of each state, then the second one of those
// that may still reach more, and so on. Most states need no more than one.
func (s *sweeper[S]) followAll(states int) {
	s.slots = slices.Grow(s.slots[:0], len(s.edges.to))[:len(s.edges.to)]
	s.unsettled = s.unsettled[:0]
	start := 0
	for i := range states {
		s.unsettled = append(s.unsettled, unsettled{i, start})
		start = s.edges.ends[i]
	}
	for todo := s.unsettled; len(todo) > 0; {
		kept := todo[:0]
		for rest := todo; len(rest) > 0; {
			n := min(len(rest), batchSize)
			kept = s.followBatch(rest[:n], kept)
			rest = rest[n:]
		}
		todo = kept
	}
}

// followBatch follows one edge of each state, and appends to kept those that have more.
func (s *sweeper[S]) followBatch(batch []unsettled, kept []unsettled) []unsettled {
	var fps [batchSize]fingerprint
	n := 0
	for _, o := range batch {
		for end := s.edges.ends[o.state]; o.edge < end; o.edge++ {
			if s.edges.helped[o.edge]&^s.reaches[o.state] == 0 {
				continue
			}
			fps[n], batch[n] = s.edges.to[o.edge], o
			n++
			break
		}
	}
	st := s.analysis.search.store
	st.prefetchAll(fps[:n])
	for i, o := range batch[:n] {
		f := fps[i]
		slot := st.find(f)
		s.slots[o.edge] = uint32(slot)
		s.reaches[o.state] |= s.analysis.reachedBySlot[f.shard()].get(int64(slot)) & s.edges.helped[o.edge]
		kept = append(kept, unsettled{o.state, o.edge + 1})
	}
	return kept
}

// propagate lets everybody know of the states of a page that were found to reach more
// than was known, and lets their parents reach it as well.
func (s *sweeper[S]) propagate(p *page, q *pageQueue) {
	first := 0
	for first < p.states && s.reaches[first] == s.propagated[first] {
		first++
	}
	if first == p.states {
		return
	}
	all := s.parentsOf(p, q)
	if s.worker.err != nil {
		return
	}
	r, changed := s.analysis, int64(0)
	for i := first; i < p.states; i++ {
		reaches := s.reaches[i]
		if reaches == s.propagated[i] {
			continue
		}
		n := p.first + int64(i)
		r.reached[p.shard].add(n, reaches)
		r.propagated[p.shard].add(n, reaches)
		link := &all[i]
		r.reachedBySlot[p.shard].add(int64(link.slot), reaches)
		if link.helped {
			r.reached[link.shard].add(int64(link.parent), reaches)
		}
		changed++
	}
	r.changes.Add(changed)
}

// parentsOf finds the parents of the states of a page, and keeps them if there is room.
func (s *sweeper[S]) parentsOf(p *page, q *pageQueue) []parentLink {
	if q.parents != nil {
		return q.parents
	}
	all := s.links[:p.states]
	data, err := p.load(&s.worker.buffer)
	if err != nil {
		s.worker.err = err
		return all
	}
	st := s.analysis.search.store
	s.parents.begin(st, p)
	var fps [batchSize]fingerprint
	var code []byte
	for start := 0; start < p.states; start += batchSize {
		n := min(batchSize, p.states-start)
		for i := range n {
			code, data = nextCode(data)
			fps[i] = hash(code)
		}
		st.prefetchAll(fps[:n])
		for i := range n {
			link := &all[start+i]
			link.shard, link.parent, link.helped = s.parents.next()
			link.slot = uint32(st.find(fps[i]))
		}
	}
	if s.parents.err != nil {
		s.worker.err = s.parents.err
	}
	need := int64(p.states) * parentLinkBytes
	if r := s.analysis; r.budget.Add(-need) < 0 {
		r.budget.Add(need)
	} else {
		q.parents = slices.Clone(all)
	}
	return all
}
