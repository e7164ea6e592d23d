package conform

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

// planted has mutations that are switched on in the model only, and how many
// steps the sequence that shows them may have at most. The embedded broker has
// none of them itself.
var planted = []struct {
	mutation model.Mutation
	most     int
}{
	{model.JoinSessionBounds, 1},
	{model.JoinMemberIDRequired, 1},
	{model.JoinProtocolCheck, 4},
	{model.JoinLeaderStableRebalance, 5},
	{model.JoinMetadataChangeRebalance, 5},
	{model.JoinGenerationIncrement, 3},
	{model.EmptyGenerationIncrement, 8},
	{model.SyncMemberCheck, 4},
	{model.SyncGenerationCheck, 5},
	{model.SyncLeaderOnlyAssign, 5},
	{model.HeartbeatMemberCheck, 4},
	{model.HeartbeatGenerationCheck, 5},
	{model.HeartbeatRebalanceSignal, 4},
	{model.OffsetCommitMemberCheck, 4},
	{model.OffsetCommitGenerationCheck, 5},
	{model.OffsetCommitCompletingCheck, 5},
	{model.OffsetCommitEmptyGroupOnly, 4},
}

func TestPlantedDifferencesAreFoundAndMinimised(t *testing.T) {
	s := theStage(t)
	for _, p := range planted {
		t.Run(p.mutation.String(), func(t *testing.T) {
			t.Parallel()
			d := plant(t, s, p.mutation)
			require.NotNil(t, d, "no sequence of the plan shows it")
			assert.Contains(t, d.Explained, p.mutation.String())
			assert.Equal(t, "broker", d.Pages)
			most := p.most
			if s.venue.limits.initialDelay > 0 {
				most += 2 // it is waited for
			}
			assert.LessOrEqual(t, len(d.Steps), most, "%+v", d.Steps)
			assert.NotEmpty(t, d.Rule.ID)
			assert.Empty(t, d.Known)
		})
	}
}

// sequencesTried and walksTried bound what a planted difference may take.
const (
	sequencesTried = 6
	walksTried     = 60
)

// plant plays those sequences of the plan in which the mutation decides
// otherwise, and then random walks, until the difference is found.
func plant(t *testing.T, s *stage, m model.Mutation) *Difference {
	w := s.worker(t, model.Mutations{}.With(m))
	sequences := affected(s.plan, &w.run.game)
	var jobs []job
	for i := range sequences[:min(sequencesTried, len(sequences))] {
		jobs = append(jobs, job{sequence: &sequences[i]})
	}
	for i := range walksTried {
		jobs = append(jobs, job{walk: i})
	}
	for _, j := range jobs {
		require.NoError(t, w.do(context.Background(), j))
		for _, d := range w.run.differences() {
			if slices.Contains(d.Explained, m.String()) && d.Pages == "broker" && d.Known == "" {
				return &d
			}
		}
	}
	return nil
}

// affected are the sequences, up to the step that the game decides in another
// way than the rules do, the shortest first.
func affected(p *plan, g *game) []sequence {
	var some []sequence
	pure := g.with(model.Mutations{})
	for _, s := range p.sequences {
		if n := parting(s.steps, g, pure); n > 0 {
			some = append(some, sequence{steps: s.steps[:n]})
		}
	}
	slices.SortStableFunc(some, func(a, b sequence) int { return cmp.Compare(len(a.steps), len(b.steps)) })
	return some
}

// parting counts the steps to the first that is answered in another way, 0 if
// there is none.
func parting(steps []step, a, b *game) int {
	now := start()
	for i, st := range steps {
		r, ok := now.resolve(st)
		if !ok {
			return 0
		}
		x, y := a.decide(&now, r), b.decide(&now, r)
		if !x.Own.equal(y.Own) || !sameDeliveries(x.Others, y.Others) {
			return i + 1
		}
		now = y.After
	}
	return 0
}
