package search_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/lease"
	"fencecheck/search/examples/twophase"
)

// sameForAllWorkers searches with several numbers of workers, requires that
// nothing but the time differs, and returns the result.
func sameForAllWorkers[S any](t *testing.T, sys search.System[S], o search.Options[S]) search.Result[S] {
	t.Helper()
	var first search.Result[S]
	for i, workers := range []int{1, 2, 3, 8} {
		o.Workers = workers
		r := search.BreadthFirst(context.Background(), sys, o)
		r.Elapsed = 0
		if i == 0 {
			first = r
		}
		require.Equal(t, first, r, "%d workers", workers)
	}
	return first
}

var consistent = search.Property[twophase.State]{Name: "consistent", State: twophase.Consistent}

func TestTwoPhaseCounts(t *testing.T) {
	for _, want := range []struct {
		n                   int
		states, transitions int64
		depth               int
	}{
		{3, 288, 1_146, 10},
		{5, 8_832, 58_146, 16},
		{7, 296_448, 2_744_706, 22},
	} {
		t.Run(fmt.Sprint(want.n), func(t *testing.T) {
			r := sameForAllWorkers(t, twophase.System{N: want.n}, search.Options[twophase.State]{
				Invariants: []search.Property[twophase.State]{consistent},
			})
			assert.Equal(t, search.Holds, r.Verdict)
			assert.True(t, r.Complete)
			assert.Equal(t, want.states, r.States)
			assert.Equal(t, want.transitions, r.Transitions)
			assert.Equal(t, want.depth, r.Depth)
			var steps int64
			for op, n := range r.OpCounts {
				assert.NotZero(t, n, twophase.System{}.Ops()[op])
				steps += n
			}
			assert.Equal(t, want.transitions-1, steps)
			assert.Less(t, r.CollisionProbability, 1e-15)
			assert.Greater(t, r.BytesPerState, 8.0)
		})
	}
}

// TestViolationInWideLevel looks for a violation that hundreds of states of one
// level show: the one reported must not depend on who came first.
func TestViolationInWideLevel(t *testing.T) {
	sys := twophase.System{N: 7}
	r := sameForAllWorkers(t, sys, search.Options[twophase.State]{
		Invariants: []search.Property[twophase.State]{
			{Name: "few hear", State: func(s *twophase.State) bool { return s.Heard&0x0f != 0x0f }},
			{Name: "no abort late", Step: func(s *twophase.State, st search.Step, _ *twophase.State) bool {
				return st.Op != twophase.RcvAbort || s.Heard&0x07 != 0x07
			}},
		},
	})
	require.Equal(t, search.Violated, r.Verdict)
	assert.Len(t, r.Violation.Trace.Steps, 8)
	assert.NoError(t, search.Replay(sys, r.Violation.Trace, nil))
}

func TestLease(t *testing.T) {
	o := search.Options[lease.State]{
		Invariants: []search.Property[lease.State]{lease.InOrder},
		Sometimes:  []search.Property[lease.State]{lease.StaleRefused},
	}
	safe := sameForAllWorkers(t, lease.System{Fenced: true}, o)
	assert.Equal(t, search.Holds, safe.Verdict)
	assert.Equal(t, []bool{true}, safe.Seen)
	assert.Positive(t, safe.OutcomeCounts[lease.Refused])

	unsafe := sameForAllWorkers(t, lease.System{}, o)
	require.Equal(t, search.Violated, unsafe.Verdict)
	assert.Equal(t, search.Invariant, unsafe.Violation.Kind)
	assert.Len(t, unsafe.Violation.Trace.Steps, 5)
	assert.Equal(t, []bool{false}, unsafe.Seen)
}

func TestVacuous(t *testing.T) {
	r := sameForAllWorkers(t, chain(5), search.Options[node]{
		Sometimes: []search.Property[node]{
			{Name: "three", State: func(s *node) bool { return *s == 3 }},
			{Name: "seven", State: func(s *node) bool { return *s == 7 }},
			{Name: "two to three", Step: func(s *node, _ search.Step, after *node) bool { return *s == 2 && *after == 3 }},
		},
	})
	assert.Equal(t, search.Vacuous, r.Verdict)
	assert.Equal(t, []bool{true, false, true}, r.Seen)
}

