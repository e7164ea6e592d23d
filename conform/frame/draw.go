package frame

import (
	"context"
	"errors"
	"math/rand/v2"
)

// Wander plays so many steps as they are drawn. One that is impossible is left
// out: the broker would die of it, or an id that it needs is not known yet.
func Wander[T any](ctx context.Context, steps int, draw func() T, step func(context.Context, T) (bool, error)) (bool, error) {
	for range steps {
		on, err := step(ctx, draw())
		if errors.Is(err, ErrImpossible) {
			continue
		}
		if !on {
			return false, err
		}
	}
	return true, nil
}

// Draw chooses a step at random: first its kind, by weight, then one of that
// kind, and most often one that a client in good standing would send: it is tried
// so many times more.
func Draw[T any](random *rand.Rand, by [][]T, weights []int, sound func(T) bool, tries int) T {
	total := 0
	for o, steps := range by {
		if len(steps) > 0 {
			total += weights[o]
		}
	}
	n := random.IntN(total)
	for o, steps := range by {
		if len(steps) == 0 {
			continue
		}
		if n -= weights[o]; n < 0 {
			return among(random, steps, sound, tries)
		}
	}
	panic("frame: something can always be read")
}

// among prefers sound steps, without forbidding others.
func among[T any](random *rand.Rand, steps []T, sound func(T) bool, tries int) T {
	st := steps[random.IntN(len(steps))]
	for range tries {
		if sound(st) {
			break
		}
		st = steps[random.IntN(len(steps))]
	}
	return st
}
