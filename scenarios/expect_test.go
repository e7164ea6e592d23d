package scenarios

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// run is a search of a scenario as it stands, made once for all tests.
type run struct {
	result search.Result[cluster.State]
	bounds ops.Bounds
}

var runs sync.Map // of *Scenario to func() run

func explored(s *Scenario) run {
	f, _ := runs.LoadOrStore(s, sync.OnceValue(func() run {
		sys := s.System()
		return run{search.BreadthFirst(context.Background(), sys, s.Options()), sys.Bounds()}
	}))
	return f.(func() run)()
}

func TestExpectations(t *testing.T) {
	for _, s := range All() {
		t.Run(s.ID, func(t *testing.T) {
			r := explored(s)
			require.Equal(t, s.Expect.Verdict, r.result.Verdict, "witnesses seen: %v", r.result.Seen)
			assert.Equal(t, ops.Bounds{}, r.bounds, "a limit of the model kept steps from being taken")
			assertViolation(t, r.result, s.Expect.Property, s.Expect.Length)
			if s.Expect.Verdict == search.Holds {
				assert.True(t, r.result.Complete)
				assert.NotEmpty(t, s.Witnesses, "a scenario that holds needs witnesses")
			}
		})
	}
}

func assertViolation(t *testing.T, r search.Result[cluster.State], property string, length int) {
	t.Helper()
	if property == "" {
		assert.Nil(t, r.Violation)
		return
	}
	if assert.NotNil(t, r.Violation) {
		assert.Equal(t, property, r.Violation.Property)
		assert.Len(t, r.Violation.Trace.Steps, length)
	}
}

func TestCaught(t *testing.T) {
	for _, s := range All() {
		for _, c := range s.Caught {
			t.Run(s.ID+"/"+mutationNames(c.Mutations), func(t *testing.T) {
				m := s.With(c.Mutations)
				r := search.BreadthFirst(context.Background(), m.System(), m.Options())
				assertViolation(t, r, c.Property, c.Length)
			})
		}
	}
}

func mutationNames(set model.Mutations) string {
	var names []string
	for _, m := range set.List() {
		names = append(names, m.String())
	}
	return strings.Join(names, "+")
}

// Every check is needed somewhere, alone, or the registry says why not.
func TestEveryMutationIsCaughtOrRedundant(t *testing.T) {
	caught := map[model.Mutation]bool{}
	for _, s := range All() {
		for _, c := range s.Caught {
			if list := c.Mutations.List(); len(list) == 1 {
				caught[list[0]] = true
			}
		}
	}
	for m := range model.NumMutations {
		redundant := model.Registry[m].Redundant != ""
		assert.NotEqual(t, caught[m], redundant, "%s: caught by a scenario %v, declared redundant %v", m, caught[m], redundant)
	}
}

// What is declared redundant changes no verdict of any scenario. The largest
// ones are left to `explore matrix`.
func TestRedundantMutationsChangeNoVerdict(t *testing.T) {
	for _, s := range All() {
		base := explored(s).result
		if base.States > 40_000 {
			continue
		}
		for m := range model.NumMutations {
			if model.Registry[m].Redundant == "" || !s.Config.Concerns(m) {
				continue
			}
			without := s.With(model.Mutations{}.With(m))
			r := search.BreadthFirst(context.Background(), without.System(), without.Options())
			assert.Equal(t, base.Verdict, r.Verdict, "%s without %s", s.ID, m)
		}
	}
}

// A mutation that concerns nobody changes nothing at all.
func TestMutationsThatConcernNobody(t *testing.T) {
	met := 0
	for _, s := range All() {
		base := explored(s).result
		if base.States > 1_000 {
			continue
		}
		for m := range model.NumMutations {
			if s.Config.Concerns(m) {
				continue
			}
			met++
			without := s.With(model.Mutations{}.With(m))
			r := search.BreadthFirst(context.Background(), without.System(), without.Options())
			assert.Equal(t, base.Verdict, r.Verdict, "%s without %s", s.ID, m)
			assert.Equal(t, base.States, r.States, "%s without %s", s.ID, m)
			assert.Equal(t, base.Transitions, r.Transitions, "%s without %s", s.ID, m)
			assert.Equal(t, base.OutcomeCounts, r.OutcomeCounts, "%s without %s", s.ID, m)
		}
	}
	assert.NotZero(t, met)
}

// proofs has, for each property, mutations that violate it where a scenario
// that holds otherwise checks nothing else.
var proofs = []struct{ property, scenario, mutations string }{
	{"single-owner", "zombie-commit", "client-lost-on-reset"},
	{"no-stale-commit", "late-commit", "offset-commit-generation-check"},
	{"offset-monotone", "zombie-commit", "offset-commit-member-check offset-commit-generation-check"},
	{"no-stranger-commit", "simple-consumer", "offset-commit-empty-group-only"},
	{"no-lost-input", "at-least-once", "client-commit-processed"},
	{"no-duplicate-output", "at-most-once", "offset-commit-member-check offset-commit-generation-check"},
	{"generation-monotone", "added-partition", "join-generation-increment"},
	{"no-ghost-member", "lost-answers", "join-member-id-required"},
	{"no-false-fence", "stalled-member", "session-skip-parked"},
	{"group-settles", "stalled-leader", "sync-timeout"},
	{"group-recovers", "stalled-member", "client-poll-timeout"},
	{"no-rewind-by-marker", "simple-beside-transactions", "txn-offset-newest-position-wins"},
	{"no-stale-write", "producer-zombie", "init-abort-ongoing"},
	{"no-torn-transaction", "producer-zombie", "add-partitions-epoch-check"},
	{"truthful-outcome", "late-marker", "marker-strict-epoch-tv2"},
	{"epoch-monotone", "epoch-exhaustion", "epoch-exhaustion-rotation"},
	{"tokens-unique-durable", "producer-zombie", "init-bump-epoch"},
	{"replay-equals-live", "transaction-failover", "tc-load-gate"},
	{"fence-is-final", "producer-renews", "init-reset-last-epoch"},
	{"no-duplicate-record", "late-produce", "duplicate-window sequence-check"},
	{"no-false-abort", "late-marker", "guard-kept-for-next-tv2"},
	{"timeout-is-no-fence", "fence-then-abort", "double-fence-bump-bug"},
	{"no-hanging-transaction", "producer-zombie", "timeout-abort"},
	{"producer-recovers", "late-marker", "marker-repeat-accept"},
}

