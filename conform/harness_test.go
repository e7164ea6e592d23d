package conform

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

// bootstrap is a real broker, where CI has started one; "" is the embedded one.
func bootstrap() string { return os.Getenv("FENCECHECK_BOOTSTRAP") }

// stage is a broker that several tests share.
type stage struct {
	venue *venue
	known []Known
	plan  *plan
}

var sharedStage = sync.OnceValues(func() (*stage, error) {
	o := Options{Bootstrap: bootstrap()}.withDefaults()
	address, _, _, err := o.broker()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	v, err := newVenue(ctx, address, o.Patience)
	if err != nil {
		return nil, err
	}
	g := newGame(model.Mutations{}, v.limits)
	g.known = o.Known
	p, err := makePlan(ctx, g, v.limits)
	return &stage{v, o.Known, p}, err
})

func theStage(t *testing.T) *stage {
	t.Helper()
	s, err := sharedStage()
	require.NoError(t, err)
	return s
}

// TestMain removes from a shared broker what the tests have made.
func TestMain(m *testing.M) {
	status := m.Run()
	if s, err := sharedStage(); err == nil && bootstrap() != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		s.venue.tidy(ctx)
		cancel()
	}
	os.Exit(status)
}

// worker is one that plays on the stage with mutations switched on.
func (s *stage) worker(t *testing.T, off model.Mutations) *worker {
	t.Helper()
	o := Options{Bootstrap: bootstrap(), Mutations: off, Known: s.known}.withDefaults()
	w := &worker{run: newRun(o, s.venue, "a broker"), lines: map[string]*lines{}}
	w.run.plan = s.plan
	t.Cleanup(w.close)
	return w
}

var sharedTxnVenue = sync.OnceValues(func() (*txnVenue, error) {
	s, err := sharedStage()
	if err != nil {
		return nil, err
	}
	s.venue.embedded = bootstrap() == ""
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return newTxnVenue(ctx, s.venue)
})

// theTxnWorker is one that plays transactions with mutations switched on.
func theTxnWorker(t *testing.T, off model.Mutations) *txnWorker {
	t.Helper()
	s := theStage(t)
	v, err := sharedTxnVenue()
	require.NoError(t, err)
	w := newTxnRun(Options{Bootstrap: bootstrap(), Mutations: off, Known: s.known}.withDefaults(), v, "a broker").worker()
	t.Cleanup(w.stage.close)
	return w
}
