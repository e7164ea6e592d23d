package search

import (
	"context"
	"math/rand/v2"
	"time"
)

// WalkOptions say what Walk checks, and how long it walks.
type WalkOptions[S any] struct {
	Invariants []Property[S]
	Sometimes  []Property[S]
	End        func(s *S) bool // as in Options
	Seed       uint64
	Runs       int // 0: one
	Steps      int // of one run; 0: 100
}

// A WalkResult is what random runs met.
type WalkResult[S any] struct {
	// Verdict is Holds if the runs ended with nothing found, which is no proof.
	Verdict Verdict
	Stopped string // why the walk ended early, as in Result
	Runs    int    // runs begun
	Steps   int64  // steps taken by all runs
	Elapsed time.Duration

	OpCounts      []int64 // steps by System.Ops
	OutcomeCounts []int64 // steps by System.Outcomes
	Seen          []bool  // by WalkOptions.Sometimes

	// Violation is that of run number Run, counted from 0. A walk of one run
	// with Seed repeats exactly that run.
	Violation *Violation[S]
	Run       int
	Seed      uint64
}

// Walk takes random runs from the initial states: each step is drawn uniformly
// from the enabled ones. It ends with the first violation.
func Walk[S any](ctx context.Context, sys System[S], o WalkOptions[S]) WalkResult[S] {
	start := time.Now()
	w := newWalker(ctx, sys, o)
	r := &w.result
	for run := range max(o.Runs, 1) {
		if r.Violation != nil || r.Stopped != "" {
			break
		}
		w.run(run)
	}
	r.OpCounts, r.OutcomeCounts, r.Seen = w.ops, w.outcomes, w.checks.seen
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = time.Since(start)
	return *r
}

// A walker is one Walk.
type walker[S any] struct {
	ctx    context.Context
	sys    System[S]
	o      WalkOptions[S]
	checks checks[S]
	counts
	result WalkResult[S]
	source rand.PCG
	random *rand.Rand
	emit   func(Step) // w.emitted, bound once
	canon  func(*S)   // nil: every state is canonical

	cur, next, drawn S
	step             Step
	choices          uint64
	trace            Trace[S]
}

func newWalker[S any](ctx context.Context, sys System[S], o WalkOptions[S]) *walker[S] {
	w := &walker[S]{ctx: ctx, sys: fork(sys), o: o, checks: newChecks(o.Invariants, o.Sometimes), counts: newCounts(sys)}
	w.random = rand.New(&w.source)
	w.emit, w.canon = w.emitted, canonizer(w.sys, w.count)
	if w.o.Steps <= 0 {
		w.o.Steps = 100
	}
	return w
}

// runStream is the half of a generator's seed that all runs share.
const runStream = 0xa0761d6478bd642f

// runSeed derives the seed of a run. That of run 0 is the seed itself, so that
// any run can be made the first.
func runSeed(seed uint64, run int) uint64 {
	return seed + uint64(run)*0x9e3779b97f4a7c15
}

// run takes one run.
func (w *walker[S]) run(number int) {
	w.result.Run, w.result.Seed = number, runSeed(w.o.Seed, number)
	w.result.Runs++
	w.source.Seed(w.result.Seed, runStream)
	w.choices = 0
	w.sys.Init(func(s *S) {
		w.next = *s
		w.emitted(Step{})
	})
	if w.choices == 0 {
		return
	}
	w.moveToDrawn()
	w.trace = Trace[S]{Start: w.cur, Steps: w.trace.Steps[:0]}
	if p := w.checks.state(&w.cur); p >= 0 {
		w.violated(Invariant, w.o.Invariants[p].Name)
		return
	}
	for i := 0; i < w.o.Steps && w.advance(); i++ {
	}
}

// emitted draws one of the choices seen so far: each with the same chance,
// though nobody knows yet how many there will be.
func (w *walker[S]) emitted(st Step) {
	if w.choices++; w.choices == 1 || w.random.Uint64N(w.choices) == 0 {
		w.drawn, w.step = w.next, st
	}
}

// advance takes one step and reports whether the run goes on.
func (w *walker[S]) advance() bool {
	if w.result.Stopped = interruption(w.ctx); w.result.Stopped != "" {
		return false
	}
	w.choices = 0
	w.sys.Next(&w.cur, &w.next, w.emit)
	if w.choices == 0 {
		if w.o.End != nil && !w.o.End(&w.cur) {
			w.violated(Deadlock, "deadlock")
		}
		return false
	}
	w.result.Steps++
	w.count(w.step)
	w.trace.Steps = append(w.trace.Steps, w.step)
	if p := w.examine(); p >= 0 {
		w.violated(Invariant, w.o.Invariants[p].Name)
		return false
	}
	w.moveToDrawn()
	return true
}

// moveToDrawn goes to the drawn state.
func (w *walker[S]) moveToDrawn() {
	w.cur = w.drawn
	if w.canon != nil {
		w.canon(&w.cur)
	}
}

// examine returns the first invariant that the step just drawn violates, or -1.
func (w *walker[S]) examine() int {
	byStep := w.checks.step(&w.cur, w.step, &w.drawn)
	byState := w.checks.state(&w.drawn)
	if byStep < 0 || byState < 0 {
		return max(byStep, byState)
	}
	return min(byStep, byState)
}

func (w *walker[S]) violated(kind Kind, property string) {
	w.result.Violation = &Violation[S]{Property: property, Kind: kind, Trace: w.trace}
}
