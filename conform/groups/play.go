package groups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// play is one sequence on one group of a broker.
type play struct {
	frame.Record[Step]
	pool    *wire.Pool
	send    sending
	track   tracker
	clock   clock
	parked  map[waiter]pending
	events  []event
	came    []message // the answers of the step under way
	begun   time.Time // when that step began
	careful bool      // it listens after every step, not only after those that wait
}

func newPlay(pool *wire.Pool, g *game, group, topic string, t timeouts) *play {
	p := &play{pool: pool, send: sending{group: group, topic: topic, ids: newBinding()}, track: tracker{g, []state{start()}},
		clock: newClock(t), parked: map[waiter]pending{}}
	p.Known = g.known
	return p
}

// state is what the group is like now, most likely.
func (p *play) state() *state { return &p.track.states[0] }

// step plays one step. It tells whether the play goes on: it does not after a
// mismatch.
func (p *play) step(ctx context.Context, st Step) (bool, error) {
	r, ok := p.state().resolve(st)
	if !ok || !p.bound(&r) || frame.Avoided(p.Known, p.state().requestClass(&r), p.state().stateClass(&r)) != "" {
		return false, frame.ErrImpossible
	}
	if r.API == model.OffsetCommit {
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
		return false, frame.ErrImpossible
	}
	p.begun, p.came = time.Now(), p.came[:0]
	var err error
	if r.Step.Op.timer() {
		err = p.wait(ctx, &r, expected)
	} else {
		err = p.ask(ctx, &r, expected)
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
	return before.Group.State != classic.Empty && after.Group.State == classic.Empty && after.size() > 0
}

// seen puts what came into the model's terms. Ids that were made up are bound
// first by the answers that hand them out: others may mention them. The request's
// own answer may also have come after it was taken for parked, on a machine that
// is busy.
func (p *play) seen(r request) event {
	e := event{Request: r}
	self := waiter{r.subject(), r.API}
	for _, m := range p.came {
		if j, ok := m.body.(*kmsg.JoinGroupResponse); ok {
			p.send.ids.Read(j.MemberID, m.fresh)
		}
	}
	for _, m := range p.came {
		a := p.send.read(m.at.api, m.body, m.fresh)
		if m.own || m.at == self && !r.Step.Op.timer() {
			e.Own = &a
		} else {
			e.Others = append(e.Others, delivery{m.at.id, m.at.api, a})
		}
	}
	return e
}

// bound tells whether the ids of a request are known on the wire.
func (p *play) bound(r *request) bool {
	unknown := func(id model.MemberID) bool { return !p.send.ids.Known(id) }
	return !unknown(r.MemberID) && !slices.ContainsFunc(r.Leaving, unknown) &&
		!slices.ContainsFunc(r.Plan, func(a classic.MemberAssignment) bool { return unknown(a.ID) })
}

// settle compares what was seen with what the rules allow.
func (p *play) settle(e event, expected []expectation) (bool, error) {
	before, r := *p.state(), &e.Request
	p.events, p.Steps = append(p.events, e), append(p.Steps, r.Step)
	p.Classes = append(p.Classes, before.requestClass(r)+" in "+before.stateClass(r))
	if !r.Step.Op.timer() {
		p.Requests++
	}
	why := p.track.accept(expected, &e)
	on := true
	if why == nil {
		x := &expected[0]
		on = p.Differ(x.mismatch(&e), x.After == x.before, func(m model.Mutation) bool { return p.track.follow(m, &e) })
	} else {
		p.Steps[len(p.Steps)-1].Choice = why.Choice
		p.Triples = append(p.Triples, triple(&why.before, &why.request, &why.outcome))
	}
	p.Idle = append(p.Idle, *p.state() == before)
	if !on {
		return false, p.late(before)
	}
	p.clock.note(&before, p.state(), r, p.begun)
	return true, nil
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
	if err := p.pool.Barrier(ctx, p.send.group); err != nil {
		return false, err
	}
	ids := []who{removed}
	for i := range p.state().size() {
		ids = append(ids, who(i+1))
	}
	for _, id := range ids {
		if on, err := p.step(ctx, Step{Op: heartbeat, Who: id, When: current}); !on && !errors.Is(err, frame.ErrImpossible) {
			return false, err
		}
	}
	return p.step(ctx, Step{Op: offsetFetch})
}

// end gives everything back: connections that wait are closed, and the ids
// that the broker gave leave.
func (p *play) end(ctx context.Context) error {
	for _, l := range p.parked {
		l.conn.Close()
	}
	clear(p.parked)
	var ids []string
	for id, wire := range p.send.ids.Wire {
		if id != 0 && id != strangerID {
			ids = append(ids, wire)
		}
	}
	c, err := p.pool.Take(ctx)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		m := p.send.leaves(ids...)
		m.SetVersion(leaveGroup.row().version)
		if _, err := c.Call(ctx, m); err != nil {
			c.Close()
			return err
		}
	}
	p.pool.GiveBack(c)
	return nil
}

