// Package groups holds a broker's classic groups, and the offsets that they
// commit, to the rules of package model.
//
// One group is a transition system (system): every request that any process
// could send, with member ids that are current, handed out, forgotten, never
// given or empty, with the current, an older, a newer or no generation, and
// every timer. A play follows the broker in the model (tracker). Where Kafka
// leaves a choice to the order of a hash map, the next leader or a tie between
// protocols, all states that the group may be in are kept until an answer tells.
// A request that waits is one that is not answered although a later one of the
// same group was (wire.Pool.Barrier). Timers fire by waiting; a play for which
// the machine was too slow proves nothing, and is repeated with longer timeouts
// (clock).
//
// # How to add a request
//
// It is a row in rows.go: which tokens it carries, how they are resolved, what is
// sent and how the answer is read (wire.go, read.go), and the rules of the pages
// that its answers stand for (rules.go). Package model decides it.
package groups

import (
	"context"
	"errors"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
)

// New is the part of the groups on a broker.
func New(b *admin.Broker, c frame.Config) frame.Part[Step] {
	g := newGame(c.Mutations, c.Known, b.Limits)
	return frame.Part[Step]{Name: frame.Groups, Choices: true, Slow: 20 * b.Limits.InitialDelay,
		Plan: func(ctx context.Context) (*frame.Plan[Step], error) { return makePlan(ctx, g, b.Limits) },
		Open: func() frame.Worker[Step] { return newWorker(b, g, c.Seed) }}
}

// worker plays one sequence after the other.
type worker struct {
	broker *admin.Broker
	game   game
	seed   uint64
	pools  map[string]*wire.Pool // by coordinator
}

func newWorker(b *admin.Broker, g game, seed uint64) *worker {
	return &worker{b, g, seed, map[string]*wire.Pool{}}
}

// Play plays a sequence or walk on a fresh group.
func (w *worker) Play(ctx context.Context, j frame.Job[Step], scale int, stop *frame.Signature) (frame.Play[Step], error) {
	var t timeouts
	var random *walk
	if j.Sequence != nil {
		t = timeoutsOf(j.Sequence.Steps, &w.game, w.broker.Limits, scale)
	} else {
		random = newWalk(w.seed, j.Walk, w.broker.Limits, scale)
		t = random.timeouts
	}
	p, err := w.begin(ctx, t)
	if err != nil {
		return nil, err
	}
	// kfake decides requests of several connections in any order.
	p.Stop, p.careful = stop, w.broker.Embedded || stop != nil
	var on bool
	if random == nil {
		on, err = p.all(ctx, j.Sequence.Steps)
	} else {
		on, err = frame.Wander(ctx, walkSteps, func() Step { return random.draw(p.state()) }, p.step)
	}
	if on && err == nil {
		_, err = p.probe(ctx)
	}
	return p, errors.Join(err, p.end(ctx))
}

// all plays the steps of a sequence.
func (p *play) all(ctx context.Context, steps []Step) (bool, error) {
	for _, st := range steps {
		if on, err := p.step(ctx, st); !on {
			return false, err
		}
	}
	return true, nil
}

// begin prepares a fresh group.
func (w *worker) begin(ctx context.Context, t timeouts) (*play, error) {
	group := w.broker.NewGroup()
	address, err := w.broker.GroupCoordinator(ctx, group)
	if err != nil {
		return nil, err
	}
	if w.pools[address] == nil {
		w.pools[address] = wire.NewPool(address, w.broker.Patience)
	}
	return newPlay(w.pools[address], &w.game, group, w.broker.Topic, t), nil
}

// Close ends the worker's connections.
func (w *worker) Close() {
	for _, p := range w.pools {
		p.Close()
	}
}
