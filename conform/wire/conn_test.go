package wire

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnaskedAnswerIsRubbish(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	go func() {
		nc, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = nc.Write([]byte{0, 0, 0, 6, 0, 0, 0, 1, 0, 0})
		_, _ = io.Copy(io.Discard, nc)
		_ = nc.Close()
	}()
	c, err := Dial(context.Background(), l.Addr().String(), time.Second)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Poll(context.Background(), time.Second)
	assert.ErrorContains(t, err, "an answer that nobody asked for")
}

func TestHeaderTags(t *testing.T) {
	rest, err := skipTags([]byte{2, 0, 1, 'x', 5, 2, 'y', 'z', 42})
	require.NoError(t, err)
	assert.Equal(t, []byte{42}, rest)
	_, err = skipTags([]byte{1, 0, 9, 'x'})
	assert.Error(t, err)
	_, err = skipTags(nil)
	assert.Error(t, err)
}
