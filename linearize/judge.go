package linearize

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
)

// judge decides one component, and variations of it, within one budget.
type judge struct {
	h        *kfh.History
	c        kfh.Component
	only     *part         // look at this part of it alone
	whole    kfh.Component // what necessary conditions look at
	deadline time.Time
	bounded  bool
	fuel     int // left, if bounded
	ration   int // of the fuel, for one search
	spent    int // by the searches so far
}

// The effort that the search for a wrong answer may take, in states visited: for
// one variation of a history, and for all of them. It is not measured in time,
// so that a report does not depend on how fast the machine is.
const (
	fuelPerVariation = 100_000
	fuelPerDiagnosis = 2_000_000
)

// diagnose begins the search for the wrong answer. A variation may cost more
// than the whole history did.
func (j *judge) diagnose() {
	j.bounded = true
	j.ration = max(fuelPerVariation, 2*j.spent)
	j.fuel = max(fuelPerDiagnosis, 20*j.spent)
}

// search asks porcupine about every part. Unknown means that the budget ran out,
// or that a group had more members or parked requests at once than a state can
// hold.
func (j *judge) search(h *kfh.History, c kfh.Component) porcupine.CheckResult {
	if j.only != nil {
		return j.run(j.only.spec(h, c))
	}
	worst := porcupine.Ok
	for _, p := range partsOf(h, c) {
		switch j.run(p.spec(h, p.Component)) {
		case porcupine.Illegal:
			return porcupine.Illegal
		case porcupine.Unknown:
			worst = porcupine.Unknown
		}
	}
	return worst
}

func (j *judge) run(s sequential.Specification) porcupine.CheckResult {
	ops, e := s.Operations(), s.Work()
	left := time.Until(j.deadline)
	switch {
	case len(ops) == 0:
		return porcupine.Ok
	case left <= 0:
		return porcupine.Unknown
	}
	if j.bounded {
		if j.fuel <= 0 {
			return porcupine.Unknown
		}
		e.Fuel, e.Bounded = min(j.fuel, j.ration), true
	}
	r := porcupine.CheckOperationsTimeout(s.PorcupineModel(), ops, left)
	if r == porcupine.Unknown {
		return r // the search may still be running
	}
	j.spent += e.Spent
	j.fuel -= e.Spent
	if r == porcupine.Illegal && (e.Overflow || e.Exhausted()) {
		return porcupine.Unknown
	}
	return r
}

// legal tells whether a variation of the component is certainly legal.
func (j *judge) legal(h *kfh.History) bool {
	return len(necessary(h, j.whole)) == 0 && j.search(h, j.c) == porcupine.Ok
}

// within is the judge of one part. It has its own count of the fuel.
func (j *judge) within(p part) *judge {
	n := *j
	n.c, n.only = p.Component, &p
	return &n
}

// without is the history with the answer of one request forgotten.
func (j *judge) without(h *kfh.History, op int) *kfh.History {
	return j.edited(h, op, func(o *kfh.Op) {
		o.Outcome, o.Out, o.Ret = kfh.Unknown, kfh.NoAnswer(), -1
	})
}

// edited is a copy of the history with one request changed. The events stay:
// the checks read requests only.
func (j *judge) edited(h *kfh.History, op int, edit func(*kfh.Op)) *kfh.History {
	v := *h
	v.Ops = slices.Clone(h.Ops)
	edit(&v.Ops[op])
	return &v
}

// prefix is the component as it was after the given event: later requests were
// not sent, and later answers not received.
func (j *judge) prefix(event int) (*kfh.History, kfh.Component) {
	v := *j.h
	v.Ops = slices.Clone(j.h.Ops)
	c := kfh.Component{Name: j.c.Name}
	for i, o := range v.Each(j.c.Ops) {
		if o.Inv > event {
			break
		}
		c.Ops = append(c.Ops, i)
		if o.Ret > event {
			o.Outcome, o.Out, o.Ret = kfh.Unknown, kfh.NoAnswer(), -1
		}
	}
	return &v, c
}

// breakingPoint is the request whose answer is the first that no order explains:
// a history up to any earlier event is legal, because a prefix of a legal
// history is one. -1 if the budget ran out.
func (j *judge) breakingPoint() int {
	var byAnswer []int
	for _, i := range j.c.Ops {
		if !j.h.Ops[i].Open() && !j.h.Ops[i].Local {
			byAnswer = append(byAnswer, i)
		}
	}
	slices.SortFunc(byAnswer, func(a, b int) int { return j.h.Ops[a].Ret - j.h.Ops[b].Ret })
	expired := false
	n, _ := slices.BinarySearchFunc(byAnswer, true, func(i int, _ bool) int {
		h, c := j.prefix(j.h.Ops[i].Ret)
		switch j.search(h, c) {
		case porcupine.Illegal:
			return 0
		case porcupine.Unknown:
			expired = true
		}
		return -1
	})
	if expired || n == len(byAnswer) {
		return -1
	}
	return byAnswer[n]
}

// projections judges each partition's offsets alone. That is a relaxation, so
// only its "illegal" counts. It is quick where the joint search is not, and names
// the partition.
func (j *judge) projections() []Finding {
	if !plain(j.h, j.c) {
		return nil // transactions commit, too
	}
	var found []Finding
	illegal := func(s sequential.Specification) bool { return j.run(s) == porcupine.Illegal }
	for _, p := range groups.Projections(j.h, j.c) {
		if !illegal(p.Spec()) {
			continue
		}
		why, events := p.Fewest(illegal).Proof()
		found = append(found, Finding{"offset-regression", events, why})
	}
	return found
}
