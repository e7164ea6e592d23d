package txns

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
)

// restarted asks conform/apache to kill the broker and to start it again.
func restarted(ctx context.Context, down time.Duration) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", os.Getenv("FENCECHECK_RESTART"))
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := fmt.Fprintln(c, down); err != nil {
		return err
	}
	answer, err := io.ReadAll(c)
	if err == nil && string(answer) != "ok\n" {
		err = fmt.Errorf("%s", answer)
	}
	return err
}

// theRestarter is a worker whose broker can be restarted. Others must not use
// it meanwhile.
func theRestarter(t *testing.T) *worker {
	t.Helper()
	if os.Getenv("FENCECHECK_RESTART") == "" {
		t.Skip("FENCECHECK_RESTART names nobody who restarts the broker")
	}
	w := theWorker(t)
	w.again = restarted
	return w
}

func TestVectorsOverARestart(t *testing.T) {
	w := theRestarter(t)
	// The end of v9 was seen before 4.4.0, which calls what is stuck complete when
	// it starts again: the same defect as below.
	playVector(t, w, &restartVectors[0], model.MarkerSkipBug)
	playVector(t, w, &restartVectors[1])
}

// A defect of Apache Kafka 4.4.0, marker-skip-bug: a broker that starts again
// when a transaction is overdue takes its partitions for deleted, and calls the
// transaction complete without a marker. Readers are held back for ever.
func TestMarkerSkipBugIsReal(t *testing.T) {
	w := theRestarter(t)
	v := vector{"late restart", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK},
		{newRequest(Step{Op: lateRestart}), ""}, {committedLSO, ""}}}
	for range 3 { // the broker may find the leaders in time
		p, err := w.begin(context.Background(), admin.Shortest)
		require.NoError(t, err)
		if on, err := p.lines(context.Background(), &v); on {
			require.NoError(t, p.probe(context.Background()))
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, p.end(context.Background()))
		if p.Wrong == nil {
			continue
		}
		assert.True(t, p.Explains(p.Wrong.At, model.Mutations{}.With(model.MarkerSkipBug)), "%+v", p.Wrong)
		assert.Equal(t, frame.Field{Name: "offset", Model: "2", Broker: "0"}, p.Wrong.Fields[0])
		return
	}
	t.Error("the broker wrote the markers, three times")
}
