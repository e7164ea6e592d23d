package groups

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// Play sends the requests of a story to a broker and compares the answers with
// the story's.
func (y *Story) Play(ctx context.Context, b *admin.Broker) (frame.Replayed, error) {
	w := NewStoryWorker(b, y.cfg)
	defer w.Close()
	return frame.Replay(func(scale int) (frame.Replayed, error) {
		r, err := w.Begin(ctx, y.lines, scale)
		if err != nil {
			return frame.Replayed{}, err
		}
		out := frame.Replayed{Confirmed: true, Steps: []frame.ReplayedStep{}}
		err = r.all(ctx, y.lines, &out)
		return out, errors.Join(err, r.End(ctx))
	})
}

// A StoryWorker plays stories of one scenario.
type StoryWorker struct{ *worker }

// NewStoryWorker opens one.
func NewStoryWorker(b *admin.Broker, cfg *cluster.Config) StoryWorker {
	g := newGame(cfg.Rules.Off, nil, b.Limits)
	g.rules.MaxSize = max(g.rules.MaxSize, cfg.Rules.MaxSize)
	return StoryWorker{newWorker(b, g, 0)}
}

// A Replay is a story under way, on a group of its own.
type Replay struct{ *play }

// Begin prepares a fresh group.
func (w StoryWorker) Begin(ctx context.Context, lines []Line, scale int) (Replay, error) {
	p, err := w.begin(ctx, timeoutsIn(lines, w.broker.Limits, scale))
	if err == nil {
		p.careful = true
	}
	return Replay{p}, err
}

// all plays a story, and stops where the broker differs.
func (r Replay) all(ctx context.Context, lines []Line, out *frame.Replayed) error {
	for i := range lines {
		if on, err := r.Line(ctx, &lines[i], out); !on {
			return err
		}
	}
	return r.Afterwards(ctx, out)
}

// Line plays one line. It tells whether the story goes on.
func (r Replay) Line(ctx context.Context, l *Line, out *frame.Replayed) (bool, error) {
	if l.request.Step.Op == joinTimer && r.state().Group.State != classic.PreparingRebalance {
		return true, nil // it had no time to run, and fired in the step before
	}
	r.send.ids.Forget(l.request.Fresh)
	if !r.bound(&l.request) {
		return false, frame.ErrImpossible
	}
	on, err := r.take(ctx, l.request)
	if err != nil {
		return false, err
	}
	r.note(len(r.events)-1, l.step, l.op, out)
	if on && !r.leads(l.after.Group.Leader) {
		return false, frame.ErrImpossible
	}
	return on, nil
}

// note adds what came of a request to the account.
func (r Replay) note(at, step int, op string, out *frame.Replayed) {
	s := frame.ReplayedStep{Step: step, Op: op}
	s.Request, s.Broker = r.Exchange(at)
	if m := r.Wrong; m != nil && m.At == at {
		s.Model = m.Model
		out.Note(s, true, m.Fields)
		return
	}
	out.Note(s, false, nil)
}

// Afterwards asks what the story has left behind: who still is a member, and the
// committed offsets.
func (r Replay) Afterwards(ctx context.Context, out *frame.Replayed) error {
	from, last := len(r.events), out.Steps[len(out.Steps)-1].Step
	_, err := r.probe(ctx)
	for i := from; err == nil && i < len(r.events); i++ {
		r.note(i, last, "afterwards", out)
	}
	return err
}

// leads keeps the states in which the group's leader is the story's; it is
// false where the broker has chosen another.
func (r Replay) leads(leader model.MemberID) bool {
	var some []state
	for _, s := range r.track.states {
		if s.Group.Leader == leader {
			some = append(some, s)
		}
	}
	if len(some) > 0 {
		r.track.states = some
	}
	return len(some) > 0
}

// End gives everything back.
func (r Replay) End(ctx context.Context) error { return r.end(ctx) }

// Group is the name of the group, Topic its topic, and Coordinator the address of
// its coordinator.
func (r Replay) Group() (name, topic, coordinator string) {
	return r.send.group, r.send.topic, r.pool.Address
}

// Begun tells whether the group was asked for anything.
func (r Replay) Begun() bool { return len(r.events) > 0 }

// OnTime fails if a timer may have fired that was not meant to.
func (r Replay) OnTime() error { return r.clock.onTime(r.state()) }

// ID is a member's id on the wire; false if the broker has not given it.
func (r Replay) ID(id model.MemberID) (string, bool) {
	real, ok := r.send.ids.Wire[id]
	return real, ok
}

// Commit notes what transactions have committed, of which the replay knows
// nothing.
func (r Replay) Commit(offsets []model.Offset) {
	for k := range r.track.states {
		copy(r.track.states[k].Offsets[:], offsets)
	}
}

// Fetch asks for the committed offsets.
func (r Replay) Fetch() *kmsg.OffsetFetchRequest {
	q := newRequest(offsetFetch)
	return r.send.message(&q).(*kmsg.OffsetFetchRequest)
}
