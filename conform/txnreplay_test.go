package conform

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/counterexamples"
	"fencecheck/invariants"
	"fencecheck/model"
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

func playedOut(t *testing.T, c *counterexamples.Counterexample) (out Replayed, text string) {
	t.Helper()
	out, err := Replay(context.Background(), bootstrap(), c)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, out.WriteText(&b))
	return out, b.String()
}

// holesOfTransactions are those that need no mutation, and what applications and
// readers see of them.
var holesOfTransactions = []struct{ id, seen string }{
	{"delayed-end-txn-tv1", "was told that its transaction 2 is committed; a read_committed reader of p0 does not get its record"},
	{"eos-bare-group-id", "a read_committed reader gets the output of record 0 of p0 2 times"},
	{"late-txn-offsets-tv1", "was told that its transaction 2 is committed, and with it the offset p0=2; the committed offset is 1"},
	{"late-add-fences-tv1", "whom nobody replaced, begins its next transaction and is told PRODUCER_FENCED"},
	{"late-produce-tv1", "was told that its transaction 1 is aborted; a read_committed reader of p0 gets its record"},
}

func TestHolesOfTransactionsAreReal(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	for _, hole := range holesOfTransactions {
		t.Run(hole.id, func(t *testing.T) {
			out, text := playedOut(t, violation(t, scenario(t, hole.id)))
			assert.True(t, out.Confirmed, text)
			assert.Contains(t, strings.Join(out.Seen, "\n"), hole.seen, text)
			t.Log("\n" + text)
		})
	}
}

// A producer that is being fenced aborts, and is back in business until the new
// owner has its answer.
func TestFencedProducerGoesOn(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	s := *scenario(t, "fence-then-abort")
	s.Goals, s.Witnesses = nil, nil
	s.Invariants = []*invariants.Invariant{{Name: "fenced-producers-stop", Step: func(_ *model.Config, _, after *model.State) bool {
		return !after.Last.Revived
	}}}
	r := search.BreadthFirst(context.Background(), s.System(), s.Options())
	require.NotNil(t, r.Violation)
	c := &counterexamples.Counterexample{Scenario: &s, Kind: counterexamples.Invariant, Property: r.Violation.Property, Steps: r.Violation.Trace.Steps}
	out, text := playedOut(t, c)
	assert.True(t, out.Confirmed, text)
	t.Log("\n" + text)
}