func TestDeadlock(t *testing.T) {
	o := search.Options[node]{End: func(s *node) bool { return *s == 9 }}
	assert.Equal(t, search.Holds, sameForAllWorkers(t, chain(10), o).Verdict)

	r := sameForAllWorkers(t, chain(9), o)
	require.Equal(t, search.Violated, r.Verdict)
	assert.Equal(t, search.Deadlock, r.Violation.Kind)
	assert.Equal(t, "deadlock", r.Violation.Property)
	assert.Len(t, r.Violation.Trace.Steps, 8)
}

func TestInitialStateViolation(t *testing.T) {
	g := chain(5)
	g.initial = []node{4, 1, 2}
	r := sameForAllWorkers(t, g, search.Options[node]{
		Invariants: []search.Property[node]{{Name: "not two", State: func(s *node) bool { return *s != 2 }}},
	})
	require.Equal(t, search.Violated, r.Verdict)
	assert.Equal(t, search.Trace[node]{Start: 2}, r.Violation.Trace)
	assert.EqualValues(t, 3, r.States)
}

func TestNoInitialState(t *testing.T) {
	r := sameForAllWorkers(t, &graph{}, search.Options[node]{})
	assert.Equal(t, search.Holds, r.Verdict)
	assert.Zero(t, r.States)
	assert.Zero(t, r.Depth)
}

// TestStepInvariantOnKnownState: the forbidden step is a self-loop.
func TestStepInvariantOnKnownState(t *testing.T) {
	g := chain(4)
	g.arcs[2] = append(g.arcs[2], arc{to: 2, op: 1})
	r := sameForAllWorkers(t, g, search.Options[node]{
		Invariants: []search.Property[node]{
			{Name: "moves", Step: func(s *node, _ search.Step, after *node) bool { return *s != *after }},
		},
	})
	require.Equal(t, search.Violated, r.Verdict)
	assert.Equal(t, search.Step{Op: 1, Arg: 1}, r.Violation.Trace.Steps[2])
	assert.Len(t, r.Violation.Trace.Steps, 3)
}

// TestGoals: 0 -> 1 -> 2 -> 3, back from 2 to 0; 3 is a trap for whoever wants 0,
// and 1 and 2 are too if the way back does not count.
func TestGoals(t *testing.T) {
	g := chain(4)
	g.arcs[2] = append(g.arcs[2], arc{to: 0, op: 2})
	home := search.Goal[node]{Name: "home", State: func(s *node) bool { return *s == 0 }}
	end := search.Goal[node]{Name: "end", State: func(s *node) bool { return *s == 3 }}
	impatient := home
	impatient.Help = func(st search.Step) bool { return st.Op != 2 }

	run := func(goals ...search.Goal[node]) search.Result[node] {
		return sameForAllWorkers(t, g, search.Options[node]{Goals: goals})
	}
	assert.Equal(t, search.Holds, run(end).Verdict)

	r := run(end, home)
	require.Equal(t, search.Violated, r.Verdict)
	assert.True(t, r.Complete)
	assert.Equal(t, search.Unreachable, r.Violation.Kind)
	assert.Equal(t, "home", r.Violation.Property)
	assert.EqualValues(t, 1, r.Violation.Trap)
	assert.Len(t, r.Violation.Trace.Steps, 3)

	// Whichever goal is lost first is reported, not whichever is named first.
	fork := &graph{initial: []node{0, 1}, arcs: make([][]arc, 2)}
	zero, one := home, search.Goal[node]{Name: "one", State: func(s *node) bool { return *s == 1 }}
	first := sameForAllWorkers(t, fork, search.Options[node]{Goals: []search.Goal[node]{zero, one}})
	second := sameForAllWorkers(t, fork, search.Options[node]{Goals: []search.Goal[node]{one, zero}})
	assert.Equal(t, first.Violation, second.Violation)

	r = run(impatient)
	require.Equal(t, search.Violated, r.Verdict)
	assert.EqualValues(t, 3, r.Violation.Trap)
	assert.Len(t, r.Violation.Trace.Steps, 1)
}

