package search

import "context"

// diverTurn is how many visits lie at most between two looks at the bounds.
const diverTurn = 1 << 12

// DepthFirst explores every state that is reachable from the initial ones, each time
// as deep as it goes. It needs no frontier, and finds deep violations early, with
// traces that are far from shortest. It ends with the first violation, and otherwise
// as BreadthFirst does. With MaxDepth a state that was first met deep down is not
// expanded again where it is met higher up, so that more may be missed than what
// lies deeper. Goals, Checkpoint, Profile and Workers are not for DepthFirst.
func DepthFirst[S any](ctx context.Context, sys System[S], o Options[S]) Result[S] {
	d := newDiver(sys, o.withDefaults())
	defer d.release()
	d.run(ctx)
	return d.result()
}

// A diver is one depth-first search.
type diver[S any] struct {
	sys    System[S]
	o      Options[S]
	checks checks[S]
	tables [shards]table
	stack  stack
	depots depots
	pulse  pulse
	emit   func(Step) // d.emitted, bound once
	audit  *audit[S]
	canon  func(*S) // nil: every state is canonical

	start     S // the initial state of path
	cur, next S
	path      []Step // to cur
	ordinal   int    // transitions of cur so far
	code      []byte
	r         Result[S]
}

func newDiver[S any](sys System[S], o Options[S]) *diver[S] {
	if len(o.Goals) > 0 || o.Checkpoint != "" || o.Profile {
		panic("search: DepthFirst judges no goals, writes no checkpoints and has no profile")
	}
	d := &diver[S]{
		sys:    fork(sys),
		o:      o,
		checks: newChecks(o.Invariants, o.Sometimes),
		depots: newDepots(o.TempDir),
		pulse:  newPulse(o.Progress != nil, o.ProgressEvery),
	}
	d.emit, d.canon, d.audit = d.emitted, canonizer(d.sys, d.count), newAudit(d.sys)
	d.r.OpCounts = make([]int64, len(sys.Ops()))
	d.r.OutcomeCounts = make([]int64, len(outcomes(sys)))
	for i := range d.tables {
		d.tables[i] = newTable(i)
	}
	return d
}

func (d *diver[S]) release() {
	for i := range d.tables {
		d.tables[i].release()
	}
	d.depots.close()
}

// run visits states until none is left, or something ends the search.
func (d *diver[S]) run(ctx context.Context) {
	d.sys.Init(func(s *S) {
		d.r.Transitions++
		d.next = *s
		d.push(Step{}, 0)
	})
	for n := 0; d.stack.size > 0 && d.r.Violation == nil; n++ {
		if n%diverTurn == 0 || d.stack.sealed {
			if d.halted(ctx) {
				return
			}
		}
		v, err := d.stack.pop()
		if err != nil {
			d.fail(err)
			return
		}
		d.visit(v)
	}
}

// push keeps next to be visited, unless it was visited already.
func (d *diver[S]) push(st Step, depth int) {
	if d.r.States < auditStates {
		d.audit.state(d.next)
	}
	if d.canon != nil {
		d.canon(&d.next)
	}
	d.code = d.sys.Append(d.code[:0], &d.next)
	if f := hash(d.code); d.tables[f.shard()].find(f) < 0 {
		d.stack.push(visit{d.code, st, depth})
	}
}

// visit looks at a state, if it is new, and expands it.
func (d *diver[S]) visit(v visit) {
	f := hash(v.code)
	t := &d.tables[f.shard()]
	t.reserve(1)
	if !t.insert(f) {
		return
	}
	d.sys.Decode(v.code, &d.cur)
	if v.depth == 0 {
		d.start, d.path = d.cur, d.path[:0]
	} else {
		d.path = append(d.path[:v.depth-1], v.step)
	}
	d.r.States++
	d.r.Depth = max(d.r.Depth, v.depth)
	if p := d.checks.state(&d.cur); p >= 0 {
		d.violated(Invariant, d.o.Invariants[p].Name, d.path)
		return
	}
	if d.o.MaxDepth > 0 && v.depth >= d.o.MaxDepth {
		d.r.Stopped = StoppedDepth
		return
	}
	d.ordinal = 0
	d.audit.begin()
	d.sys.Next(&d.cur, &d.next, d.emit)
	if d.ordinal == 0 && d.o.End != nil && !d.o.End(&d.cur) {
		d.violated(Deadlock, "deadlock", d.path)
	}
}

// emitted takes one transition from cur to next.
func (d *diver[S]) emitted(st Step) {
	d.ordinal++
	d.r.Transitions++
	if d.r.States < auditStates {
		d.audit.step(st)
	}
	d.count(st)
	if !d.checks.idleSteps() {
		if p := d.checks.step(&d.cur, st, &d.next); p >= 0 {
			d.violated(Invariant, d.o.Invariants[p].Name, append(d.path, st))
		}
	}
	d.push(st, len(d.path)+1)
}

func (d *diver[S]) count(st Step) {
	d.r.OpCounts[st.Op]++
	d.r.OutcomeCounts[st.Outcome]++
}

// violated keeps the first violation.
func (d *diver[S]) violated(kind Kind, property string, path []Step) {
	if d.r.Violation == nil {
		trace := Trace[S]{Start: d.start, Steps: append([]Step(nil), path...)}
		d.r.Violation = &Violation[S]{Kind: kind, Property: property, Trace: trace}
	}
}

func (d *diver[S]) fail(err error) {
	d.r.Err, d.r.Stopped = err, StoppedError
}

// halted reports whether the search must stop although states are left to visit.
func (d *diver[S]) halted(ctx context.Context) bool {
	d.stack.sealed = false
	if d.pulse.due() {
		d.o.Progress(Progress{
			States: d.r.States, Transitions: d.r.Transitions, Depth: len(d.path),
			Frontier: d.stack.size, Memory: d.held(), Elapsed: d.pulse.elapsed(),
		})
	}
	reason := interruption(ctx)
	switch {
	case d.o.MaxStates > 0 && d.r.States >= d.o.MaxStates:
		reason = StoppedStates
	case d.o.Memory > 0 && d.held() > d.o.Memory:
		depot, err := d.depots.need(&d.depots.log)
		if err == nil {
			err = d.stack.spill(depot)
		}
		if err != nil {
			d.fail(err)
			return true
		}
		if d.held() > d.o.Memory {
			reason = StoppedMemory
		}
	}
	if reason != "" {
		d.r.Stopped = reason
	}
	return reason != ""
}

func (d *diver[S]) tableBytes() (n int64) {
	for i := range d.tables {
		n += d.tables[i].bytes()
	}
	return n
}

func (d *diver[S]) held() int64 { return d.tableBytes() + d.stack.bytes() }

// result sums up.
func (d *diver[S]) result() Result[S] {
	r := d.r
	r.Complete = r.Stopped == "" && r.Violation == nil
	r.Memory = d.held()
	r.CollisionProbability = collisionProbability(r.States)
	if r.States > 0 {
		r.BytesPerState = float64(d.tableBytes()) / float64(r.States)
	}
	r.Seen = d.checks.seen
	if r.Err != nil {
		r.Violation = nil
	}
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = d.pulse.elapsed()
	return r
}
