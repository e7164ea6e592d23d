package linearize

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What the coordinator tells the members of one generation is one thing: one
// leader, one protocol, one list of members, and one plan that gives a
// partition to one member.

// joinsByGeneration lists the JoinGroups that were answered with a generation.
func (n *groupFacts) joinsByGeneration() (gens []int32, joins map[int32][]int) {
	joins = map[int32][]int{}
	for _, i := range n.ops {
		if o := &n.h.Ops[i]; o.F == fJoin && o.Outcome == OK {
			if joins[o.Out.Generation] == nil {
				gens = append(gens, o.Out.Generation)
			}
			joins[o.Out.Generation] = append(joins[o.Out.Generation], i)
		}
	}
	slices.Sort(gens)
	return gens, joins
}

// tellings finds generations of which two members were told different things.
func (n *groupFacts) tellings() []conflict {
	var found []conflict
	gens, joins := n.joinsByGeneration()
	for _, g := range gens {
		for k, b := range joins[g] {
			for _, a := range joins[g][:k] {
				if what := differ(&n.h.Ops[a], &n.h.Ops[b]); what != "" && len(found) < maxConflicts {
					found = append(found, n.splitConflict(a, b, what))
				}
			}
		}
	}
	return found
}

// splitConflict: either of two answers about one generation is wrong. Where one
// member is missing in the other's list it may be its generation that is wrong.
func (n *groupFacts) splitConflict(a, b int, what string) conflict {
	why := fmt.Sprintf("in generation %d %s (ops %d and %d)", n.h.Ops[a].Out.Generation, what, n.h.Ops[a].ID, n.h.Ops[b].ID)
	return newConflict(suspect{op: a, anomaly: "split", why: why}, suspect{op: b, anomaly: "split", why: why})
}

// differ compares two answers about one generation; "" if they agree.
func differ(a, b *Op) string {
	switch {
	case a.Out.Leader != nil && b.Out.Leader != nil && *a.Out.Leader != *b.Out.Leader:
		return fmt.Sprintf("member %s was told the leader %s and member %s the leader %s", a.Out.Member, *a.Out.Leader, b.Out.Member, *b.Out.Leader)
	case a.Out.Protocol != nil && b.Out.Protocol != nil && *a.Out.Protocol != *b.Out.Protocol:
		return fmt.Sprintf("member %s was told the protocol %s and member %s the protocol %s", a.Out.Member, *a.Out.Protocol, b.Out.Member, *b.Out.Protocol)
	case a.Out.Members != nil && b.Out.Members != nil && !sameSet(a.Out.Members, b.Out.Members):
		return fmt.Sprintf("two lists of members were told, %v and %v", a.Out.Members, b.Out.Members)
	case a.Out.Members != nil && !slices.Contains(a.Out.Members, b.Out.Member):
		return fmt.Sprintf("the leader was told the members %v, and %s was told to be one", a.Out.Members, b.Out.Member)
	case b.Out.Members != nil && !slices.Contains(b.Out.Members, a.Out.Member):
		return fmt.Sprintf("the leader was told the members %v, and %s was told to be one", b.Out.Members, a.Out.Member)
	}
	return ""
}