// TestGoalsInManyRounds: in two-phase commit a decision may stay away for ever if
// the transaction manager may neither commit nor abort.
func TestGoalsInManyRounds(t *testing.T) {
	goal := search.Goal[twophase.State]{Name: "decided", State: func(s *twophase.State) bool { return s.TM != twophase.Working }}
	o := search.Options[twophase.State]{Goals: []search.Goal[twophase.State]{goal}}
	assert.Equal(t, search.Holds, sameForAllWorkers(t, twophase.System{N: 6}, o).Verdict)

	o.Goals[0].Help = func(st search.Step) bool { return st.Op != twophase.Abort }
	r := sameForAllWorkers(t, twophase.System{N: 6}, o)
	require.Equal(t, search.Violated, r.Verdict)
	assert.Equal(t, twophase.ChooseToAbort, r.Violation.Trace.Steps[0].Op)
	assert.Len(t, r.Violation.Trace.Steps, 1)
	// One has aborted, the others each have done nothing, sent, been heard, or
	// aborted as well: all but those in which nobody has aborted.
	assert.EqualValues(t, 4*4*4*4*4*4-3*3*3*3*3*3, r.Violation.Trap)
}

// TestEstimateUnderWay: once there is an estimate it is too large rather than too
// small, and comes down to the truth.
func TestEstimateUnderWay(t *testing.T) {
	var totals []int64
	r := search.BreadthFirst(context.Background(), twophase.System{N: 7}, search.Options[twophase.State]{
		ProgressEvery: 1, Progress: func(p search.Progress) {
			if p.Total > 0 {
				totals = append(totals, p.Total)
			}
		}})
	require.NotEmpty(t, totals)
	for _, total := range totals {
		assert.GreaterOrEqual(t, total, r.States)
	}
	assert.InEpsilon(t, r.States, totals[len(totals)-1], 0.01)
}

// TestGoalsInterrupted: judging takes as long as searching, so it too ends with the
// context; what was not judged does not hold.
func TestGoalsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// Without hints, goals are looked at when everything is explored.
	r := search.BreadthFirstKeeping(ctx, chain(5), search.Options[node]{Goals: []search.Goal[node]{
		{Name: "zero", State: func(s *node) bool { cancel(); return *s == 0 }},
	}}, 0)
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Equal(t, search.StoppedInterrupt, r.Stopped)
	assert.False(t, r.Complete)
	assert.EqualValues(t, 5, r.States)
}

// TestGoalsOfIncompleteSearch: a goal may lie in what was not explored.
func TestGoalsOfIncompleteSearch(t *testing.T) {
	r := sameForAllWorkers(t, chain(10), search.Options[node]{
		Goals:    []search.Goal[node]{{Name: "end", State: func(s *node) bool { return *s == 9 }}},
		MaxDepth: 5,
	})
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Nil(t, r.Violation)
}

func TestMaxStates(t *testing.T) {
	r := sameForAllWorkers(t, twophase.System{N: 7}, search.Options[twophase.State]{MaxStates: 50_000})
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Equal(t, search.StoppedStates, r.Stopped)
	assert.False(t, r.Complete)
	assert.GreaterOrEqual(t, r.States, int64(50_000))
	assert.Less(t, r.States, int64(200_000))

	for bound, complete := range map[int64]bool{288: false, 289: true} {
		r = sameForAllWorkers(t, twophase.System{N: 3}, search.Options[twophase.State]{MaxStates: bound})
		assert.EqualValues(t, 288, r.States)
		assert.Equal(t, complete, r.Complete, "the bound stops a search that has states left to expand")
	}
}

func TestMaxDepth(t *testing.T) {
	r := sameForAllWorkers(t, chain(100), search.Options[node]{MaxDepth: 30})
	assert.Equal(t, search.StoppedDepth, r.Stopped)
	assert.Equal(t, 30, r.Depth)
	assert.EqualValues(t, 31, r.States)
}

func TestMemory(t *testing.T) {
	const budget = 4 << 20
	r := sameForAllWorkers(t, twophase.System{N: 7}, search.Options[twophase.State]{Memory: budget})
	assert.Equal(t, search.Incomplete, r.Verdict)
	assert.Equal(t, search.StoppedMemory, r.Stopped)
	assert.Greater(t, r.States, int64(10_000))
	assert.LessOrEqual(t, r.Memory, int64(budget))

	r = search.BreadthFirst(context.Background(), twophase.System{N: 7}, search.Options[twophase.State]{Memory: 64 << 20})
	assert.True(t, r.Complete)
}

