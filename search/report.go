package search

import (
	"context"

	"fencecheck/search/internal/storage"
)

// result checks the goals and sums up.
func (b *breadthFirst[S]) result(ctx context.Context) Result[S] {
	sum := b.sum()
	r := Result[S]{
		Complete:      b.stopped == "" && b.found == nil,
		Stopped:       b.stopped,
		States:        b.store.States(),
		Transitions:   sum.transitions,
		Depth:         max(0, b.store.Depth()),
		Memory:        b.memory(),
		OpCounts:      sum.ops,
		OutcomeCounts: sum.outcomes,
		Seen:          sum.checks.seen,
	}
	r.describeVisited(b.store.VisitedBytes())
	switch {
	case b.found != nil:
		r.Violation = b.violation(*b.found)
	case r.Complete && len(b.o.Goals) > 0:
		r.Violation = b.checkGoals(ctx)
		r.Stopped, r.Complete = b.stopped, b.stopped == ""
	}
	if b.err != nil {
		r.Err, r.Stopped, r.Complete, r.Violation = b.err, b.stopped, false, nil
	}
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = b.progressTicker.elapsed()
	if b.o.Profile {
		r.Profile = b.profile(&r)
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
func (b *breadthFirst[S]) sum() *worker[S] {
	sum := &worker[S]{checks: newChecks(b.o.Invariants, b.o.Sometimes), counts: newCounts(b.sys)}
	for _, w := range b.workers {
		sum.add(w)
	}
	return sum
}

// progress describes the search between two rounds.
func (b *breadthFirst[S]) progress() Progress {
	p := Progress{
		States:   b.store.States(),
		Depth:    b.store.Depth(),
		Frontier: b.store.Frontier(),
		Memory:   b.memory(),
		Elapsed:  b.progressTicker.elapsed(),
	}
	for _, w := range b.workers {
		p.Transitions += w.transitions
	}
	if total := estimate(b.store.LevelSizes()); total > p.States { // else it is refuted already
		p.Total = total
	}
	return p
}
