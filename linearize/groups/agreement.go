package groups

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// What the coordinator tells the members of one generation is one thing: one
// leader, one protocol, one list of members, and one plan that gives a
// partition to one member.

// joinsByGeneration lists the JoinGroups that were answered with a generation.
func (n *facts) joinsByGeneration() (gens []int32, joins map[int32][]int) {
	joins = map[int32][]int{}
	for i, o := range n.H.Each(n.Ops) {
		if o.F == kfh.Join && o.Outcome == kfh.OK {
			if joins[o.Out.Generation] == nil {
				gens = append(gens, o.Out.Generation)
			}
			joins[o.Out.Generation] = append(joins[o.Out.Generation], i)
		}
	}
	slices.Sort(gens)
	return gens, joins
}

// disagreements finds generations of which two members were told different things.
func (n *facts) disagreements() []proof.Conflict {
	var found []proof.Conflict
	gens, joins := n.joinsByGeneration()
	for _, g := range gens {
		for k, b := range joins[g] {
			for _, a := range joins[g][:k] {
				if what := differ(&n.H.Ops[a], &n.H.Ops[b]); what != "" && len(found) < proof.MaxConflicts {
					found = append(found, n.splitConflict(a, b, what))
				}
			}
		}
	}
	return found
}

// splitConflict: either of two answers about one generation is wrong. Where one
// member is missing in the other's list it may be its generation that is wrong.
func (n *facts) splitConflict(a, b int, what string) proof.Conflict {
	why := fmt.Sprintf("in generation %d %s (ops %d and %d)", n.H.Ops[a].Out.Generation, what, n.H.Ops[a].ID, n.H.Ops[b].ID)
	return proof.Between("split", why, a, b)
}

// differ compares two answers about one generation; "" if they agree.
func differ(a, b *kfh.Op) string {
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
func (n *facts) owners() []proof.Conflict {
	var found []proof.Conflict
	synced := map[int32][]int{}
	for i, o := range n.H.Each(n.Ops) {
		if o.F != kfh.Sync || o.Outcome != kfh.OK {
			continue
		}
		g := o.In.Generation
		for _, a := range synced[g] {
			if c, bad := n.overlap(a, i); bad && len(found) < proof.MaxConflicts {
				found = append(found, c)
			}
		}
		synced[g] = append(synced[g], i)
	}
	return append(found, n.unplanned(synced)...)
}

// overlap compares two assignments of one generation.
func (n *facts) overlap(i, j int) (proof.Conflict, bool) {
	a, b := &n.H.Ops[i], &n.H.Ops[j]
	if a.In.Member == b.In.Member {
		if sameSet(a.Out.Partitions, b.Out.Partitions) {
			return proof.Conflict{}, false
		}
		why := fmt.Sprintf("member %s received %v and %v in generation %d (ops %d and %d)", a.In.Member, a.Out.Partitions, b.Out.Partitions, a.In.Generation, a.ID, b.ID)
		return proof.Between("split", why, i, j), true
	}
	var both []string
	for _, tp := range a.Out.Partitions {
		if slices.Contains(b.Out.Partitions, tp) {
			both = append(both, tp)
		}
	}
	if len(both) == 0 || n.plannedTwice(a.In.Generation, both) {
		return proof.Conflict{}, false
	}
	why := fmt.Sprintf("members %s and %s both received %s in generation %d (ops %d and %d)", a.In.Member, b.In.Member, strings.Join(both, " "), a.In.Generation, a.ID, b.ID)
	return proof.Between("dual-owner", why, i, j), true
}

// plannedTwice tells that some leader's own plan gave one of the partitions to
// two members: then the coordinator only did what it was told.
func (n *facts) plannedTwice(g int32, tps []string) bool {
	for _, o := range n.H.Each(n.Ops) {
		if o.F != kfh.Sync || o.In.Generation != g {
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
func (n *facts) unplanned(synced map[int32][]int) []proof.Conflict {
	plans := map[int32][]int{}
	for i, o := range n.H.Each(n.Ops) {
		if o.F == kfh.Sync && len(o.In.Assign) > 0 {
			plans[o.In.Generation] = append(plans[o.In.Generation], i)
		}
	}
	var found []proof.Conflict
	for _, leader := range n.Ops {
		l := &n.H.Ops[leader]
		if l.F != kfh.Sync || len(l.In.Assign) == 0 || len(plans[l.In.Generation]) != 1 || l.Outcome != kfh.OK {
			continue
		}
		for i, o := range n.H.Each(synced[l.In.Generation]) {
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
func (n *facts) plainPlan(l *kfh.Op) bool {
	if n.loaded && !n.leads(l) {
		return false
	}
	for _, o := range n.H.Each(n.Ops) {
		if o.F == kfh.Join && o.Outcome == kfh.OK && o.Out.Generation == l.In.Generation && o.Out.Leader != nil && *o.Out.Leader != l.In.Member {
			return false
		}
		if o.F == kfh.Sync && o.In.Generation == l.In.Generation && o.In.Member == l.In.Member && len(o.In.Assign) == 0 {
			return false
		}
	}
	return true
}

func (n *facts) notPlanned(leader, i int, want []string) proof.Conflict {
	o, l := &n.H.Ops[i], &n.H.Ops[leader]
	anomaly := "split"
	why := fmt.Sprintf("member %s received %v in generation %d, but the leader's plan (op %d) gives it %v", o.In.Member, o.Out.Partitions, o.In.Generation, l.ID, want)
	for _, m := range kfh.SortedKeys(l.In.Assign) {
		for _, tp := range o.Out.Partitions {
			if m != o.In.Member && slices.Contains(l.In.Assign[m], tp) {
				anomaly = "dual-owner"
				why += fmt.Sprintf(", and %s to %s", tp, m)
			}
		}
	}
	return proof.NewConflict(proof.Suspect{Op: i, Anomaly: anomaly, Why: why}).With(leader)
}

// leads tells whether the sender of a plan was told, in this life of the broker,
// to lead the generation.
func (n *facts) leads(l *kfh.Op) bool {
	return slices.ContainsFunc(n.Ops, func(i int) bool {
		o := &n.H.Ops[i]
		return o.F == kfh.Join && o.Outcome == kfh.OK && o.Out.Generation == l.In.Generation && o.Out.Member == l.In.Member && o.Out.Members != nil
	})
}
