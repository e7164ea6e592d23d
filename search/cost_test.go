package search_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// TestNoAllocationPerTransition counts the allocations of whole searches, with
// all that tables, pages and buffers need to grow.
func TestNoAllocationPerTransition(t *testing.T) {
	for _, workers := range []int{1, 2} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := search.BreadthFirst(context.Background(), twophase.System{N: 7}, search.Options[twophase.State]{
			Invariants: []search.Property[twophase.State]{consistent},
			Workers:    workers,
		})
		runtime.ReadMemStats(&after)
		perTransition := float64(after.Mallocs-before.Mallocs) / float64(r.Transitions)
		t.Logf("%d workers: %.5f allocations a transition", workers, perTransition)
		assert.Less(t, perTransition, 0.01)
	}
}

func BenchmarkBreadthFirst(b *testing.B) {
	b.ReportAllocs()
	var states, transitions int64
	for b.Loop() {
		r := search.BreadthFirst(context.Background(), twophase.System{N: 7}, search.Options[twophase.State]{
			Invariants: []search.Property[twophase.State]{consistent},
		})
		states += r.States
		transitions += r.Transitions
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
}

func BenchmarkWalk(b *testing.B) {
	b.ReportAllocs()
	var steps int64
	for b.Loop() {
		steps += search.Walk(context.Background(), twophase.System{N: 7}, search.WalkOptions[twophase.State]{Runs: 100}).Steps
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// broken panics somewhere in a wide level, on whichever worker.
type broken struct{ twophase.System }

func (b broken) Next(s, next *twophase.State, emit func(search.Step)) {
	if s.Heard == 0x3f {
		panic("the model is broken")
	}
	b.System.Next(s, next, emit)
}

// TestPanicIsNotSwallowed runs itself in a process of its own, which must die
// with the system's message.
func TestPanicIsNotSwallowed(t *testing.T) {
	if os.Getenv("SEARCH_PANIC") != "" {
		search.BreadthFirst(context.Background(), broken{twophase.System{N: 7}}, search.Options[twophase.State]{Workers: 4})
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPanicIsNotSwallowed$")
	cmd.Env = append(os.Environ(), "SEARCH_PANIC=1")
	output, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(output), "panic: the model is broken")
}
