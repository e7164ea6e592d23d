package linearize

import (
	"fmt"
	"maps"
	"slices"
)

// Offsets of a transaction are pending until its marker: a plain fetch does not
// see them, a stable one is refused.

// installedAt is the event by which a commit of offsets certainly took effect,
// unless a newer one had; never if that is not certain.
func (n *offsetFacts) installedAt(i int) int {
	o := &n.h.Ops[i]
	switch {
	case o.open():
		return never
	case o.F == fCommit:
		return o.Ret
	}
	if done := n.txns.doneBy(i); done >= 0 && n.txns.committedBy(i) >= 0 {
		return n.h.Ops[done].Ret
	}
	return never
}

// unstablePartitions lists those for which a fetch was refused because a
// transaction was undecided.
func unstablePartitions(o *Op) []string {
	if o.refusedAs(unstable) {
		return o.In.Partitions
	}
	return slices.Sorted(maps.Keys(o.Out.Errs))
}

// judgeOffset judges one number that a fetch returned against the transactions.
func (n *offsetFacts) judgeOffset(i int, tp string, r *register) []conflict {
	o := &n.h.Ops[i]
	var found []conflict
	if c, bad := n.early(i, tp, r.writes[o.Out.Offsets[tp]]); bad {
		found = append(found, c)
	}
	if !o.In.Stable {
		return found
	}
	last := n.lastWrite(i, r.writes[o.Out.Offsets[tp]])
	for _, all := range r.writes {
		for _, w := range all {
			p := &n.h.Ops[w]
			if p.F != fTxnCommit || p.Outcome != OK || p.Ret > o.Inv {
				continue
			}
			if done := n.txns.doneBy(w); done >= 0 && n.h.Ops[done].Ret < o.Inv {
				continue // decided, as other rules know
			}
			if n.mayBeDecided(w, o.Ret) {
				if end := n.txns.committedBy(w); end >= 0 && last < p.Inv {
					found = append(found, n.notSeen(i, tp, w, end))
				}
				continue
			}
			why := fmt.Sprintf("stable fetch (op %d) was answered for %s, although a transaction had offset %d of it pending (%s) and nothing can have ended it by then", o.ID, tp, p.In.Offsets[tp], n.says(w))
			suspects := append([]suspect{{op: i, anomaly: "unstable-offset-read", why: why}}, n.txns.refusedEnds(w, o.Ret, false)...)
			found = append(found, newConflict(suspects...).with(w))
		}
	}
	return found
}

// lastWrite is the event by which every write of a number that a fetch may have
// read was answered; -1 if there was none.
func (n *offsetFacts) lastWrite(read int, writes []int) int {
	last := -1
	for _, w := range writes {
		if p := &n.h.Ops[w]; p.Inv < n.h.Ops[read].Ret {
			last = max(last, p.answeredAt())
		}
	}
	return last
}

// notSeen: a stable fetch was answered, so that what was committed was decided by
// then; but it returned what had been written before.
func (n *offsetFacts) notSeen(read int, tp string, w, end int) conflict {
	o := &n.h.Ops[read]
	why := fmt.Sprintf("stable fetch (op %d) returned %d for %s, although offset %d was brought after every write of that (%s) and committed (%s)",
		o.ID, o.Out.Offsets[tp], tp, n.h.Ops[w].In.Offsets[tp], n.says(w), n.says(end))
	return newConflict(suspect{op: read, anomaly: "offset-regression", why: why}, suspect{op: w, anomaly: "offset-regression", why: why},
		suspect{op: end, anomaly: "offset-regression", why: why})
}

// early: a fetch returned a number that only transactions wrote, and none of
// them can have been committed by then.
func (n *offsetFacts) early(i int, tp string, writes []int) (conflict, bool) {
	o := &n.h.Ops[i]
	late, aborted, w := -1, -1, -1
	for _, x := range writes {
		p := &n.h.Ops[x]
		if p.Inv > o.Ret {
			continue
		}
		if p.F != fTxnCommit {
			return conflict{}, false
		}
		if a := n.abortOf(x); a >= 0 {
			w, aborted = x, a
			continue
		}
		for _, end := range n.txns.endsOf(x, true) {
			if n.h.Ops[end].Inv < o.Ret {
				return conflict{}, false
			}
			if late < 0 {
				late = end
			}
		}
		w = x
	}
	if w < 0 {
		return conflict{}, false // nobody wrote it: another rule
	}
	p := &n.h.Ops[w]
	why := fmt.Sprintf("fetch (op %d) returned %d for %s, which only a transaction of %s had brought (op %d)", o.ID, o.Out.Offsets[tp], tp, p.In.Txn, p.ID)
	proof := []int{w}
	switch {
	case aborted >= 0:
		why += fmt.Sprintf(", and %s, an abort", n.says(aborted))
		proof = append(proof, aborted)
	case late >= 0:
		why += fmt.Sprintf(", before EndTxn(commit) was invoked (op %d)", n.h.Ops[late].ID)
		proof = append(proof, late)
	default:
		why += ", and no EndTxn(commit) of it was accepted"
	}
	suspects := append([]suspect{{op: i, anomaly: "early-offset", why: why}}, n.txns.refusedEnds(w, o.Ret, true)...)
	return newConflict(suspects...).with(proof...), true
}

