package conform

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
)

// impostor listens on loopback and treats each connection in its own way.
func impostor(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				serve(c)
			}()
		}
	}()
	return l.Addr().String()
}

// readRequest reads one request and returns its correlation id.
func readRequest(c net.Conn) (uint32, error) {
	var size [4]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return 0, err
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c, body); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(body[4:]), nil
}

func frameOf(correlation uint32, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(4+len(body)))
	return append(binary.BigEndian.AppendUint32(b, correlation), body...)
}

// noVersions is the answer to ApiVersions of a broker that can do nothing.
var noVersions = []byte{0, 0, 0, 0, 0, 0}

func TestBrokersThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(net.Conn)
		says  string
	}{
		"closes":      {func(net.Conn) {}, "it closed the connection"},
		"closes late": {func(c net.Conn) { _, _ = readRequest(c) }, "it closed the connection"},
		"is silent": {func(c net.Conn) {
			_, _ = io.Copy(io.Discard, c)
		}, "no answer to ApiVersions within"},
		"talks HTTP": {func(c net.Conn) {
			_, _ = readRequest(c)
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}, "is announced"},
		"garbage": {func(c net.Conn) {
			n, _ := readRequest(c)
			_, _ = c.Write(frameOf(n, 0, 0, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3))
		}, "an answer to ApiVersions that cannot be read"},
		"wrong correlation id": {func(c net.Conn) {
			n, _ := readRequest(c)
			_, _ = c.Write(frameOf(n+7, noVersions...))
		}, "an answer to request 8, 1 is outstanding"},
		"half an answer": {func(c net.Conn) {
			n, _ := readRequest(c)
			_, _ = c.Write(frameOf(n, noVersions...)[:7])
		}, "it closed the connection"},
		"lacks a version": {func(c net.Conn) {
			n, _ := readRequest(c)
			_, _ = c.Write(frameOf(n, noVersions...))
			_, _ = io.Copy(io.Discard, c)
		}, "it does not offer JoinGroup version 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, err := Run(context.Background(), Options{Bootstrap: impostor(t, c.serve), Patience: 300 * time.Millisecond})
			var broken *BrokerError
			require.ErrorAs(t, err, &broken)
			assert.ErrorContains(t, err, c.says)
			assert.Zero(t, report.Requests)
		})
	}
}

func TestNoBrokerAtAll(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	_, err = Run(context.Background(), Options{Bootstrap: l.Addr().String(), Patience: time.Second})
	assert.ErrorContains(t, err, "no connection")
}

// mortal is a listener whose connections end when, together, they have read
// so many bytes: as those of a broker that dies, or hangs.
type mortal struct {
	net.Listener
	left  *atomic.Int64
	hangs bool
}

func (m mortal) Accept() (net.Conn, error) {
	c, err := m.Listener.Accept()
	return mortalConn{c, m}, err
}

type mortalConn struct {
	net.Conn
	of mortal
}

func (c mortalConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.of.left.Add(-int64(n)) > 0 {
		return n, err
	}
	if c.of.hangs {
		time.Sleep(3 * time.Second)
	}
	_ = c.Close()
	return 0, io.EOF
}

func TestBrokerThatEndsInTheMiddle(t *testing.T) {
	for name, c := range map[string]struct {
		hangs bool
		says  string
	}{"dies": {false, "broker 127.0.0.1"}, "hangs": {true, "within"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var left atomic.Int64
			left.Store(40_000)
			cluster, err := kfake.NewCluster(kfake.NumBrokers(1), admin.ShortSessions, kfake.ListenFn(func(network, address string) (net.Listener, error) {
				l, err := net.Listen(network, address)
				return mortal{l, &left, c.hangs}, err
			}))
			require.NoError(t, err)
			defer cluster.Close()
			report, err := Run(context.Background(), Options{Bootstrap: cluster.ListenAddrs()[0], Requests: 100_000, Parallel: 4,
				Patience: time.Second, Known: frame.KfakeKnown()})
			var broken *BrokerError
			require.ErrorAs(t, err, &broken)
			assert.ErrorContains(t, err, c.says)
			assert.Positive(t, report.Requests, "what was compared until then is said")
			assert.Positive(t, report.Covered)
			assert.NotEmpty(t, report.Stopped)
		})
	}
}
