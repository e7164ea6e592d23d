package conform

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// txnEvent is one step as it went.
type txnEvent struct {
	Request txnRequest
	Answer  txnAnswer
}

// txnPlay is one sequence on one transactional id of a broker.
type txnPlay struct {
	game    *txnGame
	stage   *txnStage
	cue     cue
	state   txnState
	start   txnState
	events  []txnEvent
	classes []string // of the requests, and the states that they met
	idle    []bool   // whether the step left the state as it was
	triples []Triple
	started [2]time.Time  // when the open transaction began, at the earliest and latest
	short   time.Duration // the transaction's timeout, where it is waited for
	wrong   *txnMismatch  // where the play ended
	passed  []txnMismatch // where it went on, since the difference is known
	stop    *signature    // a difference at which it ends, known or not
	vector  *vector       // that is played
}

// txnMismatch is where the model and the broker part.
type txnMismatch struct {
	event    int
	before   txnState
	expected txnAnswer
	known    string // id of the known difference that it is
}

// step plays one step. It tells whether the play goes on: it does not after a
// mismatch.
func (p *txnPlay) step(ctx context.Context, st txnStep) (bool, error) {
	r, ok := p.state.resolveTxn(st, p.game)
	if !ok {
		return false, errImpossible
	}
	return p.take(ctx, r)
}

// take takes a step whose tokens have been resolved.
func (p *txnPlay) take(ctx context.Context, r txnRequest) (bool, error) {
	if _, ok := p.cue.pids[r.PID]; !ok {
		return false, errImpossible // an id that the broker has not given
	}
	before := p.state
	after, expected := p.game.decide(&before, r)
	if p.game.unprovokable(r, p.game.triple(&before, r, &expected)) != "" {
		return false, errImpossible
	}
	if r.Step.Op.request() && p.late() {
		return false, errTiming
	}
	begun := time.Now()
	seen, err := p.perform(ctx, r, after.Given)
	if err == nil && expected.Moved && seen.equal(&expected) {
		err = p.settle(ctx, &expected, &seen)
	}
	if err != nil {
		return false, err
	}
	if before.Txn.State != model.Ongoing {
		p.started = [2]time.Time{begun, time.Now()}
	}
	return p.compare(r, before, after, expected, seen), nil
}

// late tells whether an open transaction may have been aborted that was not
// meant to.
func (p *txnPlay) late() bool {
	return p.short > 0 && p.state.Txn.State == model.Ongoing && spent(p.started[0], p.short)
}

// perform makes a step happen, and returns what came of it.
func (p *txnPlay) perform(ctx context.Context, r txnRequest, fresh model.ProducerID) (txnAnswer, error) {
	switch r.Step.Op {
	case txnTimer:
		return p.wait(ctx)
	case restart:
		return txnAnswer{}, p.stage.restart(ctx, &p.cue, 0)
	case lateRestart:
		if err := p.stage.restart(ctx, &p.cue, 2*p.short); err != nil {
			return txnAnswer{}, err
		}
		return p.wait(ctx)
	case exhaust:
		return p.exhaust(ctx, r, fresh)
	}
	defer p.stage.venue.alone(r)()
	for end := time.Now().Add(p.stage.venue.patience); ; {
		m, err := p.stage.ask(ctx, p.stage.address(r, &p.cue), p.cue.message(r, p.state.Numbers+1))
		if err != nil {
			return txnAnswer{}, err
		}
		a := p.cue.read(m, r, fresh)
		if a.Err != model.CoordinatorLoadInProgress || time.Now().After(end) {
			return a, nil
		}
		if err := pause(ctx, 10*glance); err != nil { // it reads its log, and has decided nothing
			return a, err
		}
	}
}

