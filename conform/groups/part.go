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
// Package model decides it already. Only the first and the last are always needed.
//
//  1. Its row in rows.go, before the timers: which tokens it carries, how they are
//     resolved (step.go), what is sent (wire.go) and how the answer is read
//     (read.go), and the rules of the pages that its answers stand for (rules.go).
//     Another form of a request that has a row is no row but a variant: a constant
//     (step.go), when it makes sense (draw.go), what reports call it (class.go).
//  2. What it carries that no request has: a field of request (step.go), which
//     resolve fills, values tells, and game.ask hands to the rules, unless it is one of
//     classic.Request. Member ids must be known on the wire: play.bound.
//  3. What its answer says that no answer has: a field of answer, a name and a value
//     in said, by which answers are compared (answer.go), and the model's side in
//     answerOf, or in the row's answer. Several errors in one answer are Each.
//  4. What the group remembers for it: a line of state.code; canonical forgets what no
//     request asks for, and the plan stays small. A setting of model.Rules that it
//     needs is set in newGame.
//  5. explore conform --only groups, without a broker and with Apache Kafka. Where
//     kfake alone differs, an entry in frame/kfake.yaml says so. Its patterns are
//     held against whole classes, such as "LeaveGroup, of a member, twice in Stable",
//     so that a new variant may widen those that are there.
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
