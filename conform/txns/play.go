package txns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// event is one step as it went.
type event struct {
	Request request
	Answer  answer
	before  state // as the model had it
}

// play is one sequence on one transactional id of a broker.
type play struct {
	frame.Record[Step]
	game    *game
	worker  *worker
	send    sending
	state   state
	start   state
	events  []event
	started [2]time.Time  // when the open transaction began, at the earliest and latest
	short   time.Duration // the transaction's timeout, where it is waited for
}

// step plays one step. It tells whether the play goes on: it does not after a
// mismatch.
func (p *play) step(ctx context.Context, st Step) (bool, error) {
	r, ok := p.state.resolve(st, p.game)
	if !ok {
		return false, frame.ErrImpossible
	}
	return p.take(ctx, r)
}

// take takes a step whose tokens have been resolved.
func (p *play) take(ctx context.Context, r request) (bool, error) {
	if !p.send.pids.Known(r.PID) {
		return false, frame.ErrImpossible // an id that the broker has not given
	}
	before := p.state
	after, expected := p.game.decide(&before, r)
	if p.game.unprovokable(&r, p.game.triple(&before, &r, &expected)) != "" {
		return false, frame.ErrImpossible
	}
	if r.Step.Op.request() && p.late() {
		return false, frame.ErrTiming
	}
	begun := time.Now()
	seen, err := p.perform(ctx, &r, after.Given)
	if err == nil && expected.Moved && seen.equal(&expected) {
		err = p.settle(ctx, &expected, &seen)
	}
	if err != nil {
		return false, err
	}
	if before.Txn.State != txn.Ongoing {
		p.started = [2]time.Time{begun, time.Now()}
	}
	p.state = after
	return p.compare(event{r, seen, before}, &expected), nil
}

// late tells whether an open transaction may have been aborted that was not
// meant to.
func (p *play) late() bool {
	return p.short > 0 && p.state.Txn.State == txn.Ongoing && frame.Spent(p.started[0], p.short)
}

// perform makes a step happen, and returns what came of it.
func (p *play) perform(ctx context.Context, r *request, fresh model.ProducerID) (answer, error) {
	switch r.Step.Op {
	case timeout:
		return p.wait(ctx)
	case restart:
		return answer{}, p.worker.restart(ctx, &p.send, 0)
	case lateRestart:
		if err := p.worker.restart(ctx, &p.send, 2*p.short); err != nil {
			return answer{}, err
		}
		return p.wait(ctx)
	case exhaust:
		return p.exhaust(ctx, fresh)
	}
	defer p.worker.alone(r)()
	return p.worker.loaded(ctx, func() (answer, error) {
		return p.worker.exchange(ctx, &p.send, r, p.state.Numbers+1, fresh)
	})
}

// exhaust takes one epoch after the other, and looks at each.
func (p *play) exhaust(ctx context.Context, fresh model.ProducerID) (a answer, err error) {
	r := newRequest(Step{Op: initProducer})
	for n := range bumps {
		if a, err = p.worker.exchange(ctx, &p.send, &r, 0, fresh); err != nil {
			return a, err
		}
		if a.Err != model.None || a.Epoch != model.Epoch(n) {
			a.Odd.Add("the answer to request %d", n+1)
			return a, nil
		}
	}
	return a, nil
}

const (
	// overdue is what a coordinator may take to notice that a transaction is.
	overdue = 400 * time.Millisecond
	// stuckFor is how long the markers of a transaction that is stuck have to
	// reach those partitions that take them.
	stuckFor = 60 * time.Millisecond
	// pollEvery is how long to wait before looking again.
	pollEvery = 2 * time.Millisecond
)

// settle lets the markers of a decided transaction reach every partition. The
// coordinator tells when it is complete.
func (p *play) settle(ctx context.Context, expected, seen *answer) error {
	if expected.Stuck {
		return wire.Pause(ctx, stuckFor)
	}
	complete, err := p.awaitState(ctx, time.Now().Add(p.worker.completion()), pollEvery, func(state string) bool { return !slices.Contains(underWay, state) })
	if !complete && err == nil {
		seen.Odd.Add("it is never complete")
	}
	return err
}

// underWay are the states of a transaction whose markers are on their way.
var underWay = []string{txn.Ongoing.String(), txn.PrepareCommit.String(), txn.PrepareAbort.String(), txn.PrepareEpochFence.String()}

// awaitState asks for the state of the transactional id, "" if the coordinator has
// none, until it is one that will do; false if it is not by then.
func (p *play) awaitState(ctx context.Context, end time.Time, between time.Duration, will func(state string) bool) (bool, error) {
	r := newRequest(Step{Op: describe})
	for {
		m, err := p.worker.ask(ctx, p.send.coordinator, p.send.message(&r, 0))
		if err != nil {
			return false, err
		}
		state := ""
		if ts := m.(*kmsg.DescribeTransactionsResponse).TransactionStates; len(ts) == 1 {
			state = ts[0].State
		}
		if will(state) {
			return true, nil
		}
		if time.Now().After(end) {
			return false, nil
		}
		if err := wire.Pause(ctx, between); err != nil {
			return false, err
		}
	}
}

// wait lets the open transaction take longer than its timeout.
func (p *play) wait(ctx context.Context) (a answer, err error) {
	if p.short == 0 {
		return a, frame.ErrImpossible
	}
	if err := wire.Pause(ctx, time.Until(p.started[0].Add(p.short))); err != nil {
		return a, err
	}
	ended, err := p.awaitState(ctx, p.started[1].Add(p.short+p.worker.cleanup()+overdue), 5*pollEvery,
		func(state string) bool { return state != txn.Ongoing.String() })
	if !ended && err == nil {
		a.Odd.Add("nothing happens")
	}
	return a, err
}

