package linearize

import (
	"fmt"
	"slices"
)

// Offsets of a transaction are pending until its marker: a plain fetch does not
// see them, a stable one is refused.

// installedAt is the event by which a commit of offsets certainly took effect,
// unless a newer one had; never if that is not certain.
func (t *txnFacts) installedAt(i int) int {
	o := &t.h.Ops[i]
	switch {
	case o.open():
		return never
	case o.F == fCommit:
		return o.Ret
	}
	if done := t.doneBy(i); done >= 0 && t.committedBy(i) >= 0 {
		return t.h.Ops[done].Ret
	}
	return never
}

// unstable lists the partitions for which a fetch was refused because a
// transaction was undecided.
func (o *Op) unstable() []string {
	if o.refusedAs(unstable) {
		return o.In.Partitions
	}
	return sortedKeys(o.Out.Errs)
}

// judgeOffset judges one number that a fetch returned against the transactions.
func (t *txnFacts) judgeOffset(i int, tp string, r *register) []conflict {
	o := &t.h.Ops[i]
	var found []conflict
	if c, bad := t.early(i, tp, r.writes[o.Out.Offsets[tp]]); bad {
		found = append(found, c)
	}
	if !o.In.Stable {
		return found
	}
	last := t.lastWrite(i, r.writes[o.Out.Offsets[tp]])
	for _, all := range r.writes {
		for _, w := range all {
			p := &t.h.Ops[w]
			if p.F != fTxnCommit || p.Outcome != OK || p.Ret > o.Inv {
				continue
			}
			if done := t.doneBy(w); done >= 0 && t.h.Ops[done].Ret < o.Inv {
				continue // decided, as other rules know
			}
			if t.mayBeDecided(w, o.Ret) {
				if end := t.committedBy(w); end >= 0 && last < p.Inv {
					found = append(found, t.notSeen(i, tp, w, end))
				}
				continue
			}
			why := fmt.Sprintf("stable fetch (op %d) was answered for %s, although a transaction had offset %d of it pending (%s) and nothing can have ended it by then", o.ID, tp, p.In.Offsets[tp], t.says(w))
			suspects := append([]suspect{{op: i, anomaly: "unstable-offset-read", why: why}}, t.refusedEnds(w, o.Ret, false)...)
			found = append(found, newConflict(suspects...).with(w))
		}
	}
	return found
}

// lastWrite is the event by which every write of a number that a fetch may have
// read was answered; -1 if there was none.
func (t *txnFacts) lastWrite(read int, writes []int) int {
	last := -1
	for _, w := range writes {
		if p := &t.h.Ops[w]; p.Inv < t.h.Ops[read].Ret {
			last = max(last, p.answeredAt())
		}
	}
	return last
}

// notSeen: a stable fetch was answered, so that what was committed was decided by
// then; but it returned what had been written before.
func (t *txnFacts) notSeen(read int, tp string, w, end int) conflict {
	o := &t.h.Ops[read]
	why := fmt.Sprintf("stable fetch (op %d) returned %d for %s, although offset %d was brought after every write of that (%s) and committed (%s)",
		o.ID, o.Out.Offsets[tp], tp, t.h.Ops[w].In.Offsets[tp], t.says(w), t.says(end))
	return newConflict(suspect{op: read, anomaly: "offset-regression", why: why}, suspect{op: w, anomaly: "offset-regression", why: why},
		suspect{op: end, anomaly: "offset-regression", why: why})
}

