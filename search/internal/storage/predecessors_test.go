package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPredecessors reads back levels that end within and between blocks.
func TestPredecessors(t *testing.T) {
	type record struct {
		parent int64
		step   StepRef
	}
	r := rand.New(rand.NewPCG(5, 6))
	var ps predecessors
	var levels [][]record
	var starts []recordAddress
	for range 40 {
		starts = append(starts, ps.beginLevel())
		level := make([]record, r.IntN(20_000))
		var parent int64
		for i := range level {
			parent += r.Int64N(1 << r.IntN(20))
			level[i] = record{parent, StepRef(r.Uint32() >> r.IntN(32))}
			ps.add(level[i].parent, level[i].step)
		}
		levels = append(levels, level)
	}
	require.Greater(t, len(ps.blocks), 5)
	for i, level := range levels {
		for range min(20, len(level)) {
			n := r.IntN(len(level))
			parent, step, err := ps.record(starts[i], int64(n))
			require.NoError(t, err)
			require.Equal(t, level[n], record{parent, step})
		}
	}
}
