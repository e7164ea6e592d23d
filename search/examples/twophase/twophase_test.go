package twophase_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// TestNotConsistent: the property can fail, for it sees what is wrong with a
// state that the protocol never reaches.
func TestNotConsistent(t *testing.T) {
	mixed := twophase.State{RM: twophase.Committed | twophase.Aborted<<4}
	assert.False(t, twophase.Consistent(&mixed))
	split := twophase.State{RM: twophase.Prepared | twophase.Aborted<<2 | twophase.Aborted<<28}
	assert.True(t, twophase.Consistent(&split))
}

// TestRoundTrip packs and unpacks every reachable state, and some of the largest
// system's.
func TestRoundTrip(t *testing.T) {
	for n, depth := range map[int]int{4: 0, twophase.MaxManagers: 4} {
		sys := twophase.System{N: n}
		r := search.BreadthFirst(context.Background(), sys, search.Options[twophase.State]{
			Invariants: []search.Property[twophase.State]{{Name: "round trip", Step: func(_ *twophase.State, _ search.Step, s *twophase.State) bool {
				var back twophase.State
				sys.Decode(sys.Append(nil, s), &back)
				return back == *s
			}}},
			MaxDepth: depth,
		})
		assert.Nil(t, r.Violation)
		assert.Greater(t, r.States, int64(1000))
	}
}

// Protocols that know nothing of one another have as many states together as the
// product of what each has alone.
func TestSeveralMultiply(t *testing.T) {
	for _, sizes := range [][]int{{3}, {2, 3}, {3, 1, 2}} {
		want := int64(1)
		for _, n := range sizes {
			want *= int64(math.Pow(2, float64(n)) + math.Pow(4, float64(n)) + math.Pow(6, float64(n)))
		}
		r := search.BreadthFirst(context.Background(), twophase.NewSeveral(sizes...), search.Options[twophase.States]{
			Invariants: []search.Property[twophase.States]{{Name: "consistent", State: twophase.AllConsistent}},
		})
		assert.Equal(t, search.Holds, r.Verdict)
		assert.Equal(t, want, r.States, sizes)
	}
}
