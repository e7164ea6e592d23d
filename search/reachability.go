package search

import (
	"context"
	"slices"
	"sync/atomic"

	"fencecheck/search/internal/storage"
)

// A reachability analysis finds out for all states which goals they can reach: a fixpoint,
// computed backwards. It sweeps over the pages of all states, level after level
// from the last one, and gives each state the goals of those that its steps lead to, as far
// as the steps help. It repeats that, every other time forwards, until a sweep changes
// nothing.
//
// Where steps lead it learns in three ways. The step by which a state was found
// first is on record: so a state passes what it reaches to its parent in the breadth-first
// tree. The hints of a page have some more steps. What they leave open is expanded again,
// once they are used up. Steps that may help later are queued.
type reachability[S any] struct {
	search     *breadthFirst[S]
	goals      []Goal[S]
	help       goalHelp
	all        uint64 // the set of all goals
	firstSweep bool   // then the goals themselves must be looked at
	hintsUsed  bool   // all that the hints say is taken into account
	changes    atomic.Int64
	queues     []pageQueue  // by page
	budget     atomic.Int64 // bytes that the queues may yet take

	reached       [storage.Shards]goalSets // by number of the state: what it is known to reach
	propagated    [storage.Shards]goalSets // of that, what its parent, and those who look it up, know
	reachedBySlot [storage.Shards]goalSets // by slot of the visited set: for those who look up where a step leads
}

// reach finds out for all states which of some goals they can reach.
func (e *breadthFirst[S]) reach(ctx context.Context, goals []Goal[S]) *reachability[S] {
	hinted := slices.ContainsFunc(e.store.AllPages, func(p storage.Page) bool { return p.Hints != nil })
	r := &reachability[S]{search: e, goals: goals, hintsUsed: !hinted, queues: make([]pageQueue, len(e.store.AllPages))}
	r.budget.Store(e.queueBudget())
	r.help = helpOf(goals)
	r.all = r.help.all()
	for id := range storage.Shards {
		states, slots := e.store.Sizes(id)
		r.reachedBySlot[id] = newGoalSets(slots, len(goals))
		r.reached[id], r.propagated[id] = newGoalSets(states, len(goals)), newGoalSets(states, len(goals))
	}
	r.run(ctx)
	return r
}

// run sweeps until nothing changes any more.
func (r *reachability[S]) run(ctx context.Context) {
	e, pages := r.search, r.search.store.AllPages
	sweepers := make([]*sweeper[S], len(e.workers))
	for i, w := range e.workers {
		sweepers[i] = newSweeper(r, w)
	}
	for n := 0; ; n++ {
		r.firstSweep = n == 0
		e.pool.run(len(pages), false, func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if n%2 == 0 {
				i = len(pages) - 1 - i
			}
			sweepers[worker].sweep(&pages[i], &r.queues[i])
		})
		for _, w := range e.workers {
			e.fail(w.err)
		}
		if e.err != nil || ctx.Err() != nil {
			return
		}
		if r.changes.Swap(0) == 0 {
			if r.hintsUsed {
				return
			}
			r.hintsUsed = true
		}
	}
}
