package search

// A worker expands pages into chunks, and lets shards admit what the chunks
// hold. Whatever it writes within a phase belongs to itself, or to the chunk or
// the shard that it was given: nothing is shared, and nothing locked.
type worker[S any] struct {
	engine *engine[S]
	sys    System[S]
	checks checks[S]
	emit   func(Step) // w.emitted, bound once

	cur, next S
	page      *page
	chunk     *chunk
	batch     batch
	recent    recent
	parent    uint32 // place of cur in the page
	ordinal   uint32 // transitions of cur so far
	help      uint32 // the goals that the current step helps

	transitions   int64
	ops, outcomes []int64
	found         *finding
	warmth        uint64 // the sum of what warm returned, lest it be optimised away
}

func newWorker[S any](e *engine[S]) *worker[S] {
	w := &worker[S]{
		engine:   e,
		sys:      fork(e.sys),
		checks:   newChecks(e.o.Invariants, e.o.Sometimes),
		ops:      make([]int64, len(e.sys.Ops())),
		outcomes: make([]int64, len(e.sys.Outcomes())),
	}
	w.emit = w.emitted
	return w
}

// seed turns the initial states into a chunk.
func (w *worker[S]) seed(c *chunk) {
	w.begin(&page{}, c)
	w.sys.Init(func(s *S) {
		w.next = *s
		w.push()
	})
	w.transitions += int64(w.ordinal)
	w.flush()
}

func (w *worker[S]) begin(p *page, c *chunk) {
	c.reset(p.base)
	clear(w.recent[:])
	w.page, w.chunk = p, c
	w.parent, w.ordinal = 0, 0
}

// expand turns the successors of a page's states into a chunk.
func (w *worker[S]) expand(p *page, c *chunk) {
	w.begin(p, c)
	var code []byte
	data := p.data
	for range p.states {
		code, data = nextCode(data)
		w.sys.Decode(code, &w.cur)
		w.sys.Next(&w.cur, &w.next, w.emit)
		if w.ordinal == 0 {
			w.checkEnd()
		}
		w.transitions += int64(w.ordinal)
		w.parent, w.ordinal = w.parent+1, 0
	}
	w.flush()
}

// emitted takes one transition from cur to next.
func (w *worker[S]) emitted(st Step) {
	w.ops[st.Op]++
	w.outcomes[st.Outcome]++
	if !w.checks.idleSteps() {
		w.checkStep(st)
	}
	if w.engine.judging {
		w.help = w.engine.helps(st)
	}
	w.push()
}

// push puts next into the batch.
func (w *worker[S]) push() {
	b := &w.batch
	start, i := len(b.codes), b.n
	b.codes = w.sys.Append(b.codes, &w.next)
	fp := fingerprint(b.codes[start:])
	if w.recent.has(fp) && w.help == 0 {
		b.codes = b.codes[:start]
		w.ordinal++
		return
	}
	b.fps[i] = fp
	b.ends[i] = uint32(len(b.codes))
	b.parents[i], b.ordinals[i], b.helps[i] = w.parent, w.ordinal, w.help
	w.ordinal++
	if b.n++; b.n == batchSize {
		w.flush()
	}
}

// flush looks the batch up. The common case, a known state in its home slot,
// needs no more than a comparison, unless its edge must be recorded.
func (w *worker[S]) flush() {
	b := &w.batch
	b.load(&w.engine.shards)
	var start uint32
	for i, fp := range b.fps[:b.n] {
		if b.homes[i] != fp || b.helps[i] != 0 {
			w.resolve(i, b.codes[start:b.ends[i]])
		}
		start = b.ends[i]
	}
	b.clear()
}

// resolve looks up the i-th successor of the batch for good.
func (w *worker[S]) resolve(i int, code []byte) {
	b, c := &w.batch, w.chunk
	fp := b.fps[i]
	s := &w.engine.shards[shardOf(fp)]
	slot, known := s.table.find(fp)
	var e uint32
	if b.helps[i] != 0 {
		e = w.addEdge(b.parents[i], b.helps[i])
	}
	switch {
	case !known:
		c.add(miss{fp: fp, parent: b.parents[i], ordinal: b.ordinals[i], edge: e}, code)
	case e != 0:
		c.edges[e-1].to = stateID(shardOf(fp), s.number(slot))
	}
}

// addEdge adds an edge from a state of the page. It returns its place, counted
// from 1.
func (w *worker[S]) addEdge(parent, help uint32) uint32 {
	from := stateID(w.page.shard, w.page.first+int64(parent))
	w.chunk.edges = append(w.chunk.edges, edge{from: from, help: help})
	return uint32(len(w.chunk.edges))
}

// settle lets a shard admit the misses of all chunks, in the order of the search.
func (w *worker[S]) settle(id int, chunks []*chunk) {
	s := &w.engine.shards[id]
	s.table.reserve(incoming(id, chunks))
	w.warmth += s.warm(id, chunks)
	for _, c := range chunks {
		for i := c.first[id]; i != 0; i = c.misses[i-1].next {
			w.admit(id, s, c, &c.misses[i-1])
		}
	}
}

// admit lets a shard admit one miss, and checks the state if it is new.
func (w *worker[S]) admit(id int, s *shard, c *chunk, m *miss) {
	code := c.codes[m.start:m.end]
	number, fresh := s.admit(m, code, c.base+int64(m.parent))
	if m.edge != 0 {
		c.edges[m.edge-1].to = stateID(id, number)
	}
	if !fresh || w.checks.idleStates() && !w.engine.judging {
		return
	}
	w.sys.Decode(code, &w.cur)
	if p := w.checks.state(&w.cur); p >= 0 {
		w.report(finding{Invariant, p, w.engine.length(), c.base + int64(m.parent), m.ordinal})
	}
	if w.engine.judging {
		s.goals = append(s.goals, w.engine.satisfies(&w.cur))
	}
}

func (w *worker[S]) checkStep(st Step) {
	if p := w.checks.step(&w.cur, st, &w.next); p >= 0 {
		w.report(finding{Invariant, p, w.engine.length(), w.page.base + int64(w.parent), w.ordinal})
	}
}

func (w *worker[S]) checkEnd() {
	if end := w.engine.o.End; end != nil && !end(&w.cur) {
		w.report(finding{Deadlock, 0, w.engine.depth, w.page.base + int64(w.parent), 0})
	}
}

// report keeps f if it comes before what this worker has found so far.
func (w *worker[S]) report(f finding) {
	if w.found == nil || f.compare(*w.found) < 0 {
		w.found = &f
	}
}
