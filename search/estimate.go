package search

import "time"

const (
	// An estimate looks at so many levels at the end.
	shrinking = 4
	// slowest is the ratio of two levels above which an estimate says too little: the
	// rest is then twenty times the last level, or more.
	slowest = 0.95
)

// estimate says how many states there are in all, given the sizes of the complete
// levels; 0 where there is no ground for saying so. There is one where the last
// levels shrank, each at least as fast as the one before: if that goes on, the rest is at
// most a geometric series.
func estimate(sizes []int64) int64 {
	if len(sizes) < shrinking {
		return 0
	}
	last, ratio := sizes[len(sizes)-shrinking:], 1.0
	for i, n := range last[1:] {
		r := float64(n) / float64(last[i])
		if r >= 1 || r > ratio {
			return 0
		}
		ratio = r
	}
	if ratio > slowest {
		return 0
	}
	var found int64
	for _, n := range sizes {
		found += n
	}
	return found + int64(float64(last[shrinking-1])*ratio/(1-ratio))
}

// Left says how long the search itself goes on, if Total is right and states are
// expanded as fast as so far; 0 where Total is 0. To check the goals comes on top.
func (p *Progress) Left() time.Duration {
	expanded := float64(p.States - p.Frontier)
	if p.Total == 0 || expanded <= 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) * (float64(p.Total) - expanded) / expanded)
}
