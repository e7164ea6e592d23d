package linearize

import (
	"fmt"
	"math"
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

func point(g int32, phase int64) int64 { return int64(g)*pointsPerGeneration + phase }

// sightings collects what the answers say about the line. A group that was loaded
// goes on with a generation that began in an earlier life.
func (n *groupFacts) sightings() []sighting {
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
func (n *groupFacts) beginnings() []sighting {
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
func (n *groupFacts) generations() []conflict {
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

// wayBack: a was answered before b was invoked, and says that the group was
// past b.
func (n *groupFacts) wayBack(a, b *sighting) conflict {
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
func (n *groupFacts) staleName(s, other *sighting) string {
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
func (n *groupFacts) refusedGeneration(i int, all []sighting, reach *horizon) []conflict {
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
