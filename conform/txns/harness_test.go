package txns

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/model"
)

// bootstrap is a real broker, where CI has started one; "" is the embedded one.
func bootstrap() string { return os.Getenv("FENCECHECK_BOOTSTRAP") }

// open opens that broker.
func open(ctx context.Context) (*admin.Broker, error) {
	address := bootstrap()
	if address == "" {
		var err error
		if address, _, err = admin.Embedded(); err != nil {
			return nil, err
		}
	}
	b, err := admin.Open(ctx, address, 10*time.Second, groups.Versions())
	if err == nil {
		b.Embedded = bootstrap() == ""
	}
	return b, err
}

// sharedBroker is one that several tests share.
var sharedBroker = sync.OnceValues(func() (*shared, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	b, err := open(ctx)
	if err != nil {
		return nil, err
	}
	return newShared(ctx, b)
})

func theBroker(t *testing.T) *shared {
	t.Helper()
	v, err := sharedBroker()
	require.NoError(t, err)
	return v
}

// TestMain removes from a shared broker what the tests have made.
func TestMain(m *testing.M) {
	status := m.Run()
	if bootstrap() != "" {
		if v, err := sharedBroker(); err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			v.Close(ctx)
			cancel()
		}
	}
	os.Exit(status)
}

// known are the known differences of the broker.
func known() []frame.Known {
	if bootstrap() != "" {
		return nil
	}
	return frame.Of(frame.KfakeKnown(), frame.Transactions)
}

// theGame is that of the shared broker, with mutations switched on.
func theGame(v *shared, off model.Mutations) *game {
	return &game{rules: model.Rules{Off: off}, known: known(), noOffsets: v.offsetsPartitions == 0}
}

// theWorker plays on the shared broker.
func theWorker(t *testing.T) *worker {
	t.Helper()
	v := theBroker(t)
	w := newWorker(v, theGame(v, model.Mutations{}), 0)
	t.Cleanup(w.Close)
	return w
}

// thePlayer is one that plays on the shared broker with mutations switched on.
func thePlayer(t *testing.T, off model.Mutations) (*frame.Runner[Step], *frame.Player[Step]) {
	t.Helper()
	v := theBroker(t)
	r := frame.New(frame.Config{Mutations: off, Known: known()}, partOn(v, theGame(v, off), 0))
	p := r.Player()
	t.Cleanup(p.Close)
	return r, p
}

// playOne plays one job, which must come to its end.
func playOne(t *testing.T, w *worker, j frame.Job[Step]) *play {
	t.Helper()
	p, err := w.Play(context.Background(), j, 1, nil)
	require.NoError(t, err)
	return p.(*play)
}