// exhaust takes one epoch after the other, and looks at each.
func (p *txnPlay) exhaust(ctx context.Context, r txnRequest, fresh model.ProducerID) (a txnAnswer, err error) {
	r.Step.Op = initProducer
	r.PID, r.Epoch = 0, model.NoEpoch
	for n := range bumps {
		m, err := p.stage.ask(ctx, p.cue.coordinator, p.cue.message(r, 0))
		if err != nil {
			return a, err
		}
		if a = p.cue.read(m, r, fresh); a.Err != model.None || a.Epoch != model.Epoch(n) {
			a.odd("the answer to request %d", n+1)
			return a, nil
		}
	}
	return a, nil
}

// What a broker may take for the markers, and for the coordinator to notice
// that a transaction is overdue.
const (
	completion = 5 * time.Second
	overdue    = 400 * time.Millisecond
	// atOnce is what kfake may take, which completes a transaction before it
	// answers.
	atOnce = 20 * time.Millisecond
	// stuckFor is how long the markers of a transaction that is stuck have to
	// reach those partitions that take them.
	stuckFor = 60 * time.Millisecond
	glance   = 2 * time.Millisecond
)

// settle lets the markers of a decided transaction reach every partition. The
// coordinator tells when it is complete.
func (p *txnPlay) settle(ctx context.Context, expected, seen *txnAnswer) error {
	if expected.Stuck {
		return pause(ctx, stuckFor)
	}
	for end := time.Now().Add(p.stage.completion()); ; {
		state, err := p.coordinatorState(ctx)
		if err != nil || !slices.Contains(underWay, state) {
			return err
		}
		if time.Now().After(end) {
			seen.odd("it is never complete")
			return nil
		}
		if err := pause(ctx, glance); err != nil {
			return err
		}
	}
}

// underWay are the states of a transaction whose markers are on their way.
var underWay = []string{model.Ongoing.String(), model.PrepareCommit.String(), model.PrepareAbort.String(), model.PrepareEpochFence.String()}

// coordinatorState asks for the state of the transactional id, "" if the
// coordinator has none.
func (p *txnPlay) coordinatorState(ctx context.Context) (string, error) {
	m, err := p.stage.ask(ctx, p.cue.coordinator, describeOf(p.cue.tid))
	if err != nil {
		return "", err
	}
	ts := m.(*kmsg.DescribeTransactionsResponse).TransactionStates
	if len(ts) != 1 {
		return "", nil
	}
	return ts[0].State, nil
}

func describeOf(tid string) kmsg.Request {
	m := kmsg.NewPtrDescribeTransactionsRequest()
	m.TransactionalIDs = []string{tid}
	return m
}