// early: a fetch returned a number that only transactions wrote, and none of
// them can have been committed by then.
func (t *txnFacts) early(i int, tp string, writes []int) (conflict, bool) {
	o := &t.h.Ops[i]
	late, aborted, w := -1, -1, -1
	for _, x := range writes {
		p := &t.h.Ops[x]
		if p.Inv > o.Ret {
			continue
		}
		if p.F != fTxnCommit {
			return conflict{}, false
		}
		if a := t.abortOf(x); a >= 0 {
			w, aborted = x, a
			continue
		}
		for _, end := range t.endsOf(x, true) {
			if t.h.Ops[end].Inv < o.Ret {
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
	p := &t.h.Ops[w]
	why := fmt.Sprintf("fetch (op %d) returned %d for %s, which only a transaction of %s had brought (op %d)", o.ID, o.Out.Offsets[tp], tp, p.In.Txn, p.ID)
	proof := []int{w}
	switch {
	case aborted >= 0:
		why += fmt.Sprintf(", and %s, an abort", t.says(aborted))
		proof = append(proof, aborted)
	case late >= 0:
		why += fmt.Sprintf(", before EndTxn(commit) was invoked (op %d)", t.h.Ops[late].ID)
		proof = append(proof, late)
	default:
		why += ", and no EndTxn(commit) of it was accepted"
	}
	suspects := append([]suspect{{op: i, anomaly: "early-offset", why: why}}, t.refusedEnds(w, o.Ret, true)...)
	return newConflict(suspects...).with(proof...), true
}

// abortOf is an accepted abort of the one transaction that a write can belong
// to; -1 if there is none.
func (t *txnFacts) abortOf(w int) int {
	if !t.identified(t.h.Ops[w].In.PID) {
		return -1
	}
	for _, end := range t.endsOf(w, false) {
		if t.h.Ops[end].Outcome == OK {
			return end
		}
	}
	return -1
}

// mayBeDecided tells whether something can have ended a write's transaction
// before an event: EndTxn, a new owner, or its timeout.
func (t *txnFacts) mayBeDecided(w, event int) bool {
	p := &t.h.Ops[w]
	began := p.Inv
	for _, i := range t.by[p.In.PID].ops {
		o := &t.h.Ops[i]
		if o.In.PID == p.In.PID && o.In.Epoch == p.In.Epoch && o.F != fInit {
			began = min(began, o.Inv)
		}
	}
	for _, i := range t.by[p.In.PID].ends[p.In.Epoch] {
		e := &t.h.Ops[i]
		if e.Outcome == Failed && !e.open() {
			continue
		}
		if !t.bumps(e) && t.endedBefore(i, w) {
			began = max(began, e.Inv)
			continue
		}
		if e.Inv < event {
			return true
		}
	}
	return t.fencedBefore(p, event) || t.timedOut(p.In.Txn, began, event)
}

// fencedBefore tells whether a new owner can have ended the transaction of a
// write before an event. It may have done so before the write even, which then
// came before the marker.
func (t *txnFacts) fencedBefore(w *Op, event int) bool {
	s := t.by[w.In.PID]
	given := never
	for _, i := range s.ops {
		if o := &t.h.Ops[i]; o.Outcome == OK && o.Out.PID == w.In.PID && o.Out.Epoch == w.In.Epoch {
			given = min(given, o.Inv)
		}
	}
	if given == never {
		given = 0
	}
	return slices.ContainsFunc(t.ops, func(i int) bool {
		o := &t.h.Ops[i]
		switch {
		case o.F != fInit || o.In.Txn != w.In.Txn || o.Inv > event || o.refusedAs("PRODUCER_FENCED") || o.answeredAt() < given:
			return false
		case o.Outcome == OK && o.Out.PID == w.In.PID && o.Out.Epoch <= w.In.Epoch:
			return false
		}
		return !slices.ContainsFunc(s.adds[w.In.Epoch], func(k int) bool { // the epoch was the same later
			return t.h.Ops[k].Inv > o.answeredAt()
		})
	})
}

// timedOut tells whether a transaction that began after one event can have timed
// out before another.
func (t *txnFacts) timedOut(id string, began, event int) bool {
	from, to := t.h.Events[began].T, t.h.Events[event].T
	limit := t.h.txnTimeout(t.part, id)
	return !t.clock.trusted || from < 0 || to < 0 || to-from >= limit-clockGrain
}

// txnTimeout is the shortest timeout of a transactional id's transactions.
func (h *History) txnTimeout(c component, id string) int64 {
	limit := int64(-1)
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fInit && o.In.Txn == id {
			to := o.In.Timeout
			if to == 0 {
				to = h.Header.TxnTimeout
			}
			if limit < 0 || to < limit {
				limit = to
			}
		}
	}
	return max(0, limit)
}

// judgeUnstable: a stable fetch was refused, and every transaction that brought
// offsets of the partition was over.
func (t *txnFacts) judgeUnstable(i int, tp string, r *register) []conflict {
	o := &t.h.Ops[i]
	last, by := -1, -1
	for _, all := range r.writes {
		for _, w := range all {
			p := &t.h.Ops[w]
			if p.F != fTxnCommit || p.Inv > o.Ret {
				continue
			}
			done := t.doneBy(w)
			if done < 0 || t.h.Ops[done].Ret > o.Inv {
				return nil
			}
			if last < 0 || p.Inv > t.h.Ops[last].Inv {
				last, by = w, done
			}
		}
	}
	if last < 0 {
		why := fmt.Sprintf("stable fetch (op %d) was refused for %s, of which no transaction had brought an offset", o.ID, tp)
		return []conflict{newConflict(suspect{op: i, anomaly: "unjustified-fence", why: why})}
	}
	why := fmt.Sprintf("stable fetch (op %d) was refused for %s, although every transaction that had brought an offset of it was over: the last by %s, as %s", o.ID, tp, t.says(last), t.says(by))
	return []conflict{newConflict(suspect{op: i, anomaly: "hanging-txn", why: why}, suspect{op: by, anomaly: "hanging-txn", why: why, unlikely: true}).with(last)}
}
