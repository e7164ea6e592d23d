package groups

import (
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// logged is a group as a record may hold it.
type logged struct {
	gen  int32
	sync int // the leader's SyncGroup that wrote it
	join int // the answer that told the leader who takes part
}

// Specification is the specification of a group whose broker lives on.
func Specification(h *kfh.History, c kfh.Component) sequential.Specification {
	return newSpec(Compile(h, c))
}

// LifeSpecification is the specification of the members of group g in life k of its broker,
// or of a beginning c of it. A life of which nobody knows how it began is not
// searched.
func LifeSpecification(h *kfh.History, c, g kfh.Component, k int) sequential.Specification {
	m := compileMembership(h, c)
	starts, known := startsOf(h, g, h.Lives(), k, m.tables)
	if !known || len(m.tables.names) > maxMemberIDs || len(m.tables.partitions) > maxPartitions {
		return newSpec(compileMembership(h, kfh.Component{})) // nothing to search
	}
	s := newSpec(m)
	s.starts = starts
	return s
}

// startsOf lists what a group may be at the beginning of a life of its broker:
// absent before the first, later whatever its log may hold. It is false if the
// answers do not say who was in a generation that may be the one.
func startsOf(h *kfh.History, g kfh.Component, lives []kfh.Life, k int, v *tables) ([]state, bool) {
	if k == 0 {
		return []state{{}}, true
	}
	earlier := g.Only(func(i int) bool { return h.Ops[i].Inv < lives[k].Up })
	candidates, known := loggedPlans(h, earlier, lives)
	if !known {
		return nil, false
	}
	first, last := emptyGenerations(h, earlier)
	var all []state
	for gen := first; gen <= last; gen++ {
		all = append(all, loadedWorld(classic.Group{Generation: model.Generation(gen), Typed: true}, nil))
	}
	if first == 0 {
		all = append(all, state{}, state{group: classic.Group{State: classic.Empty}})
	}
	for _, l := range candidates {
		all = append(all, loadedPlan(h, earlier, l, v))
	}
	return all, true
}

// superseded tells whether a SyncGroup answered later proves that a plan was
// replaced in the log.
func superseded(h *kfh.History, c kfh.Component, sync int) bool {
	s := &h.Ops[sync]
	return slices.ContainsFunc(c.Ops, func(i int) bool {
		o := &h.Ops[i]
		return o.F == kfh.Sync && o.Outcome == kfh.OK && o.In.Generation != s.In.Generation && o.Inv > s.AnsweredAt()
	})
}

// loggedPlans lists the plans that may be the newest in the log.
func loggedPlans(h *kfh.History, c kfh.Component, lives []kfh.Life) (all []logged, known bool) {
	planned := map[int32]bool{}
	for i, o := range h.Each(c.Ops) {
		if o.F != kfh.Sync || o.Local || !o.Open() && o.Outcome == kfh.Failed {
			continue
		}
		join := leads(h, c, lives, i)
		if join < 0 {
			continue
		}
		planned[o.In.Generation] = true
		if !superseded(h, c, i) {
			all = append(all, logged{o.In.Generation, i, join})
		}
	}
	for i, o := range h.Each(c.Ops) {
		if o.F == kfh.Sync && o.Outcome == kfh.OK && !planned[o.In.Generation] && !superseded(h, c, i) {
			return nil, false
		}
	}
	return all, true
}

// leads finds the JoinGroup by which the sender of a SyncGroup became the leader
// of its generation, in the same life; -1 if there is none.
func leads(h *kfh.History, c kfh.Component, lives []kfh.Life, sync int) int {
	s := &h.Ops[sync]
	up := -1
	for _, l := range lives {
		if l.Up < s.Inv {
			up = l.Up
		}
	}
	for i, o := range h.Each(c.Ops) {
		if o.F == kfh.Join && o.Outcome == kfh.OK && o.Inv > up && o.Ret < s.Inv && o.Out.Generation == s.In.Generation && o.Out.Member == s.In.Member && o.Out.Members != nil {
			return i
		}
	}
	return -1
}

// emptyGenerations are those in which the group may have been logged as empty:
// after every generation that had a plan for certain.
func emptyGenerations(h *kfh.History, c kfh.Component) (first, last int32) {
	newest := -1
	for i, o := range h.Each(c.Ops) {
		if o.F == kfh.Sync && o.Outcome == kfh.OK && (newest < 0 || o.Inv > h.Ops[newest].Inv) {
			newest = i
			first = o.In.Generation + 1
		}
		if o.F == kfh.Join && o.Outcome == kfh.OK {
			last = max(last, o.Out.Generation)
		}
	}
	const unseen = 4 // generations that nobody was told of
	return first, max(first, last) + unseen
}

// loadedPlan is the group as a load reads it from the record of a plan.
func loadedPlan(h *kfh.History, c kfh.Component, l logged, v *tables) state {
	j, s := &h.Ops[l.join], &h.Ops[l.sync]
	v.addOp(j)
	v.addOp(s)
	var members []classic.Member
	for _, name := range j.Out.Members {
		meta := ""
		for _, o := range h.Each(c.Ops) {
			if o.F == kfh.Join && o.Member() == name && o.Inv < s.Inv {
				v.addOp(o)
				meta = o.In.Meta
			}
		}
		members = append(members, classic.Member{ID: v.members[name], Meta: v.metas[meta], Assignment: v.parts(s.In.Assign[name])})
	}
	slices.SortFunc(members, func(a, b classic.Member) int { return int(a.ID) - int(b.ID) })
	g := classic.Group{Generation: model.Generation(l.gen), Leader: v.members[j.Out.Member], Typed: true}
	if j.Out.Protocol != nil {
		g.Protocol = v.protocols[*j.Out.Protocol]
	} else {
		g.Protocol = v.protocols[protocolNames(j)[0]]
	}
	return loadedWorld(g, members)
}

func loadedWorld(g classic.Group, members []classic.Member) state {
	w := state{group: g}
	copy(w.members[:], members)
	k := classic.Coordinator{Group: &w.group, Members: w.members[:]}
	k.Load()
	return w
}