func sameSet(a, b []string) bool {
	x, y := slices.Clone(a), slices.Clone(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// owners finds partitions that two members of one generation own, and members
// that own something else than the leader planned.
func (n *groupFacts) owners() []conflict {
	var found []conflict
	synced := map[int32][]int{}
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F != fSync || o.Outcome != OK {
			continue
		}
		g := o.In.Generation
		for _, a := range synced[g] {
			if c, bad := n.overlap(a, i); bad && len(found) < maxConflicts {
				found = append(found, c)
			}
		}
		synced[g] = append(synced[g], i)
	}
	return append(found, n.unplanned(synced)...)
}

// overlap compares two assignments of one generation.
func (n *groupFacts) overlap(i, j int) (conflict, bool) {
	a, b := &n.h.Ops[i], &n.h.Ops[j]
	if a.In.Member == b.In.Member {
		if sameSet(a.Out.Partitions, b.Out.Partitions) {
			return conflict{}, false
		}
		why := fmt.Sprintf("member %s received %v and %v in generation %d (ops %d and %d)", a.In.Member, a.Out.Partitions, b.Out.Partitions, a.In.Generation, a.ID, b.ID)
		return newConflict(suspect{op: i, anomaly: "split", why: why}, suspect{op: j, anomaly: "split", why: why}), true
	}
	var both []string
	for _, tp := range a.Out.Partitions {
		if slices.Contains(b.Out.Partitions, tp) {
			both = append(both, tp)
		}
	}
	if len(both) == 0 || n.plannedTwice(a.In.Generation, both) {
		return conflict{}, false
	}
	why := fmt.Sprintf("members %s and %s both received %s in generation %d (ops %d and %d)", a.In.Member, b.In.Member, strings.Join(both, " "), a.In.Generation, a.ID, b.ID)
	return newConflict(suspect{op: i, anomaly: "dual-owner", why: why}, suspect{op: j, anomaly: "dual-owner", why: why}), true
}

// plannedTwice tells that some leader's own plan gave one of the partitions to
// two members: then the coordinator only did what it was told.
func (n *groupFacts) plannedTwice(g int32, tps []string) bool {
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F != fSync || o.In.Generation != g {
			continue
		}
		for _, tp := range tps {
			owners := 0
			for _, plan := range o.In.Assign {
				if slices.Contains(plan, tp) {
					owners++
				}
			}
			if owners > 1 {
				return true
			}
		}
	}
	return false
}

// unplanned finds assignments that are not in the plan of the generation, where
// only one plan was sent at all.
func (n *groupFacts) unplanned(synced map[int32][]int) []conflict {
	plans := map[int32][]int{}
	for _, i := range n.ops {
		if o := &n.h.Ops[i]; o.F == fSync && len(o.In.Assign) > 0 {
			plans[o.In.Generation] = append(plans[o.In.Generation], i)
		}
	}
	var found []conflict
	for _, leader := range n.ops {
		l := &n.h.Ops[leader]
		if l.F != fSync || len(l.In.Assign) == 0 || len(plans[l.In.Generation]) != 1 || l.Outcome != OK {
			continue
		}
		for _, i := range synced[l.In.Generation] {
			o := &n.h.Ops[i]
			if want := l.In.Assign[o.In.Member]; !sameSet(want, o.Out.Partitions) && n.plainPlan(l) {
				found = append(found, n.notPlanned(leader, i, want))
			}
		}
	}
	return found
}

// plainPlan tells that the sender of the only plan was told to be the leader,
// so that no empty plan of somebody else can have been installed. A generation
// that was loaded has its plan already.
func (n *groupFacts) plainPlan(l *Op) bool {
	if n.loaded && !n.leads(l) {
		return false
	}
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F == fJoin && o.Outcome == OK && o.Out.Generation == l.In.Generation && o.Out.Leader != nil && *o.Out.Leader != l.In.Member {
			return false
		}
		if o.F == fSync && o.In.Generation == l.In.Generation && o.In.Member == l.In.Member && len(o.In.Assign) == 0 {
			return false
		}
	}
	return true
}

func (n *groupFacts) notPlanned(leader, i int, want []string) conflict {
	o, l := &n.h.Ops[i], &n.h.Ops[leader]
	anomaly := "split"
	why := fmt.Sprintf("member %s received %v in generation %d, but the leader's plan (op %d) gives it %v", o.In.Member, o.Out.Partitions, o.In.Generation, l.ID, want)
	for _, m := range slices.Sorted(maps.Keys(l.In.Assign)) {
		for _, tp := range o.Out.Partitions {
			if m != o.In.Member && slices.Contains(l.In.Assign[m], tp) {
				anomaly = "dual-owner"
				why += fmt.Sprintf(", and %s to %s", tp, m)
			}
		}
	}
	return newConflict(suspect{op: i, anomaly: anomaly, why: why}).with(leader)
}

// leads tells whether the sender of a plan was told, in this life of the broker,
// to lead the generation.
func (n *groupFacts) leads(l *Op) bool {
	return slices.ContainsFunc(n.ops, func(i int) bool {
		o := &n.h.Ops[i]
		return o.F == fJoin && o.Outcome == OK && o.Out.Generation == l.In.Generation && o.Out.Member == l.In.Member && o.Out.Members != nil
	})
}
