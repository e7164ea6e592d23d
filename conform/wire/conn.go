// Package wire speaks Kafka's protocol over plain connections. A client library
// would answer, retry and rejoin on its own; here a request is sent once, and may
// be left unanswered for as long as the broker holds it back.
package wire

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// MaxFrame bounds an answer: what is longer is no answer to our requests.
const MaxFrame = 4 << 20

// ClientID is how our connections name themselves, and how the broker begins
// the member ids that it makes up.
const ClientID = "fencecheck"

// Prefix begins every name of a group or topic that is used on a broker.
const Prefix = ClientID + "-"

// BrokerError says that a broker died, hung, or answered rubbish. What was
// compared until then is worth reporting; what it did afterwards is not known.
type BrokerError struct {
	Address string
	Problem string
}

// Error names the broker and what is wrong with it.
func (e *BrokerError) Error() string { return fmt.Sprintf("broker %s: %s", e.Address, e.Problem) }

// Conn is one connection to a broker. It has at most one request outstanding:
// a broker that parks it answers nothing on this connection until it is done.
type Conn struct {
	address     string
	nc          net.Conn
	Patience    time.Duration // for sending, and for an answer that must come
	correlation int32
	waiting     kmsg.Request // the request outstanding, nil if there is none
	frames      chan frame
	next        *frame // taken from frames, and not read yet
}

// frame is one answer as it arrived, or what ended the connection.
type frame struct {
	body []byte
	err  error
}

// Dial opens a connection.
func Dial(ctx context.Context, address string, patience time.Duration) (*Conn, error) {
	d := net.Dialer{Timeout: patience}
	nc, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &BrokerError{address, fmt.Sprintf("no connection: %v", err)}
	}
	c := &Conn{address: address, nc: nc, Patience: patience, frames: make(chan frame, 2)}
	go c.read()
	return c, nil
}

// read hands over what arrives until the connection ends. The channel has room
// for one answer and the end, which is all that a proper broker sends unasked.
func (c *Conn) read() {
	for {
		body, err := readFrame(c.nc)
		c.frames <- frame{body, err}
		if err != nil {
			return
		}
	}
}

func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int32(binary.BigEndian.Uint32(head[:]))
	if n < 4 || n > MaxFrame {
		return nil, fmt.Errorf("an answer of %d bytes is announced", n)
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return body, err
}

// Close ends the connection. A request outstanding stays with the broker.
func (c *Conn) Close() {
	_ = c.nc.Close()
	if c.next != nil && c.next.err != nil {
		return // the reader has ended
	}
	go func() { // let the reader hand over what it has
		for f := range c.frames {
			if f.err != nil {
				return
			}
		}
	}()
}

// idle tells whether a request can be sent.
func (c *Conn) idle() bool { return c.waiting == nil }

// Send sends a request, which is then outstanding.
func (c *Conn) Send(r kmsg.Request) error {
	if !c.idle() {
		panic("wire: a connection has one request outstanding at most")
	}
	c.correlation++
	f := kmsg.NewRequestFormatter(kmsg.FormatterClientID(ClientID))
	if err := c.nc.SetWriteDeadline(time.Now().Add(c.Patience)); err != nil {
		return c.broken(err)
	}
	if _, err := c.nc.Write(f.AppendRequest(nil, r, c.correlation)); err != nil {
		return c.broken(err)
	}
	c.waiting = r
	return nil
}

// Poll waits for the answer to the request outstanding, but no longer than d;
// nil without an error means that it has not come.
func (c *Conn) Poll(ctx context.Context, d time.Duration) (kmsg.Response, error) {
	if c.next == nil && d > 0 {
		if err := c.Peek(ctx, d); err != nil {
			return nil, err
		}
	}
	if c.next == nil {
		select { // what has come counts, however late it is
		case f := <-c.frames:
			c.next = &f
		default:
			return nil, nil
		}
	}
	return c.decode(*c.next)
}

// Peek waits until something has come, but no longer than d, and leaves it.
func (c *Conn) Peek(ctx context.Context, d time.Duration) error {
	if c.next != nil {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case f := <-c.frames:
		c.next = &f
		return nil
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Call sends a request that is answered at once, and waits for the answer.
func (c *Conn) Call(ctx context.Context, r kmsg.Request) (kmsg.Response, error) {
	if err := c.Send(r); err != nil {
		return nil, err
	}
	a, err := c.Poll(ctx, c.Patience)
	if err == nil && a == nil {
		err = &BrokerError{c.address, fmt.Sprintf("no answer to %s within %v", kmsg.NameForKey(r.Key()), c.Patience)}
	}
	return a, err
}

// decode reads an answer by the request outstanding.
func (c *Conn) decode(f frame) (a kmsg.Response, err error) {
	if f.err != nil {
		return nil, c.broken(f.err) // and the connection stays so
	}
	c.next = nil
	r := c.waiting
	if r == nil {
		return nil, c.Rubbish("an answer that nobody asked for")
	}
	if got := int32(binary.BigEndian.Uint32(f.body)); got != c.correlation {
		return nil, c.Rubbish(fmt.Sprintf("an answer to request %d, %d is outstanding", got, c.correlation))
	}
	name := kmsg.NameForKey(r.Key())
	defer func() {
		// What does not follow the format can ask kmsg for absurd lengths.
		if p := recover(); p != nil {
			a, err = nil, c.Rubbish(fmt.Sprintf("an answer to %s that cannot be read: %v", name, p))
		}
	}()
	body := f.body[4:]
	a = r.ResponseKind()
	a.SetVersion(r.GetVersion())
	if a.IsFlexible() && a.Key() != apiVersions {
		if body, err = skipTags(body); err != nil {
			return nil, c.Rubbish(fmt.Sprintf("an answer to %s that cannot be read: %v", name, err))
		}
	}
	if err := a.ReadFrom(body); err != nil {
		return nil, c.Rubbish(fmt.Sprintf("an answer to %s that cannot be read: %v", name, err))
	}
	c.waiting = nil
	return a, nil
}

// skipTags skips the tagged fields of an answer's header (KIP-482).
func skipTags(b []byte) ([]byte, error) {
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return 1 << 32
		}
		b = b[n:]
		return v
	}
	for tags := next(); tags > 0; tags-- {
		next()
		size := next()
		if size > uint64(len(b)) {
			return nil, errors.New("the header's tags exceed the answer")
		}
		b = b[size:]
	}
	return b, nil
}

// Rubbish says that what the broker answered is none.
func (c *Conn) Rubbish(what string) error { return &BrokerError{c.address, what} }

func (c *Conn) broken(err error) error {
	var timeout net.Error
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE): // with our request unread
		return &BrokerError{c.address, "it closed the connection"}
	case errors.As(err, &timeout) && timeout.Timeout():
		return &BrokerError{c.address, fmt.Sprintf("it takes no request within %v", c.Patience)}
	}
	return &BrokerError{c.address, err.Error()}
}

// Pause waits, unless the run ends.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
