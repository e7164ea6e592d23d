package conform

import (
	"context"
	"time"
)

// lines are the connections of one worker to one coordinator, which plays one
// group after the other.
type lines struct {
	address  string
	patience time.Duration
	free     []*conn
	fencing  *conn
}

// line is a connection without a request outstanding.
func (l *lines) line(ctx context.Context) (*conn, error) {
	if n := len(l.free); n > 0 {
		c := l.free[n-1]
		l.free = l.free[:n-1]
		return c, nil
	}
	return dial(ctx, l.address, l.patience)
}

// release gives a connection back.
func (l *lines) release(c *conn) { l.free = append(l.free, c) }

// fence makes sure that the coordinator has decided what was sent to it
// before, by a request of the same group that changes nothing.
func (l *lines) fence(ctx context.Context, group string) error {
	if l.fencing == nil {
		c, err := dial(ctx, l.address, l.patience)
		if err != nil {
			return err
		}
		l.fencing = c
	}
	_, err := l.fencing.call(ctx, heartbeatOfNobody(group))
	return err
}

// close ends all connections.
func (l *lines) close() {
	for _, c := range l.free {
		c.close()
	}
	if l.fencing != nil {
		l.fencing.close()
	}
	l.free, l.fencing = nil, nil
}
