package frame

import (
	"context"
	"errors"
	"sync"
	"time"

	"fencecheck/model"
)

// Config says how a part is played.
type Config struct {
	Requests  int // that are compared at least; 0: the planned sequences only
	Parallel  int // workers
	Seed      uint64
	Mutations model.Mutations
	Known     []Known // that can occur in the part
	Rerun     string  // the command that shows a difference again
	Progress  func(Progress)
}

// Progress is how far a run has come.
type Progress struct {
	Part        string
	Requests    int
	Reachable   int // triples
	Covered     int
	Differences int
	Elapsed     time.Duration
}

// A Part is one part of the protocol. T is a step of it.
type Part[T any] struct {
	Name string
	Plan func(context.Context) (*Plan[T], error)
	Open func() Worker[T] // for one worker of the pool
	// Choices: the broker has choices, so that a sequence that does not fit may do so
	// at the next try, and a difference may show at another request the next time;
	// what comes after one is given up.
	Choices bool
	// Slow is what making a difference small may take beyond the usual time.
	Slow time.Duration
}

// A Worker plays one sequence after the other.
type Worker[T any] interface {
	// Play plays a job to its end, or to a mismatch, and gives everything back. With
	// a larger scale timeouts are longer. A play that is to stop at a difference
	// takes more care. After ErrTiming or ErrImpossible the play has shown what came
	// before.
	Play(ctx context.Context, j Job[T], scale int, stop *Signature) (Play[T], error)
	Close()
}

// Job is one vector or sequence to be played, or one random walk.
type Job[T any] struct {
	Vector   string
	Sequence *Route[T]
	Walk     int
}

// A Runner plays one part.
type Runner[T any] struct {
	Tally
	part Part[T]
	plan *Plan[T]
}

// New prepares a part to be played.
func New[T any](c Config, part Part[T]) *Runner[T] {
	return &Runner[T]{Tally: newTally(c, part.Name), part: part}
}

// Run lets workers play until enough was compared, or something breaks.
func (r *Runner[T]) Run(ctx context.Context) (err error) {
	defer func() { r.elapsed = time.Since(r.begun) }()
	if r.plan, err = r.part.Plan(ctx); err != nil {
		return err
	}
	r.reachable, r.unreal = r.plan.Reachable, r.plan.Unreal
	defer r.announce()()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan Job[T])
	var workers sync.WaitGroup
	for range r.config.Parallel {
		workers.Go(func() {
			if err := r.work(ctx, jobs); err != nil {
				cancel(err)
			}
		})
	}
	r.hand(ctx, jobs)
	close(jobs)
	workers.Wait()
	return context.Cause(ctx)
}

// hand gives out the vectors and the planned sequences, then walks.
func (r *Runner[T]) hand(ctx context.Context, jobs chan<- Job[T]) {
	for _, name := range r.plan.Vectors {
		if !r.give(ctx, jobs, Job[T]{Vector: name}) {
			return
		}
	}
	for i := range r.plan.Sequences {
		if !r.give(ctx, jobs, Job[T]{Sequence: &r.plan.Sequences[i]}) {
			return
		}
	}
	r.planned()
	for i := 0; r.config.Requests > 0; i++ {
		if !r.give(ctx, jobs, Job[T]{Walk: i}) {
			return
		}
	}
}

// give hands out a job, unless enough was compared.
func (r *Runner[T]) give(ctx context.Context, jobs chan<- Job[T], j Job[T]) bool {
	if r.enough() {
		return false
	}
	select {
	case jobs <- j:
		return true
	case <-ctx.Done():
		return false
	}
}

// work is one worker: it plays one job after the other, and what a difference has
// left of it.
func (r *Runner[T]) work(ctx context.Context, jobs <-chan Job[T]) error {
	w := r.Player()
	defer w.Close()
	for j := range jobs {
		for {
			p, err := w.Do(ctx, j)
			if err != nil {
				return err
			}
			wrong := p.Shown().Wrong
			if r.part.Choices || j.Sequence == nil || wrong == nil {
				break
			}
			if j.Sequence = j.Sequence.rest(wrong.At + 1); j.Sequence == nil {
				break
			}
		}
	}
	return nil
}

// A Player is a worker, and what it does about differences.
type Player[T any] struct {
	Worker[T]
	run *Runner[T]
}

// Player opens a worker.
func (r *Runner[T]) Player() *Player[T] { return &Player[T]{r.part.Open(), r} }

// attempts is how often a sequence is played that the machine was too slow
// for, or in which the broker chose otherwise.
const attempts = 5

// Do plays a job, and studies what it finds.
func (p *Player[T]) Do(ctx context.Context, j Job[T]) (Play[T], error) {
	for try := 1; ; try *= 2 {
		play, err := p.Play(ctx, j, try, nil)
		impossible := errors.Is(err, ErrImpossible)
		if err != nil && !impossible && !errors.Is(err, ErrTiming) {
			return nil, err
		}
		r := play.Shown()
		p.run.count(r.Requests, r.Triples)
		if err == nil {
			return play, p.studyAll(ctx, play)
		}
		if try >= 1<<(attempts-1) || impossible && !p.run.part.Choices {
			p.run.giveUp()
			return play, nil
		}
	}
}

// announce reports progress once a second, until it is silenced.
func (r *Tally) announce() (silence func()) {
	if r.config.Progress == nil {
		return func() {}
	}
	done := make(chan struct{})
	var reporter sync.WaitGroup
	reporter.Go(func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				r.config.Progress(r.progress())
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		reporter.Wait()
	}
}