// compare compares what was seen with what the rules say.
func (p *play) compare(e event, expected *answer) bool {
	r, same := &e.Request, e.Answer.equal(expected)
	if same {
		e.Answer.Again, e.Answer.Ignored = expected.Again, expected.Ignored
	}
	p.events, p.Steps = append(p.events, e), append(p.Steps, r.Step)
	p.Classes = append(p.Classes, e.before.requestClass(r)+" in "+r.row().class(&e.before, r, p.game))
	p.Idle = append(p.Idle, idle(&e.before, &p.state))
	if r.Step.Op.request() {
		p.Requests++
	}
	t := p.game.triple(&e.before, r, expected)
	if same {
		p.Triples = append(p.Triples, t)
		return true
	}
	m := frame.Mismatch{Signature: frame.Signature{Triple: t, Broker: e.class(expected)}, Rule: r.row().rule,
		Fields: frame.Compare(expected.said(), e.Answer.said()), Model: said(r, expected)}
	return p.Differ(m, p.Idle[len(p.Idle)-1], func(m model.Mutation) bool { return p.follow(m, &e) })
}

// idle tells whether a step changed nothing that matters to others.
func idle(before, after *state) bool {
	a, b := before.canonical(0), after.canonical(0)
	return string(frame.Append(nil, &a, (*state).code)) == string(frame.Append(nil, &b, (*state).code)) && before.Txn == after.Txn
}

// follow goes on as the rules are with one mutation switched, if they explain
// what was seen.
func (p *play) follow(m model.Mutation, e *event) bool {
	after, a := p.game.with(frame.Switched(p.game.rules.Off, m)).decide(&e.before, e.Request)
	if !a.equal(&e.Answer) {
		return false
	}
	p.state = after
	return true
}

// class is the broker's answer. Where it says the same in other words, the
// fields that differ are named.
func (e *event) class(expected *answer) string {
	class := e.Answer.class(&e.Request)
	if frame.ErrorName(e.Answer.Err) != frame.ErrorName(expected.Err) || e.Answer.Odd != "" {
		return class
	}
	for _, f := range frame.Compare(expected.said(), e.Answer.said()) {
		class += ", other " + f.Name
	}
	return class
}

// all plays the steps of a sequence. Those at its goals depend on nothing but
// the way there, so that one which is impossible is left out.
func (p *play) all(ctx context.Context, s *frame.Route[Step]) (bool, error) {
	for i, st := range s.Steps {
		on, err := p.step(ctx, st)
		if errors.Is(err, frame.ErrImpossible) && s.Shares && i >= s.Way {
			continue
		}
		if !on {
			return false, err
		}
	}
	return true, nil
}

// lines plays the lines of a vector.
func (p *play) lines(ctx context.Context, v *vector) (bool, error) {
	for _, l := range v.lines {
		if on, err := p.take(ctx, l.on(p.game)); !on {
			return false, err
		}
	}
	return true, nil
}

// probes ask for what a play leaves behind, of readers and of the coordinator.
var probes = []Step{
	{Op: describe}, {Op: readRecords, Stable: true}, {Op: readRecords}, {Op: lastOffset, Stable: true},
	{Op: readRecords, Log: 1, Stable: true}, {Op: readOffset, Stable: true}, {Op: readOffset},
}

// probe asks for what the steps before left behind.
func (p *play) probe(ctx context.Context) error {
	for _, st := range probes {
		if st.Log == 1 && len(p.state.Logs[1]) == 0 {
			continue
		}
		if on, err := p.step(ctx, st); !on && !errors.Is(err, frame.ErrImpossible) {
			return err
		}
	}
	return nil
}

// end ends an open transaction, and gives the partitions back that others can
// use. After a difference nobody knows what is open.
func (p *play) end(ctx context.Context) error {
	if p.Wrong != nil || len(p.Passed) > 0 {
		return p.abort(ctx)
	}
	if p.state.Txn.State == txn.Ongoing {
		if on, err := p.step(ctx, Step{Op: initProducer}); !on {
			return err
		}
	}
	if p.state.clean() {
		p.worker.giveBack(p.send.outputs[:])
	}
	return nil
}

// abort ends whatever is open.
func (p *play) abort(ctx context.Context) error {
	r := newRequest(Step{Op: initProducer})
	_, err := p.worker.ask(ctx, p.send.coordinator, p.send.message(&r, 0))
	return err
}

// Exchange writes down a request, and what came of it.
func (p *play) Exchange(at int) (request, broker string) {
	e := &p.events[at]
	return e.Request.describe(), said(&e.Request, &e.Answer)
}

// Explains tells whether other rules explain all that was seen, or at least the
// last answer in the situation that the model was in.
func (p *play) Explains(at int, off model.Mutations) bool {
	g := p.game.with(off)
	if g.explains(p.start, p.events[:at+1]) {
		return true
	}
	_, a := g.decide(&p.events[at].before, p.events[at].Request)
	return a.equal(&p.events[at].Answer)
}

func (g *game) explains(s state, events []event) bool {
	for i := range events {
		var a answer
		if s, a = g.decide(&s, events[i].Request); !a.equal(&events[i].Answer) {
			return false
		}
	}
	return true
}

// IDs lists what the names of producer ids stand for.
func (p *play) IDs() map[string]string {
	all := map[string]string{"transactional id": p.send.tid}
	for id, wire := range p.send.pids.Wire {
		if id != 0 {
			all[pidName(id)] = fmt.Sprint(wire)
		}
	}
	return all
}

// said is what came of a step, in a line.
func said(r *request, a *answer) string {
	switch {
	case r.Step.Op.request():
		return a.text()
	case a.Odd != "":
		return string(a.Odd)
	}
	return "the transaction ends"
}
