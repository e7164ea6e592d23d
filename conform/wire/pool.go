package wire

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// A Pool has the connections of one worker to one coordinator, which plays one
// group after the other.
type Pool struct {
	Address  string
	patience time.Duration
	free     []*Conn
	barrier  *Conn
}

// NewPool is a pool without connections yet.
func NewPool(address string, patience time.Duration) *Pool {
	return &Pool{Address: address, patience: patience}
}

// Take is a connection without a request outstanding.
func (p *Pool) Take(ctx context.Context) (*Conn, error) {
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c, nil
	}
	return Dial(ctx, p.Address, p.patience)
}

// GiveBack returns a connection whose request was answered.
func (p *Pool) GiveBack(c *Conn) { p.free = append(p.free, c) }

// Barrier makes sure that the coordinator has decided what was sent to it
// before, by a request of the same group that changes nothing.
func (p *Pool) Barrier(ctx context.Context, group string) error {
	if p.barrier == nil {
		c, err := Dial(ctx, p.Address, p.patience)
		if err != nil {
			return err
		}
		p.barrier = c
	}
	_, err := p.barrier.Call(ctx, HeartbeatOfNobody(group))
	if err != nil { // the request may stay outstanding, and nothing else can be sent then
		p.barrier.Close()
		p.barrier = nil
	}
	return err
}

// HeartbeatOfNobody is a request that every coordinator refuses and that
// changes nothing.
func HeartbeatOfNobody(group string) kmsg.Request {
	r := kmsg.NewPtrHeartbeatRequest()
	r.SetVersion(4)
	r.Group, r.MemberID, r.Generation = group, ClientID+"-nobody", -1
	return r
}

// Close ends all connections.
func (p *Pool) Close() {
	for _, c := range p.free {
		c.Close()
	}
	if p.barrier != nil {
		p.barrier.Close()
	}
	p.free, p.barrier = nil, nil
}
