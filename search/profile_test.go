package search_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

func profiled() search.Options[twophase.State] {
	return search.Options[twophase.State]{
		Invariants: []search.Property[twophase.State]{
			consistent,
			{Name: "any step", Step: func(*twophase.State, search.Step, *twophase.State) bool { return true }},
		},
		Sometimes: []search.Property[twophase.State]{
			{Name: "aborted", Step: func(_ *twophase.State, st search.Step, _ *twophase.State) bool { return st.Op == twophase.Abort }},
		},
		Goals: []search.Goal[twophase.State]{{Name: "anything", State: func(*twophase.State) bool { return true }}},
	}
}

// A profile changes nothing else about a result.
func TestProfileChangesNothing(t *testing.T) {
	for _, workers := range []int{1, 3} {
		o := profiled()
		o.Workers = workers
		plain := search.BreadthFirst(context.Background(), twophase.System{N: 6}, o)
		assert.Nil(t, plain.Profile)
		o.Profile = true
		r := search.BreadthFirst(context.Background(), twophase.System{N: 6}, o)
		require.NotNil(t, r.Profile)
		plain.Elapsed, r.Elapsed, r.Profile = 0, 0, nil
		assert.Equal(t, plain, r)
	}
}

func TestProfile(t *testing.T) {
	sys, o := twophase.System{N: 6}, profiled()
	o.Workers, o.Profile = 2, true
	r := search.BreadthFirst(context.Background(), sys, o)
	p := r.Profile
	require.NotNil(t, p)
	assert.Greater(t, p.Every, 1)

	type part struct{ kind, name string }
	calls, sum := map[part]int64{}, time.Duration(0)
	var names []part
	for _, c := range p.Costs {
		assert.GreaterOrEqual(t, c.Time, time.Duration(0), c.Name)
		sum += c.Time
		names = append(names, part{c.Kind, c.Name})
		calls[part{c.Kind, c.Name}] = c.Calls
	}
	assert.Equal(t, p.Total, sum)
	var want []part
	for op, name := range sys.Ops() {
		want = append(want, part{search.CostOperation, name})
		assert.Equal(t, r.OpCounts[op], calls[part{search.CostOperation, name}])
	}
	want = append(want,
		part{search.CostInvariant, "consistent"}, part{search.CostInvariant, "any step"}, part{search.CostWitness, "aborted"}, part{search.CostGoal, "anything"},
		part{search.CostEngine, "decode"}, part{search.CostEngine, "decode for invariants"}, part{search.CostEngine, "canonical form"}, part{search.CostEngine, "encode"},
		part{search.CostEngine, "hash and look up"}, part{search.CostEngine, "admit"}, part{search.CostEngine, "this profile"}, part{search.CostEngine, "wait, files, other"})
	assert.Equal(t, want, names)

	assert.Equal(t, r.States, calls[part{search.CostInvariant, "consistent"}])
	assert.Equal(t, r.Transitions-1, calls[part{search.CostInvariant, "any step"}], "the initial state is no step")
	assert.Equal(t, r.States, calls[part{search.CostEngine, "decode"}])
	assert.Equal(t, r.Transitions, calls[part{search.CostEngine, "encode"}])
	assert.Zero(t, calls[part{search.CostEngine, "canonical form"}])
	assert.NotZero(t, calls[part{search.CostWitness, "aborted"}])
}

// itemized is two-phase commit in the order of its operations, and says when it is
// through with each.
type itemized struct {
	twophase.System
	done *int
}

func (i itemized) Next(s, next *twophase.State, emit func(search.Step)) {
	i.NextItemized(s, next, emit, func(uint16) {})
}

func (i itemized) NextItemized(s, next *twophase.State, emit func(search.Step), done func(op uint16)) {
	for op := range i.Ops() {
		i.System.Next(s, next, func(st search.Step) {
			if int(st.Op) == op {
				emit(st)
			}
		})
		done(uint16(op))
		*i.done++
	}
}

func TestProfileOfItemizer(t *testing.T) {
	var n int
	sys := itemized{twophase.System{N: 5}, &n}
	o := profiled()
	o.Workers = 1
	plain := search.BreadthFirst(context.Background(), sys, o)
	o.Profile = true
	before := n
	r := search.BreadthFirst(context.Background(), sys, o)
	assert.Greater(t, n, before)
	require.NotNil(t, r.Profile)
	plain.Elapsed, r.Elapsed, r.Profile = 0, 0, nil
	assert.Equal(t, plain, r)
}

func TestNoProfileOfResumedSearch(t *testing.T) {
	assert.Panics(t, func() {
		search.BreadthFirst(context.Background(), twophase.System{N: 3}, search.Options[twophase.State]{Profile: true, Resume: true, Checkpoint: t.TempDir()})
	})
}
