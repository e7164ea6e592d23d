package frame

import (
	"context"
	"errors"
	"slices"
	"time"
)

// The time that is spent on making one difference small, the broker's initial
// delays not counted: less for one that is known.
const (
	studies      = 8 * time.Second
	knownStudies = 2 * time.Second
)

// studyAll makes every difference that a play has met small and sure, and keeps
// what is said of it. What has been found before is only counted; what does not
// occur again is dropped.
func (p *Player[T]) studyAll(ctx context.Context, play Play[T]) error {
	for _, m := range play.Shown().mismatches() {
		if !p.run.claim(m.Signature, m.Known) {
			continue
		}
		small, at, err := p.minimise(ctx, play, m)
		switch {
		case err != nil:
			return err
		case small == nil:
			p.run.drop(m.Signature)
		default:
			p.run.keep(m.Signature, p.run.describe(small, at))
		}
	}
	return nil
}

// minimise drops steps while the same difference stays: first all that left the
// state as it was, then many at once, then one by one. It is nil if the
// difference does not occur again at all.
func (p *Player[T]) minimise(ctx context.Context, play Play[T], m Mismatch) (Play[T], Mismatch, error) {
	r := play.Shown()
	if r.Whole {
		return play, m, nil
	}
	best, err := p.confirm(ctx, r.Steps[:m.At+1], m.Signature)
	if best == nil || err != nil {
		return nil, m, err
	}
	patience := studies + p.run.part.Slow
	if m.Known != "" {
		patience = knownStudies + p.run.part.Slow
	}
	want := best.Shown().Wrong.Signature
	err = shrink(best.Shown().Steps, r.Idle, patience, func(less []T) (bool, error) {
		q, err := p.again(ctx, less, want)
		if q != nil {
			best = q
		}
		return q != nil, err
	})
	return best, *best.Shown().Wrong, err
}

// confirm plays the steps to a difference once more. An answer that came unasked
// may then be noticed earlier, at another request.
func (p *Player[T]) confirm(ctx context.Context, steps []T, want Signature) (Play[T], error) {
	if !p.run.part.Choices {
		return p.again(ctx, steps, want)
	}
	return p.tries(ctx, 3, steps, want, func(Signature) bool { return true })
}

// again plays steps and returns the play if it ends in the same answers to the
// same request, in whatever state.
func (p *Player[T]) again(ctx context.Context, steps []T, want Signature) (Play[T], error) {
	return p.tries(ctx, 2, steps, want, want.like)
}

// tries plays steps until they end in a difference that will do, nil if they do
// not.
func (p *Player[T]) tries(ctx context.Context, n int, steps []T, want Signature, will func(Signature) bool) (Play[T], error) {
	for range n {
		play, err := p.replay(ctx, steps, &want)
		if err != nil {
			return nil, err
		}
		if play != nil && play.Shown().Wrong != nil && will(play.Shown().Wrong.Signature) {
			return play, nil
		}
	}
	return nil, nil
}

// replay plays steps again, often enough for the timing to be right. A play that
// does not come to an end is nil.
func (p *Player[T]) replay(ctx context.Context, steps []T, stop *Signature) (Play[T], error) {
	for scale := 1; scale <= 4; scale *= 2 {
		play, err := p.Play(ctx, Job[T]{Sequence: &Route[T]{Steps: steps}}, scale, stop)
		switch {
		case err == nil:
			return play, nil
		case errors.Is(err, ErrImpossible):
			return nil, nil
		case !errors.Is(err, ErrTiming):
			return nil, err
		}
	}
	return nil, nil
}

// shrink looks for fewer of the steps that still do: try tells. Those that are
// idle are left out first; the last one always stays.
func shrink[T any](steps []T, idle []bool, patience time.Duration, try func([]T) (bool, error)) error {
	if less := withoutIdle(steps, idle); len(less) < len(steps) {
		ok, err := try(less)
		if err != nil {
			return err
		}
		if ok {
			steps = less
		}
	}
	end := time.Now().Add(patience)
	for size := len(steps) / 2; size > 0; {
		smaller := false
		for at := len(steps) - 1 - size; at >= 0; at -= size {
			if time.Now().After(end) {
				return nil
			}
			less := slices.Delete(slices.Clone(steps), at, at+size)
			ok, err := try(less)
			if err != nil {
				return err
			}
			if ok {
				steps, smaller = less, true
			}
		}
		if size > 1 || !smaller {
			size /= 2
		}
	}
	return nil
}

// withoutIdle are the steps that changed something, and the last.
func withoutIdle[T any](steps []T, idle []bool) []T {
	var some []T
	for i, st := range steps {
		if i == len(steps)-1 || i < len(idle) && !idle[i] {
			some = append(some, st)
		}
	}
	return some
}