// abortOf is an accepted abort of the one transaction that a write can belong
// to; -1 if there is none.
func (n *offsetFacts) abortOf(w int) int {
	if !n.txns.identified(n.h.Ops[w].In.PID) {
		return -1
	}
	for _, end := range n.txns.endsOf(w, false) {
		if n.h.Ops[end].Outcome == OK {
			return end
		}
	}
	return -1
}

// mayBeDecided tells whether something can have ended a write's transaction
// before an event: EndTxn, a new owner, or its timeout.
func (n *offsetFacts) mayBeDecided(w, event int) bool {
	p := &n.h.Ops[w]
	began := p.Inv
	for _, i := range n.txns.by[p.In.PID].ops {
		o := &n.h.Ops[i]
		if o.In.PID == p.In.PID && o.In.Epoch == p.In.Epoch && o.F != fInit {
			began = min(began, o.Inv)
		}
	}
	for _, i := range n.txns.by[p.In.PID].ends[p.In.Epoch] {
		e := &n.h.Ops[i]
		if e.Outcome == Failed && !e.open() {
			continue
		}
		if !n.txns.bumps(e) && n.txns.endedBefore(i, w) {
			began = max(began, e.Inv)
			continue
		}
		if e.Inv < event {
			return true
		}
	}
	return n.fencedBefore(p, event) || n.timedOut(p.In.Txn, began, event)
}

// fencedBefore tells whether a new owner can have ended the transaction of a
// write before an event. It may have done so before the write even, which then
// came before the marker.
func (n *offsetFacts) fencedBefore(w *Op, event int) bool {
	s := n.txns.by[w.In.PID]
	given := never
	for _, i := range s.ops {
		if o := &n.h.Ops[i]; o.Outcome == OK && o.Out.PID == w.In.PID && o.Out.Epoch == w.In.Epoch {
			given = min(given, o.Inv)
		}
	}
	if given == never {
		given = 0
	}
	return slices.ContainsFunc(n.txns.ops, func(i int) bool {
		o := &n.h.Ops[i]
		switch {
		case o.F != fInit || o.In.Txn != w.In.Txn || o.Inv > event || o.refusedAs("PRODUCER_FENCED") || o.answeredAt() < given:
			return false
		case o.Outcome == OK && o.Out.PID == w.In.PID && o.Out.Epoch <= w.In.Epoch:
			return false
		}
		return !slices.ContainsFunc(s.adds[w.In.Epoch], func(k int) bool { // the epoch was the same later
			return n.h.Ops[k].Inv > o.answeredAt()
		})
	})
}

// timedOut tells whether a transaction that began after one event can have timed
// out before another.
func (n *offsetFacts) timedOut(id string, began, event int) bool {
	from, to := n.h.Events[began].T, n.h.Events[event].T
	limit := txnTimeout(n.h, n.txns.part, id)
	return !n.txns.clock.trusted || from < 0 || to < 0 || to-from >= limit-clockGrain
}

// judgeUnstable: a stable fetch was refused, and every transaction that brought
// offsets of the partition was over.
func (n *offsetFacts) judgeUnstable(i int, tp string, r *register) []conflict {
	o := &n.h.Ops[i]
	last, by := -1, -1
	for _, all := range r.writes {
		for _, w := range all {
			p := &n.h.Ops[w]
			if p.F != fTxnCommit || p.Inv > o.Ret {
				continue
			}
			done := n.txns.doneBy(w)
			if done < 0 || n.h.Ops[done].Ret > o.Inv {
				return nil
			}
			if last < 0 || p.Inv > n.h.Ops[last].Inv {
				last, by = w, done
			}
		}
	}
	if last < 0 {
		why := fmt.Sprintf("stable fetch (op %d) was refused for %s, of which no transaction had brought an offset", o.ID, tp)
		return []conflict{newConflict(suspect{op: i, anomaly: "unjustified-fence", why: why})}
	}
	why := fmt.Sprintf("stable fetch (op %d) was refused for %s, although every transaction that had brought an offset of it was over: the last by %s, as %s", o.ID, tp, n.says(last), n.says(by))
	return []conflict{newConflict(suspect{op: i, anomaly: "hanging-txn", why: why}, suspect{op: by, anomaly: "hanging-txn", why: why, unlikely: true}).with(last)}
}
