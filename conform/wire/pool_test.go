package wire

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A broker that does not answer in time is an error each time, whatever is
// outstanding.
func TestBarrierAfterOneThatWasNotAnswered(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	p := NewPool(l.Addr().String(), 20*time.Millisecond)
	defer p.Close()
	for range 2 {
		assert.ErrorContains(t, p.Barrier(context.Background(), "a group"), "no answer to Heartbeat")
	}
}
