package conform

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// errImpossible says that a step of a sequence means nothing where the play
// has come to.
var errImpossible = errors.New("the sequence does not fit the group")

// play is one sequence on one group of a broker.
type play struct {
	lines   *lines
	send    sending
	track   tracker
	clock   clock
	lanes   map[place]lane
	events  []event
	steps   []step   // as they were played, with the choices that the broker made
	classes []string // of the requests, and the states that they met
	idle    []bool   // whether the step left the group as it was
	triples []Triple
	came    []message  // the answers of the step under way
	begun   time.Time  // when that step began
	wrong   *mismatch  // where the play ended
	passed  []mismatch // where it went on, since the difference is known
	stop    *signature // a difference at which it ends, known or not
	careful bool       // it listens after every step, not only after those that wait
}

// mismatch is where the model and the broker part.
type mismatch struct {
	event    int
	expected []expectation
	known    string // id of the known difference that it is
}

func newPlay(l *lines, g *game, group, topic string, t timeouts) *play {
	ids := newBinding()
	return &play{lines: l, send: sending{group: group, topic: topic, ids: &ids}, track: tracker{g, []state{start()}},
		clock: newClock(t), lanes: map[place]lane{}}
}

// state is what the group is like now, most likely.
func (p *play) state() *state { return &p.track.states[0] }

// step plays one step. It tells whether the play goes on: it does not after a
// mismatch.
func (p *play) step(ctx context.Context, st step) (bool, error) {
	r, ok := p.state().resolve(st)
	if !ok || !p.bound(r) || p.track.game.avoided(p.state().requestClass(r), p.state().stateClass(r)) != "" {
		return false, errImpossible
	}
	if r.Step.Op == offsetCommit {
		r.Offsets[0] = model.Offset(len(p.events) + 1) // so that every commit shows
	}
	return p.take(ctx, r)
}

// take takes a step whose tokens have been resolved.
func (p *play) take(ctx context.Context, r request) (bool, error) {
	if !r.Step.Op.timer() {
		if err := p.clock.onTime(p.state()); err != nil {
			return false, err
		}
	}
	expected := p.track.expect(r)
	if expected[0].Full {
		return false, errImpossible
	}
	p.begun, p.came = time.Now(), p.came[:0]
	var err error
	if r.Step.Op.timer() {
		err = p.wait(ctx, r, expected)
	} else {
		err = p.ask(ctx, r, expected)
	}
	if err == nil {
		err = p.collect(ctx, expected)
	}
	if err != nil {
		return false, err
	}
	before := *p.state()
	on, err := p.settle(p.seen(r), expected)
	if on && err == nil && emptied(&before, p.state()) {
		err = p.listen(ctx, promptly)
	}
	return on, err
}

// emptied: the group lost its last member while ids that were handed out have
// not come back. The coordinator then arms a timer with no time to run, and a
// request that comes at once can still come before it.
func emptied(before, after *state) bool {
	return before.Group.State != model.Empty && after.Group.State == model.Empty && after.size() > 0
}

// seen puts what came into the model's terms. Ids that were made up are bound
// first by the answers that hand them out: others may mention them. The request's
// own answer may also have come after it was taken for parked, on a machine that
// is busy.
func (p *play) seen(r request) event {
	e := event{Request: r}
	self := place{r.subject(), r.api()}
	for _, m := range p.came {
		if j, ok := m.body.(*kmsg.JoinGroupResponse); ok {
			p.send.ids.read(j.MemberID, m.fresh)
		}
	}
	for _, m := range p.came {
		a := p.send.read(m.body, m.fresh)
		if m.own || m.at == self && !r.Step.Op.timer() {
			e.Own = &a
		} else {
			e.Others = append(e.Others, delivery{m.at.id, m.at.api, a})
		}
	}
	return e
}

// bound tells whether the ids of a request are known on the wire.
func (p *play) bound(r request) bool {
	ids := []model.MemberID{r.ID}
	for _, a := range r.Plan {
		ids = append(ids, a.ID)
	}
	for _, id := range ids {
		if _, ok := p.send.ids.wire[id]; !ok {
			return false
		}
	}
	return true
}

// settle compares what was seen with what the rules allow.
func (p *play) settle(e event, expected []expectation) (bool, error) {
	p.events, p.steps = append(p.events, e), append(p.steps, e.Request.Step)
	before := *p.state()
	defer func() { p.idle = append(p.idle, *p.state() == before) }()
	p.classes = append(p.classes, before.requestClass(e.Request)+" in "+before.stateClass(e.Request))
	why := p.track.accept(expected, &e)
	if why == nil {
		m := mismatch{event: len(p.events) - 1, expected: expected}
		if m.known = p.goesOn(m, &e); m.known != "" {
			p.passed = append(p.passed, m)
			p.clock.note(&before, p.state(), e.Request, p.begun)
			return true, nil
		}
		p.wrong = &m
		return false, p.late(before)
	}
	p.steps[len(p.steps)-1].Choice = why.Choice
	p.triples = append(p.triples, triple(&why.before, why.request, &why.outcome))
	p.clock.note(&before, p.state(), e.Request, p.begun)
	return true, nil
}

// goesOn finds the known difference after which the play can go on: the group
// is unchanged, or as a mutation has it that explains the broker. It is "" if
// there is none.
func (p *play) goesOn(m mismatch, e *event) string {
	s := p.signature(m)
	if p.stop != nil && s.like(*p.stop) {
		return ""
	}
	x := m.expected[0]
	for i := range p.track.game.known {
		k := &p.track.game.known[i]
		if k.Avoid || !k.likeSignature(s) {
			continue
		}
		if k.GoesOn && x.After == x.before || k.Explained != "" && p.track.follow(k.Explained, e) {
			return k.ID
		}
	}
	return ""
}

// late: a mismatch is none if a timer may have fired meanwhile.
func (p *play) late(before state) error {
	if p.events[len(p.events)-1].Request.Step.Op.timer() {
		return nil
	}
	return p.clock.onTime(&before)
}

// probe asks, of every id that was ever given, whether it still is a member,
// and for the offsets: what the steps before left behind.
func (p *play) probe(ctx context.Context) (bool, error) {
	if err := p.lines.fence(ctx, p.send.group); err != nil {
		return false, err
	}
	ids := []who{removed}
	for i := range p.state().size() {
		ids = append(ids, who(i+1))
	}
	for _, id := range ids {
		if on, err := p.step(ctx, step{Op: heartbeat, Who: id, When: current}); !on && !errors.Is(err, errImpossible) {
			return false, err
		}
	}
	return p.step(ctx, step{Op: offsetFetch})
}

// end gives everything back: connections that wait are closed, and the ids
// that the broker gave leave.
func (p *play) end(ctx context.Context) error {
	for _, l := range p.lanes {
		l.conn.close()
	}
	clear(p.lanes)
	var ids []string
	for id, wire := range p.send.ids.wire {
		if id != 0 && id != strangerID {
			ids = append(ids, wire)
		}
	}
	c, err := p.lines.line(ctx)
	if err != nil {
		return err
	}
	if err := c.leave(ctx, p.send.group, ids); err != nil {
		c.close()
		return err
	}
	p.lines.release(c)
	return nil
}