func TestEveryPropertyCanBeViolated(t *testing.T) {
	proved := map[string]bool{}
	for _, p := range proofs {
		proved[p.property] = true
		t.Run(p.property, func(t *testing.T) {
			s, err := ByID(p.scenario)
			require.NoError(t, err)
			var off model.Mutations
			for _, id := range strings.Fields(p.mutations) {
				m, err := MutationByID(id)
				require.NoError(t, err)
				off = off.With(m)
			}
			only, err := s.Only(p.property)
			require.NoError(t, err)
			r := search.BreadthFirst(context.Background(), only.System(), only.Options())
			assert.Equal(t, search.Holds, r.Verdict, "with every check in force")
			broken := only.With(off)
			r = search.BreadthFirst(context.Background(), broken.System(), broken.Options())
			assert.Equal(t, search.Violated, r.Verdict, "without %s", p.mutations)
		})
	}
	for _, name := range PropertyNames() {
		assert.True(t, proved[name], "%s: no mutation shows that it can be violated", name)
	}
}

// For every property there is a scenario that holds and demands its witness, so
// that it does not hold because nothing happened.
func TestPropertiesHaveTheirWitness(t *testing.T) {
	tested := map[string]bool{}
	for _, s := range All() {
		if s.Expect.Verdict != search.Holds {
			continue
		}
		demanded := map[string]bool{}
		for _, w := range s.Witnesses {
			demanded[w.Name] = true
		}
		for _, inv := range s.Invariants {
			tested[inv.Name] = tested[inv.Name] || demanded[inv.Witness]
		}
		for _, g := range s.Goals {
			tested[g.Name] = tested[g.Name] || demanded[g.Witness]
		}
	}
	for _, name := range PropertyNames() {
		assert.True(t, tested[name], "no scenario that holds checks %s and demands its witness", name)
	}
}

func TestPropertiesAreDocumented(t *testing.T) {
	names := map[string]bool{}
	named := func(name, doc string) {
		assert.Regexp(t, `^[a-z]+(-[a-z]+)+$|^takeover$`, name)
		assert.NotEmpty(t, doc, name)
		assert.False(t, names[name], "%s is there twice", name)
		names[name] = true
	}
	for _, i := range invariants.All {
		named(i.Name, i.Doc)
		assert.NotEmpty(t, i.Source, i.Name)
		assert.True(t, (i.State == nil) != (i.Step == nil), i.Name)
		_, ok := invariants.WitnessByName(i.Witness)
		assert.True(t, ok, "%s: no witness %s", i.Name, i.Witness)
	}
	for _, g := range invariants.Goals {
		named(g.Name, g.Doc)
		assert.NotEmpty(t, g.Source, g.Name)
		_, ok := invariants.WitnessByName(g.Witness)
		assert.True(t, ok, "%s: no witness %s", g.Name, g.Witness)
	}
	for _, w := range invariants.Witnesses {
		named(w.Name, w.Doc)
	}
}

func TestEveryScenarioIsDocumented(t *testing.T) {
	for _, s := range All() {
		assert.NotEmpty(t, s.Title, s.ID)
		assert.NotEmpty(t, s.Doc, s.ID)
	}
}

// Every operation, and every answer that the rules can give, occurs somewhere.
func TestEveryOperationOccurs(t *testing.T) {
	steps := make([]int64, len(ops.Table))
	outcomes := map[string]int64{}
	for _, s := range All() {
		r := explored(s).result
		for op, n := range r.OpCounts {
			steps[op] += n
		}
		for i, n := range r.OutcomeCounts {
			outcomes[ops.Outcomes[i]] += n
		}
	}
	for i, n := range steps {
		assert.NotZero(t, n, "%s occurs in no scenario", ops.Table[i].Name)
	}
	for _, answer := range []string{
		"JoinGroup parked", "JoinGroup NONE", "JoinGroup MEMBER_ID_REQUIRED", "JoinGroup UNKNOWN_MEMBER_ID",
		"JoinGroup INVALID_SESSION_TIMEOUT", "JoinGroup INCONSISTENT_GROUP_PROTOCOL",
		"SyncGroup parked", "SyncGroup NONE", "SyncGroup UNKNOWN_MEMBER_ID", "SyncGroup ILLEGAL_GENERATION", "SyncGroup REBALANCE_IN_PROGRESS",
		"Heartbeat NONE", "Heartbeat UNKNOWN_MEMBER_ID", "Heartbeat REBALANCE_IN_PROGRESS",
		"LeaveGroup NONE", "LeaveGroup UNKNOWN_MEMBER_ID",
		"OffsetCommit NONE", "OffsetCommit UNKNOWN_MEMBER_ID", "OffsetCommit ILLEGAL_GENERATION", "OffsetCommit REBALANCE_IN_PROGRESS",
		"OffsetFetch NONE", "DeleteGroups NONE",
	} {
		assert.NotZero(t, outcomes[answer], "%q occurs in no scenario", answer)
	}
}
