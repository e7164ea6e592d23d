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
	spec  func(*History, component) searcher // of the part, or of a beginning of it
	// anomaly names an answer that no order explains, by what the model would have
	// answered. It is nil where the answers that would be right give the name.
	anomaly func(o *Op, refused []refusal) string
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
		return []part{{component: c, about: c.name, spec: groupSpec}}
	}
	var all []part
	for _, g := range c.groups(h) {
		all = append(all, membershipParts(h, g)...)
	}
	for _, p := range c.producers(h) {
		all = append(all, part{p, "transactional id " + p.name, newTxnSpec, txnAnomaly})
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
		p.spec = func(h *History, c component) searcher { return lifeSpec(h, c, g, k) }
		all = append(all, p)
	}
	return all
}
