package linearize

import (
	"slices"

	"fencecheck/model"
)

// logged is a group as a record may hold it.
type logged struct {
	gen  int32
	sync int // the leader's SyncGroup that wrote it
	join int // the answer that told the leader who takes part
}

// groupSpec is the specification of a group whose broker lives on.
func groupSpec(h *History, c component) searcher { return newSpec(compile(h, c)) }

// lifeSpec is the specification of the members of group g in life k of its broker,
// or of a beginning c of it. A life of which nobody knows how it began is not
// searched.
func lifeSpec(h *History, c, g component, k int) searcher {
	m := compileMembership(h, c)
	starts, known := startsOf(h, g, h.lives(), k, m.words)
	if !known || len(m.words.names) > maxMemberIDs || len(m.words.partitions) > maxPartitions {
		return newSpec(compileMembership(h, component{})) // nothing to search
	}
	s := newSpec(m)
	s.starts = starts
	return s
}

// startsOf lists what a group may be at the beginning of a life of its broker:
// absent before the first, later whatever its log may hold. It is false if the
// answers do not say who was in a generation that may be the one.
func startsOf(h *History, g component, lives []life, k int, v *vocabulary) ([]world, bool) {
	if k == 0 {
		return []world{{}}, true
	}
	earlier := g.only(func(i int) bool { return h.Ops[i].Inv < lives[k].up })
	candidates, known := loggedPlans(h, earlier, lives)
	if !known {
		return nil, false
	}
	first, last := emptyGenerations(h, earlier)
	var all []world
	for gen := first; gen <= last; gen++ {
		all = append(all, loadedWorld(model.Group{Generation: model.Generation(gen), Typed: true}, nil))
	}
	if first == 0 {
		all = append(all, world{}, world{group: model.Group{State: model.Empty}})
	}
	for _, l := range candidates {
		all = append(all, loadedPlan(h, earlier, l, v))
	}
	return all, true
}

// superseded tells whether a SyncGroup answered later proves that a plan was
// replaced in the log.
func superseded(h *History, c component, sync int) bool {
	s := &h.Ops[sync]
	return slices.ContainsFunc(c.ops, func(i int) bool {
		o := &h.Ops[i]
		return o.F == fSync && o.Outcome == OK && o.In.Generation != s.In.Generation && o.Inv > s.answeredAt()
	})
}

// loggedPlans lists the plans that may be the newest in the log.
func loggedPlans(h *History, c component, lives []life) (all []logged, known bool) {
	planned := map[int32]bool{}
	for _, i := range c.ops {
		o := &h.Ops[i]
		if o.F != fSync || o.Local || !o.open() && o.Outcome == Failed {
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
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fSync && o.Outcome == OK && !planned[o.In.Generation] && !superseded(h, c, i) {
			return nil, false
		}
	}
	return all, true
}

// leads finds the JoinGroup by which the sender of a SyncGroup became the leader
// of its generation, in the same life; -1 if there is none.
func leads(h *History, c component, lives []life, sync int) int {
	s := &h.Ops[sync]
	up := -1
	for _, l := range lives {
		if l.up < s.Inv {
			up = l.up
		}
	}
	for _, i := range c.ops {
		o := &h.Ops[i]
		if o.F == fJoin && o.Outcome == OK && o.Inv > up && o.Ret < s.Inv && o.Out.Generation == s.In.Generation && o.Out.Member == s.In.Member && o.Out.Members != nil {
			return i
		}
	}
	return -1
}

// emptyGenerations are those in which the group may have been logged as empty:
// after every generation that had a plan for certain.
func emptyGenerations(h *History, c component) (first, last int32) {
	newest := -1
	for _, i := range c.ops {
		o := &h.Ops[i]
		if o.F == fSync && o.Outcome == OK && (newest < 0 || o.Inv > h.Ops[newest].Inv) {
			newest = i
			first = o.In.Generation + 1
		}
		if o.F == fJoin && o.Outcome == OK {
			last = max(last, o.Out.Generation)
		}
	}
	const unseen = 4 // generations that nobody was told of
	return first, max(first, last) + unseen
}

// loadedPlan is the group as a load reads it from the record of a plan.
func loadedPlan(h *History, c component, l logged, v *vocabulary) world {
	j, s := &h.Ops[l.join], &h.Ops[l.sync]
	v.addOp(j)
	v.addOp(s)
	var members []model.Member
	for _, name := range j.Out.Members {
		meta := ""
		for _, i := range c.ops {
			if o := &h.Ops[i]; o.F == fJoin && o.member() == name && o.Inv < s.Inv {
				v.addOp(o)
				meta = o.In.Meta
			}
		}
		members = append(members, model.Member{ID: v.members[name], Meta: v.metas[meta], Assignment: v.parts(s.In.Assign[name])})
	}
	slices.SortFunc(members, func(a, b model.Member) int { return int(a.ID) - int(b.ID) })
	g := model.Group{Generation: model.Generation(l.gen), Leader: v.members[j.Out.Member], Typed: true}
	if j.Out.Protocol != nil {
		g.Protocol = v.protocols[*j.Out.Protocol]
	} else {
		g.Protocol = v.protocols[protocolNames(j)[0]]
	}
	return loadedWorld(g, members)
}

func loadedWorld(g model.Group, members []model.Member) world {
	w := world{group: g}
	copy(w.members[:], members)
	k := model.Coordinator{Group: &w.group, Members: w.members[:]}
	k.Load()
	return w
}
