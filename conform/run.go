package conform

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// Groups and Transactions are the parts of a run.
const (
	Groups       = "groups"
	Transactions = "transactions"
)

// Run holds a broker against the model. The report is worth reading also when
// there is an error: it has what was compared until then.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.withDefaults()
	started := time.Now()
	address, name, stop, err := o.broker()
	if err != nil {
		return Report{}, err
	}
	defer stop()
	v, err := newVenue(ctx, address, o.Patience)
	if err != nil {
		return Report{Broker: name}, err
	}
	v.embedded = o.Bootstrap == ""
	report := newReport(name)
	err = o.playParts(ctx, v, &report)
	// What was made is removed also when the run was interrupted.
	tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Patience+30*time.Second)
	defer cancel()
	report.LeftBehind = v.tidy(tidy)
	known := slices.DeleteFunc(slices.Clone(o.Known), func(k Known) bool { return !o.plays(k.part()) })
	report.close(known, time.Since(started))
	if err != nil {
		report.Stopped = err.Error()
	}
	return report, err
}

// playParts plays the parts that are wanted. A real broker has one after the
// other, so that they do not disturb each other's timing; kfake, where groups
// mostly wait, both at once.
func (o Options) playParts(ctx context.Context, v *venue, report *Report) error {
	parts := []struct {
		name string
		play func(context.Context, Options, *venue, string) (*tally, error)
	}{{Groups, playGroups}, {Transactions, playTransactions}}
	o.Progress = oneAtATime(o.Progress)
	tallies, errs := make([]*tally, len(parts)), make([]error, len(parts))
	var crew sync.WaitGroup
	for i, p := range parts {
		if !o.plays(p.name) {
			continue
		}
		crew.Go(func() { tallies[i], errs[i] = p.play(ctx, o, v, report.Broker) })
		if !v.embedded {
			crew.Wait()
		}
		if !v.embedded && errs[i] != nil {
			break
		}
	}
	crew.Wait()
	for _, t := range tallies {
		if t != nil {
			t.report(report)
		}
	}
	return cmp.Or(errs...)
}

// oneAtATime makes a progress function fit for several parts.
func oneAtATime(f func(Progress)) func(Progress) {
	if f == nil {
		return nil
	}
	var mu sync.Mutex
	return func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		f(p)
	}
}

// playGroups is the part of the classic groups.
func playGroups(ctx context.Context, o Options, v *venue, broker string) (_ *tally, err error) {
	r := newRun(o, v, broker)
	if r.plan, err = makePlan(ctx, r.game, v.limits); err == nil {
		r.reachable, r.unreal = r.plan.reachable, r.plan.unreal
		err = r.play(ctx)
	}
	r.elapsed = time.Since(r.begun)
	return &r.tally, err
}

// run is one part of a Run under way: that of the groups.
type run struct {
	tally
	venue *venue
	game  game
	plan  *plan
}

func newRun(o Options, v *venue, name string) *run {
	g := newGame(o.Mutations, v.limits)
	g.known = of(o.Known, Groups)
	return &run{tally: newTally(o, name, Groups), venue: v, game: g}
}

// play lets the workers play until enough was compared, or something breaks.
func (r *run) play(ctx context.Context) error {
	defer r.announce()()
	return dispatch(ctx, r.o.Parallel, r.hand, r.work)
}

// job is one sequence to be played, or one random walk.
type job struct {
	sequence *sequence
	walk     int
}

// hand gives out the planned sequences, then walks.
func (r *run) hand(ctx context.Context, jobs chan<- job) {
	for i := range r.plan.sequences {
		if !give(ctx, &r.tally, jobs, job{sequence: &r.plan.sequences[i]}) {
			return
		}
	}
	r.planned()
	for i := 0; r.o.Requests > 0; i++ {
		if !give(ctx, &r.tally, jobs, job{walk: i}) {
			return
		}
	}
}

// work is one worker: it plays one job after the other.
func (r *run) work(ctx context.Context, jobs <-chan job) error {
	w := &worker{run: r, lines: map[string]*lines{}}
	defer w.close()
	for j := range jobs {
		if err := w.do(ctx, j); err != nil {
			return err
		}
	}
	return nil
}

// note counts what a play has shown.
func (r *run) note(p *play) {
	requests := 0
	for _, e := range p.events {
		if !e.Request.Step.Op.timer() {
			requests++
		}
	}
	r.count(requests, p.triples)
}

// announce reports progress once a second, until it is silenced.
func (r *tally) announce() (silence func()) {
	if r.o.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var crew sync.WaitGroup
	crew.Go(func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				r.o.Progress(r.progress())
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		crew.Wait()
	}
}
