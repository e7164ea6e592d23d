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
type reachability struct {
	store      *storage.Store
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

// newReachability prepares the analysis of goals for which the steps help; its queues may take
// so many bytes.
func newReachability(st *storage.Store, help goalHelp, budget int64) *reachability {
	hinted := slices.ContainsFunc(st.AllPages, func(p storage.Page) bool { return p.Hints != nil })
	r := &reachability{store: st, help: help, all: help.all(), hintsUsed: !hinted, queues: make([]pageQueue, len(st.AllPages))}
	r.budget.Store(budget)
	for id := range storage.Shards {
		states, slots := st.Sizes(id)
		r.reachedBySlot[id] = newGoalSets(slots, len(help))
		r.reached[id], r.propagated[id] = newGoalSets(states, len(help)), newGoalSets(states, len(help))
	}
	return r
}

// run sweeps until nothing changes any more, with an expand function for each worker of the pool.
func (r *reachability) run(ctx context.Context, pool *workerPool, expands []expand) error {
	pages := r.store.AllPages
	sweepers := make([]*sweeper, len(expands))
	for i, x := range expands {
		sweepers[i] = &sweeper{analysis: r, expand: x}
	}
	for n := 0; ; n++ {
		r.firstSweep = n == 0
		pool.run(len(pages), false, func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if n%2 == 0 {
				i = len(pages) - 1 - i
			}
			sweepers[worker].sweep(&pages[i], &r.queues[i])
		})
		for _, s := range sweepers {
			if s.err != nil {
				return s.err
			}
		}
		switch changed := r.changes.Swap(0) > 0; {
		case ctx.Err() != nil, !changed && r.hintsUsed:
			return nil
		case !changed:
			r.hintsUsed = true
		}
	}
}
