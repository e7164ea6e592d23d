package linearize

import (
	"math"
	"slices"
)

// sighting says that between two events the group was at a point from least to
// most.
type sighting struct {
	op          int
	from, to    int // indexes of events
	least, most int64
	gen         int32
	joined      bool // the mere invocation of a first JoinGroup: its generation had not begun
}

// horizon answers how far the group certainly was before an event, and how far
// at most after one.
type horizon struct {
	all          []sighting
	byEnd        []int // sightings by rising end, with the furthest so far
	furthest     []int
	byStart      []int // sightings by falling start, with the nearest so far
	nearestAfter []int
}

func newHorizon(all []sighting) *horizon {
	h := &horizon{all: all, byEnd: make([]int, len(all)), byStart: make([]int, len(all))}
	for i := range all {
		h.byEnd[i], h.byStart[i] = i, i
	}
	slices.SortStableFunc(h.byEnd, func(a, b int) int { return all[a].to - all[b].to })
	slices.SortStableFunc(h.byStart, func(a, b int) int { return all[b].from - all[a].from })
	for k, i := range h.byEnd {
		if k > 0 && all[h.furthest[k-1]].least >= all[i].least {
			i = h.furthest[k-1]
		}
		h.furthest = append(h.furthest, i)
	}
	for k, i := range h.byStart {
		if k > 0 && all[h.nearestAfter[k-1]].most <= all[i].most {
			i = h.nearestAfter[k-1]
		}
		h.nearestAfter = append(h.nearestAfter, i)
	}
	return h
}

// waysBack finds the sightings that would need a way back, and tells of each.
func (h *horizon) waysBack(tell func(a, b *sighting) conflict) (found []conflict) {
	for k := range h.all {
		b := &h.all[k]
		if _, least := h.passed(b.from); least <= b.most {
			continue
		}
		for j := range h.all {
			if a := &h.all[j]; a.to < b.from && a.least > b.most {
				found = append(found, tell(a, b))
			}
			if len(found) == maxConflicts {
				return found
			}
		}
	}
	return found
}

// passed is the sighting that proves most before the event, and the point that
// the group had reached by then.
func (h *horizon) passed(event int) (int, int64) {
	k, _ := slices.BinarySearchFunc(h.byEnd, event, func(i, e int) int { return h.all[i].to - e })
	if k == 0 {
		return -1, math.MinInt64
	}
	return h.furthest[k-1], h.all[h.furthest[k-1]].least
}

// still is the sighting that proves most after the event, and the point that
// the group had not passed by then.
func (h *horizon) still(event int) (int, int64) {
	k, _ := slices.BinarySearchFunc(h.byStart, event, func(i, e int) int {
		if h.all[i].from > e {
			return -1
		}
		return 1
	})
	if k == 0 {
		return -1, math.MaxInt64
	}
	return h.nearestAfter[k-1], h.all[h.nearestAfter[k-1]].most
}
