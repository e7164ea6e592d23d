package linearize

import (
	"fmt"
	"maps"
	"slices"
)

// groupFacts are the requests to one group in one life of its broker.
type groupFacts struct {
	*facts
	// loaded: the group may go on with a generation of an earlier life.
	loaded bool
}

// groupConflicts checks what is necessary of the answers to a group's members.
func groupConflicts(h *History, c component, loaded bool) []conflict {
	n := &groupFacts{newFacts(h, c), loaded}
	return slices.Concat(n.membership(), n.generations(), n.tellings(), n.owners(), n.tooEarly())
}

// The id of a dynamic member is made up once, enters the group once and leaves
// it once. So between two answers that prove it in, it is in all the time.

// presence is what the answers say about one member id.
type presence struct {
	in  []int // requests during which it was in the group
	out []int // requests during which it was not
}

// provesIn tells that the request's own member was in the group, and not only
// pending, at some moment between invocation and answer.
func provesIn(o *Op) bool {
	if o.open() || o.In.Member == "" && o.F != fJoin {
		return false
	}
	switch o.F {
	case fJoin:
		return o.Outcome == OK
	case fHeartbeat, fSync:
		return o.Outcome == OK || o.rebalancing() || o.refusedAs("ILLEGAL_GENERATION")
	case fCommit:
		if o.In.Generation < 0 {
			return o.refusedAs("ILLEGAL_GENERATION")
		}
		return o.Outcome == OK || o.rebalancing() || o.refusedAs("ILLEGAL_GENERATION")
	case fTxnCommit: // ILLEGAL_GENERATION may also mean that there is no group
		return o.Outcome == OK && o.In.Generation >= 0 || o.refusedAs("ILLEGAL_GENERATION") && o.In.Generation < 0
	}
	return false
}

// empties tells of a commit that only an empty group takes (groups.md O1, O4).
// A transactional one with all fields at default is taken in any state.
func empties(o *Op) bool {
	if o.Outcome != OK || o.In.Generation >= 0 {
		return false
	}
	return o.F == fCommit || o.F == fTxnCommit && o.In.Member != ""
}

func (n *groupFacts) membership() []conflict {
	members := map[string]*presence{}
	at := func(m string) *presence {
		if members[m] == nil {
			members[m] = &presence{}
		}
		return members[m]
	}
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if provesIn(o) {
			at(o.member()).in = append(at(o.member()).in, i)
		}
		if o.F == fJoin && o.Outcome == OK {
			for _, m := range o.Out.Members {
				if m != o.member() {
					at(m).in = append(at(m).in, i)
				}
			}
		}
		if o.F == fLeave && o.Outcome == OK || o.refusedAs("UNKNOWN_MEMBER_ID") && o.In.Member != "" {
			at(o.In.Member).out = append(at(o.In.Member).out, i)
		}
	}
	n.addAbsences(members)
	var all []conflict
	for _, m := range slices.Sorted(maps.Keys(members)) {
		all = append(all, n.torn(m, members[m])...)
	}
	return all
}

// addAbsences adds what is said about everybody: lists of a generation's
// members, and commits that only an empty group takes.
func (n *groupFacts) addAbsences(members map[string]*presence) {
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		listed := o.F == fJoin && o.Outcome == OK && o.Out.Members != nil
		if !listed && !empties(o) {
			continue
		}
		for m, p := range members {
			if !slices.Contains(o.Out.Members, m) && o.member() != m || empties(o) {
				p.out = append(p.out, i)
			}
		}
	}
}

// torn finds the answers that break a membership in two. A LeaveGroup that was
// answered without an error needs no earlier proof: the id was in or pending.
func (n *groupFacts) torn(m string, p *presence) []conflict {
	if len(p.in) == 0 {
		return nil
	}
	first, last := p.in[0], p.in[0]
	for _, i := range p.in {
		if n.h.Ops[i].answeredAt() < n.h.Ops[first].answeredAt() {
			first = i
		}
		if n.h.Ops[i].Inv > n.h.Ops[last].Inv {
			last = i
		}
	}
	var all []conflict
	for _, out := range p.out {
		left := n.h.Ops[out].F == fLeave && n.h.Ops[out].Outcome == OK
		if !n.before(out, last) || !left && !n.before(first, out) {
			continue
		}
		for _, in := range p.in {
			switch {
			case len(all) >= maxConflicts:
				return all
			case left && n.before(out, in):
				all = append(all, newConflict(n.wrongIn(m, in, out), n.wrongOut(m, out, first, in)))
			case left:
			case n.before(out, in) && n.before(first, out):
				all = append(all, newConflict(n.wrongIn(m, in, out), n.wrongOut(m, out, first, in)).with(first))
			case n.before(in, out) && in != first:
				all = append(all, newConflict(n.wrongOut(m, out, in, last)).with(in, last))
			}
		}
	}
	return all
}

// wrongIn suspects the answer that takes m for a member.
func (n *groupFacts) wrongIn(m string, in, out int) suspect {
	o := &n.h.Ops[in]
	anomaly := "unknown-member-" + o.kind()
	if o.Outcome == Failed && o.F != fHeartbeat {
		anomaly = "unjustified-fence"
	}
	return suspect{op: in, anomaly: anomaly, why: fmt.Sprintf("%s, but %s: a member id never comes back", n.says(in), n.saysOut(m, out))}
}

// wrongOut suspects the answer that takes m for gone.
func (n *groupFacts) wrongOut(m string, out, first, last int) suspect {
	o := &n.h.Ops[out]
	anomaly, why := "unjustified-fence", fmt.Sprintf("%s, although %s was in the group before (op %d) and after (op %d): no timer explains it, because a member id never comes back",
		n.says(out), m, n.h.Ops[first].ID, n.h.Ops[last].ID)
	switch {
	case empties(o):
		anomaly = "unknown-member-commit"
		why = fmt.Sprintf("%s, which only an empty group takes, while member %s was in the group: op %d was answered before it and op %d invoked after it",
			n.says(out), m, n.h.Ops[first].ID, n.h.Ops[last].ID)
	case o.F == fJoin && o.Outcome == OK:
		anomaly = "split"
		why = fmt.Sprintf("%s, which does not name %s, although it was in the group before (op %d) and after (op %d)", n.says(out), m, n.h.Ops[first].ID, n.h.Ops[last].ID)
	case o.F == fLeave && o.Outcome == OK:
		anomaly = "unknown-member-leave"
		why = fmt.Sprintf("%s, but op %d, invoked after it, is accepted", n.says(out), n.h.Ops[last].ID)
	}
	list := o.F == fJoin && o.Outcome == OK // many answers bear it out
	return suspect{op: out, anomaly: anomaly, why: why, unlikely: list}
}

// saysOut tells what proves that m is out.
func (n *groupFacts) saysOut(m string, out int) string {
	if o := &n.h.Ops[out]; empties(o) || o.F == fJoin && o.Outcome == OK {
		return fmt.Sprintf("%s, so %s was out by then", n.says(out), m)
	}
	return n.says(out) + " before"
}
