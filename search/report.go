package search

import (
	"context"

	"fencecheck/search/internal/storage"
)

// result checks the goals and sums up.
func (e *breadthFirst[S]) result(ctx context.Context) Result[S] {
	sum := e.sum()
	r := Result[S]{
		Complete:      e.stopped == "" && e.found == nil,
		Stopped:       e.stopped,
		States:        e.store.States(),
		Transitions:   sum.transitions,
		Depth:         max(0, e.store.Depth()),
		Memory:        e.memory(),
		OpCounts:      sum.ops,
		OutcomeCounts: sum.outcomes,
		Seen:          sum.checks.seen,
	}
	r.describeVisited(e.store.VisitedBytes())
	switch {
	case e.found != nil:
		r.Violation = e.violation(*e.found)
	case r.Complete && len(e.o.Goals) > 0:
		r.Violation = e.checkGoals(ctx)
		r.Stopped, r.Complete = e.stopped, e.stopped == ""
	}
	if e.err != nil {
		r.Err, r.Stopped, r.Complete, r.Violation = e.err, e.stopped, false, nil
	}
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = e.progressTicker.elapsed()
	if e.o.Profile {
		r.Profile = e.profile(&r)
	}
	return r
}

// describeVisited says what the visited set costs and how far it can be trusted.
func (r *Result[S]) describeVisited(bytes int64) {
	r.CollisionProbability = storage.CollisionProbability(r.States)
	if r.States > 0 {
		r.BytesPerState = float64(bytes) / float64(r.States)
	}
}

// sum adds up what the workers counted and found, in a worker that cannot work.
func (e *breadthFirst[S]) sum() *worker[S] {
	sum := &worker[S]{checks: newChecks(e.o.Invariants, e.o.Sometimes), counts: newCounts(e.sys)}
	for _, w := range e.workers {
		sum.add(w)
	}
	return sum
}

// progress describes the search between two rounds.
func (e *breadthFirst[S]) progress() Progress {
	p := Progress{
		States:   e.store.States(),
		Depth:    e.store.Depth(),
		Frontier: e.store.Frontier(),
		Memory:   e.memory(),
		Elapsed:  e.progressTicker.elapsed(),
	}
	for _, w := range e.workers {
		p.Transitions += w.transitions
	}
	if total := estimate(e.store.LevelSizes()); total > p.States { // else it is refuted already
		p.Total = total
	}
	return p
}
