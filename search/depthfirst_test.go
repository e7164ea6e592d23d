package search_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// TestDepthFirstAgainstNaiveSearch: the verdict and the counts are those of the
// naive search, but for the depth and the length of traces.
func TestDepthFirstAgainstNaiveSearch(t *testing.T) {
	verdicts := map[search.Verdict]int{}
	for seed := range uint64(3000) {
		c := randomClaim(rand.New(rand.NewPCG(seed, 1)))
		c.goals, c.options.Goals = nil, nil
		r := search.DepthFirst(background, c, c.options)
		got, want := summary(r), c.expect(search.Result[node]{})
		if want.verdict == search.Violated {
			want = got
			want.verdict = search.Violated
			assert.GreaterOrEqual(t, got.length, c.shortest())
		}
		assert.GreaterOrEqual(t, got.depth, want.depth)
		got.depth = want.depth
		require.Equal(t, want, got, "seed %d", seed)
		c.check(t, r)
		verdicts[r.Verdict]++
	}
	assert.Greater(t, verdicts[search.Violated], 100)
	assert.Greater(t, verdicts[search.Holds], 100)
}

func TestDepthFirstCounts(t *testing.T) {
	o := search.Options[twophase.State]{Invariants: []search.Property[twophase.State]{consistent}}
	want := search.BreadthFirst(background, twophase.System{N: 7}, o)
	free := search.DepthFirst(background, twophase.System{N: 7}, o)
	assert.Equal(t, want.States, free.States)
	assert.Equal(t, want.Transitions, free.Transitions)
	assert.Equal(t, want.OpCounts, free.OpCounts)
	assert.Equal(t, search.Holds, free.Verdict)
	assert.Less(t, free.Memory, want.Memory)
}

// wide has two hundred arcs from each node to others, so that the stack is
// what takes the memory.
type wide struct{ graph }

func (wide) Next(s, next *node, emit func(search.Step)) {
	for i := range node(200) {
		*next = (*s*200 + i) % 100_000
		emit(search.Step{Arg: uint32(i)})
	}
}

func TestDepthFirstSpills(t *testing.T) {
	sys := &wide{graph{initial: []node{0}}}
	o := search.Options[node]{MaxStates: 15_000, TempDir: t.TempDir()}
	want := search.DepthFirst(background, sys, o)
	require.Greater(t, want.Memory, int64(50<<20))
	o.Memory = 16 << 20
	got := search.DepthFirst(background, sys, o)
	assert.LessOrEqual(t, got.Memory, o.Memory)
	want.Elapsed, got.Elapsed, want.Memory, got.Memory = 0, 0, 0, 0
	assert.Equal(t, want, got)

	o.Memory = 1 << 20
	assert.Equal(t, search.StoppedMemory, search.DepthFirst(background, sys, o).Stopped)
	o.TempDir += "/missing"
	r := search.DepthFirst(background, sys, o)
	assert.Equal(t, search.StoppedError, r.Stopped)
	assert.Error(t, r.Err)
}

func TestDepthFirstBounds(t *testing.T) {
	r := search.DepthFirst(background, chain(100), search.Options[node]{MaxDepth: 30})
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Equal(t, search.StoppedDepth, r.Stopped)
	assert.EqualValues(t, 31, r.States)

	ctx, cancel := context.WithCancel(background)
	cancel()
	assert.Equal(t, search.StoppedInterrupt, search.DepthFirst(ctx, chain(100), search.Options[node]{}).Stopped)

	r = search.DepthFirst(background, chain(50_000), search.Options[node]{
		Invariants: []search.Property[node]{{Name: "short", State: func(s *node) bool { return *s < 40_000 }}},
		Progress:   func(search.Progress) {}, ProgressEvery: 1,
	})
	require.NotNil(t, r.Violation)
	assert.Len(t, r.Violation.Trace.Steps, 40_000)
	assert.Panics(t, func() {
		search.DepthFirst(background, chain(1), search.Options[node]{Goals: []search.Goal[node]{{Name: "g", State: func(*node) bool { return true }}}})
	})
}
