package groups

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

const (
	// soon is when an answer is missed. What is missing then is asked for by
	// way of another request to the same coordinator.
	soon = 100 * time.Millisecond
	// hush is how long a request that should wait is listened to, after a
	// later one was answered.
	hush = 3 * time.Millisecond
	// promptly is how long a timer with no time to run may take to fire.
	promptly = 30 * time.Millisecond
	// grace is what an answer may be late after that request was answered.
	grace = 200 * time.Millisecond
)

// A waiter is a parked request: whose it is, and which.
type waiter struct {
	id  model.MemberID
	api model.API
}

// A pending answer is that of a parked request.
type pending struct {
	conn  *wire.Conn
	fresh model.MemberID // of the request
}

// message is an answer as it came.
type message struct {
	at    waiter
	own   bool // to the request of the step under way
	fresh model.MemberID
	body  kmsg.Response
}

// ask sends a request and waits for its answer, if one must come. Whether a
// request is parked shows in that a later one of the same group is answered.
func (p *play) ask(ctx context.Context, r *request, expected []expectation) error {
	c, err := p.pool.Take(ctx)
	if err != nil {
		return err
	}
	p.send.session, p.send.rebalance = p.clock.sessionOf(r.subject()), p.clock.rebalanceTimeout()
	if err := c.Send(p.send.message(r)); err != nil {
		return err
	}
	var m kmsg.Response
	if answered(expected) {
		m, err = c.Poll(ctx, soon)
	}
	if m == nil && err == nil {
		if err = p.pool.Barrier(ctx, p.send.group); err == nil {
			m, err = c.Poll(ctx, p.graceFor(expected))
		}
	}
	if err != nil {
		return err
	}
	if m == nil {
		p.park(c, r)
		return nil
	}
	p.pool.GiveBack(c)
	p.came = append(p.came, message{at: waiter{r.subject(), r.API}, own: true, fresh: r.Fresh, body: m})
	return nil
}

// answered tells whether some outcome answers the request itself.
func answered(expected []expectation) bool {
	for i := range expected {
		if expected[i].Own != nil {
			return true
		}
	}
	return false
}

func (p *play) graceFor(expected []expectation) time.Duration {
	if answered(expected) {
		return grace
	}
	return hush
}

// park keeps the connection of a request that waits. An earlier one of the
// same member and kind waits in vain: the coordinator answers the latest.
func (p *play) park(c *wire.Conn, r *request) {
	at := waiter{r.subject(), r.API}
	if old, ok := p.parked[at]; ok {
		old.conn.Close()
	}
	p.parked[at] = pending{c, r.Fresh}
}

// wait lets a timer fire.
func (p *play) wait(ctx context.Context, r *request, expected []expectation) error {
	s := p.state()
	earliest, end := p.clock.due(s, r)
	if !p.clock.possible(s, r, end) {
		return frame.ErrTiming
	}
	p.begun = earliest
	if s.Group.InitialDelay && r.Step.Op == joinTimer && len(expected[0].Others) > 0 {
		return p.await(ctx, expected[0].Others, time.Until(end))
	}
	select {
	case <-time.After(time.Until(end)):
	case <-ctx.Done():
		return ctx.Err()
	}
	p.clock.forget(r)
	return p.pool.Barrier(ctx, p.send.group)
}

// await waits until something comes for one of those who wait, which is
// noticed and left where it is.
func (p *play) await(ctx context.Context, ds []delivery, d time.Duration) error {
	l, ok := p.parked[waiter{ds[0].To, ds[0].API}]
	if !ok {
		return nil
	}
	return l.conn.Peek(ctx, d)
}

// collect takes the answers to parked requests: those that must come now, and
// any other that has come.
func (p *play) collect(ctx context.Context, expected []expectation) error {
	due := map[waiter]bool{}
	for i := range expected {
		for _, d := range expected[i].Others {
			due[waiter{d.To, d.API}] = true
		}
	}
	if p.careful && len(p.parked) > len(due) {
		if err := p.listen(ctx, hush); err != nil {
			return err
		}
	}
	for at := range due {
		if err := p.receive(ctx, at, soon); err != nil {
			return err
		}
	}
	for at := range p.parked {
		if !due[at] {
			if err := p.receive(ctx, at, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// listen gives the coordinator the time to do what it does unasked.
func (p *play) listen(ctx context.Context, d time.Duration) error {
	if err := p.pool.Barrier(ctx, p.send.group); err != nil {
		return err
	}
	time.Sleep(d)
	return nil
}

// receive takes the answer to one parked request, if it comes in time.
func (p *play) receive(ctx context.Context, at waiter, d time.Duration) error {
	l, ok := p.parked[at]
	if !ok {
		return nil
	}
	m, err := l.conn.Poll(ctx, d)
	if err == nil && m == nil && d > 0 {
		if err = p.pool.Barrier(ctx, p.send.group); err == nil {
			m, err = l.conn.Poll(ctx, grace)
		}
	}
	if err != nil || m == nil {
		return err
	}
	delete(p.parked, at)
	p.pool.GiveBack(l.conn)
	p.came = append(p.came, message{at: at, fresh: l.fresh, body: m})
	return nil
}
