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

// plantedTxns has mutations that are switched on in the model only, and how
// many steps the sequence that shows them may have at most. The embedded broker
// has none of them itself, nor does it hide them.
var plantedTxns = []struct {
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
	plan, err := makeTxnPlan(context.Background(), &theTxnWorker(t, model.Mutations{}).run.game, embeddedDepth)
	require.NoError(t, err)
	for _, p := range plantedTxns {
		t.Run(p.mutation.String(), func(t *testing.T) {
			t.Parallel()
			if p.real && bootstrap() == "" {
				t.Skip("only a real broker has such a check")
			}
			d := plantTxn(t, plan, p.mutation)
			require.NotNil(t, d, "no sequence of the plan shows it")
			assert.Contains(t, d.Explained, p.mutation.String())
			assert.LessOrEqual(t, len(d.Steps), p.most, "%+v", d.Steps)
			assert.NotEmpty(t, d.Rule.ID)
		})
	}
}

// plantTxn plays those sequences of the plan in which the mutation decides
// otherwise until the difference is found.
func plantTxn(t *testing.T, plan *txnPlan, m model.Mutation) *Difference {
	w := theTxnWorker(t, model.Mutations{}.With(m))
	sequences := affectedTxns(plan, &w.run.game)
	for i := range sequences[:min(5*sequencesTried, len(sequences))] {
		_, err := w.do(context.Background(), txnJob{sequence: &sequences[i]})
		require.NoError(t, err)
		for _, d := range w.run.differences() {
			if slices.Contains(d.Explained, m.String()) && d.Pages == "broker" && d.Known == "" {
				return &d
			}
		}
	}
	for _, d := range w.run.differences() {
		t.Logf("%s in %s: model %s, broker %s, known %q, pages %s, explained %v", d.Request, d.State, d.Answer, d.Broker, d.Known, d.Pages, d.Explained)
	}
	t.Logf("%d sequences, %d given up, %d unconfirmed", len(sequences), w.run.unfinished, w.run.unconfirmed)
	return nil
}

// affectedTxns are the sequences, up to the step that the game decides in
// another way than the rules do, the shortest first.
func affectedTxns(p *txnPlan, g *txnGame) []txnSequence {
	var some []txnSequence
	pure := g.with(model.Mutations{})
	for _, s := range p.sequences {
		if !s.shares {
			s.way = len(s.steps)
		}
		way := both{g, pure, txnStart(), txnStart()}
		if n := way.parting(s.steps[:s.way]); n > 0 {
			some = append(some, txnSequence{steps: s.steps[:n]})
			continue
		}
		for _, st := range append(s.steps[s.way:len(s.steps):len(s.steps)], probes...) {
			if at := way; at.parting([]txnStep{st}) > 0 {
				some = append(some, txnSequence{steps: append(s.steps[:s.way:s.way], st)})
			}
		}
	}
	slices.SortStableFunc(some, func(a, b txnSequence) int { return cmp.Compare(len(a.steps), len(b.steps)) })
	return some
}

// both is a play of the game against a broker that follows the rules.
type both struct {
	game, pure    *txnGame
	model, broker txnState
}

// parting counts the steps to the first that is answered in another way, 0 if
// there is none.
func (b *both) parting(steps []txnStep) int {
	for i, st := range steps {
		r, ok := b.model.resolveTxn(st, b.game)
		if !ok {
			return 0
		}
		var x, y txnAnswer
		b.model, x = b.game.decide(&b.model, r)
		if b.broker, y = b.pure.decide(&b.broker, r); !x.equal(&y) {
			return i + 1
		}
	}
	return 0
}
