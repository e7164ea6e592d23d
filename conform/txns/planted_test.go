package txns

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

// planted has mutations that are switched on in the model only, and how
// many steps the sequence that shows them may have at most. The embedded broker
// has none of them itself, nor does it hide them.
var planted = []struct {
	mutation model.Mutation
	most     int
	real     bool // the embedded broker has no such check, or hides it behind known differences
}{
	{model.InitBumpEpoch, 2, false},
	{model.InitAbortOngoing, 3, true},
	{model.InitExpectedPIDCheck, 2, true},
	{model.InitExpectedEpochCheck, 4, true},
	{model.InitResetLastEpoch, 3, true},
	{model.InitRetryDetection, 3, true},
	{model.AddPartitionsEpochCheck, 2, false},
	{model.AddPartitionsPIDCheck, 2, false},
	{model.EndTxnEpochCheck, 2, false},
	{model.EndTxnPIDCheck, 2, false},
	{model.EndTxnStateCheck, 4, false},
	{model.EndTxnRetryDetection, 3, false},
	{model.EndTxnBumpEpoch, 2, false},
	{model.FenceBumpsEpoch, 4, true},
	{model.DoubleFenceBumpBug, 4, true},
	{model.MarkerEpochCheck, 3, true},
	{model.MarkerStrictEpochTV2, 3, true},
	{model.MarkerCoordinatorEpochCheck, 3, true},
	{model.PartitionEpochCheck, 3, true},
	{model.VerifyBeforeFirstAppend, 2, false},
	{model.ImplicitAddTV2, 3, true},
	{model.SequenceCheck, 3, false},
	{model.DuplicateWindow, 3, false},
	{model.NontxnInTxnCheck, 3, true},
	{model.LSOOpenTransaction, 3, false},
	{model.AbortedIndexFilter, 4, false},
	{model.TxnOffsetCommitMemberCheck, 2, false},
	{model.TxnOffsetCommitGenerationCheck, 2, false},
	{model.TxnOffsetBareGroupAllowed, 2, false},
	{model.TxnOffsetHiddenUntilMarker, 3, false},
	{model.PendingOffsetMarkerApply, 4, false},
	{model.RequireStable, 3, false},
}

func TestPlantedTransactionDifferencesAreFoundAndMinimised(t *testing.T) {
	if testing.Short() {
		t.Skip("TestBrokerConforms plays the same under the race detector")
	}
	plan, err := makePlan(context.Background(), theGame(theBroker(t), model.Mutations{}), embeddedDepth)
	require.NoError(t, err)
	for _, p := range planted {
		t.Run(p.mutation.String(), func(t *testing.T) {
			t.Parallel()
			if p.real && bootstrap() == "" {
				t.Skip("only a real broker has such a check")
			}
			d := plant(t, plan, p.mutation)
			require.NotNil(t, d, "no sequence of the plan shows it")
			assert.Contains(t, d.Explained, p.mutation.String())
			assert.LessOrEqual(t, len(d.Steps), p.most, "%+v", d.Steps)
			assert.NotEmpty(t, d.Rule.ID)
		})
	}
}

// sequencesTried bounds what a planted difference may take.
const sequencesTried = 30

// plant plays those sequences of the plan in which the mutation decides
// otherwise until the difference is found.
func plant(t *testing.T, plan *frame.Plan[Step], m model.Mutation) *frame.Difference {
	r, p := thePlayer(t, model.Mutations{}.With(m))
	sequences := affected(plan, theGame(theBroker(t), model.Mutations{}.With(m)))
	for i := range sequences[:min(sequencesTried, len(sequences))] {
		_, err := p.Do(context.Background(), frame.Job[Step]{Sequence: &sequences[i]})
		require.NoError(t, err)
		for _, d := range r.Differences() {
			if slices.Contains(d.Explained, m.String()) && d.Pages == "broker" && d.Known == "" {
				return &d
			}
		}
	}
	for _, d := range r.Differences() {
		t.Logf("%s in %s: model %s, broker %s, known %q, pages %s, explained %v", d.Request, d.State, d.Answer, d.Broker, d.Known, d.Pages, d.Explained)
	}
	t.Logf("%d sequences, %d given up, %d unconfirmed", len(sequences), r.Result().Unfinished, r.Result().Unconfirmed)
	return nil
}

// affected are the sequences, up to the step that the game decides in
// another way than the rules do, the shortest first.
func affected(p *frame.Plan[Step], g *game) []frame.Route[Step] {
	var some []frame.Route[Step]
	pure := g.with(model.Mutations{})
	for _, s := range p.Sequences {
		if !s.Shares {
			s.Way = len(s.Steps)
		}
		way := both{g, pure, start(), start()}
		if n := way.parting(s.Steps[:s.Way]); n > 0 {
			some = append(some, frame.Route[Step]{Steps: s.Steps[:n]})
			continue
		}
		for _, st := range append(s.Steps[s.Way:len(s.Steps):len(s.Steps)], probes...) {
			if at := way; at.parting([]Step{st}) > 0 {
				some = append(some, frame.Route[Step]{Steps: append(s.Steps[:s.Way:s.Way], st)})
			}
		}
	}
	slices.SortStableFunc(some, func(a, b frame.Route[Step]) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	return some
}

// both is a play of the game against a broker that follows the rules.
type both struct {
	game, pure    *game
	model, broker state
}

// parting counts the steps to the first that is answered in another way, 0 if
// there is none.
func (b *both) parting(steps []Step) int {
	for i, st := range steps {
		r, ok := b.model.resolve(st, b.game)
		if !ok {
			return 0
		}
		var x, y answer
		b.model, x = b.game.decide(&b.model, r)
		if b.broker, y = b.pure.decide(&b.broker, r); !x.equal(&y) {
			return i + 1
		}
	}
	return 0
}
