package groups

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/frame"
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
	s := theSite(t)
	for _, p := range planted {
		t.Run(p.mutation.String(), func(t *testing.T) {
			t.Parallel()
			d := plant(t, s, p.mutation)
			require.NotNil(t, d, "no sequence of the plan shows it")
			assert.Contains(t, d.Explained, p.mutation.String())
			assert.Equal(t, "broker", d.Pages)
			most := p.most
			if s.Limits.InitialDelay > 0 {
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
func plant(t *testing.T, s *site, m model.Mutation) *frame.Difference {
	r, p := s.player(t, model.Mutations{}.With(m))
	g := newGame(model.Mutations{}.With(m), s.known, s.Limits)
	sequences := affected(s.plan, &g)
	var jobs []frame.Job[Step]
	for i := range sequences[:min(sequencesTried, len(sequences))] {
		jobs = append(jobs, frame.Job[Step]{Sequence: &sequences[i]})
	}
	for i := range walksTried {
		jobs = append(jobs, frame.Job[Step]{Walk: i})
	}
	for _, j := range jobs {
		_, err := p.Do(context.Background(), j)
		require.NoError(t, err)
		for _, d := range r.Differences() {
			if slices.Contains(d.Explained, m.String()) && d.Pages == "broker" && d.Known == "" {
				return &d
			}
		}
	}
	return nil
}

// affected are the sequences, up to the step that the game decides in another
// way than the rules do, the shortest first.
func affected(p *frame.Plan[Step], g *game) []frame.Route[Step] {
	var some []frame.Route[Step]
	pure := g.with(model.Mutations{})
	for _, s := range p.Sequences {
		if n := parting(s.Steps, g, pure); n > 0 {
			some = append(some, frame.Route[Step]{Steps: s.Steps[:n]})
		}
	}
	slices.SortStableFunc(some, func(a, b frame.Route[Step]) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	return some
}

// parting counts the steps to the first that is answered in another way, 0 if
// there is none.
func parting(steps []Step, a, b *game) int {
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
