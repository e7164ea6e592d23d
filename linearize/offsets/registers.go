// Package offsets judges the committed offsets of a group by necessary conditions,
// whoever committed them: members, administrators or transactions.
package offsets

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/txns"
)

// Without looking at the group, one partition's committed offset is a register:
// accepted commits write it, fetches read it. Numbers may be committed again, so
// a number is over only when every write of it is. A transactional commit counts
// from its record on, not from its marker: the later record wins.

// facts are the requests to one group, and the transactions that may have
// brought it offsets.
type facts struct {
	*proof.Facts
	txns *txns.Facts
}

// Conflicts checks what is necessary of the answers to a group's fetches.
func Conflicts(h *kfh.History, c kfh.Component, t *txns.Facts) []proof.Conflict {
	return (&facts{proof.NewFacts(h, c), t}).conflicts()
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
func (n *facts) conflicts() []proof.Conflict {
	regs := map[string]*register{}
	at := func(tp string) *register {
		if regs[tp] == nil {
			regs[tp] = &register{writes: map[int64][]int{}, refuse: map[int64][]int{}}
		}
		return regs[tp]
	}
	for i, o := range n.H.Each(n.Ops) {
		switch {
		case o.Kind() == kfh.Commit && (o.Open() || o.Outcome == kfh.OK):
			installed := n.installedAt(i)
			for tp, v := range o.In.Offsets {
				r := at(tp)
				r.writes[v] = append(r.writes[v], i)
				if installed < kfh.Never {
					r.facts = append(r.facts, fact{i, v, installed})
				}
			}
		case o.Kind() == kfh.Commit:
			for tp, v := range o.In.Offsets {
				at(tp).refuse[v] = append(at(tp).refuse[v], i)
			}
		case o.F == kfh.OffsetFetch && o.Outcome == kfh.OK:
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
	var found []proof.Conflict
	for i, o := range n.H.Each(n.Ops) {
		if o.F != kfh.OffsetFetch || o.Open() || len(found) >= proof.MaxConflicts {
			continue
		}
		for _, tp := range kfh.SortedKeys(o.Out.Offsets) {
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
func (n *facts) judgeRead(i int, tp string, r *register) (proof.Conflict, bool) {
	o := &n.H.Ops[i]
	v := o.Out.Offsets[tp]
	var writes []int // that may have been applied before the fetch read
	for _, w := range r.writes[v] {
		if n.H.Ops[w].Inv < o.Ret {
			writes = append(writes, w)
		}
	}
	if len(writes) == 0 && v >= 0 {
		return n.unwritten(i, tp, r), true
	}
	last := -1 // the latest answer to a write of v
	for _, w := range writes {
		last = max(last, n.H.Ops[w].AnsweredAt())
	}
	if last == kfh.Never {
		return proof.Conflict{}, false
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
	return proof.Conflict{}, false
}

// installedAfter tells that the fact's number was installed after the event.
func (n *facts) installedAfter(f fact, event int, r *register) bool {
	if n.H.Ops[f.op].F != kfh.OffsetFetch {
		return n.H.Ops[f.op].Inv > event
	}
	installs := 0
	for _, w := range r.writes[f.value] {
		switch inv := n.H.Ops[w].Inv; {
		case inv > f.end:
		case inv <= event:
			return false
		default:
			installs++
		}
	}
	return installs > 0 // else the fact itself is wrong, and reported as such
}

func (n *facts) regression(i int, tp string, v int64, f fact, writes []int) proof.Conflict {
	why := fmt.Sprintf("fetch (op %d) returned %d for %s although %d was installed after every write of %d (op %d, answered before the fetch was invoked)",
		n.H.Ops[i].ID, v, tp, f.value, v, n.H.Ops[f.op].ID)
	c := proof.Between("offset-regression", why, i, f.op)
	for _, w := range writes {
		c.Suspects = append(c.Suspects, proof.Suspect{Op: w, Anomaly: "offset-regression", Why: why})
	}
	return c.With(writes...)
}

// unwritten: no commit of the number was accepted, or could have been, before
// the fetch was answered.
func (n *facts) unwritten(i int, tp string, r *register) proof.Conflict {
	o := &n.H.Ops[i]
	v := o.Out.Offsets[tp]
	why := fmt.Sprintf("fetch (op %d) returned %d for %s, which no accepted commit had written", o.ID, v, tp)
	c := proof.NewConflict(proof.Suspect{Op: i, Anomaly: "phantom-offset", Why: why})
	for _, w := range r.refuse[v] {
		if n.H.Ops[w].Inv < o.Ret {
			c.Suspects = append(c.Suspects, proof.Suspect{Op: w, Anomaly: "unjustified-fence", Why: fmt.Sprintf("%s, but fetch (op %d) returned its offset %d for %s", n.Says(w), o.ID, v, tp)})
			c.Ops = append(c.Ops, w)
		}
	}
	return c
}
