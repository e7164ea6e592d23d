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
	"fencecheck/model/cluster"
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
// readers see of them, on the embedded broker too where it has no difference in
// the way.
var holesOfTransactions = []struct {
	id, seen string
	embedded bool
}{
	{"delayed-end-txn-tv1", "was told that its transaction 2 is committed; a read_committed reader of p", true},
	{"eos-bare-group-id", "a read_committed reader gets the output of record 0 of p0 2 times", false},
	{"late-txn-offsets-tv1", "was told that its transaction 2 is committed, and with it the offset p0=2; the committed offset is 1", true},
	{"late-add-fences-tv1", "whom nobody replaced, begins its next transaction and is told PRODUCER_FENCED", false},
	{"late-produce-tv1", "was told that its transaction 1 is aborted; a read_committed reader of p0 gets its record", false},
}

func TestHolesOfTransactionsAreReal(t *testing.T) {
	for _, hole := range holesOfTransactions {
		t.Run(hole.id, func(t *testing.T) {
			if bootstrap() == "" && !hole.embedded {
				t.Skip("FENCECHECK_BOOTSTRAP names no broker")
			}
			out, text := playedOut(t, violation(t, scenario(t, hole.id)))
			assert.Equal(t, bootstrap() != "", out.Confirmed, text)
			assert.Contains(t, strings.Join(out.Seen, "\n"), hole.seen, text)
		})
	}
}

// Without verification a late batch can also leave its partition's readers
// waiting for ever.
func TestHangingTransactionIsReal(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	only, err := scenario(t, "late-produce-tv1").Only("no-hanging-transaction")
	require.NoError(t, err)
	out, text := playedOut(t, violation(t, only))
	assert.True(t, out.Confirmed, text)
	assert.Contains(t, strings.Join(out.Seen, "\n"), "for a transaction that no coordinator has open", text)
}

// A story that needs a mutation parts from reality where the check is missing.
func TestMutatedTransactionsAreNotReal(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	for _, x := range []struct {
		id, property string
		mutate       []string
		field        Field
	}{
		{"late-txn-offsets", "no-torn-transaction", []string{"txn-offset-commit-producer-epoch"}, Field{Name: "error", Model: "NONE", Broker: "INVALID_PRODUCER_EPOCH"}},
		{"producer-zombie", "fence-is-final", []string{"end-txn-epoch-check"}, Field{Name: "error", Model: "NONE", Broker: "PRODUCER_FENCED"}},
		{"eos-group-metadata", "no-stale-commit", []string{"txn-offset-commit-member-check"}, Field{Name: "error", Model: "NONE", Broker: "UNKNOWN_MEMBER_ID"}},
		{"eos-group-metadata", "no-torn-transaction", []string{"lso-open-transaction"}, Field{Name: "reads", Model: "0:r1", Broker: ""}},
		{"late-produce", "no-duplicate-record", []string{"sequence-check", "duplicate-window"}, Field{Name: "reads", Model: "0:r1 1:r1", Broker: "0:r1"}},
		{"fence-then-abort", "timeout-is-no-fence", []string{"end-txn-retry-after-fence"}, Field{Name: "error", Model: "PRODUCER_FENCED", Broker: "INVALID_TXN_STATE"}},
	} {
		t.Run(x.id+" "+x.mutate[0], func(t *testing.T) {
			only, err := scenario(t, x.id).Only(x.property)
			require.NoError(t, err)
			out, text := playedOut(t, violation(t, only, x.mutate...))
			assert.False(t, out.Confirmed)
			require.NotEmpty(t, out.Fields, text)
			assert.Equal(t, x.field, out.Fields[0], text)
		})
	}
}

// Nothing differs where the missing check would only have mattered later; that
// confirms nothing.
func TestNothingSeenIsNotConfirmed(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	only, err := scenario(t, "producer-zombie").Only("no-hanging-transaction")
	require.NoError(t, err)
	out, text := playedOut(t, violation(t, only, "timeout-abort"))
	assert.False(t, out.Confirmed)
	assert.Zero(t, out.Step)
	assert.Contains(t, text, "not confirmed: nothing differs")
}

// A producer that is being fenced aborts, and is back in business until the new
// owner has its answer.
func TestFencedProducerGoesOn(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	s := *scenario(t, "fence-then-abort")
	s.Goals, s.Witnesses = nil, nil
	s.Invariants = []*invariants.Invariant{{Name: "fenced-producers-stop", Step: func(_ *cluster.Config, _, after *cluster.State) bool {
		return !after.Last.Revived
	}}}
	r := search.BreadthFirst(context.Background(), s.System(), s.Options())
	require.NotNil(t, r.Violation)
	c := &counterexamples.Counterexample{Scenario: &s, Kind: counterexamples.Invariant, Property: r.Violation.Property, Steps: r.Violation.Trace.Steps}
	out, text := playedOut(t, c)
	assert.True(t, out.Confirmed, text)
}
