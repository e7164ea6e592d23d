package conform

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

// What is said of the embedded broker is held against a real one: it answers
// the same requests as the model does.
func TestKnownDifferencesAreConfirmedByRealBroker(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	s := theStage(t)
	report, err := Run(context.Background(), Options{Requests: 6000, Seed: 1})
	require.NoError(t, err)
	require.NotEmpty(t, report.Differences)
	w := s.worker(t, model.Mutations{})
	txns := theTxnWorker(t, model.Mutations{})
	for _, d := range report.Differences {
		if d.txnSteps != nil {
			p, err := txns.play(context.Background(), txnJob{sequence: &txnSequence{steps: d.txnSteps, shares: true}}, 1, nil)
			require.NoError(t, err)
			assert.Nil(t, p.wrong, "%s: %+v", d.Known, d.Steps)
			continue
		}
		assert.Nil(t, w.confirmed(t, d.steps), "%s: %+v", d.Known, d.Steps)
	}
}

// confirmed plays steps, waiting for the initial delay that the embedded broker
// does not have, and returns the mismatch. It tries again where the broker
// chooses another leader or the machine is slow.
func (w *worker) confirmed(t *testing.T, steps []step) *mismatch {
	t.Helper()
	ctx := context.Background()
	for scale := range 8 {
		seq := sequence{steps: steps}
		p, err := w.begin(ctx, timeoutsOf(&seq, w.run.game.at(true), w.run.venue.limits, 1+scale/3))
		require.NoError(t, err)
		for _, st := range steps {
			if _, err = p.step(ctx, st); err != nil || p.wrong != nil {
				break
			}
			if g := p.state().Group; g.InitialDelay && g.State == model.PreparingRebalance {
				if _, err = p.step(ctx, step{Op: joinTimer}); err != nil {
					break
				}
			}
		}
		require.NoError(t, p.end(ctx))
		if err == nil {
			return p.wrong
		}
	}
	t.Error("not played to its end")
	return nil
}

// at is the game with or without an initial delay.
func (g game) at(instant bool) *game {
	g.instant = instant
	return &g
}
