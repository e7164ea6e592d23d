package linearize

import (
	"fmt"
	"maps"
	"slices"
)

// Without looking at the group, one partition's committed offset is a register:
// accepted commits write it, fetches read it. Numbers may be committed again, so
// a number is over only when every write of it is. A transactional commit counts
// from its record on, not from its marker: the later record wins.

// offsetFacts are the requests to one group, and the transactions that may have
// brought it offsets.
type offsetFacts struct {
	*facts
	txns *txnFacts
}

// offsetConflicts checks what is necessary of the answers to a group's fetches.
func offsetConflicts(h *History, c component, t *txnFacts) []conflict {
	return (&offsetFacts{newFacts(h, c), t}).conflicts()
}

// register is what happened to one partition.
type register struct {
	writes map[int64][]int // requests that may have written a number, in the order of invocation
	refuse map[int64][]int // refused commits of a number
	facts  []fact
}

// fact: when the request was answered, the number had been installed.
type fact struct {
	op    int
	value int64
	end   int
}

// conflicts finds fetches that return what was never written, or what certainly
// was overwritten.
func (n *offsetFacts) conflicts() []conflict {
	regs := map[string]*register{}
	at := func(tp string) *register {
		if regs[tp] == nil {
			regs[tp] = &register{writes: map[int64][]int{}, refuse: map[int64][]int{}}
		}
		return regs[tp]
	}
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		switch {
		case o.kind() == fCommit && (o.open() || o.Outcome == OK):
			installed := n.installedAt(i)
			for tp, v := range o.In.Offsets {
				r := at(tp)
				r.writes[v] = append(r.writes[v], i)
				if installed < never {
					r.facts = append(r.facts, fact{i, v, installed})
				}
			}
		case o.kind() == fCommit:
			for tp, v := range o.In.Offsets {
				at(tp).refuse[v] = append(at(tp).refuse[v], i)
			}
		case o.F == fFetch && o.Outcome == OK:
			for tp, v := range o.Out.Offsets {
				if v >= 0 {
					at(tp).facts = append(at(tp).facts, fact{i, v, o.Ret})
				}
			}
		}
	}
	for _, r := range regs {
		slices.SortStableFunc(r.facts, func(a, b fact) int { return a.end - b.end })
	}
	var found []conflict
	for _, i := range n.ops {
		o := &n.h.Ops[i]
		if o.F != fFetch || o.open() || len(found) >= maxConflicts {
			continue
		}
		for _, tp := range slices.Sorted(maps.Keys(o.Out.Offsets)) {
			if o.Out.Errs[tp] != "" {
				continue
			}
			if c, bad := n.judgeRead(i, tp, at(tp)); bad {
				found = append(found, c)
			}
			found = append(found, n.judgeOffset(i, tp, at(tp))...)
		}
		for _, tp := range unstablePartitions(o) {
			found = append(found, n.judgeUnstable(i, tp, at(tp))...)
		}
	}
	return found
}

// judgeRead judges one number that a fetch returned.
func (n *offsetFacts) judgeRead(i int, tp string, r *register) (conflict, bool) {
	o := &n.h.Ops[i]
	v := o.Out.Offsets[tp]
	var writes []int // that may have been applied before the fetch read
	for _, w := range r.writes[v] {
		if n.h.Ops[w].Inv < o.Ret {
			writes = append(writes, w)
		}
	}
	if len(writes) == 0 && v >= 0 {
		return n.unwritten(i, tp, r), true
	}
	last := -1 // the latest answer to a write of v
	for _, w := range writes {
		last = max(last, n.h.Ops[w].answeredAt())
	}
	if last == never {
		return conflict{}, false
	}
	for k := len(r.facts) - 1; k >= 0; k-- {
		f := r.facts[k]
		if f.end >= o.Inv || f.value == v {
			continue
		}
		if last >= 0 && f.end < last {
			break
		}
		if n.installedAfter(f, last, r) {
			return n.regression(i, tp, v, f, writes), true
		}
	}
	return conflict{}, false
}

// installedAfter tells that the fact's number was installed after the event.
func (n *offsetFacts) installedAfter(f fact, event int, r *register) bool {
	if n.h.Ops[f.op].F != fFetch {
		return n.h.Ops[f.op].Inv > event
	}
	installs := 0
	for _, w := range r.writes[f.value] {
		switch inv := n.h.Ops[w].Inv; {
		case inv > f.end:
		case inv <= event:
			return false
		default:
			installs++
		}
	}
	return installs > 0 // else the fact itself is wrong, and reported as such
}

func (n *offsetFacts) regression(i int, tp string, v int64, f fact, writes []int) conflict {
	why := fmt.Sprintf("fetch (op %d) returned %d for %s although %d was installed after every write of %d (op %d, answered before the fetch was invoked)",
		n.h.Ops[i].ID, v, tp, f.value, v, n.h.Ops[f.op].ID)
	c := newConflict(suspect{op: i, anomaly: "offset-regression", why: why}, suspect{op: f.op, anomaly: "offset-regression", why: why})
	for _, w := range writes {
		c.suspects = append(c.suspects, suspect{op: w, anomaly: "offset-regression", why: why})
	}
	return c.with(writes...)
}

// unwritten: no commit of the number was accepted, or could have been, before
// the fetch was answered.
func (n *offsetFacts) unwritten(i int, tp string, r *register) conflict {
	o := &n.h.Ops[i]
	v := o.Out.Offsets[tp]
	why := fmt.Sprintf("fetch (op %d) returned %d for %s, which no accepted commit had written", o.ID, v, tp)
	c := newConflict(suspect{op: i, anomaly: "phantom-offset", why: why})
	for _, w := range r.refuse[v] {
		if n.h.Ops[w].Inv < o.Ret {
			c.suspects = append(c.suspects, suspect{op: w, anomaly: "unjustified-fence", why: fmt.Sprintf("%s, but fetch (op %d) returned its offset %d for %s", n.says(w), o.ID, v, tp)})
			c.ops = append(c.ops, w)
		}
	}
	return c
}
