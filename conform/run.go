package conform

import (
	"context"
	"sync"
	"time"
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
	r := newRun(o, v, name)
	if r.plan, err = makePlan(ctx, r.game, v.limits); err == nil {
		err = r.play(ctx)
	}
	// What was made is removed also when the run was interrupted.
	tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Patience+30*time.Second)
	defer cancel()
	left := v.tidy(tidy)
	report := r.report(time.Since(started))
	report.LeftBehind = left
	if err != nil {
		report.Stopped = err.Error()
	}
	return report, err
}

// run is one Run under way.
type run struct {
	o     Options
	venue *venue
	game  game
	name  string
	plan  *plan
	begun time.Time

	mu          sync.Mutex
	requests    int
	covered     map[Triple]bool
	walking     bool                      // the planned sequences have all been handed out
	unfinished  int                       // sequences that the machine was too slow for, or that the broker took another turn in
	unconfirmed int                       // differences that did not occur again
	found       map[signature]*Difference // several forms of a known one share one
	known       map[string]*Difference    // by id
}

func newRun(o Options, v *venue, name string) *run {
	g := newGame(o.Mutations, v.limits)
	g.known = o.Known
	return &run{o: o, venue: v, name: name, game: g, begun: time.Now(),
		covered: map[Triple]bool{}, found: map[signature]*Difference{}, known: map[string]*Difference{}}
}

// play lets the workers play until enough was compared, or something breaks.
func (r *run) play(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan job)
	var crew sync.WaitGroup
	for range r.o.Parallel {
		crew.Go(func() {
			if err := r.work(ctx, jobs); err != nil {
				cancel(err)
			}
		})
	}
	silence := r.announce()
	defer silence()
	r.hand(ctx, jobs)
	close(jobs)
	crew.Wait()
	return context.Cause(ctx)
}

// job is one sequence to be played, or one random walk.
type job struct {
	sequence *sequence
	walk     int
}

// hand gives out the planned sequences, then walks.
func (r *run) hand(ctx context.Context, jobs chan<- job) {
	for i := range r.plan.sequences {
		if !r.give(ctx, jobs, job{sequence: &r.plan.sequences[i]}) {
			return
		}
	}
	r.planned()
	for i := 0; r.o.Requests > 0; i++ {
		if !r.give(ctx, jobs, job{walk: i}) {
			return
		}
	}
}

func (r *run) planned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.walking = true
}

// give hands out a job, unless enough was compared.
func (r *run) give(ctx context.Context, jobs chan<- job, j job) bool {
	r.mu.Lock()
	enough := r.o.Requests > 0 && r.requests >= r.o.Requests
	r.mu.Unlock()
	if enough {
		return false
	}
	select {
	case jobs <- j:
		return true
	case <-ctx.Done():
		return false
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
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range p.events {
		if !e.Request.Step.Op.timer() {
			r.requests++
		}
	}
	for _, t := range p.triples {
		r.covered[t] = true
	}
}

// progress is a glance at the run.
func (r *run) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for t := range r.covered {
		if r.plan.reachable[t] {
			n++
		}
	}
	return Progress{Requests: r.requests, Reachable: len(r.plan.reachable), Covered: n, Differences: len(r.found), Elapsed: time.Since(r.begun)}
}

// announce reports progress once a second, until it is silenced.
func (r *run) announce() (silence func()) {
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
