package linearize

import (
	"fmt"
	"math"
	"slices"
)

// A group goes through its generations in order, and each generation through
// CompletingRebalance, Stable and PreparingRebalance in order; it may skip some,
// and comes back to none. So its way is a line, and an answer says between which
// two points of the line the group was when it decided. Without a restart of the
// coordinator the line has no way back.

// The points of one generation.
const (
	completing = iota
	stable
	preparing
	pointsPerGeneration
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

func point(g int32, phase int64) int64 { return int64(g)*pointsPerGeneration + phase }

// sightings collects what the answers say about the line. A group that was loaded
// goes on with a generation that began in an earlier life.
func (n *facts) sightings() []sighting {
	var all []sighting
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.open() {
			continue
		}
		add := func(g int32, least, most int64) {
			all = append(all, sighting{op: i, from: o.Inv, to: o.Ret, least: point(g, least), most: point(g, most), gen: g})
		}
		switch g := o.In.Generation; {
		case o.F == fJoin && o.Outcome == OK:
			add(o.Out.Generation, completing, stable)
		case o.F == fHeartbeat && o.Outcome == OK:
			add(g, completing, stable)
		case o.F == fSync && o.Outcome == OK:
			add(g, stable, stable)
		case (o.F == fHeartbeat || o.F == fSync) && o.rebalancing():
			add(g, preparing, preparing)
		case o.F == fCommit && g >= 0 && o.Outcome == OK:
			add(g, stable, preparing)
		case o.F == fTxnCommit && g >= 0 && o.Outcome == OK:
			add(g, completing, preparing)
		case o.F == fCommit && g >= 0 && o.rebalancing():
			add(g, completing, completing)
		}
	}
	if n.loaded {
		return all
	}
	return append(all, n.beginnings()...)
}

// beginnings: a generation begins when all its members have joined, so not
// before the invocation of the first JoinGroup by which one of them could have
// joined it. A later JoinGroup may be answered with the running generation, and
// one without answer may be the one that counts.
func (n *facts) beginnings() []sighting {
	type seat struct {
		gen    int32
		member string
	}
	first := map[seat]int{}
	open := map[string]int{}
	var seats []seat
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F != fJoin {
			continue
		}
		if o.open() {
			if _, known := open[o.In.Member]; !known {
				open[o.In.Member] = i
			}
			continue
		}
		if s := (seat{o.Out.Generation, o.Out.Member}); o.Outcome == OK {
			if _, known := first[s]; !known {
				first[s] = i
				seats = append(seats, s)
			}
		}
	}
	var all []sighting
	for _, s := range seats {
		i := first[s]
		if lost, known := open[s.member]; known && lost < i {
			continue
		}
		at := n.h.Ops[i].Inv
		all = append(all, sighting{op: i, from: at, to: at, least: math.MinInt64, most: point(s.gen, 0) - 1, gen: s.gen, joined: true})
	}
	return all
}

// generations finds sightings that would need a way back, and refusals of a
// generation that was the group's all the time.
func (n *facts) generations() []conflict {
	all := n.sightings()
	reach := newHorizon(all)
	found := reach.waysBack(n.wayBack)
	if len(found) == maxConflicts {
		return found
	}
	for _, i := range n.ops {
		if o := &n.h.Ops[i]; o.refusedAs("ILLEGAL_GENERATION") && o.In.Generation >= 0 {
			found = append(found, n.refusedGeneration(i, all, reach)...)
		}
	}
	return found
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

// wayBack: a was answered before b was invoked, and says that the group was
// past b.
func (n *facts) wayBack(a, b *sighting) conflict {
	early, late := n.says(a.op), n.says(b.op)
	if b.joined {
		why := fmt.Sprintf("%s, but generation %d cannot have begun: %s, the first JoinGroup of a member of it, was invoked later", early, b.gen, n.says(b.op))
		return newConflict(suspect{op: a.op, anomaly: n.staleName(a, b), why: why}, suspect{op: b.op, anomaly: "generation-regression", why: why})
	}
	return newConflict(
		suspect{op: a.op, anomaly: n.staleName(a, b), why: fmt.Sprintf("%s, yet op %d, invoked after that, proves %s: the group cannot have been further before", early, n.h.Ops[b.op].ID, pointName(b.most))},
		suspect{op: b.op, anomaly: n.staleName(b, a), why: fmt.Sprintf("%s after op %d had proved %s", late, n.h.Ops[a.op].ID, pointName(a.least))},
	)
}

// pointName puts a point of the line in words.
func pointName(at int64) string {
	return fmt.Sprintf("generation %d (%s)", at/pointsPerGeneration, [...]string{"CompletingRebalance", "Stable", "PreparingRebalance"}[at%pointsPerGeneration])
}

// staleName is the anomaly if s is wrong and other is right.
func (n *facts) staleName(s, other *sighting) string {
	o := &n.h.Ops[s.op]
	switch {
	case o.F == fJoin:
		return "generation-regression"
	case o.Outcome == Failed && (s.gen == other.gen && !other.joined || o.F != fHeartbeat):
		return "unjustified-fence"
	}
	return "stale-generation-" + o.kind()
}

// refusedGeneration: ILLEGAL_GENERATION, though the group was certainly not
// before and certainly not past that generation.
func (n *facts) refusedGeneration(i int, all []sighting, reach *horizon) []conflict {
	o := &n.h.Ops[i]
	g := o.In.Generation
	x, least := reach.passed(o.Inv)
	y, most := reach.still(o.Ret)
	if x < 0 || y < 0 || least < point(g, 0) || most > point(g, pointsPerGeneration-1) {
		return nil
	}
	var found []conflict
	add := func(a, b *sighting) {
		why := fmt.Sprintf("%s although the group was in generation %d before (op %d) and after (op %d): no silent step explains it, because a generation never comes back",
			n.says(i), g, n.h.Ops[a.op].ID, n.h.Ops[b.op].ID)
		if len(found) < maxConflicts {
			found = append(found, newConflict(suspect{op: i, anomaly: "unjustified-fence", why: why},
				suspect{op: a.op, anomaly: n.staleName(a, b), why: n.says(a.op) + ", but " + n.says(i) + " later"},
				suspect{op: b.op, anomaly: n.staleName(b, a), why: n.says(b.op) + ", but " + n.says(i) + " before"}))
		}
	}
	for k := range all {
		s := &all[k]
		if s.from > o.Ret && s.most <= point(g, pointsPerGeneration-1) {
			add(&all[x], s)
		}
		if s.to < o.Inv && s.least >= point(g, 0) && k != x {
			add(s, &all[y])
		}
	}
	return found
}
