package linearize

import (
	"slices"
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

// conflict is a set of answers that contradict each other.
type conflict struct {
	ops      []int // indexes into History.Ops
	suspects []suspect
}

// suspect is an answer that may be the wrong one, the anomaly that it then is,
// and the reason in words.
type suspect struct {
	op      int
	anomaly string
	why     string
	// unlikely: blame it only if nothing else can be blamed.
	unlikely bool
}

// maxConflicts bounds how many conflicts are listed for one rule; some are
// enough, all can be quadratic.
const maxConflicts = 2000

// necessary checks all necessary conditions of one component. What a group
// remembers holds for one life of its broker; logs and committed offsets live on.
func necessary(h *History, c component) []conflict {
	var all []conflict
	check := func(c component, loaded bool, rules ...func(*facts) []conflict) {
		n := newFacts(h, c)
		n.loaded = loaded
		for _, rule := range rules {
			all = append(all, rule(n)...)
		}
	}
	lives := h.lives()
	for _, g := range c.groups(h) {
		for k, l := range lives {
			part := g.during(h, l)
			check(part, k > 0, (*facts).membership, (*facts).generations, (*facts).tellings, (*facts).owners, (*facts).tooEarly)
		}
	}
	t := newTxnFacts(h, c)
	for _, g := range c.groups(h) {
		check(g, false, func(n *facts) []conflict { return n.offsets(t) })
	}
	return append(all, t.conflicts()...)
}

func newFacts(h *History, c component) *facts {
	n := &facts{h: h}
	for _, i := range c.ops {
		if o := &h.Ops[i]; !o.Local {
			n.ops = append(n.ops, i)
		}
	}
	return n
}

// facts is a component under the eyes of the necessary conditions.
type facts struct {
	h   *History
	ops []int // requests that were sent, in the order of invocation
	// loaded: the group may go on with a generation of an earlier life.
	loaded bool
}

// never is the time of an answer that did not come.
const never = 1 << 62

// answeredAt is the index of the event at which the request was certainly
// decided.
func (o *Op) answeredAt() int {
	if o.open() {
		return never
	}
	return o.Ret
}

// before tells that a was answered before b was invoked.
func (n *facts) before(a, b int) bool { return n.h.Ops[a].answeredAt() < n.h.Ops[b].Inv }

// newConflict makes a conflict out of suspects.
func newConflict(suspects ...suspect) conflict {
	c := conflict{suspects: suspects}
	for _, s := range suspects {
		if !slices.Contains(c.ops, s.op) {
			c.ops = append(c.ops, s.op)
		}
	}
	return c
}

// with adds answers that take part in a proof and are not suspected themselves.
func (c conflict) with(ops ...int) conflict {
	for _, op := range ops {
		if !slices.Contains(c.ops, op) {
			c.ops = append(c.ops, op)
		}
	}
	return c
}

// events are the lines that prove a conflict.
func (c *conflict) events(h *History) []int {
	var all []int
	for _, i := range c.ops {
		all = append(all, h.Ops[i].Inv)
		if r := h.Ops[i].Ret; r >= 0 {
			all = append(all, r)
		}
	}
	slices.Sort(all)
	return all
}

// refusedAs tells that the request was answered with this error.
func (o *Op) refusedAs(err string) bool { return o.Outcome == Failed && o.Out.Err == err }

// rebalancing tells of an answer that says: your member and generation are
// right, but the group is between two states.
func (o *Op) rebalancing() bool { return o.refusedAs("REBALANCE_IN_PROGRESS") }
