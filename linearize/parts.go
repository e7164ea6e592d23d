package linearize

import (
	"slices"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/linearize/txns"
)

// A component with transactions is not searched as a whole: what a group, a
// transactional id and a partition know of each other grows too fast. Each is
// searched alone, with all that the others may have done. That is a relaxation:
// what is illegal for one of them is illegal, and what ties them together is for
// the necessary conditions.

// part is a component under one specification.
type part struct {
	kfh.Component
	spec func(*kfh.History, kfh.Component) sequential.Specification // of the part, or of a beginning of it
	// anomaly names an answer that no order explains, by what the model would have
	// answered. It is nil where the answers that would be right give the name.
	anomaly func(o *kfh.Op, refused []sequential.Refusal) string
}

// plain tells whether a component has no transactions, and so one group.
func plain(h *kfh.History, c kfh.Component) bool {
	return !slices.ContainsFunc(c.Ops, func(i int) bool { return !h.Ops[i].OfGroup() || h.Ops[i].F == kfh.TxnCommit })
}

// undivided tells whether one group and one life of the broker is all there is, so
// that one specification covers everything.
func undivided(h *kfh.History, c kfh.Component) bool { return plain(h, c) && len(h.Lives()) == 1 }

// partsOf lists the specifications that a component must satisfy.
func partsOf(h *kfh.History, c kfh.Component) []part {
	if undivided(h, c) {
		return []part{{Component: c, spec: groups.Specification}}
	}
	var all []part
	for _, g := range c.Groups(h) {
		all = append(all, membershipParts(h, g)...)
	}
	for _, p := range c.Producers(h) {
		all = append(all, part{p, txns.Specification, txns.Anomaly})
	}
	return all
}

// membershipParts are the lives of a group, without its offsets. A life of which
// nobody knows how it began is left out.
func membershipParts(h *kfh.History, g kfh.Component) []part {
	var all []part
	lives := h.Lives()
	for k, l := range lives {
		p := part{Component: g.During(h, l)}
		if len(p.Ops) == 0 {
			continue
		}
		p.spec = func(h *kfh.History, c kfh.Component) sequential.Specification {
			return groups.LifeSpecification(h, c, g, k)
		}
		all = append(all, p)
	}
	return all
}
