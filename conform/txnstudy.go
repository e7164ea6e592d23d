package conform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fencecheck/model"
)

// studyAll studies every difference that a play has met.
func (w *txnWorker) studyAll(ctx context.Context, p *txnPlay) error {
	all := p.passed
	if p.wrong != nil {
		all = append(all, *p.wrong)
	}
	for _, m := range all {
		if err := w.study(ctx, p, m); err != nil {
			return err
		}
	}
	return nil
}

// study makes a difference small and sure, and reports it.
func (w *txnWorker) study(ctx context.Context, p *txnPlay, m txnMismatch) error {
	minimise := func() (*txnPlay, error) { return w.minimise(ctx, p, m) }
	return study(&w.run.tally, p.signature(m), m.known, minimise, w.run.describe)
}

// minimise drops steps while the same difference stays. It is nil if the
// difference does not occur again at all. A vector is told whole.
func (w *txnWorker) minimise(ctx context.Context, p *txnPlay, m txnMismatch) (*txnPlay, error) {
	if p.vector != nil {
		whole := *p
		whole.events, whole.wrong = p.events[:m.event+1], &m
		return &whole, nil
	}
	want := p.signature(m)
	steps := p.steps()[:m.event+1]
	best, err := w.again(ctx, steps, want)
	if best == nil || err != nil {
		return nil, err
	}
	return smallest(best, steps, p.idle, patienceFor(m.known), func(less []txnStep) (*txnPlay, error) {
		return w.again(ctx, less, want)
	})
}

// steps are those that were played.
func (p *txnPlay) steps() []txnStep {
	all := make([]txnStep, len(p.events))
	for i, e := range p.events {
		all[i] = e.Request.Step
	}
	return all
}

// again plays steps and returns the play if it ends in the same answers to the
// same request, in whatever state.
func (w *txnWorker) again(ctx context.Context, steps []txnStep, want signature) (*txnPlay, error) {
	for scale := 1; scale <= 2; scale++ {
		p, err := w.play(ctx, txnJob{sequence: &txnSequence{steps: steps}}, scale, &want)
		switch {
		case errors.Is(err, errImpossible):
			return nil, nil
		case errors.Is(err, errTiming):
		case err != nil:
			return nil, err
		case p.wrong != nil && p.signature(*p.wrong).like(want):
			return p, nil
		}
	}
	return nil, nil
}

// describe writes down the mismatch of a play.
func (r *txnRun) describe(p *txnPlay) Difference {
	m := p.wrong
	e := p.events[m.event]
	s := p.signature(*m)
	d := Difference{Triple: s.Triple, Broker: s.Broker, Rule: txnRuleOf(e.Request), Fields: compareTxn(&m.expected, &e.Answer), Count: 1,
		IDs: p.cue.legend(), Rerun: r.rerun(), txnSteps: p.steps()}
	for i := range p.events {
		e := &p.events[i]
		d.Steps = append(d.Steps, Exchange{Number: i + 1, Class: p.classes[i], Request: e.Request.describe(), Broker: e.text()})
	}
	d.Steps[len(d.Steps)-1].Model = (&txnEvent{e.Request, m.expected}).text()
	r.explain(&d, p)
	for _, k := range r.game.known {
		if d.Known == "" && k.matches(&d) {
			d.Known, d.Why = k.ID, k.Why
		}
	}
	return d
}

// explain finds out which mutations explain the broker's answer, each switched
// for itself, and whose answer the pages describe.
func (r *txnRun) explain(d *Difference, p *txnPlay) {
	off := r.game.rules.Off
	for m := model.Mutation(0); m < model.NumMutations; m++ {
		if p.explains(switched(off, m)) {
			d.Explained = append(d.Explained, m.String())
		}
	}
	switch {
	case off == model.Mutations{}:
		d.Pages = "model"
	case p.explains(model.Mutations{}):
		d.Pages = "broker"
	default:
		d.Pages = "neither"
	}
}