func TestContext(t *testing.T) {
	search7 := func(ctx context.Context) search.Result[twophase.State] {
		return search.BreadthFirst(ctx, twophase.System{N: 7}, search.Options[twophase.State]{})
	}
	late, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	r := search7(late)
	assert.Equal(t, search.StoppedTimeout, r.Stopped)
	assert.Equal(t, search.Incomplete, r.Verdict)

	ctx, interrupt := context.WithCancel(context.Background())
	interrupt()
	r = search7(ctx)
	assert.Equal(t, search.StoppedInterrupt, r.Stopped)
	assert.EqualValues(t, 1, r.States)

	// An interrupt in the middle: as soon as a hundred thousand states are known.
	ctx, interrupt = context.WithCancel(context.Background())
	r = search.BreadthFirst(ctx, twophase.System{N: 7}, search.Options[twophase.State]{
		Progress: func(p search.Progress) {
			if p.States > 100_000 {
				interrupt()
			}
		},
		ProgressEvery: time.Nanosecond,
	})
	assert.Equal(t, search.StoppedInterrupt, r.Stopped)
	assert.Greater(t, r.States, int64(100_000))
	assert.Less(t, r.States, int64(296_448))
}

// TestDeepAndNarrow: a level costs little where little is in it.
func TestDeepAndNarrow(t *testing.T) {
	r := search.BreadthFirst(context.Background(), chain(30_000), search.Options[node]{
		Invariants: []search.Property[node]{{Name: "short", State: func(s *node) bool { return *s < 29_999 }}},
	})
	require.Equal(t, search.Violated, r.Verdict)
	assert.Len(t, r.Violation.Trace.Steps, 29_999)
}

func TestProgress(t *testing.T) {
	var reports []search.Progress
	r := search.BreadthFirst(context.Background(), twophase.System{N: 6}, search.Options[twophase.State]{
		Progress:      func(p search.Progress) { reports = append(reports, p) },
		ProgressEvery: time.Nanosecond,
	})
	require.Greater(t, len(reports), r.Depth)
	for i, p := range reports[1:] {
		assert.GreaterOrEqual(t, p.States, reports[i].States)
		assert.GreaterOrEqual(t, p.Depth, reports[i].Depth)
	}
	last := reports[len(reports)-1]
	assert.Equal(t, r.States, last.States)
	assert.Equal(t, r.Transitions, last.Transitions)
	assert.Zero(t, last.Frontier)
	assert.Positive(t, last.Memory)
}

// forked counts its forks, and fails if it is itself asked to search.
type forked struct {
	twophase.System
	forks *int
}

func (f forked) Fork() search.System[twophase.State] { *f.forks++; return f.System }

func TestFork(t *testing.T) {
	forks := 0
	sys := forked{twophase.System{N: 3}, &forks}
	r := search.BreadthFirst(context.Background(), sys, search.Options[twophase.State]{Workers: 3})
	assert.EqualValues(t, 288, r.States)
	assert.Equal(t, 3, forks)
}

func TestMalformedProperty(t *testing.T) {
	for _, p := range []search.Property[node]{
		{Name: "neither"},
		{Name: "both", State: func(*node) bool { return true }, Step: func(*node, search.Step, *node) bool { return true }},
	} {
		assert.PanicsWithValue(t, fmt.Sprintf("search: property %q must have exactly one of State and Step", p.Name), func() {
			search.BreadthFirst(context.Background(), chain(1), search.Options[node]{Invariants: []search.Property[node]{p}})
		})
	}
}

// single has one state, which is encoded as nothing, and a step that changes nothing.
type single struct{}

func (single) Ops() []string                               { return []string{"stay"} }
func (single) Outcomes() []string                          { return []string{""} }
func (single) Init(yield func(*struct{}))                  { yield(&struct{}{}) }
func (single) Next(_, _ *struct{}, emit func(search.Step)) { emit(search.Step{}) }
func (single) Append(dst []byte, _ *struct{}) []byte       { return dst }
func (single) Decode([]byte, *struct{})                    {}

func TestOneState(t *testing.T) {
	r := search.BreadthFirst(context.Background(), single{}, search.Options[struct{}]{})
	assert.Equal(t, search.Holds, r.Verdict)
	assert.EqualValues(t, 1, r.States)
	assert.EqualValues(t, 2, r.Transitions, "finding the initial state counts")
}
