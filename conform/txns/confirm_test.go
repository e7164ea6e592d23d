package txns

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
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
	embedded, err := admin.Open(ctx, address, 10*time.Second, groups.Versions())
	require.NoError(t, err)
	embedded.Embedded = true
	c := frame.Config{Requests: 6000, Seed: 1, Parallel: 24, Known: frame.Of(frame.KfakeKnown(), frame.Transactions)}
	part, err := New(ctx, embedded, c)
	require.NoError(t, err)
	r := frame.New(c, part)
	require.NoError(t, r.Run(ctx))
	differences := r.Result().Differences
	require.NotEmpty(t, differences)
	w := theWorker(t)
	for _, d := range differences {
		p := playOne(t, w, frame.Job[Step]{Sequence: &frame.Route[Step]{Steps: d.Sequence.([]Step), Shares: true}})
		assert.Nil(t, p.Wrong, "%s: %+v", d.Known, d.Steps)
	}
}
