package groups

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// facts are the requests to one group in one life of its broker.
type facts struct {
	*proof.Facts
	// loaded: the group may go on with a generation of an earlier life.
	loaded bool
}

// Conflicts checks what is necessary of the answers to a group's members.
func Conflicts(h *kfh.History, c kfh.Component, loaded bool) []proof.Conflict {
	n := &facts{proof.NewFacts(h, c), loaded}
	return slices.Concat(n.membership(), n.generations(), n.disagreements(), n.owners(), n.tooEarly())
}

// The id of a dynamic member is made up once, enters the group once and leaves
// it once. So between two answers that prove it in, it is in all the time.

// presence is what the answers say about one member id.
type presence struct {
	in  []int // requests during which it was in the group
	out []int // requests during which it was not
}

// ProvesIn tells that the request's own member was in the group, and not only
// pending, at some moment between invocation and answer.
func ProvesIn(o *kfh.Op) bool {
	if o.Open() || o.In.Member == "" && o.F != kfh.Join {
		return false
	}
	r := byName[o.F]
	return r != nil && r.in != nil && r.in(o)
}

// empties tells of a commit that only an empty group takes (groups.md O1, O4).
// A transactional one with all fields at default is taken in any state.
func empties(o *kfh.Op) bool {
	if o.Outcome != kfh.OK || o.In.Generation >= 0 {
		return false
	}
	return o.F == kfh.Commit || o.F == kfh.TxnCommit && o.In.Member != ""
}

func (n *facts) membership() []proof.Conflict {
	members := map[string]*presence{}
	at := func(m string) *presence {
		if members[m] == nil {
			members[m] = &presence{}
		}
		return members[m]
	}
	for i, o := range n.H.Each(n.Ops) {
		if ProvesIn(o) {
			at(o.Member()).in = append(at(o.Member()).in, i)
		}
		if o.F == kfh.Join && o.Outcome == kfh.OK {
			for _, m := range o.Out.Members {
				if m != o.Member() {
					at(m).in = append(at(m).in, i)
				}
			}
		}
		if o.F == kfh.Leave && o.Outcome == kfh.OK || o.RefusedAs("UNKNOWN_MEMBER_ID") && o.In.Member != "" {
			at(o.In.Member).out = append(at(o.In.Member).out, i)
		}
	}
	n.addAbsences(members)
	var all []proof.Conflict
	for _, m := range kfh.SortedKeys(members) {
		all = append(all, n.torn(m, members[m])...)
	}
	return all
}

// addAbsences adds what is said about everybody: lists of a generation's
// members, and commits that only an empty group takes.
func (n *facts) addAbsences(members map[string]*presence) {
	for i, o := range n.H.Each(n.Ops) {
		listed := o.F == kfh.Join && o.Outcome == kfh.OK && o.Out.Members != nil
		if !listed && !empties(o) {
			continue
		}
		for m, p := range members {
			if !slices.Contains(o.Out.Members, m) && o.Member() != m || empties(o) {
				p.out = append(p.out, i)
			}
		}
	}
}

// torn finds the answers that break a membership in two. A LeaveGroup that was
// answered without an error needs no earlier proof: the id was in or pending.
func (n *facts) torn(m string, p *presence) []proof.Conflict {
	if len(p.in) == 0 {
		return nil
	}
	first, last := p.in[0], p.in[0]
	for _, i := range p.in {
		if n.H.Ops[i].AnsweredAt() < n.H.Ops[first].AnsweredAt() {
			first = i
		}
		if n.H.Ops[i].Inv > n.H.Ops[last].Inv {
			last = i
		}
	}
	var all []proof.Conflict
	for _, out := range p.out {
		left := n.H.Ops[out].F == kfh.Leave && n.H.Ops[out].Outcome == kfh.OK
		if !n.Before(out, last) || !left && !n.Before(first, out) {
			continue
		}
		for _, in := range p.in {
			switch {
			case len(all) >= proof.MaxConflicts:
				return all
			case left && n.Before(out, in):
				all = append(all, proof.NewConflict(n.wrongIn(m, in, out), n.wrongOut(m, out, first, in)))
			case left:
			case n.Before(out, in) && n.Before(first, out):
				all = append(all, proof.NewConflict(n.wrongIn(m, in, out), n.wrongOut(m, out, first, in)).With(first))
			case n.Before(in, out) && in != first:
				all = append(all, proof.NewConflict(n.wrongOut(m, out, in, last)).With(in, last))
			}
		}
	}
	return all
}

// wrongIn suspects the answer that takes m for a member.
func (n *facts) wrongIn(m string, in, out int) proof.Suspect {
	o := &n.H.Ops[in]
	anomaly := "unknown-member-" + o.Kind()
	if o.Outcome == kfh.Failed && o.F != kfh.Heartbeat {
		anomaly = "unjustified-fence"
	}
	return proof.Suspect{Op: in, Anomaly: anomaly, Why: fmt.Sprintf("%s, but %s: a member id never comes back", n.Says(in), n.saysOut(m, out))}
}

// wrongOut suspects the answer that takes m for gone.
func (n *facts) wrongOut(m string, out, first, last int) proof.Suspect {
	o := &n.H.Ops[out]
	anomaly, why := "unjustified-fence", fmt.Sprintf("%s, although %s was in the group before (op %d) and after (op %d): no timer explains it, because a member id never comes back",
		n.Says(out), m, n.H.Ops[first].ID, n.H.Ops[last].ID)
	switch {
	case empties(o):
		anomaly = "unknown-member-commit"
		why = fmt.Sprintf("%s, which only an empty group takes, while member %s was in the group: op %d was answered before it and op %d invoked after it",
			n.Says(out), m, n.H.Ops[first].ID, n.H.Ops[last].ID)
	case o.F == kfh.Join && o.Outcome == kfh.OK:
		anomaly = "split"
		why = fmt.Sprintf("%s, which does not name %s, although it was in the group before (op %d) and after (op %d)", n.Says(out), m, n.H.Ops[first].ID, n.H.Ops[last].ID)
	case o.F == kfh.Leave && o.Outcome == kfh.OK:
		anomaly = "unknown-member-leave"
		why = fmt.Sprintf("%s, but op %d, invoked after it, is accepted", n.Says(out), n.H.Ops[last].ID)
	}
	list := o.F == kfh.Join && o.Outcome == kfh.OK // many answers bear it out
	return proof.Suspect{Op: out, Anomaly: anomaly, Why: why, Unlikely: list}
}

// saysOut tells what proves that m is out.
func (n *facts) saysOut(m string, out int) string {
	if o := &n.H.Ops[out]; empties(o) || o.F == kfh.Join && o.Outcome == kfh.OK {
		return fmt.Sprintf("%s, so %s was out by then", n.Says(out), m)
	}
	return n.Says(out) + " before"
}
