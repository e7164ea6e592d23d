package groups

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// What is said of the embedded broker is held against a real one: it answers
// the same requests as the model does.
func TestKnownDifferencesAreConfirmedByRealBroker(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	address, stop, err := admin.Embedded()
	require.NoError(t, err)
	defer stop()
	ctx := context.Background()
	embedded, err := admin.Open(ctx, address, 10*time.Second, Versions())
	require.NoError(t, err)
	embedded.Embedded = true
	c := frame.Config{Requests: 6000, Seed: 1, Parallel: 24, Known: frame.Of(frame.KfakeKnown(), frame.Groups)}
	r := frame.New(c, New(embedded, c))
	require.NoError(t, r.Run(ctx))
	differences := r.Result().Differences
	require.NotEmpty(t, differences)
	s := theSite(t)
	w := newWorker(s.Broker, newGame(model.Mutations{}, nil, s.Limits), 0)
	defer w.Close()
	for _, d := range differences {
		assert.Nil(t, w.confirmed(t, d.Sequence.([]Step)), "%s: %+v", d.Known, d.Steps)
	}
}

// confirmed plays steps, waiting for the initial delay that the embedded broker
// does not have, and returns the mismatch. It tries again where the broker
// chooses another leader or the machine is slow.
func (w *worker) confirmed(t *testing.T, steps []Step) *frame.Mismatch {
	t.Helper()
	ctx := context.Background()
	for scale := range 8 {
		p, err := w.begin(ctx, timeoutsOf(steps, w.game.at(true), w.broker.Limits, 1+scale/3))
		require.NoError(t, err)
		for _, st := range steps {
			if _, err = p.step(ctx, st); err != nil || p.Wrong != nil {
				break
			}
			if g := p.state().Group; g.InitialDelay && g.State == classic.PreparingRebalance {
				if _, err = p.step(ctx, Step{Op: joinTimer}); err != nil {
					break
				}
			}
		}
		require.NoError(t, p.end(ctx))
		if err == nil {
			return p.Wrong
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
