package proof

import (
	"math"
	"slices"
)

// Observation says that between two events the group was at a point from least to
// most.
type Observation struct {
	Op          int
	From, To    int // indexes of events
	Least, Most int64
	Gen         int32
	Joined      bool // the mere invocation of a first JoinGroup: its generation had not begun
}

// Line answers how far the group certainly was before an event, and how far
// at most after one.
type Line struct {
	all          []Observation
	byEnd        []int // sightings by rising end, with the furthest so far
	furthest     []int
	byStart      []int // sightings by falling start, with the nearest so far
	nearestAfter []int
}

// NewLine makes the index.
func NewLine(all []Observation) *Line {
	h := &Line{all: all, byEnd: make([]int, len(all)), byStart: make([]int, len(all))}
	for i := range all {
		h.byEnd[i], h.byStart[i] = i, i
	}
	slices.SortStableFunc(h.byEnd, func(a, b int) int { return all[a].To - all[b].To })
	slices.SortStableFunc(h.byStart, func(a, b int) int { return all[b].From - all[a].From })
	for k, i := range h.byEnd {
		if k > 0 && all[h.furthest[k-1]].Least >= all[i].Least {
			i = h.furthest[k-1]
		}
		h.furthest = append(h.furthest, i)
	}
	for k, i := range h.byStart {
		if k > 0 && all[h.nearestAfter[k-1]].Most <= all[i].Most {
			i = h.nearestAfter[k-1]
		}
		h.nearestAfter = append(h.nearestAfter, i)
	}
	return h
}

// WaysBack finds the sightings that would need a way back, and tells of each.
func (h *Line) WaysBack(tell func(a, b *Observation) Conflict) (found []Conflict) {
	for k := range h.all {
		b := &h.all[k]
		if _, least := h.Passed(b.From); least <= b.Most {
			continue
		}
		for j := range h.all {
			if a := &h.all[j]; a.To < b.From && a.Least > b.Most {
				found = append(found, tell(a, b))
			}
			if len(found) == MaxConflicts {
				return found
			}
		}
	}
	return found
}

// Passed is the sighting that proves most before the event, and the point that
// the group had reached by then.
func (h *Line) Passed(event int) (int, int64) {
	k, _ := slices.BinarySearchFunc(h.byEnd, event, func(i, e int) int { return h.all[i].To - e })
	if k == 0 {
		return -1, math.MinInt64
	}
	return h.furthest[k-1], h.all[h.furthest[k-1]].Least
}

// Still is the sighting that proves most after the event, and the point that
// the group had not passed by then.
func (h *Line) Still(event int) (int, int64) {
	k, _ := slices.BinarySearchFunc(h.byStart, event, func(i, e int) int {
		if h.all[i].From > e {
			return -1
		}
		return 1
	})
	if k == 0 {
		return -1, math.MaxInt64
	}
	return h.nearestAfter[k-1], h.all[h.nearestAfter[k-1]].Most
}
