package conform

import (
	"context"
	"errors"
	"slices"
	"time"
)

// txnRun is the part of a Run that plays transactions.
type txnRun struct {
	tally
	venue   *txnVenue
	game    txnGame
	plan    *txnPlan
	restart restarter // nil where the broker cannot be restarted
}

func newTxnRun(o Options, v *txnVenue, name string) *txnRun {
	r := &txnRun{tally: newTally(o, name, Transactions), venue: v}
	r.game.rules.Off = o.Mutations
	r.game.known = of(o.Known, Transactions)
	r.game.noOffsets = v.offsetsPartitions == 0
	return r
}

// playTransactions is the part of the transactions.
func playTransactions(ctx context.Context, o Options, v *venue, broker string) (*tally, error) {
	tv, err := newTxnVenue(ctx, v)
	if err != nil {
		return nil, err
	}
	defer func() {
		tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Patience)
		defer cancel()
		tv.tidy(tidy)
	}()
	r := newTxnRun(o, tv, broker)
	depth := planDepth
	if v.embedded {
		depth = embeddedDepth
	}
	if r.plan, err = makeTxnPlan(ctx, &r.game, depth); err == nil {
		r.reachable, r.unreal = r.plan.reachable, r.plan.unreal
		err = r.play(ctx)
	}
	r.elapsed = time.Since(r.begun)
	return &r.tally, err
}

// play lets the workers play until enough was compared, or something breaks.
func (r *txnRun) play(ctx context.Context) error {
	defer r.announce()()
	return dispatch(ctx, r.o.Parallel, r.hand, r.work)
}

// txnJob is one vector or sequence to be played, or one random walk.
type txnJob struct {
	vector   *vector
	sequence *txnSequence
	walk     int
}

// hand gives out the vectors and the planned sequences, then walks.
func (r *txnRun) hand(ctx context.Context, jobs chan<- txnJob) {
	for i := range vectors {
		if !give(ctx, &r.tally, jobs, txnJob{vector: &vectors[i]}) {
			return
		}
	}
	for i := range r.plan.sequences {
		if !give(ctx, &r.tally, jobs, txnJob{sequence: &r.plan.sequences[i]}) {
			return
		}
	}
	r.planned()
	for i := 0; r.o.Requests > 0; i++ {
		if !give(ctx, &r.tally, jobs, txnJob{walk: i}) {
			return
		}
	}
}

// work is one worker: it plays one job after the other.
func (r *txnRun) work(ctx context.Context, jobs <-chan txnJob) error {
	w := r.worker()
	defer w.stage.close()
	for j := range jobs {
		for more := true; more; {
			p, err := w.do(ctx, j)
			if err != nil {
				return err
			}
			if more = j.sequence != nil && p.wrong != nil; more {
				j.sequence = j.sequence.rest(p.wrong.event + 1)
				more = j.sequence != nil
			}
		}
	}
	return nil
}

// txnWorker plays one sequence after the other.
type txnWorker struct {
	run   *txnRun
	stage *txnStage
}

func (r *txnRun) worker() *txnWorker {
	s := newTxnStage(r.venue)
	s.again = r.restart
	return &txnWorker{r, s}
}

// do plays a job, and studies what it finds.
func (w *txnWorker) do(ctx context.Context, j txnJob) (*txnPlay, error) {
	for try := 1; ; try *= 2 {
		p, err := w.play(ctx, j, try, nil)
		again := errors.Is(err, errTiming) || errors.Is(err, errImpossible)
		if err != nil && !again {
			return nil, err
		}
		w.run.note(p)
		if !again {
			return p, w.studyAll(ctx, p)
		}
		if try >= 1<<(attempts-1) || errors.Is(err, errImpossible) {
			w.run.giveUp()
			return p, nil
		}
	}
}

// play plays a job to its end, or to a mismatch.
func (w *txnWorker) play(ctx context.Context, j txnJob, scale int, stop *signature) (*txnPlay, error) {
	var walk *txnWalk
	short := time.Duration(0)
	if j.sequence == nil && j.vector == nil {
		walk = newTxnWalk(w.run.o.Seed, j.walk, w.run.venue.embedded)
	}
	if walk != nil && walk.waits || j.waits() {
		short = time.Duration(scale) * shortest
	}
	p, err := w.stage.begin(ctx, &w.run.game, short)
	if err != nil {
		return nil, err
	}
	p.stop, p.vector = stop, j.vector
	var on bool
	switch {
	case walk != nil:
		on, err = p.wander(ctx, walk)
	case j.vector != nil:
		on, err = p.lines(ctx, j.vector)
	default:
		on, err = p.all(ctx, j.sequence)
	}
	if on && err == nil {
		err = p.probe(ctx)
	}
	if err == nil {
		err = p.end(ctx)
	}
	return p, err
}

// waits tells whether a transaction times out in what is planned.
func (j *txnJob) waits() bool {
	if j.vector != nil {
		return slices.ContainsFunc(j.vector.lines, func(l line) bool { return l.request.Step.waits() })
	}
	return j.sequence != nil && slices.ContainsFunc(j.sequence.steps, txnStep.waits)
}

func (s txnStep) waits() bool { return s.Op == txnTimer || s.Op == lateRestart }

// note counts what a play has shown.
func (r *txnRun) note(p *txnPlay) {
	requests := 0
	for _, e := range p.events {
		if e.Request.Step.Op.request() {
			requests++
		}
	}
	r.count(requests, p.triples)
}
