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
func (b *breadthFirst[S]) goalMemory() (bytes int64) {
	if len(b.o.Goals) == 0 {
		return 0
	}
	goals := min(len(b.o.Goals), goalsPerBatch)
	width := int64(1) << bits.Len(uint(goals-1))
	for id := range storage.Shards {
		states, slots := b.store.Sizes(id)
		bytes += (slots+2*states)*width/8 + 24
	}
	return bytes
}

// queueBudget is what the queues of pages may take.
func (b *breadthFirst[S]) queueBudget() int64 {
	if b.o.Memory > 0 {
		return max(0, b.o.Memory-b.memory())
	}
	return max(0, b.hintBudget-b.hintBytes)
}

// checkGoals returns the violation of the goal that is lost first, if any is. It ends with
// ctx: then no more is known than what was found before.
func (b *breadthFirst[S]) checkGoals(ctx context.Context) *Violation[S] {
	for _, w := range b.workers {
		w.detachProbe()
	}
	var first *trap[S]
	for goals := range slices.Chunk(b.o.Goals, goalsPerBatch) {
		start := time.Now()
		r := newReachability(b.store, helpOf(goals), b.queueBudget())
		var expands []expand
		for _, w := range b.workers {
			expands = append(expands, newGoalExpander(w, goals).expand)
		}
		b.fail(r.run(ctx, b.pool, expands))
		b.goalTimes = append(b.goalTimes, time.Since(start))
		if b.stopped = cmp.Or(b.stopped, interruption(ctx)); b.stopped != "" {
			break
		}
		for i := range goals {
			if t := b.trap(r, goals, i); t.count > 0 && (first == nil || t.before(first)) {
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
		Trace:      b.traceTo(first.depth, first.index),
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
func (b *breadthFirst[S]) trap(r *reachability, goals []Goal[S], goal int) *trap[S] {
	t := &trap[S]{goal: goals[goal].Name}
	for n := range b.store.AllPages {
		p := &b.store.AllPages[n]
		for i := range int64(p.States) {
			if r.reached[p.Shard].get(p.First+i)>>goal&1 == 1 {
				continue
			}
			if t.count++; t.count == 1 {
				t.depth, t.index = p.Depth, p.Base+i
			}
			if len(t.states) < b.o.TrapStates {
				t.states = append(t.states, b.state(p, i))
			}
		}
	}
	return t
}

// state decodes the i-th state of a page.
func (b *breadthFirst[S]) state(p *storage.Page, i int64) (s S) {
	data, err := p.Load(&b.workers[0].buffer)
	if err != nil {
		b.fail(err)
		return s
	}
	var code []byte
	for range i + 1 {
		code, data = storage.NextCode(data)
	}
	b.sys.Decode(code, &s)
	return s
}
