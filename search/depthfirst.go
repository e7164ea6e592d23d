package search

import (
	"context"

	"fencecheck/search/internal/storage"
)

// visitsPerLook is how many visits lie at most between two checks of the bounds.
const visitsPerLook = 1 << 12

// DepthFirst explores every state that is reachable from the initial ones, each time
// as deep as it goes. It needs no frontier, and finds deep violations early, with
// traces that are far from shortest. It ends with the first violation, and otherwise
// as BreadthFirst does. With MaxDepth a state that was first met deep down is not
// expanded again where it is met higher up, so that more may be missed than what
// lies deeper. Goals, Checkpoint, Profile and Workers are not for DepthFirst.
func DepthFirst[S any](ctx context.Context, sys System[S], o Options[S]) Result[S] {
	d := newDepthFirst(sys, o.withDefaults())
	defer d.store.Release()
	d.run(ctx)
	return d.result()
}

// A depthFirst is one depth-first search.
type depthFirst[S any] struct {
	sys    System[S]
	o      Options[S]
	checks checks[S]
	counts
	store          *storage.Store // for the visited set, and for the blocks of the stack
	stack          stack
	progressTicker ticker
	emit           func(Step) // d.emitted, bound once
	audit          *audit[S]
	canon          func(*S) // nil: every state is canonical

	start     S // the initial state of path
	cur, next S
	path      []Step // to cur
	ordinal   int    // transitions of cur so far
	code      []byte
	r         Result[S]
}

func newDepthFirst[S any](sys System[S], o Options[S]) *depthFirst[S] {
	if len(o.Goals) > 0 || o.Checkpoint != "" || o.Profile {
		panic("search: DepthFirst judges no goals, writes no checkpoints and has no profile")
	}
	d := &depthFirst[S]{
		sys:            fork(sys),
		o:              o,
		checks:         newChecks(o.Invariants, o.Sometimes),
		counts:         newCounts(sys),
		store:          storage.NewStore(o.TempDir, false),
		progressTicker: newTicker(o.Progress != nil, o.ProgressEvery),
	}
	d.emit, d.canon, d.audit = d.emitted, canonizer(d.sys, d.count), newAudit(d.sys)
	return d
}

// run visits states until none is left, or something ends the search.
func (d *depthFirst[S]) run(ctx context.Context) {
	d.sys.Init(func(s *S) {
		d.r.Transitions++
		d.next = *s
		d.push(Step{}, 0)
	})
	for n := 0; d.stack.size > 0 && d.r.Violation == nil; n++ {
		if n%visitsPerLook == 0 || d.stack.blockFull {
			if d.mustStop(ctx) {
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
func (d *depthFirst[S]) push(st Step, depth int) {
	if d.r.States < auditStates {
		d.audit.state(d.next)
	}
	if d.canon != nil {
		d.canon(&d.next)
	}
	d.code = d.sys.Append(d.code[:0], &d.next)
	if d.store.Find(storage.Hash(d.code)) < 0 {
		d.stack.push(visit{d.code, st, depth})
	}
}

// visit looks at a state, if it is new, and expands it.
func (d *depthFirst[S]) visit(v visit) {
	if !d.store.Add(storage.Hash(v.code)) {
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
func (d *depthFirst[S]) emitted(st Step) {
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

// violated keeps the first violation.
func (d *depthFirst[S]) violated(kind Kind, property string, path []Step) {
	if d.r.Violation == nil {
		trace := Trace[S]{Start: d.start, Steps: append([]Step(nil), path...)}
		d.r.Violation = &Violation[S]{Kind: kind, Property: property, Trace: trace}
	}
}

func (d *depthFirst[S]) fail(err error) {
	d.r.Err, d.r.Stopped = err, StoppedError
}

// halted reports whether the search must stop although states are left to visit.
func (d *depthFirst[S]) mustStop(ctx context.Context) bool {
	d.stack.blockFull = false
	if d.progressTicker.due() {
		d.o.Progress(Progress{
			States: d.r.States, Transitions: d.r.Transitions, Depth: len(d.path),
			Frontier: d.stack.size, Memory: d.memory(), Elapsed: d.progressTicker.elapsed(),
		})
	}
	reason := interruption(ctx)
	switch {
	case d.o.MaxStates > 0 && d.r.States >= d.o.MaxStates:
		reason = StoppedStates
	case d.o.Memory > 0 && d.memory() > d.o.Memory:
		if err := d.stack.spill(d.store); err != nil {
			d.fail(err)
			return true
		}
		if d.memory() > d.o.Memory {
			reason = StoppedMemory
		}
	}
	if reason != "" {
		d.r.Stopped = reason
	}
	return reason != ""
}

func (d *depthFirst[S]) memory() int64 { return d.store.VisitedBytes() + d.stack.bytes() }

// result sums up.
func (d *depthFirst[S]) result() Result[S] {
	r := d.r
	r.Complete = r.Stopped == "" && r.Violation == nil
	r.Memory = d.memory()
	r.describeVisited(d.store.VisitedBytes())
	r.OpCounts, r.OutcomeCounts, r.Seen = d.ops, d.outcomes, d.checks.seen
	if r.Err != nil {
		r.Violation = nil
	}
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = d.progressTicker.elapsed()
	return r
}
