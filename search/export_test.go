package search

import "context"

// BreadthFirstKeeping is BreadthFirst with room for so many bytes of edges, and as
// many for what takes their place in the end.
func BreadthFirstKeeping[S any](ctx context.Context, sys System[S], o Options[S], edges int64) Result[S] {
	e := newEngine(sys, o.withDefaults())
	defer e.crew.dismiss()
	e.edgesBudget = edges
	e.run(ctx)
	r := e.result(ctx)
	e.release()
	return r
}