// Exchange writes down a request, and the answers that came.
func (p *play) Exchange(at int) (request, broker string) {
	e := &p.events[at]
	return e.Request.describe(), answers(e.Own, e.Others, &e.Request)
}

// answers writes the answer to a request, and those to parked ones that came with
// it.
func answers(own *answer, others []delivery, r *request) string {
	var words []string
	if !r.Step.Op.timer() {
		words = append(words, own.text())
	}
	for _, d := range others {
		words = append(words, fmt.Sprintf("%s's waiting %s: %s", Name(d.To), d.API, d.Answer.text()))
	}
	if len(words) == 0 {
		return "no answer to anybody"
	}
	return strings.Join(words, "; ")
}

// Explains tells whether other rules explain all that was seen, or at least the
// last answer in the situation that the model is in.
func (p *play) Explains(at int, off model.Mutations) bool {
	g, last := p.track.game.with(off), &p.events[at]
	if g.explains(p.events[:at+1]) {
		return true
	}
	k := tracker{g, p.track.states}
	return k.accept(k.expect(last.Request), last) != nil
}

// IDs lists what the names of members stand for.
func (p *play) IDs() map[string]string {
	all := map[string]string{}
	for id, real := range p.send.ids.Wire {
		if id != 0 && strings.HasPrefix(real, wire.ClientID) {
			all[Name(id)] = real
		}
	}
	return all
}

// mismatch is the difference between what was seen and what was expected.
func (x *expectation) mismatch(e *event) frame.Mismatch {
	t := triple(&x.before, &x.request, &x.outcome)
	return frame.Mismatch{Signature: frame.Signature{Triple: t, Broker: e.class(x)}, Rule: ruleOf(x), Fields: e.fields(x),
		Model: answers(x.Own, x.Others, &x.request)}
}

// class is the broker's answer, like outcome.class. Where it says the same in
// other words, the fields that differ are named.
func (e *event) class(x *expectation) string {
	seen := outcome{Own: e.Own, Others: e.Others, Ignored: x.Ignored}
	class := seen.class(&e.Request)
	if class != x.class(&x.request) {
		return class
	}
	var others []string
	for _, f := range e.fields(x) {
		_, what, found := strings.Cut(f.Name, possessive)
		if !found {
			what = f.Name
		}
		others = append(others, ", other "+what)
	}
	return class + strings.Join(slices.Compact(others), "")
}

// possessive comes between the member and the request of a field.
const possessive = "'s "

// fields are those in which the event differs from what was expected.
func (e *event) fields(x *expectation) []frame.Field {
	var all []frame.Field
	if !e.Request.Step.Op.timer() {
		all = compare(x.Own, e.Own)
	}
	for _, at := range waiters(x.Others, e.Others) {
		for _, f := range compare(at.in(x.Others), at.in(e.Others)) {
			f.Name = Name(at.id) + possessive + "waiting " + at.api.String() + ": " + f.Name
			all = append(all, f)
		}
	}
	return all
}

// waiters lists who is answered in either.
func waiters(a, b []delivery) []waiter {
	var all []waiter
	for _, d := range append(slices.Clone(a), b...) {
		if at := (waiter{d.To, d.API}); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

func (at waiter) in(ds []delivery) *answer {
	for i := range ds {
		if ds[i].To == at.id && ds[i].API == at.api {
			return &ds[i].Answer
		}
	}
	return nil
}
