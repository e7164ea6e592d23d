package txns

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/frame"
	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/model/txn"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// violation searches for the shortest counterexample of a scenario, with
// mutations.
func violation(t *testing.T, s *scenarios.Scenario, mutate ...string) *counterexamples.Counterexample {
	t.Helper()
	for _, id := range mutate {
		m, err := scenarios.MutationByID(id)
		require.NoError(t, err)
		s = s.With(model.Mutations{}.With(m))
	}
	r := search.BreadthFirst(context.Background(), s.System(), s.Options())
	require.NotNil(t, r.Violation, "%s: %s", s.ID, r.Verdict)
	c, err := counterexamples.Minimal(context.Background(), s, counterexamples.Found{Property: r.Violation.Property, Steps: r.Violation.Trace.Steps})
	require.NoError(t, err)
	return c
}

func scenario(t *testing.T, id string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.ByID(id)
	require.NoError(t, err)
	return s
}

// What no client can bring about is refused, with the step.
func TestOutOfReachIsRefused(t *testing.T) {
	for _, x := range []struct {
		id, property string
		mutate       []string
		op, why      string
	}{
		{"marker-skip", "", nil, "fail-over", "move to another broker"},
		{"late-marker", "epoch-monotone", []string{"marker-epoch-check"}, "delay-marker", "between brokers"},
		{"renew-at-last-epoch", "", nil, "", "its epochs end at 3"},
		{"producer-zombie", "no-stale-write", []string{"init-wait-prepare", "init-pending-check"}, "init-producer", "writes them at once"},
		{"late-produce", "epoch-monotone", []string{"partition-epoch-check"}, "decide-late", "in one go"},
	} {
		s, err := scenario(t, x.id), error(nil)
		if x.property != "" {
			s, err = s.Only(x.property)
			require.NoError(t, err)
		}
		c := violation(t, s, x.mutate...)
		_, err = Tell(c)
		var refused *frame.Unplayable
		require.ErrorAs(t, err, &refused, x.id)
		assert.Contains(t, refused.Why, x.why, x.id)
		if assert.Equal(t, x.op, refused.Op, x.id); x.op != "" {
			assert.Equal(t, x.op, counterexamples.OpName(c.Steps[refused.Step-1]), x.id)
		}
	}
}

// A late request comes before the transaction's end, also where the story decides it
// while markers are on their way: a broker writes markers at once.
func TestMarkersAreWrittenAtOnce(t *testing.T) {
	y, err := Tell(violation(t, scenario(t, "late-txn-offsets-tv1")))
	require.NoError(t, err)
	n := len(y.lines)
	assert.Equal(t, endTxn, y.lines[n-1].r.Step.Op)
	assert.Equal(t, txnCommit, y.lines[n-2].r.Step.Op)
	assert.True(t, y.lines[n-2].late)
	assert.Equal(t, txn.CompleteCommit, y.lines[n-1].states[0])
}
