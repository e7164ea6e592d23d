package search

import (
	"slices"

	"fencecheck/search/internal/storage"
)

// An expand function makes the steps of a page again, and puts what they help into the adjacency
// of a sweeper.
type expand func(p *storage.Page, s *sweeper) error

// A sweeper is one worker of a reachability analysis.
type sweeper struct {
	analysis   *reachability
	expand     expand
	adjacency  adjacency
	queue      pageQueue
	reaches    [storage.PageStates]uint64 // by state of the page: the goals that are in reach
	propagated [storage.PageStates]uint64 // and those of them that were propagated
	unsettled  []unsettled
	parents    storage.ParentReader
	links      [storage.PageStates]parentLink
	buffer     []byte // for pages that must be read
	err        error
}

// An unsettled state may reach more than is known: so far edges lie before the next
// one to look at.
type unsettled struct{ state, edge int }

// sweep finds what it can in one page.
func (s *sweeper) sweep(p *storage.Page, q *pageQueue) {
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
func (s *sweeper) loadReached(p *storage.Page) (complete bool) {
	r := s.analysis
	reaches, common := s.reaches[:p.States], r.all
	r.reached[p.Shard].read(p.First, reaches, r.all)
	r.propagated[p.Shard].read(p.First, s.propagated[:p.States], r.all)
	for _, set := range reaches {
		common &= set
	}
	return common == r.all
}

// followPending follows the edges of a queue, and drops those that have nothing more to give.
func (s *sweeper) followPending(q *pageQueue) {
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
func (s *sweeper) followEdges(p *storage.Page, q *pageQueue) {
	whole := p.Hints == nil || s.analysis.hintsUsed
	if whole {
		if err := s.expand(p, s); err != nil {
			s.err = err
			return
		}
	} else {
		s.adjacency.fromHints(p.Hints, p.States)
	}
	if s.analysis.firstSweep {
		for i := range p.States {
			s.reaches[i] |= s.adjacency.satisfied[i]
		}
	}
	s.followAll(p.States)
	s.enqueue(p, q, whole)
}

// enqueue queues the edges that may help later, if there is room.
func (s *sweeper) enqueue(p *storage.Page, q *pageQueue, whole bool) {
	s.queue.pending, s.queue.sets = s.queue.pending[:0], s.queue.sets[:0]
	start := 0
	for i, end := range s.adjacency.ends[:p.States] {
		for _, e := range s.adjacency.edges[start:end] {
			if e.helped&^s.reaches[i] != 0 && !s.queue.add(e, i) {
				return
			}
		}
		start = end
	}
	need := s.queue.bytes() - q.bytes()
	if p.Hints != nil {
		need -= p.Hints.Bytes()
	}
	if s.analysis.budget.Add(-need) < 0 {
		s.analysis.budget.Add(need)
		return
	}
	q.known, q.complete, q.pending, q.sets = true, whole, slices.Clone(s.queue.pending), slices.Clone(s.queue.sets)
	p.Hints = nil // the queue says as much in less
}

// followAll follows the edges: the first one of each state, then the second one of those
// that may still reach more, and so on. Most states need no more than one.
func (s *sweeper) followAll(states int) {
	s.unsettled = s.unsettled[:0]
	start := 0
	for i := range states {
		s.unsettled = append(s.unsettled, unsettled{i, start})
		start = s.adjacency.ends[i]
	}
	for todo := s.unsettled; len(todo) > 0; {
		kept := todo[:0]
		for rest := todo; len(rest) > 0; {
			n := min(len(rest), storage.BatchSize)
			kept = s.followBatch(rest[:n], kept)
			rest = rest[n:]
		}
		todo = kept
	}
}

// followBatch follows one edge of each state, and appends to kept those that have more.
func (s *sweeper) followBatch(batch []unsettled, kept []unsettled) []unsettled {
	var fps [storage.BatchSize]storage.Fingerprint
	n := 0
	for _, o := range batch {
		for end := s.adjacency.ends[o.state]; o.edge < end; o.edge++ {
			if e := &s.adjacency.edges[o.edge]; e.helped&^s.reaches[o.state] != 0 {
				fps[n], batch[n] = e.to, o
				n++
				break
			}
		}
	}
	st := s.analysis.store
	st.PrefetchAll(fps[:n])
	for _, o := range batch[:n] {
		e := &s.adjacency.edges[o.edge]
		e.slot = uint32(st.Find(e.to))
		s.reaches[o.state] |= s.analysis.reachedBySlot[e.to.Shard()].get(int64(e.slot)) & e.helped
		kept = append(kept, unsettled{o.state, o.edge + 1})
	}
	return kept
}

// propagate lets everybody know of the states of a page that were found to reach more
// than was known, and lets their parents reach it as well.
func (s *sweeper) propagate(p *storage.Page, q *pageQueue) {
	first := 0
	for first < p.States && s.reaches[first] == s.propagated[first] {
		first++
	}
	if first == p.States {
		return
	}
	all := s.parentsOf(p, q)
	if s.err != nil {
		return
	}
	r, changed := s.analysis, int64(0)
	for i := first; i < p.States; i++ {
		reaches := s.reaches[i]
		if reaches == s.propagated[i] {
			continue
		}
		n := p.First + int64(i)
		r.reached[p.Shard].add(n, reaches)
		r.propagated[p.Shard].add(n, reaches)
		link := &all[i]
		r.reachedBySlot[p.Shard].add(int64(link.slot), reaches)
		if link.helped {
			r.reached[link.shard].add(int64(link.parent), reaches)
		}
		changed++
	}
	r.changes.Add(changed)
}

// parentsOf finds the parents of the states of a page, and keeps them if there is room.
func (s *sweeper) parentsOf(p *storage.Page, q *pageQueue) []parentLink {
	if q.parents != nil {
		return q.parents
	}
	all := s.links[:p.States]
	data, err := p.Load(&s.buffer)
	if err != nil {
		s.err = err
		return all
	}
	st := s.analysis.store
	s.parents.Begin(st, p)
	var fps [storage.BatchSize]storage.Fingerprint
	var code []byte
	for start := 0; start < p.States; start += storage.BatchSize {
		n := min(storage.BatchSize, p.States-start)
		for i := range n {
			code, data = storage.NextCode(data)
			fps[i] = storage.Hash(code)
		}
		st.PrefetchAll(fps[:n])
		for i := range n {
			link := &all[start+i]
			link.shard, link.parent, link.helped = s.parents.Next()
			link.slot = uint32(st.Find(fps[i]))
		}
	}
	if s.parents.Err != nil {
		s.err = s.parents.Err
	}
	need := int64(p.States) * parentLinkBytes
	if r := s.analysis; r.budget.Add(-need) < 0 {
		r.budget.Add(need)
	} else {
		q.parents = slices.Clone(all)
	}
	return all
}
