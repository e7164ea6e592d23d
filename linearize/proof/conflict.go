// Package proof is what the necessary conditions of all parts share: conflicts
// between answers, and the index over what answers say about a quantity that only
// grows.
package proof

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
)

// Conflict is a set of answers that contradict each other.
type Conflict struct {
	Ops      []int // indexes into History.Ops
	Suspects []Suspect
}

// Suspect is an answer that may be the wrong one, the anomaly that it then is,
// and the reason in words.
type Suspect struct {
	Op      int
	Anomaly string
	Why     string
	// Unlikely: blame it only if nothing else can be blamed.
	Unlikely bool
}

// MaxConflicts bounds how many conflicts are listed for one rule; some are
// enough, all can be quadratic.
const MaxConflicts = 2000

// Facts is a component under the eyes of the necessary conditions.
type Facts struct {
	H   *kfh.History
	Ops []int // requests that were sent, in the order of invocation
}

// NewFacts leaves out what was never sent.
func NewFacts(h *kfh.History, c kfh.Component) *Facts {
	n := &Facts{H: h}
	for i, o := range h.Each(c.Ops) {
		if !o.Local {
			n.Ops = append(n.Ops, i)
		}
	}
	return n
}

// Before tells that a was answered before b was invoked.
func (n *Facts) Before(a, b int) bool { return n.H.Ops[a].AnsweredAt() < n.H.Ops[b].Inv }

// NewConflict makes a conflict out of suspects.
func NewConflict(suspects ...Suspect) Conflict {
	c := Conflict{Suspects: suspects}
	for _, s := range suspects {
		if !slices.Contains(c.Ops, s.Op) {
			c.Ops = append(c.Ops, s.Op)
		}
	}
	return c
}

// Between makes a conflict of answers that are suspected under one name.
func Between(anomaly, why string, ops ...int) Conflict {
	var all []Suspect
	for _, op := range ops {
		all = append(all, Suspect{Op: op, Anomaly: anomaly, Why: why})
	}
	return NewConflict(all...)
}

// With adds answers that take part in a proof and are not suspected themselves.
func (c Conflict) With(ops ...int) Conflict {
	for _, op := range ops {
		if !slices.Contains(c.Ops, op) {
			c.Ops = append(c.Ops, op)
		}
	}
	return c
}

// Events are the lines that prove a conflict.
func (c *Conflict) Events(h *kfh.History) []int {
	var all []int
	for _, i := range c.Ops {
		all = append(all, h.Ops[i].Inv)
		if r := h.Ops[i].Ret; r >= 0 {
			all = append(all, r)
		}
	}
	slices.Sort(all)
	return all
}

// Says puts a request and its answer in words.
func (n *Facts) Says(i int) string {
	o := &n.H.Ops[i]
	answer := o.Out.Err
	switch {
	case o.Outcome == kfh.OK && o.Row.Told != nil:
		answer = o.Row.Told(o)
	case o.Outcome == kfh.OK:
		answer = "ok"
	case o.Open():
		answer = "nothing"
	}
	s := fmt.Sprintf("%s (op %d", o.F, o.ID)
	if o.Member() != "" {
		s += ", member " + o.Member()
	}
	if o.Row.InGeneration {
		s += fmt.Sprintf(", generation %d", o.In.Generation)
	}
	if o.Row.OfProducer && o.In.PID >= 0 {
		s += fmt.Sprintf(", producer %d epoch %d", o.In.PID, o.In.Epoch)
	}
	return s + ") was answered " + answer
}
