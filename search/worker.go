package search

import "fencecheck/search/internal/storage"

// A worker expands pages, and lets shards admit what was found for them.
// Whatever it writes within a phase belongs to itself, or to the expansion or
// the shard that it was given: nothing is shared, and nothing locked.
type worker[S any] struct {
	search      *breadthFirst[S]
	sys         System[S]
	checks      checks[S]
	emit        func(Step) // w.emitted, bound once
	audit       *audit[S]
	emitAudited func(Step)                                            // the same for states that are audited
	canon       func(*S)                                              // nil: every state is canonical
	checkNew    func(code []byte, parent int64, step storage.StepRef) // w.checkState, bound once

	cur, next  S
	successors successors // of cur

	counts
	transitions int64
	found       *finding
	buffer      []byte // for pages that must be read
	admission   storage.Admission
	err         error
	probe       *probe[S] // nil: no profile is wanted
}

func newWorker[S any](b *breadthFirst[S]) *worker[S] {
	w := &worker[S]{
		search: b,
		sys:    fork(b.sys),
		checks: newChecks(b.o.Invariants, b.o.Sometimes),
		counts: newCounts(b.sys),
	}
	w.emit, w.canon = w.emitted, canonizer(w.sys, w.count)
	w.audit, w.checkNew = newAudit(w.sys), w.checkState
	w.emitAudited = func(st Step) {
		w.audit.step(st)
		w.audit.state(w.next)
		w.emitted(st)
	}
	w.successors.store, w.successors.hints.goals = b.store, helpOf(b.o.Goals)
	if b.o.Profile {
		attachProbe(w)
	}
	return w
}

// seed finds the initial states.
func (w *worker[S]) seed(to *storage.Expansion) {
	w.successors.begin(0, to, false)
	w.sys.Init(func(s *S) {
		w.next = *s
		if w.successors.ordinal < auditStates {
			w.audit.state(w.next)
		}
		w.push(Step{})
	})
	w.transitions += int64(w.successors.endState())
	w.successors.end()
}

// expand finds the successors of a page's states.
func (w *worker[S]) expand(p *storage.Page, to *storage.Expansion) {
	w.probe.begin(expanding)
	data, err := p.Load(&w.buffer)
	if err != nil {
		w.err = err
		return
	}
	x := &w.successors
	x.begin(p.Base, to, w.search.recording())
	for range p.States {
		x.code, data = storage.NextCode(data)
		w.sys.Decode(x.code, &w.cur)
		if x.hints.on {
			x.hints.beginState(x.parent, satisfied(w.search.o.Goals, &w.cur))
		}
		emit := w.emit
		if x.parent == 0 && p.First < auditStates {
			w.audit.code(x.code)
			w.audit.begin()
			emit = w.emitAudited
		}
		w.sys.Next(&w.cur, &w.next, emit)
		if x.ordinal == 0 {
			w.checkEnd()
		}
		w.transitions += int64(x.endState())
	}
	x.end()
}

// emitted takes one transition from cur to next.
func (w *worker[S]) emitted(st Step) {
	w.count(st)
	if !w.checks.idleSteps() {
		w.checkStep(st)
	}
	w.push(st)
}

// push adds next, which a step led to, to the successors.
func (w *worker[S]) push(st Step) {
	if w.canon != nil {
		w.canon(&w.next)
	}
	b := w.successors.batch
	start := len(b.Codes)
	b.Codes = w.sys.Append(b.Codes, &w.next)
	w.successors.add(start, st)
}

// admit lets a shard admit what was found for it, and checks the states that are new.
func (w *worker[S]) admit(id int, expansions []*storage.Expansion) {
	defer w.probe.endAdmitting(w.probe.begin(admitting))
	check := w.checkNew
	if w.checks.idleStates() {
		check = nil
	}
	w.admission.Run(w.search.store, id, expansions, check)
}

func (w *worker[S]) checkState(code []byte, parent int64, step storage.StepRef) {
	w.sys.Decode(code, &w.cur)
	if p := w.checks.state(&w.cur); p >= 0 {
		w.report(finding{Invariant, p, w.search.store.Depth() + 1, parent, step.Ordinal()})
	}
}

func (w *worker[S]) checkStep(st Step) {
	if p := w.checks.step(&w.cur, st, &w.next); p >= 0 {
		w.report(finding{Invariant, p, w.search.store.Depth() + 1, w.successors.index(), w.successors.ordinal})
	}
}

func (w *worker[S]) checkEnd() {
	if end := w.search.o.End; end != nil && !end(&w.cur) {
		w.report(finding{Deadlock, 0, w.search.store.Depth(), w.successors.index(), 0})
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
	w.counts.add(other.counts)
	for i, seen := range other.checks.seen {
		w.checks.seen[i] = w.checks.seen[i] || seen
	}
	w.found = least(w.found, other.found)
}
