package search_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// sorted is two-phase commit whose managers are sorted, since nothing tells them apart.
type sorted struct{ twophase.System }

func (p sorted) Canonize(s *twophase.State) {
	of := func(r int) (uint32, bool, bool) { return s.Of(r), s.Sent>>r&1 == 1, s.Heard>>r&1 == 1 }
	less := func(a, b int) bool {
		x, xs, xh := of(a)
		y, ys, yh := of(b)
		if x != y {
			return x < y
		}
		if xs != ys {
			return ys
		}
		return !xh && yh
	}
	for i := range p.N {
		for j := p.N - 1; j > i; j-- {
			if less(j, j-1) {
				swap(s, j)
			}
		}
	}
}

// swap exchanges manager j with the one before.
func swap(s *twophase.State, j int) {
	if x := s.Of(j) ^ s.Of(j-1); x != 0 {
		s.RM ^= x<<(2*j) | x<<(2*j-2)
	}
	for _, mask := range []*uint16{&s.Sent, &s.Heard} {
		if x := (*mask>>j ^ *mask>>(j-1)) & 1; x != 0 {
			*mask ^= x<<j | x<<(j-1)
		}
	}
}

// TestCanonizeCounts: the search finds each state once for all orders of the managers,
// as trying all orders on all states shows.
func TestCanonizeCounts(t *testing.T) {
	for n := 1; n <= 4; n++ {
		sys := twophase.System{N: n}
		orbits, seen := map[twophase.State]bool{}, map[twophase.State]bool{}
		var todo []twophase.State
		sys.Init(func(s *twophase.State) { todo = append(todo, *s) })
		for ; len(todo) > 0; todo = todo[1:] {
			s := todo[0]
			if seen[s] {
				continue
			}
			seen[s] = true
			orbits[leastOrder(s, n)] = true
			var next twophase.State
			sys.Next(&s, &next, func(search.Step) { todo = append(todo, next) })
		}
		r := search.BreadthFirst(background, search.System[twophase.State](sorted{sys}), search.Options[twophase.State]{})
		assert.EqualValues(t, len(orbits), r.States, "%d managers, %d states", n, len(seen))
	}
}

// leastOrder is the least of the states that differ in the order of the first n managers.
func leastOrder(s twophase.State, n int) twophase.State {
	if n < 2 {
		return s
	}
	least := leastOrder(s, n-1)
	for range n - 1 { // each manager in turn becomes the last
		for i := 1; i < n; i++ {
			swap(&s, i)
		}
		if other := leastOrder(s, n-1); fmt.Sprint(other) < fmt.Sprint(least) {
			least = other
		}
	}
	return least
}

// TestCanonize: the verdicts and the shortest lengths stay, and the states become few.
func TestCanonize(t *testing.T) {
	plain, canonical := twophase.System{N: 5}, sorted{twophase.System{N: 5}}
	for name, o := range map[string]search.Options[twophase.State]{
		"holds":    {Invariants: []search.Property[twophase.State]{consistent}},
		"violated": {Invariants: []search.Property[twophase.State]{{Name: "undecided", State: func(s *twophase.State) bool { return s.TM != twophase.Committed }}}},
		"goal": {Goals: []search.Goal[twophase.State]{{
			Name:  "decided",
			State: func(s *twophase.State) bool { return s.TM != twophase.Working },
			Help:  func(st search.Step) bool { return st.Op != twophase.Abort },
		}}},
	} {
		want := sameForAllWorkers(t, plain, o)
		got := sameForAllWorkers(t, search.System[twophase.State](canonical), o)
		assert.Equal(t, want.Verdict, got.Verdict, name)
		assert.Less(t, got.States*4, want.States, name)
		assert.Equal(t, want.Depth, got.Depth, name)
		if want.Violation != nil {
			require.NotNil(t, got.Violation, name)
			assert.Len(t, got.Violation.Trace.Steps, len(want.Violation.Trace.Steps), name)
			assert.NoError(t, search.Replay(search.System[twophase.State](canonical), got.Violation.Trace, nil), name)
		}
		if o.Goals == nil {
			deep := search.DepthFirst(background, search.System[twophase.State](canonical), o)
			assert.Equal(t, want.Verdict, deep.Verdict, name)
		}
	}
}
