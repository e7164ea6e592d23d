package linearize

import (
	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/offsets"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/txns"
)

// A necessary condition is a statement about two or three answers that no
// correct coordinator breaks, whatever happens unseen. It rests on real-time
// order only: one answer was received before another request was invoked. So a
// conflict is a proof, and reads as one; the absence of conflicts proves
// nothing.
//
// A conflict says that not all of its answers can be right. Which one is wrong,
// and so which anomaly it is, the conflict alone cannot say: each answer is a
// suspect under its own name.

// necessary checks all necessary conditions of one component. What a group
// remembers holds for one life of its broker; logs and committed offsets live on.
func necessary(h *kfh.History, c kfh.Component) []proof.Conflict {
	var all []proof.Conflict
	lives := h.Lives()
	t := txns.NewFacts(h, c)
	for _, g := range c.Groups(h) {
		for k, l := range lives {
			all = append(all, groups.Conflicts(h, g.During(h, l), k > 0)...)
		}
	}
	for _, g := range c.Groups(h) {
		all = append(all, offsets.Conflicts(h, g, t)...)
	}
	return append(all, t.Conflicts()...)
}
