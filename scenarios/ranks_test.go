package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// Forgetting the absolute values of generations changes no verdict, no shortest
// length, and finds no more states: shown for every mutation.
func TestRanksChangeNoVerdict(t *testing.T) {
	for _, id := range []string{"zombie-commit", "late-sync", "added-partition", "changed-subscription", "restamped-commit", "stalled-leader", "commit-in-empty-group"} {
		plain, err := ByID(id)
		require.NoError(t, err)
		ranked, err := plain.Change(func(d *Definition) { d.Ranks, d.Generations = true, 0 })
		require.NoError(t, err)
		for m := range model.NumMutations {
			off := model.Mutations{}.With(m)
			p, bounds := bounded(plain.With(off))
			r, _ := bounded(ranked.With(off))
			if p.Verdict == search.Incomplete || r.Verdict == search.Incomplete {
				continue
			}
			if bounds.Generations && p.Violation == nil && r.Violation != nil {
				continue // beyond the bound that the plain form has
			}
			assert.Equal(t, p.Verdict, r.Verdict, "%s without %s", id, m)
			assert.LessOrEqual(t, r.States, p.States, "%s without %s", id, m)
			if p.Violation != nil && r.Violation != nil {
				assert.Equal(t, p.Violation.Property, r.Violation.Property, "%s without %s", id, m)
				assert.Len(t, r.Violation.Trace.Steps, len(p.Violation.Trace.Steps), "%s without %s", id, m)
			}
		}
	}
}

func bounded(s *Scenario) (search.Result[cluster.State], ops.Bounds) {
	sys, o := s.System(), s.Options()
	o.MaxStates = 30_000
	r := search.BreadthFirst(context.Background(), sys, o)
	return r, sys.Bounds()
}

func TestRanksAreRefusedWhereTheyAreUnsound(t *testing.T) {
	s, err := ByID("deleted-group-zombie")
	require.NoError(t, err)
	_, err = s.Change(func(d *Definition) { d.Ranks = true })
	assert.ErrorContains(t, err, "ranks: a deleted group begins again at generation 1")
}
