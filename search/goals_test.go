package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// sameForAllEdges judges goals with hints that were kept for all pages, for some,
// and for none, and requires the same result.
func sameForAllEdges[S any](t *testing.T, sys search.System[S], o search.Options[S]) search.Result[S] {
	t.Helper()
	var first search.Result[S]
	for i, budget := range []int64{1 << 30, 40_000, 1000, 1, 0} {
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			r := search.BreadthFirstKeeping(context.Background(), sys, o, budget)
			r.Elapsed, r.Memory = 0, 0
			if i == 0 && workers == 1 {
				first = r
			}
			require.Equal(t, first, r, "%d bytes of edges, %d workers", budget, workers)
		}
	}
	return first
}

// TestGoalsByEdges compares goals that are judged by hints with those for which states are
// expanded again.
func TestGoalsByEdges(t *testing.T) {
	traps := 0
	for seed := range uint64(300) {
		c := randomClaim(rand.New(rand.NewPCG(seed, 1)))
		if len(c.options.Goals) == 0 {
			continue
		}
		c.options.Invariants, c.options.End, c.options.TrapStates = nil, nil, 3
		if r := sameForAllEdges(t, c, c.options); r.Violation != nil {
			traps++
		}
	}
	assert.Greater(t, traps, 50)

	decided := search.Goal[twophase.State]{Name: "decided",
		State: func(s *twophase.State) bool { return s.TM != twophase.Working },
		Help:  func(st search.Step) bool { return st.Op != twophase.Abort },
	}
	r := sameForAllEdges(t, twophase.System{N: 6}, search.Options[twophase.State]{
		Goals: []search.Goal[twophase.State]{decided}, TrapStates: 4,
	})
	assert.EqualValues(t, 4*4*4*4*4*4-3*3*3*3*3*3, r.Violation.Trap)
	assert.Len(t, r.Violation.TrapStates, 4)
}

// TestManyGoals judges more goals than there are sets of them that the edges of a page
// can name, and more than are judged together. Goal i is to go on from node n to some
// multiple of i+2, by steps whose place is not i modulo 3.
func TestManyGoals(t *testing.T) {
	for _, n := range []int{2, 3, 5, 40, 64, 65, 150} {
		g := randomGraph(rand.New(rand.NewPCG(5, 5)), 400)
		g.initial = append(g.initial, 0)
		var o search.Options[node]
		for i := range n {
			o.Goals = append(o.Goals, search.Goal[node]{
				Name:  fmt.Sprint(i),
				State: func(s *node) bool { return int(*s)%(i+2) == 0 },
				Help:  func(st search.Step) bool { return (st.Arg*7+uint32(st.Op))%41 != uint32(i)%41 },
			})
		}
		all := sameForAllEdges(t, g, o)
		best := all
		best.Violation = nil
		for i := range o.Goals { // each on its own
			one := o
			one.Goals = o.Goals[i : i+1]
			r := search.BreadthFirst(context.Background(), g, one)
			if v := r.Violation; v != nil && (best.Violation == nil || len(v.Trace.Steps) < len(best.Violation.Trace.Steps)) {
				best.Violation = v
			}
		}
		require.NotNil(t, all.Violation)
		assert.Len(t, all.Violation.Trace.Steps, len(best.Violation.Trace.Steps), "%d goals", n)
	}
}
