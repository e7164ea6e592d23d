package txns

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

// A defect of Apache Kafka, seen on 4.4.0: the questions of several writers to a
// transaction coordinator travel in one request, and all of them are told errors
// as the version of the first one knows them. A Produce v10 is then answered
// TRANSACTION_ABORTABLE, which v10 does not have, because of somebody else's v11;
// and the other way round. This is why shared.alone keeps them apart.
func TestVersionsOfSeveralWritersAreMixedUp(t *testing.T) {
	if bootstrap() == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var mixed atomic.Int64
	var writers sync.WaitGroup
	for i := range 8 {
		p, err := theWorker(t).begin(ctx, 0)
		require.NoError(t, err)
		_, err = p.take(ctx, firstInit)
		require.NoError(t, err)
		writers.Go(func() { p.unadded(ctx, uint8(1+i%2), &mixed) })
	}
	writers.Wait()
	assert.Positive(t, mixed.Load(), "the broker kept the versions apart; if it always does, shared.alone can go")
}

// unadded writes to a partition that is not part of the transaction, which
// changes nothing, until some writer's answer was that of another version.
func (p *play) unadded(ctx context.Context, style uint8, mixed *atomic.Int64) {
	r := lineProduce(style, 0, 0, 0)
	want := model.TransactionAbortable.Told(model.Produce, r.version().number)
	for ctx.Err() == nil && mixed.Load() == 0 {
		a, err := p.worker.exchange(ctx, &p.send, &r, 1, 0)
		if err != nil {
			return
		}
		if a.Err != want {
			mixed.Add(1)
		}
	}
}
