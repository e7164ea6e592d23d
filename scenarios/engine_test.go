package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/search"
)

func TestWorkersChangeNothing(t *testing.T) {
	for _, id := range []string{"zombie-commit", "late-sync", "commit-in-empty-group"} {
		s, err := ByID(id)
		require.NoError(t, err)
		var first search.Result[cluster.State]
		for _, workers := range []int{1, 2, 3} {
			o := s.Options()
			o.Workers = workers
			r := search.BreadthFirst(context.Background(), s.System(), o)
			r.Elapsed = 0
			if workers == 1 {
				first = r
			}
			assert.Equal(t, first, r, "%s with %d workers", id, workers)
		}
	}
}

// A search with maps, and nothing clever, finds the same.
func TestAgainstNaiveSearch(t *testing.T) {
	for _, id := range []string{"zombie-commit", "late-sync", "changed-subscription", "stalled-member"} {
		s, err := ByID(id)
		require.NoError(t, err)
		for _, m := range []model.Mutations{{}, model.Mutations{}.With(model.SessionExpiry)} {
			s := s.With(m)
			s.Invariants = nil
			r := search.BreadthFirst(context.Background(), s.System(), s.Options())
			states, transitions, traps := naive(s)
			assert.EqualValues(t, states, r.States, id)
			assert.EqualValues(t, transitions, r.Transitions, id)
			if r.Violation == nil {
				assert.Zero(t, traps, id)
			} else {
				assert.EqualValues(t, traps, r.Violation.Trap, id)
			}
		}
	}
}

// naive explores with maps; it counts the states from which the scenario's
// first goal cannot be reached.
func naive(s *Scenario) (states, transitions, traps int) {
	sys, o := s.System(), s.Options()
	index := map[cluster.State]int{}
	var all []cluster.State
	var before [][]int
	number := func(st *cluster.State) int {
		key := *st
		key.Last = cluster.Event{}
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key], all, before = i, append(all, key), append(before, nil)
		}
		return i
	}
	sys.Init(func(st *cluster.State) { number(st); transitions++ })
	for i := 0; i < len(all); i++ {
		from, next := all[i], cluster.State{}
		sys.Next(&from, &next, func(step search.Step) {
			transitions++
			j := number(&next)
			if len(o.Goals) > 0 && o.Goals[0].Help(step) {
				before[j] = append(before[j], i)
			}
		})
	}
	if len(o.Goals) == 0 {
		return len(all), transitions, 0
	}
	var todo []int
	reached := make([]bool, len(all))
	for i := range all {
		if o.Goals[0].State(&all[i]) {
			todo, reached[i] = append(todo, i), true
		}
	}
	traps = len(all)
	for ; len(todo) > 0; traps-- {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range before[i] {
			if !reached[j] {
				todo, reached[j] = append(todo, j), true
			}
		}
	}
	return len(all), transitions, traps
}

func TestStepsAllocateNothing(t *testing.T) {
	s, err := ByID("late-commit")
	require.NoError(t, err)
	sys := s.System()
	var st, next cluster.State
	sys.Init(func(first *cluster.State) { st = *first })
	buffer := make([]byte, 0, 1024)
	steps := 0
	emit := func(search.Step) {
		buffer = sys.Append(buffer[:0], &next)
		steps++
	}
	for range 8 { // into the middle of a run
		sys.Next(&st, &next, emit)
		st = next
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { sys.Next(&st, &next, emit) }))
	assert.NotZero(t, steps)
}

func BenchmarkClassicEager(b *testing.B) {
	s, err := ByID("classic-eager")
	require.NoError(b, err)
	b.ReportAllocs()
	var states, transitions int64
	for b.Loop() {
		o := s.Options()
		o.Goals = nil
		r := search.BreadthFirst(context.Background(), s.System(), o)
		states, transitions = states+r.States, transitions+r.Transitions
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(transitions), "ns/transition")
}
