package conform

import (
	"context"
	"errors"
)

// worker plays one sequence after the other.
type worker struct {
	run   *run
	lines map[string]*lines // by coordinator
	asks  *conn             // for questions around the plays
}

// attempts is how often a sequence is played that the machine was too slow
// for, or in which the broker chose otherwise.
const attempts = 5

// do plays a job, and studies what it finds.
func (w *worker) do(ctx context.Context, j job) error {
	for try := 1; ; try *= 2 {
		p, err := w.start(ctx, j, try)
		if err == nil {
			err = w.follow(ctx, p, j, try)
		}
		again := errors.Is(err, errTiming) || errors.Is(err, errImpossible)
		if err != nil && !again {
			return err
		}
		w.run.note(p)
		if !again {
			return w.studyAll(ctx, p)
		}
		if try >= 1<<(attempts-1) {
			w.run.giveUp()
			return nil
		}
	}
}

// studyAll studies every difference that a play has met.
func (w *worker) studyAll(ctx context.Context, p *play) error {
	for _, m := range p.passed {
		if err := w.study(ctx, p, m); err != nil {
			return err
		}
	}
	if p.wrong == nil {
		return nil
	}
	return w.study(ctx, p, *p.wrong)
}

// start prepares a fresh group for a job.
func (w *worker) start(ctx context.Context, j job, scale int) (*play, error) {
	v := w.run.venue
	t := timeouts{}
	if j.sequence != nil {
		t = timeoutsOf(j.sequence, &w.run.game, v.limits, scale)
	} else {
		t = newWalk(w.run.o.Seed, j.walk, v.limits, scale).timeouts
	}
	return w.begin(ctx, t)
}

func (w *worker) begin(ctx context.Context, t timeouts) (*play, error) {
	group := w.run.venue.group()
	l, err := w.linesTo(ctx, group)
	if err != nil {
		return nil, err
	}
	p := newPlay(l, &w.run.game, group, w.run.venue.topic, t)
	p.careful = w.run.o.Bootstrap == "" // kfake decides requests of several connections in any order
	return p, nil
}

// linesTo are the connections to the coordinator of a group.
func (w *worker) linesTo(ctx context.Context, group string) (*lines, error) {
	v := w.run.venue
	if w.asks == nil {
		c, err := dial(ctx, v.address, v.patience)
		if err != nil {
			return nil, err
		}
		w.asks = c
	}
	address, err := w.asks.coordinator(ctx, group)
	if err != nil {
		return nil, err
	}
	if w.lines[address] == nil {
		w.lines[address] = &lines{address: address, patience: v.patience}
	}
	return w.lines[address], nil
}

// follow plays a job to its end, or to a mismatch, and gives everything back.
func (w *worker) follow(ctx context.Context, p *play, j job, scale int) error {
	var on bool
	var err error
	if j.sequence != nil {
		on, err = p.all(ctx, j.sequence.steps)
	} else {
		on, err = p.wander(ctx, newWalk(w.run.o.Seed, j.walk, w.run.venue.limits, scale))
	}
	if on && err == nil {
		_, err = p.probe(ctx)
	}
	return errors.Join(err, p.end(ctx))
}

// all plays the steps of a sequence.
func (p *play) all(ctx context.Context, steps []step) (bool, error) {
	for _, st := range steps {
		if on, err := p.step(ctx, st); !on {
			return false, err
		}
	}
	return true, nil
}

// wander plays the steps that a walk draws.
func (p *play) wander(ctx context.Context, w *walk) (bool, error) {
	for range walkSteps {
		on, err := p.step(ctx, w.draw(p.state()))
		if errors.Is(err, errImpossible) {
			continue // an id that is not known on the wire yet
		}
		if !on {
			return false, err
		}
	}
	return true, nil
}

// replay plays steps again on a fresh group, often enough for the timing to be
// right. A play that does not come to an end is nil.
func (w *worker) replay(ctx context.Context, steps []step, stop *signature) (*play, error) {
	s := sequence{steps: steps}
	for scale := 1; scale <= 4; scale *= 2 {
		p, err := w.begin(ctx, timeoutsOf(&s, &w.run.game, w.run.venue.limits, scale))
		if err != nil {
			return nil, err
		}
		p.stop, p.careful = stop, true
		err = w.follow(ctx, p, job{sequence: &s}, scale)
		switch {
		case err == nil:
			return p, nil
		case errors.Is(err, errImpossible):
			return nil, nil
		case !errors.Is(err, errTiming):
			return nil, err
		}
	}
	return nil, nil
}

// close ends the worker's connections.
func (w *worker) close() {
	for _, l := range w.lines {
		l.close()
	}
	if w.asks != nil {
		w.asks.close()
	}
}
