package main

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
)

// TestNoAllocationPerTransition guards the hot path: a whole search allocates for its
// buffers, which is little beside its transitions.
func TestNoAllocationPerTransition(t *testing.T) {
	f, o, err := parse(strings.Fields("2 2 2 2 3"))
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := search.BreadthFirst(context.Background(), f, o)
	runtime.ReadMemStats(&after)
	assert.Less(t, float64(after.Mallocs-before.Mallocs)/float64(r.Transitions), 0.005)
}

func BenchmarkFence(b *testing.B) {
	f, o, err := parse(strings.Fields("2 2 2 2 2"))
	require.NoError(b, err)
	b.ReportAllocs()
	var transitions int64
	for b.Loop() {
		transitions += search.BreadthFirst(context.Background(), f, o).Transitions
	}
	b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
}
