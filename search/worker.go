package search

import "bytes"

// A worker expands pages into chunks, and lets shards admit what the chunks
// hold. Whatever it writes within a phase belongs to itself, or to the chunk or
// the shard that it was given: nothing is shared, and nothing locked.
type worker[S any] struct {
	engine      *engine[S]
	sys         System[S]
	checks      checks[S]
	emit        func(Step) // w.emitted, bound once
	audit       *audit[S]
	emitAudited func(Step) // the same for states that are audited
	canon       func(*S)   // nil: every state is canonical

	cur, next S
	code      []byte // of cur; nil: what comes are initial states
	page      *page
	chunk     *chunk
	pipeline  pipeline
	recent    recent
	record    recorder
	parent    uint32 // place of cur in the page
	ordinal   uint32 // transitions of cur so far

	transitions   int64
	ops, outcomes []int64
	found         *finding
	buffer        []byte  // for pages that must be read
	late          []entry // for tables that grow
	pending       []pending
	err           error
	probe         *probe[S] // nil: no profile is wanted
}

func newWorker[S any](e *engine[S]) *worker[S] {
	w := &worker[S]{
		engine:   e,
		sys:      fork(e.sys),
		checks:   newChecks(e.o.Invariants, e.o.Sometimes),
		ops:      counters(len(e.sys.Ops())),
		outcomes: counters(len(outcomes(e.sys))),
	}
	w.emit, w.canon = w.emitted, canonizer(w.sys, w.count)
	w.audit = newAudit(w.sys)
	w.emitAudited = func(st Step) {
		w.audit.step(st)
		w.audit.state(w.next)
		w.emitted(st)
	}
	if e.o.Profile {
		watch(w)
	}
	return w
}

// counters makes counts that share no cache line with those of another worker, nor
// the line that processors fetch along with it: each transition writes to them.
func counters(n int) []int64 {
	const apart = 128 / 8
	return make([]int64, n+2*apart)[apart : apart+n]
}

// seed turns the initial states into a chunk.
func (w *worker[S]) seed(c *chunk) {
	w.begin(&page{}, c)
	w.sys.Init(func(s *S) {
		w.next = *s
		if w.ordinal < auditStates {
			w.audit.state(w.next)
		}
		w.push(Step{})
	})
	w.transitions += int64(w.ordinal)
	w.flush()
}

func (w *worker[S]) begin(p *page, c *chunk) {
	c.reset(p.base)
	clear(w.recent[:])
	w.page, w.chunk, w.code = p, c, nil
	w.parent, w.ordinal = 0, 0
	w.record.begin(p.states > 0 && w.engine.recording(), len(w.engine.o.Goals), c.hints)
}

// expand turns the successors of a page's states into a chunk.
func (w *worker[S]) expand(p *page, c *chunk) {
	w.probe.begin(expanding)
	w.begin(p, c)
	data, err := w.load(p)
	if err != nil {
		w.err = err
		return
	}
	for range p.states {
		w.code, data = nextCode(data)
		w.sys.Decode(w.code, &w.cur)
		if w.record.on {
			w.record.begun(w.parent, satisfied(w.engine.o.Goals, &w.cur))
		}
		emit := w.emit
		if w.parent == 0 && p.first < auditStates {
			w.audit.code(w.code)
			w.audit.begin()
			emit = w.emitAudited
		}
		w.sys.Next(&w.cur, &w.next, emit)
		if w.ordinal == 0 {
			w.checkEnd()
		}
		w.transitions += int64(w.ordinal)
		w.parent, w.ordinal = w.parent+1, 0
	}
	w.flush()
	c.hints = w.record.end()
}

// load returns the encodings of a page.
func (w *worker[S]) load(p *page) ([]byte, error) {
	data, err := p.get(w.buffer)
	if p.in != nil && err == nil {
		w.buffer = data
	}
	return data, err
}

// emitted takes one transition from cur to next.
func (w *worker[S]) emitted(st Step) {
	w.count(st)
	if !w.checks.idleSteps() {
		w.checkStep(st)
	}
	w.push(st)
}

func (w *worker[S]) count(st Step) {
	w.ops[st.Op]++
	w.outcomes[st.Outcome]++
}

// push puts next, which a step led to, into the batch that is being filled.
func (w *worker[S]) push(st Step) {
	if w.canon != nil {
		w.canon(&w.next)
	}
	b := w.pipeline.filling()
	start, i := len(b.codes), b.n
	b.codes = w.sys.Append(b.codes, &w.next)
	ordinal := w.ordinal
	w.ordinal++
	if w.code != nil && bytes.Equal(b.codes[start:], w.code) { // the step changes nothing
		b.codes = b.codes[:start]
		return
	}
	f := hash(b.codes[start:])
	recent := w.recent.has(f)
	helps := w.record.wants(recent) && w.record.edge(f, helped(w.engine.o.Goals, st))
	if recent {
		b.codes = b.codes[:start]
		return
	}
	b.fps[i] = f
	b.ends[i] = uint32(len(b.codes))
	b.parents[i], b.hows[i] = w.parent, newHow(ordinal, helps)
	if b.n++; b.n == batchSize {
		w.turn()
	}
}

// turn turns the pipeline, and keeps what comes out of it and is not known.
func (w *worker[S]) turn() {
	b := w.pipeline.turn(&w.engine.shards)
	for _, i := range b.open[:b.opened] {
		w.chunk.add(b.fps[i], b.code(int(i)), b.parents[i], b.hows[i])
	}
	b.clear()
}

// flush empties the pipeline.
func (w *worker[S]) flush() {
	for range w.pipeline.batches {
		w.turn()
	}
}

// settle lets a shard admit the misses of all chunks, in the order of the search.
func (w *worker[S]) settle(id int, chunks []*chunk) {
	defer w.probe.settled(w.probe.begin(settling))
	s := &w.engine.shards[id]
	s.table.late = w.late
	s.table.reserve(incoming(id, chunks))
	w.late, s.table.late = s.table.late, nil
	w.pending = appendPending(w.pending[:0], id, chunks)
	batch := func(i int) []pending {
		return w.pending[max(0, min(i, len(w.pending))):max(0, min(i+batchSize, len(w.pending)))]
	}
	for i := -2 * batchSize; i < len(w.pending); i += batchSize {
		s.warm(batch(i + 2*batchSize))
		s.warmAlt(batch(i + batchSize))
		for _, p := range batch(i) {
			w.admit(s, p.chunk, p.miss)
		}
	}
}

// admit lets a shard admit one miss, and checks the state if it is new.
func (w *worker[S]) admit(s *shard, c *chunk, m *miss) {
	code := c.codes[m.start:m.end]
	if !s.admit(m, code, c.base+int64(m.parent)) || w.checks.idleStates() {
		return
	}
	w.sys.Decode(code, &w.cur)
	if p := w.checks.state(&w.cur); p >= 0 {
		w.report(finding{Invariant, p, w.engine.length(), c.base + int64(m.parent), m.how.ordinal()})
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

// add takes over what another worker has counted and found.
func (w *worker[S]) add(other *worker[S]) {
	w.transitions += other.transitions
	addAll(w.ops, other.ops)
	addAll(w.outcomes, other.outcomes)
	for i, seen := range other.checks.seen {
		w.checks.seen[i] = w.checks.seen[i] || seen
	}
	w.found = least(w.found, other.found)
}
