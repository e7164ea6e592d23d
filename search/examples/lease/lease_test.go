package lease_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/lease"
)

var options = search.Options[lease.State]{
	Invariants: []search.Property[lease.State]{lease.InOrder},
	Sometimes:  []search.Property[lease.State]{lease.StaleRefused},
}

func TestFenced(t *testing.T) {
	r := search.BreadthFirst(context.Background(), lease.System{Fenced: true}, options)
	assert.Equal(t, search.Holds, r.Verdict)
	assert.Equal(t, []bool{true}, r.Seen, "a stale write was refused")
	for op, n := range r.OpCounts {
		assert.NotZero(t, n, lease.System{}.Ops()[op])
	}
}

// TestUnfenced: acquire, expire, acquire by the other, who writes; then the first does.
func TestUnfenced(t *testing.T) {
	r := search.BreadthFirst(context.Background(), lease.System{}, options)
	require.Equal(t, search.Violated, r.Verdict)
	var ops []uint16
	for _, st := range r.Violation.Trace.Steps {
		ops = append(ops, st.Op)
	}
	assert.Equal(t, []uint16{lease.Acquire, lease.Expire, lease.Acquire, lease.Write, lease.Write}, ops)
}
