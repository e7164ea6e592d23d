package conform

import (
	"context"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/txns"
	"fencecheck/counterexamples"
)

// A story is a counterexample as a broker sees it.
type story interface {
	Play(context.Context, *admin.Broker) (frame.Replayed, error)
}

// Replay sends the requests of a counterexample to a broker, in the order in
// which its coordinator decides them, and compares the answers with the
// story's. Late requests are sent when they are decided. The error is an
// *Unplayable where a step is out of every client's reach.
func Replay(ctx context.Context, bootstrap string, c *counterexamples.Counterexample) (out Replayed, err error) {
	y, err := tell(c)
	if err != nil {
		return out, err
	}
	o := Options{Bootstrap: bootstrap, Known: []Known{}}.withDefaults()
	name := ""
	_, err = o.on(ctx, &name, 0, func(b *admin.Broker) (err error) {
		out, err = y.Play(ctx, b)
		return err
	})
	out.Broker = name
	return out, err
}

func tell(c *counterexamples.Counterexample) (story, error) {
	if c.Scenario.Config.Producing() {
		return txns.Tell(c)
	}
	return groups.Tell(c)
}
