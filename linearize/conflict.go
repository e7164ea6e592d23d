package linearize

import (
	"fmt"
	"slices"
)

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

// facts is a component under the eyes of the necessary conditions.
type facts struct {
	h   *History
	ops []int // requests that were sent, in the order of invocation
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

// says puts a request and its answer in words.
func (n *facts) says(i int) string {
	o := &n.h.Ops[i]
	answer := o.Out.Err
	switch {
	case o.Outcome == OK && o.F == fJoin:
		answer = fmt.Sprintf("generation %d", o.Out.Generation)
		if o.Out.Members != nil {
			answer += fmt.Sprintf(" and members %v", o.Out.Members)
		}
	case o.Outcome == OK && o.F == fSync:
		answer = fmt.Sprintf("%v", o.Out.Partitions)
	case o.Outcome == OK && o.F == fRead:
		answer = fmt.Sprintf("offsets up to %d of %s", o.next(), o.In.Log)
	case o.Outcome == OK && o.Out.PID >= 0:
		answer = fmt.Sprintf("producer %d epoch %d", o.Out.PID, o.Out.Epoch)
	case o.Outcome == OK:
		answer = "ok"
	case o.open():
		answer = "nothing"
	}
	s := fmt.Sprintf("%s (op %d", o.F, o.ID)
	if o.member() != "" {
		s += ", member " + o.member()
	}
	if o.F == fSync || o.F == fHeartbeat || o.F == fCommit || o.F == fTxnCommit {
		s += fmt.Sprintf(", generation %d", o.In.Generation)
	}
	if o.isTxn() && o.In.PID >= 0 {
		s += fmt.Sprintf(", producer %d epoch %d", o.In.PID, o.In.Epoch)
	}
	return s + ") was answered " + answer
}