// wait lets the open transaction take longer than its timeout.
func (p *txnPlay) wait(ctx context.Context) (txnAnswer, error) {
	var a txnAnswer
	if p.short == 0 {
		return a, errImpossible
	}
	if err := pause(ctx, time.Until(p.started[0].Add(p.short))); err != nil {
		return a, err
	}
	for end := p.started[1].Add(p.short + p.stage.cleanup() + overdue); ; {
		state, err := p.coordinatorState(ctx)
		if state != model.Ongoing.String() || err != nil {
			return a, err
		}
		if time.Now().After(end) {
			a.odd("nothing happens")
			return a, nil
		}
		if err := pause(ctx, 5*glance); err != nil {
			return a, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// compare compares what was seen with what the rules say.
func (p *txnPlay) compare(r txnRequest, before, after txnState, expected, seen txnAnswer) bool {
	if seen.equal(&expected) {
		seen.Again, seen.Ignored = expected.Again, expected.Ignored
	}
	p.events = append(p.events, txnEvent{r, seen})
	p.classes = append(p.classes, before.txnRequestClass(r)+" in "+before.txnStateClass(r, p.game))
	p.state = after
	p.idle = append(p.idle, idle(&before, &after))
	if seen.equal(&expected) {
		p.triples = append(p.triples, p.game.triple(&before, r, &expected))
		return true
	}
	m := txnMismatch{event: len(p.events) - 1, before: before, expected: expected}
	if m.known = p.goesOn(m); m.known != "" {
		p.passed = append(p.passed, m)
		return true
	}
	p.wrong = &m
	return false
}

// idle tells whether a step changed nothing that matters to others.
func idle(before, after *txnState) bool {
	a, b := before.canonical(0), after.canonical(0)
	return string(a.append(nil)) == string(b.append(nil)) && before.Txn == after.Txn
}

// goesOn finds the known difference after which the play can go on: nothing has
// changed, or it has as a mutation says that explains the broker. It is "" if
// there is none.
func (p *txnPlay) goesOn(m txnMismatch) string {
	s := p.signature(m)
	if p.stop != nil && s.like(*p.stop) {
		return ""
	}
	e := &p.events[m.event]
	for i := range p.game.known {
		k := &p.game.known[i]
		if k.Avoid || !k.likeSignature(s) {
			continue
		}
		if k.GoesOn && idle(&m.before, &p.state) {
			return k.ID
		}
		if k.Explained != "" && p.follow(k.Explained, m.before, e) {
			return k.ID
		}
	}
	return ""
}

// follow goes on as the rules are with one mutation switched, if they explain
// what was seen.
func (p *txnPlay) follow(id string, before txnState, e *txnEvent) bool {
	m, ok := model.MutationByID(id)
	if !ok {
		return false
	}
	after, a := p.game.with(switched(p.game.rules.Off, m)).decide(&before, e.Request)
	if !a.equal(&e.Answer) {
		return false
	}
	p.state = after
	return true
}

// signature is that of a mismatch of a play.
func (p *txnPlay) signature(m txnMismatch) signature {
	e := &p.events[m.event]
	return signature{p.game.triple(&m.before, e.Request, &m.expected), e.class(&m.expected)}
}

// class is the broker's answer. Where it says the same in other words, the
// fields that differ are named.
func (e *txnEvent) class(expected *txnAnswer) string {
	class := e.Answer.class(e.Request)
	if errorName(e.Answer.Err) != errorName(expected.Err) || e.Answer.Odd != "" {
		return class
	}
	for _, f := range compareTxn(expected, &e.Answer) {
		class += ", other " + f.Name
	}
	return class
}

// all plays the steps of a sequence. Those at its goals depend on nothing but
// the way there, so that one which is impossible is left out.
func (p *txnPlay) all(ctx context.Context, s *txnSequence) (bool, error) {
	for i, st := range s.steps {
		on, err := p.step(ctx, st)
		if errors.Is(err, errImpossible) && s.shares && i >= s.way {
			continue
		}
		if !on {
			return false, err
		}
	}
	return true, nil
}

// lines plays the lines of a vector.
func (p *txnPlay) lines(ctx context.Context, v *vector) (bool, error) {
	for _, l := range v.lines {
		if on, err := p.take(ctx, l.on(p.game)); !on {
			return false, err
		}
	}
	return true, nil
}

// probes ask for what a play leaves behind, of readers and of the coordinator.
var probes = []txnStep{
	{Op: describe}, {Op: readRecords, Stable: true}, {Op: readRecords}, {Op: lastOffset, Stable: true},
	{Op: readRecords, Place: 1, Stable: true}, {Op: readOffset, Stable: true}, {Op: readOffset},
}

// probe asks for what the steps before left behind.
func (p *txnPlay) probe(ctx context.Context) error {
	for _, st := range probes {
		if st.Place == 1 && len(p.state.Logs[1]) == 0 {
			continue
		}
		if on, err := p.step(ctx, st); !on && !errors.Is(err, errImpossible) {
			return err
		}
	}
	return nil
}

// end ends an open transaction, and gives the partitions back that others can
// use. After a difference nobody knows what is open.
func (p *txnPlay) end(ctx context.Context) error {
	if p.wrong != nil || len(p.passed) > 0 {
		_, err := p.stage.ask(ctx, p.cue.coordinator, p.cue.message(txnRequest{Step: txnStep{Op: initProducer}, Epoch: model.NoEpoch}, 0))
		return err
	}
	if p.state.Txn.State == model.Ongoing {
		if on, err := p.step(ctx, txnStep{Op: initProducer}); !on {
			return err
		}
	}
	if p.state.clean() {
		p.stage.giveBack(&p.cue)
	}
	return nil
}