// explains tells whether other rules explain all that was seen, or at least the
// last answer in the situation that the model is in.
func (p *txnPlay) explains(off model.Mutations) bool {
	g := p.game.with(off)
	if g.explains(p.start, p.events) {
		return true
	}
	_, a := g.decide(&p.wrong.before, p.events[p.wrong.event].Request)
	return a.equal(&p.events[p.wrong.event].Answer)
}

func (g *txnGame) explains(s txnState, events []txnEvent) bool {
	for i := range events {
		var a txnAnswer
		if s, a = g.decide(&s, events[i].Request); !a.equal(&events[i].Answer) {
			return false
		}
	}
	return true
}

// text is what came of a step, in a line.
func (e *txnEvent) text() string {
	if e.Request.Step.Op.request() {
		return e.Answer.text()
	}
	if e.Answer.Odd != "" {
		return e.Answer.Odd
	}
	return "the transaction ends"
}

// legend lists what the names of producer ids stand for.
func (x *cue) legend() map[string]string {
	all := map[string]string{"transactional id": x.tid}
	for p, wire := range x.pids {
		if p != 0 {
			all[pidName(p)] = fmt.Sprint(wire)
		}
	}
	return all
}

// describe writes a request for a reader, with its values.
func (r *txnRequest) describe() string {
	words := []string{txnTitle(*r)}
	field := func(name string, value any) { words = append(words, fmt.Sprintf("%s=%v", name, value)) }
	switch st := r.Step; st.Op {
	case initProducer:
		if r.PID != 0 {
			field("pid", pidName(r.PID))
			field("epoch", r.Epoch)
		}
	case addPartition, addOffsets, produce, txnCommit, endTxn, writeMarker:
		field("pid", pidName(r.PID))
		field("epoch", r.Epoch)
	}
	switch st := r.Step; st.Op {
	case addPartition, readRecords, lastOffset:
		field("partition", placeName(st.Place))
	case produce:
		field("partition", placeName(st.Place))
		field("sequence", r.Sequence)
	case writeMarker:
		field("coordinatorEpoch", r.Coord)
		field("partition", placeName(st.Place))
	case txnCommit:
		field("generation", r.Generation)
		field("member", map[bool]string{true: "stranger", false: name(r.Member)}[r.Member == notAMember])
	case memberCommit:
		field("member", name(r.Member))
	}
	return strings.Join(words, " ")
}

// txnRules are the sections of transactions.md that decide each request.
var txnRules = [numTxnOps]Rule{
	initProducer: {"1.4", "InitProducerId: a transition under way, the expected pair, the state, the epoch rule"},
	addPartition: {"1.5", "AddPartitionsToTxn: a transition under way, the producer id, the epoch, the state"},
	addOffsets:   {"1.5", "AddOffsetsToTxn: as AddPartitionsToTxn; the group is not looked at"},
	produce:      {"2.2 to 2.4", "Produce: the leader's epoch, the coordinator's word, the guard, the sequence"},
	txnCommit:    {"3.1", "TxnOffsetCommit: the producer first, then the group, then the log"},
	endTxn:       {"1.6, 1.7", "EndTxn: a transition under way, the producer id, the epoch, and the outcome"},
	writeMarker:  {"2.5", "WriteTxnMarkers: the producer epoch, then the coordinator epoch"},
	memberCommit: {"O9", "a member's commit of the current generation is taken"},
	readRecords:  {"2.6", "a read_committed reader reads up to the last stable offset, and drops what was aborted"},
	lastOffset:   {"2.6", "the last stable offset lies before the first open transaction"},
	readOffset:   {"3.2, 3.3", "offsets show with the COMMIT marker; RequireStable waits for what is pending"},
	exhaust:      {"1.4", "InitProducerId raises the epoch by one, up to 32766"},
	describe:     {"1.1", "what the coordinator knows of the transactional id"},
	txnTimer:     {"1.8", "an overdue transaction is aborted with a raised epoch"},
	lateRestart:  {"5", "another coordinator aborts what is overdue, and marks every partition"},
	restart:      {"5", "another coordinator goes on from its log, and marks again what was decided"},
}

func txnRuleOf(r txnRequest) Rule { return txnRules[r.Step.Op] }
