package linearize

import (
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// judge decides one component, and variations of it, within one budget.
type judge struct {
	h        *History
	c        component
	only     *part     // look at this part of it alone
	whole    component // what necessary conditions look at
	deadline time.Time
	bounded  bool
	fuel     int // left, if bounded
	ration   int // of the fuel, for one search
	spent    int // by the searches so far
}

// The effort that the search for a wrong answer may take, in worlds visited: for
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
// or that a group had more members or parked requests at once than a world can
// hold.
func (j *judge) search(h *History, c component) porcupine.CheckResult {
	if j.only != nil {
		return j.run(j.only.spec(h, c))
	}
	worst := porcupine.Ok
	for _, p := range partsOf(h, c) {
		switch j.run(p.spec(h, p.component)) {
		case porcupine.Illegal:
			return porcupine.Illegal
		case porcupine.Unknown:
			worst = porcupine.Unknown
		}
	}
	return worst
}

func (j *judge) run(s searcher) porcupine.CheckResult {
	ops, e := s.operations(), s.work()
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
		e.fuel, e.bounded = min(j.fuel, j.ration), true
	}
	r := porcupine.CheckOperationsTimeout(s.porcupineModel(), ops, left)
	if r == porcupine.Unknown {
		return r // the search may still be running
	}
	j.spent += e.spent
	j.fuel -= e.spent
	if r == porcupine.Illegal && (e.overflow || e.exhausted()) {
		return porcupine.Unknown
	}
	return r
}

// legal tells whether a variation of the component is certainly legal.
func (j *judge) legal(h *History) bool {
	return len(necessary(h, j.whole)) == 0 && j.search(h, j.c) == porcupine.Ok
}

// within is the judge of one part. It has its own count of the fuel.
func (j *judge) within(p part) *judge {
	n := *j
	n.c, n.only = p.component, &p
	return &n
}

// without is the history with the answer of one request forgotten.
func (j *judge) without(h *History, op int) *History {
	return j.edited(h, op, func(o *Op) {
		o.Outcome, o.Out, o.Ret = Unknown, noAnswer(), -1
	})
}

// edited is a copy of the history with one request changed. The events stay:
// the checks read requests only.
func (j *judge) edited(h *History, op int, edit func(*Op)) *History {
	v := *h
	v.Ops = slices.Clone(h.Ops)
	edit(&v.Ops[op])
	return &v
}

// prefix is the component as it was after the given event: later requests were
// not sent, and later answers not received.
func (j *judge) prefix(event int) (*History, component) {
	v := *j.h
	v.Ops = slices.Clone(j.h.Ops)
	c := component{name: j.c.name}
	for _, i := range j.c.ops {
		o := &v.Ops[i]
		if o.Inv > event {
			break
		}
		c.ops = append(c.ops, i)
		if o.Ret > event {
			o.Outcome, o.Out, o.Ret = Unknown, noAnswer(), -1
		}
	}
	return &v, c
}

// breakingPoint is the request whose answer is the first that no order explains:
// a history up to any earlier event is legal, because a prefix of a legal
// history is one. -1 if the budget ran out.
func (j *judge) breakingPoint() int {
	var byAnswer []int
	for _, i := range j.c.ops {
		if !j.h.Ops[i].open() && !j.h.Ops[i].Local {
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
	if !j.c.plain(j.h) {
		return nil // transactions commit, too
	}
	var found []Finding
	illegal := func(s searcher) bool { return j.run(s) == porcupine.Illegal }
	for _, p := range projections(j.h, j.c) {
		if !illegal(p.spec()) {
			continue
		}
		why, events := p.fewest(illegal).proof()
		found = append(found, Finding{"offset-regression", events, why})
	}
	return found
}
