package search

import "context"

// BreadthFirstKeeping is BreadthFirst with room for so many bytes of hints, and as
// many for what takes their place in the end.
func BreadthFirstKeeping[S any](ctx context.Context, sys System[S], o Options[S], hints int64) Result[S] {
	e := newBreadthFirst(sys, o.withDefaults())
	e.hintBudget = hints
	return e.search(ctx)
}
