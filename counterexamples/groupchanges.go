package counterexamples

import (
	"strings"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// groupChanges is what the group coordinator knows of its members.
func (t *teller) groupChanges(before, after *cluster.State) facts {
	b, a := &before.Group, &after.Group
	members, assignment := t.roster(after), t.assignment(after)
	var all facts
	all.add(b.State != a.State, "%s", a.State)
	all.add(b.Generation != a.Generation, "generation %d (was %d)", a.Generation, b.Generation)
	all.add(members != t.roster(before), "%s", members)
	all.add(assignment != t.assignment(before) && a.State == classic.Stable, "%s", assignment)
	return all
}

// roster lists the members that the coordinator counts, and the ids that it
// has only handed out.
func (t *teller) roster(s *cluster.State) string {
	var members, pending string
	for i := range s.Members {
		switch m := &s.Members[i]; {
		case m.ID == 0:
		case m.Is(classic.Pending):
			pending += " " + t.member(m.ID)
		default:
			members += " " + t.member(m.ID)
		}
	}
	text := "no members"
	if members != "" {
		text = "members" + members
	}
	if pending != "" {
		text += ", handed out to a newcomer" + pending
	}
	return text
}

func (t *teller) assignment(s *cluster.State) string {
	var all facts
	for i := range s.Members {
		m := &s.Members[i]
		all.add(m.ID != 0 && !m.Is(classic.Pending), "%s has %s", t.member(m.ID), orNothing(m.Assignment))
	}
	return strings.Join(all, ", ")
}

// offsetChanges is what is committed.
func (t *teller) offsetChanges(before, after *cluster.State) facts {
	var all facts
	for p := range t.g.cfg.AllPartitions() {
		b, a := before.Offsets[p], after.Offsets[p]
		all.add(b != a, "%s committed %s (was %s)", partitionName(p), offsetText(a), offsetText(b))
	}
	return all
}

func offsetText(o model.Offset) string {
	if o == model.NoOffset {
		return "none"
	}
	return number(int(o))
}

// clientChanges is how a member differs.
func (t *teller) clientChanges(b, a *cluster.Client) facts {
	var all facts
	all.add(b.ID != a.ID && a.ID == 0, "has no member id")
	all.add(b.ID != a.ID && a.ID != 0, "member id %s", t.member(a.ID))
	all.add(b.Generation != a.Generation && a.Generation < 0, "has no generation")
	all.add(b.Generation != a.Generation && a.Generation >= 0, "generation %d", a.Generation)
	all.add(b.Owned != a.Owned, "owns %s", orNothing(a.Owned))
	for p := range t.g.cfg.AllPartitions() {
		read := (a.Owned &^ a.Unfetched).Has(p) && (b.Position[p] != a.Position[p] || !(b.Owned &^ b.Unfetched).Has(p))
		all.add(read, "position %s = %d", partitionName(p), a.Position[p])
	}
	all.add(a.Rejoin && !b.Rejoin, "knows that it must join again")
	all.add(a.Phase == cluster.Failed && b.Phase != cluster.Failed, "has failed: the application gets an exception")
	return all
}
