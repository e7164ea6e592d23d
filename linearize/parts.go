package linearize

import (
	"fmt"
	"slices"
)

// A component with transactions is not searched as a whole: what a group, a
// transactional id and a partition know of each other grows too fast. Each is
// searched alone, with all that the others may have done. That is a relaxation:
// what is illegal for one of them is illegal, and what ties them together is for
// the necessary conditions.

// part is a component under one specification.
type part struct {
	component
	about string
	txn   bool                               // of a transactional id
	spec  func(*History, component) searcher // of the part, or of a beginning of it
}

// plain tells whether a component has no transactions, and so one group.
func (c component) plain(h *History) bool {
	return !slices.ContainsFunc(c.ops, func(i int) bool { return !h.Ops[i].ofGroup() || h.Ops[i].F == fTxnCommit })
}

// whole tells whether one group and one life of the broker is all there is, so
// that one specification covers everything.
func (c component) whole(h *History) bool { return c.plain(h) && len(h.lives()) == 1 }

// partsOf lists the specifications that a component must satisfy.
func partsOf(h *History, c component) []part {
	if c.whole(h) {
		return []part{{c, c.name, false, func(h *History, c component) searcher { return newSpec(compile(h, c)) }}}
	}
	var all []part
	for _, g := range c.groups(h) {
		all = append(all, membershipParts(h, g)...)
	}
	for _, p := range c.producers(h) {
		all = append(all, part{p, "transactional id " + p.name, true, func(h *History, c component) searcher { return newTxnSpec(h, c) }})
	}
	return all
}

// membershipParts are the lives of a group, without its offsets. A life of which
// nobody knows how it began is left out.
func membershipParts(h *History, g component) []part {
	var all []part
	lives := h.lives()
	for k, l := range lives {
		p := part{component: g.during(h, l), about: "group " + g.name}
		if k > 0 {
			p.about += fmt.Sprintf(" after restart %d", k)
		}
		if len(p.ops) == 0 {
			continue
		}
		p.spec = func(h *History, c component) searcher {
			m := compileMembership(h, c)
			starts, known := startsOf(h, g, lives, k, m.words)
			if !known || len(m.words.names) > maxMemberIDs || len(m.words.partitions) > maxPartitions {
				return newSpec(compileMembership(h, component{})) // nothing to search
			}
			s := newSpec(m)
			s.starts = starts
			return s
		}
		all = append(all, p)
	}
	return all
}
