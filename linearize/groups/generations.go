package groups

import (
	"fmt"
	"math"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
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

// stretch is a part of the way through a generation.
type stretch struct{ least, most int64 }

func point(g int32, phase int64) int64 { return int64(g)*pointsPerGeneration + phase }

// observations collects what the answers say about the line. A group that was loaded
// goes on with a generation that began in an earlier life.
func (n *facts) observations() []proof.Observation {
	var all []proof.Observation
	for i, o := range n.H.Each(n.Ops) {
		if o.Open() {
			continue
		}
		var s *stretch
		g := o.In.Generation
		switch r := byName[o.F]; {
		case o.Outcome == kfh.OK:
			s = r.accepted
		case o.Rebalancing():
			s = r.rebalancing
		}
		if o.F == kfh.Join {
			g = o.Out.Generation
		}
		if s != nil && g >= 0 {
			all = append(all, proof.Observation{Op: i, From: o.Inv, To: o.Ret, Least: point(g, s.least), Most: point(g, s.most), Gen: g})
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
func (n *facts) beginnings() []proof.Observation {
	type seat struct {
		gen    int32
		member string
	}
	first := map[seat]int{}
	open := map[string]int{}
	var seats []seat
	for i, o := range n.H.Each(n.Ops) {
		if o.F != kfh.Join {
			continue
		}
		if o.Open() {
			if _, known := open[o.In.Member]; !known {
				open[o.In.Member] = i
			}
			continue
		}
		if s := (seat{o.Out.Generation, o.Out.Member}); o.Outcome == kfh.OK {
			if _, known := first[s]; !known {
				first[s] = i
				seats = append(seats, s)
			}
		}
	}
	var all []proof.Observation
	for _, s := range seats {
		i := first[s]
		if lost, known := open[s.member]; known && lost < i {
			continue
		}
		at := n.H.Ops[i].Inv
		all = append(all, proof.Observation{Op: i, From: at, To: at, Least: math.MinInt64, Most: point(s.gen, 0) - 1, Gen: s.gen, Joined: true})
	}
	return all
}

// generations finds sightings that would need a way back, and refusals of a
// generation that was the group's all the time.
func (n *facts) generations() []proof.Conflict {
	all := n.observations()
	reach := proof.NewLine(all)
	found := reach.WaysBack(n.wayBack)
	if len(found) == proof.MaxConflicts {
		return found
	}
	for i, o := range n.H.Each(n.Ops) {
		if o.RefusedAs("ILLEGAL_GENERATION") && o.In.Generation >= 0 {
			found = append(found, n.refusedGeneration(i, all, reach)...)
		}
	}
	return found
}

// wayBack: a was answered before b was invoked, and says that the group was
// past b.
func (n *facts) wayBack(a, b *proof.Observation) proof.Conflict {
	early, late := n.Says(a.Op), n.Says(b.Op)
	if b.Joined {
		why := fmt.Sprintf("%s, but generation %d cannot have begun: %s, the first JoinGroup of a member of it, was invoked later", early, b.Gen, n.Says(b.Op))
		return proof.NewConflict(proof.Suspect{Op: a.Op, Anomaly: n.staleName(a, b), Why: why}, proof.Suspect{Op: b.Op, Anomaly: "generation-regression", Why: why})
	}
	return proof.NewConflict(
		proof.Suspect{Op: a.Op, Anomaly: n.staleName(a, b), Why: fmt.Sprintf("%s, yet op %d, invoked after that, proves %s: the group cannot have been further before", early, n.H.Ops[b.Op].ID, pointName(b.Most))},
		proof.Suspect{Op: b.Op, Anomaly: n.staleName(b, a), Why: fmt.Sprintf("%s after op %d had proved %s", late, n.H.Ops[a.Op].ID, pointName(a.Least))},
	)
}

// pointName puts a point of the line in words.
func pointName(at int64) string {
	return fmt.Sprintf("generation %d (%s)", at/pointsPerGeneration, [...]string{"CompletingRebalance", "Stable", "PreparingRebalance"}[at%pointsPerGeneration])
}

// staleName is the anomaly if s is wrong and other is right.
func (n *facts) staleName(s, other *proof.Observation) string {
	o := &n.H.Ops[s.Op]
	switch {
	case o.F == kfh.Join:
		return "generation-regression"
	case o.Outcome == kfh.Failed && (s.Gen == other.Gen && !other.Joined || o.F != kfh.Heartbeat):
		return "unjustified-fence"
	}
	return "stale-generation-" + o.Kind()
}

// refusedGeneration: ILLEGAL_GENERATION, though the group was certainly not
// before and certainly not past that generation.
func (n *facts) refusedGeneration(i int, all []proof.Observation, reach *proof.Line) []proof.Conflict {
	o := &n.H.Ops[i]
	g := o.In.Generation
	x, least := reach.Passed(o.Inv)
	y, most := reach.Still(o.Ret)
	if x < 0 || y < 0 || least < point(g, 0) || most > point(g, pointsPerGeneration-1) {
		return nil
	}
	var found []proof.Conflict
	add := func(a, b *proof.Observation) {
		why := fmt.Sprintf("%s although the group was in generation %d before (op %d) and after (op %d): no silent step explains it, because a generation never comes back",
			n.Says(i), g, n.H.Ops[a.Op].ID, n.H.Ops[b.Op].ID)
		if len(found) < proof.MaxConflicts {
			found = append(found, proof.NewConflict(proof.Suspect{Op: i, Anomaly: "unjustified-fence", Why: why},
				proof.Suspect{Op: a.Op, Anomaly: n.staleName(a, b), Why: n.Says(a.Op) + ", but " + n.Says(i) + " later"},
				proof.Suspect{Op: b.Op, Anomaly: n.staleName(b, a), Why: n.Says(b.Op) + ", but " + n.Says(i) + " before"}))
		}
	}
	for k := range all {
		s := &all[k]
		if s.From > o.Ret && s.Most <= point(g, pointsPerGeneration-1) {
			add(&all[x], s)
		}
		if s.To < o.Inv && s.Least >= point(g, 0) && k != x {
			add(s, &all[y])
		}
	}
	return found
}
