package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"time"

	"fencecheck/search/internal/storage"
)

// goalsPerBatch is how many goals are checked together, one bit of a set each. Hints are
// kept for no more.
const goalsPerBatch = 64

// goalMemory bounds the memory that checking the goals takes, beside the hints.
func (e *breadthFirst[S]) goalMemory() (bytes int64) {
	if len(e.o.Goals) == 0 {
		return 0
	}
	goals := min(len(e.o.Goals), goalsPerBatch)
	width := int64(1) << bits.Len(uint(goals-1))
	for id := range storage.Shards {
		states, slots := e.store.Sizes(id)
		bytes += (slots+2*states)*width/8 + 24
	}
	return bytes
}

// queueBudget is what the queues of pages may take.
func (e *breadthFirst[S]) queueBudget() int64 {
	if e.o.Memory > 0 {
		return max(0, e.o.Memory-e.memory())
	}
	return max(0, e.hintBudget-e.hintBytes)
}

// checkGoals returns the violation of the goal that is lost first, if any is. It ends with
// ctx: then no more is known than what was found before.
func (e *breadthFirst[S]) checkGoals(ctx context.Context) *Violation[S] {
	for _, w := range e.workers {
		w.detachProbe()
	}
	var first *trap[S]
	for goals := range slices.Chunk(e.o.Goals, goalsPerBatch) {
		start := time.Now()
		r := newReachability(e.store, helpOf(goals), e.queueBudget())
		var expands []expand
		for _, w := range e.workers {
			expands = append(expands, newGoalExpander(w, goals).expand)
		}
		e.fail(r.run(ctx, e.pool, expands))
		e.goalTimes = append(e.goalTimes, time.Since(start))
		if e.stopped = cmp.Or(e.stopped, interruption(ctx)); e.stopped != "" {
			break
		}
		for i := range goals {
			if t := e.trap(r, goals, i); t.count > 0 && (first == nil || t.before(first)) {
				first = t
			}
		}
	}
	if first == nil {
		return nil
	}
	return &Violation[S]{
		Property:   first.goal,
		Kind:       Unreachable,
		Trace:      e.traceTo(first.depth, first.index),
		Trap:       first.count,
		TrapStates: first.states,
	}
}

// A trap is where a goal is out of reach: the first such state, and how many
// there are.
type trap[S any] struct {
	goal   string
	depth  int
	index  int64 // within its level
	count  int64
	states []S // the first few
}

// before orders traps as the search does.
func (t *trap[S]) before(u *trap[S]) bool {
	return t.depth < u.depth || t.depth == u.depth && t.index < u.index
}

// trap goes through all states in the order of the search.
func (e *breadthFirst[S]) trap(r *reachability, goals []Goal[S], goal int) *trap[S] {
	t := &trap[S]{goal: goals[goal].Name}
	for n := range e.store.AllPages {
		p := &e.store.AllPages[n]
		for i := range int64(p.States) {
			if r.reached[p.Shard].get(p.First+i)>>goal&1 == 1 {
				continue
			}
			if t.count++; t.count == 1 {
				t.depth, t.index = p.Depth, p.Base+i
			}
			if len(t.states) < e.o.TrapStates {
				t.states = append(t.states, e.state(p, i))
			}
		}
	}
	return t
}

// state decodes the i-th state of a page.
func (e *breadthFirst[S]) state(p *storage.Page, i int64) (s S) {
	data, err := p.Load(&e.workers[0].buffer)
	if err != nil {
		e.fail(err)
		return s
	}
	var code []byte
	for range i + 1 {
		code, data = storage.NextCode(data)
	}
	e.sys.Decode(code, &s)
	return s
}
