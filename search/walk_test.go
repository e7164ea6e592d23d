package search_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/lease"
	"fencecheck/search/examples/twophase"
)

var background = context.Background()

func TestWalkRepeatsFromSeed(t *testing.T) {
	o := search.WalkOptions[lease.State]{
		Invariants: []search.Property[lease.State]{lease.InOrder},
		Seed:       7,
		Runs:       1000,
		Steps:      12,
	}
	first := search.Walk(background, lease.System{}, o)
	require.Equal(t, search.Violated, first.Verdict)
	require.NotZero(t, first.Run, "a violation in the first run shows little")
	require.NoError(t, search.Replay(lease.System{}, first.Violation.Trace, nil))

	again := search.Walk(background, lease.System{}, o)
	first.Elapsed, again.Elapsed = 0, 0
	assert.Equal(t, first, again)

	o.Seed, o.Runs = first.Seed, 1
	one := search.Walk(background, lease.System{}, o)
	assert.Equal(t, first.Violation, one.Violation)
	assert.Equal(t, first.Seed, one.Seed)
	assert.Zero(t, one.Run)
}

func TestWalkThatFindsNothing(t *testing.T) {
	o := search.WalkOptions[lease.State]{
		Invariants: []search.Property[lease.State]{lease.InOrder},
		Sometimes:  []search.Property[lease.State]{lease.StaleRefused},
		Runs:       200,
	}
	r := search.Walk(background, lease.System{Fenced: true}, o)
	assert.Equal(t, search.Holds, r.Verdict)
	assert.Equal(t, 200, r.Runs)
	assert.Positive(t, r.OutcomeCounts[lease.Refused])
	var steps int64
	for _, n := range r.OpCounts {
		steps += n
	}
	assert.Equal(t, r.Steps, steps)

	o.Runs, o.Steps = 1, 1
	assert.Equal(t, search.Vacuous, search.Walk(background, lease.System{Fenced: true}, o).Verdict)
}

// TestWalkIsUniform: of three arcs each is drawn a third of the time, and so is
// each of three initial states.
func TestWalkIsUniform(t *testing.T) {
	g := &graph{initial: []node{0, 1, 2}, arcs: make([][]arc, 3)}
	starts := make([]int, 3)
	for i := range g.arcs {
		g.arcs[i] = []arc{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}}
	}
	count := search.Property[node]{Name: "count", State: func(s *node) bool { starts[*s]++; return true }}
	r := search.Walk(background, g, search.WalkOptions[node]{
		Invariants: []search.Property[node]{count}, Runs: 30_000, Steps: 1,
	})
	for i := range 3 {
		assert.InDelta(t, 10_000, r.OpCounts[i], 400)
	}
	assert.InDelta(t, 10_000, starts[1], 400)
	assert.InDelta(t, 10_000, starts[2], 400)
}

func TestWalkDeadlock(t *testing.T) {
	o := search.WalkOptions[node]{End: func(s *node) bool { return *s == 9 }}
	assert.Equal(t, search.Holds, search.Walk(background, chain(10), o).Verdict)
	r := search.Walk(background, chain(9), o)
	require.Equal(t, search.Violated, r.Verdict)
	assert.Equal(t, search.Deadlock, r.Violation.Kind)
	assert.Len(t, r.Violation.Trace.Steps, 8)
}

func TestWalkInitialViolation(t *testing.T) {
	r := search.Walk(background, chain(3), search.WalkOptions[node]{
		Invariants: []search.Property[node]{{Name: "not zero", State: func(s *node) bool { return *s != 0 }}},
	})
	require.Equal(t, search.Violated, r.Verdict)
	assert.Empty(t, r.Violation.Trace.Steps)
}

func TestWalkStops(t *testing.T) {
	ctx, interrupt := context.WithCancel(background)
	interrupt()
	r := search.Walk(ctx, twophase.System{N: 3}, search.WalkOptions[twophase.State]{Runs: 5})
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Equal(t, search.StoppedInterrupt, r.Stopped)
}

func TestReplay(t *testing.T) {
	g := chain(4)
	trace := search.Trace[node]{Start: 1, Steps: []search.Step{{}, {}}}
	var visited []node
	require.NoError(t, search.Replay(g, trace, func(s *node, _ search.Step, after *node) {
		visited = append(visited, *s, *after)
	}))
	assert.Equal(t, []node{1, 2, 2, 3}, visited)

	trace.Steps = append(trace.Steps, search.Step{Op: 2, Arg: 7})
	assert.EqualError(t, search.Replay(g, trace, nil), "step 2 is not enabled: c, argument 0x7")

	trace.Steps = []search.Step{{Outcome: 1}}
	assert.NoError(t, search.Replay(g, trace, nil), "an outcome is not part of a step's name")
}
