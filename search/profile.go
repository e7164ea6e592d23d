package search

import (
	"slices"
	"strings"
	"time"
)

// The kinds of what a Profile tells apart.
const (
	CostOperation = "operation"
	CostInvariant = "invariant"
	CostWitness   = "witness"
	CostGoal      = "goal"
	CostEngine    = "engine"
)

// A Profile says where the time of a search went. It is sampled: of the calls of each
// kind one in Every is timed, some of these are repeated, what a clock read takes
// is taken off, and calls of more than a millisecond are left out, since most likely
// somebody else had the processor. So small parts of it are rough; its own time is one of
// them. Properties must not mind being asked several times.
type Profile struct {
	Total time.Duration // of all workers together, waiting included
	Every int
	Costs []Cost // in a fixed order; their times add up to Total
}

// A Cost is one part of a Profile.
type Cost struct {
	Kind string // one of the Cost constants
	Name string
	Time time.Duration
	// Calls counts what the time was spent on: an operation's steps, a property's
	// checks of states or steps, the states that were checked for a goal. To find that
	// an operation is not enabled takes time too; see Itemizer.
	Calls int64
}

// An Itemizer is a System that can say when it is through with each operation.
// Then the time in which an operation turns out not to be enabled is charged to it in a
// Profile; else it is charged to the next operation that is.
type Itemizer[S any] interface {
	System[S]
	// NextItemized is Next, in the same order, and calls done for each operation that it
	// has tried.
	NextItemized(s, next *S, emit func(Step), done func(op uint16))
}

// profile adds up what the probes measured. The search itself is charged with what
// is left: of what it does with a step, of the phase in which states are admitted, and
// of the whole.
func (b *breadthFirst[S]) profile(r *Result[S]) *Profile {
	p := b.workers[0].probe
	for _, w := range b.workers[1:] {
		p.add(w.probe)
	}
	f, clock := &Profile{Every: sampleEvery}, p.clockCost()
	add := func(kind, name string, cost time.Duration, calls int64) {
		f.Costs = append(f.Costs, Cost{kind, name, max(0, cost), calls})
		f.Total += max(0, cost)
	}
	left := [phases]time.Duration{time.Duration(p.push.each(1, clock) * float64(r.Transitions)), time.Duration(p.admitting)}
	own := time.Duration(float64(p.clockReads) * clock) // what the profile takes itself
	timed := func(phase int, kind, name string, t *timer, times float64) {
		each := t.each(times, clock)
		cost, again := time.Duration(each*float64(t.calls)), time.Duration(each*(times-1)*float64(t.timed))
		add(kind, name, cost, t.calls)
		left[phase] -= cost + again
		own += again
	}
	for i, name := range b.sys.Ops() {
		add(CostOperation, name, p.operation(i, clock), r.OpCounts[i])
	}
	for i := range b.o.Invariants {
		timed(phaseOf(&b.o.Invariants[i]), CostInvariant, b.o.Invariants[i].Name, &p.invariants[i], repeats)
	}
	for i := range b.o.Sometimes {
		timed(phaseOf(&b.o.Sometimes[i]), CostWitness, b.o.Sometimes[i].Name, &p.witnesses[i], repeats)
	}
	batches := slices.Collect(slices.Chunk(b.o.Goals, goalsPerBatch))
	for i, cost := range b.goalTimes {
		var names []string // goals are checked together
		for _, g := range batches[i] {
			names = append(names, g.Name)
		}
		add(CostGoal, strings.Join(names, ", "), cost*time.Duration(len(b.workers)), r.States)
	}
	timed(otherwise, CostEngine, "decode", &p.decode[expanding], repeats)
	timed(admitting, CostEngine, "decode for invariants", &p.decode[admitting], repeats)
	timed(expanding, CostEngine, "canonical form", &p.canonical, 1)
	timed(expanding, CostEngine, "encode", &p.encode, repeats)
	add(CostEngine, "hash and look up", left[expanding], r.Transitions)
	add(CostEngine, "admit", left[admitting], r.States)
	add(CostEngine, "this profile", own, p.clockReads)
	add(CostEngine, "wait, files, other", r.Elapsed*time.Duration(len(b.workers))-f.Total, 0)
	return f
}

// operation is what the steps of one operation took.
func (p *probe[S]) operation(op int, clock float64) time.Duration {
	ns := max(0, float64(p.ops[op].ns)-clock*float64(p.ops[op].reads))
	return time.Duration(ns / float64(max(1, p.opStates)) * float64(p.next.calls))
}

// phaseOf says when a property is looked at.
func phaseOf[S any](p *Property[S]) int {
	if p.State != nil {
		return admitting
	}
	return expanding
}
