package offsets

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/txns"
)

// Offsets of a transaction are pending until its marker: a plain fetch does not
// see them, a stable one is refused.

// installedAt is the event by which a commit of offsets certainly took effect,
// unless a newer one had; never if that is not certain.
func (n *facts) installedAt(i int) int {
	o := &n.H.Ops[i]
	switch {
	case o.Open():
		return kfh.Never
	case o.F == kfh.Commit:
		return o.Ret
	}
	if done := n.txns.DoneBy(i); done >= 0 && n.txns.CommittedBy(i) >= 0 {
		return n.H.Ops[done].Ret
	}
	return kfh.Never
}

// unstablePartitions lists those for which a fetch was refused because a
// transaction was undecided.
func unstablePartitions(o *kfh.Op) []string {
	if o.RefusedAs(kfh.UnstableOffsetCommit) {
		return o.In.Partitions
	}
	return kfh.SortedKeys(o.Out.Errs)
}

// judgeOffset judges one number that a fetch returned against the transactions.
func (n *facts) judgeOffset(i int, tp string, r *register) []proof.Conflict {
	o := &n.H.Ops[i]
	var found []proof.Conflict
	if c, bad := n.early(i, tp, r.writes[o.Out.Offsets[tp]]); bad {
		found = append(found, c)
	}
	if !o.In.Stable {
		return found
	}
	last := n.lastWrite(i, r.writes[o.Out.Offsets[tp]])
	for _, all := range r.writes {
		for _, w := range all {
			p := &n.H.Ops[w]
			if p.F != kfh.TxnCommit || p.Outcome != kfh.OK || p.Ret > o.Inv {
				continue
			}
			if done := n.txns.DoneBy(w); done >= 0 && n.H.Ops[done].Ret < o.Inv {
				continue // decided, as other rules know
			}
			if n.mayBeDecided(w, o.Ret) {
				if end := n.txns.CommittedBy(w); end >= 0 && last < p.Inv {
					found = append(found, n.notSeen(i, tp, w, end))
				}
				continue
			}
			why := fmt.Sprintf("stable fetch (op %d) was answered for %s, although a transaction had offset %d of it pending (%s) and nothing can have ended it by then", o.ID, tp, p.In.Offsets[tp], n.Says(w))
			suspects := append([]proof.Suspect{{Op: i, Anomaly: "unstable-offset-read", Why: why}}, n.txns.RefusedEnds(w, o.Ret, false)...)
			found = append(found, proof.NewConflict(suspects...).With(w))
		}
	}
	return found
}

// lastWrite is the event by which every write of a number that a fetch may have
// read was answered; -1 if there was none.
func (n *facts) lastWrite(read int, writes []int) int {
	last := -1
	for _, w := range writes {
		if p := &n.H.Ops[w]; p.Inv < n.H.Ops[read].Ret {
			last = max(last, p.AnsweredAt())
		}
	}
	return last
}

// notSeen: a stable fetch was answered, so that what was committed was decided by
// then; but it returned what had been written before.
func (n *facts) notSeen(read int, tp string, w, end int) proof.Conflict {
	o := &n.H.Ops[read]
	why := fmt.Sprintf("stable fetch (op %d) returned %d for %s, although offset %d was brought after every write of that (%s) and committed (%s)",
		o.ID, o.Out.Offsets[tp], tp, n.H.Ops[w].In.Offsets[tp], n.Says(w), n.Says(end))
	return proof.NewConflict(proof.Suspect{Op: read, Anomaly: "offset-regression", Why: why}, proof.Suspect{Op: w, Anomaly: "offset-regression", Why: why},
		proof.Suspect{Op: end, Anomaly: "offset-regression", Why: why})
}

// early: a fetch returned a number that only transactions wrote, and none of
// them can have been committed by then.
func (n *facts) early(i int, tp string, writes []int) (proof.Conflict, bool) {
	o := &n.H.Ops[i]
	late, aborted, w := -1, -1, -1
	for _, x := range writes {
		p := &n.H.Ops[x]
		if p.Inv > o.Ret {
			continue
		}
		if p.F != kfh.TxnCommit {
			return proof.Conflict{}, false
		}
		if a := n.abortOf(x); a >= 0 {
			w, aborted = x, a
			continue
		}
		for _, end := range n.txns.EndsOf(x, true) {
			if n.H.Ops[end].Inv < o.Ret {
				return proof.Conflict{}, false
			}
			if late < 0 {
				late = end
			}
		}
		w = x
	}
	if w < 0 {
		return proof.Conflict{}, false // nobody wrote it: another rule
	}
	p := &n.H.Ops[w]
	why := fmt.Sprintf("fetch (op %d) returned %d for %s, which only a transaction of %s had brought (op %d)", o.ID, o.Out.Offsets[tp], tp, p.In.Txn, p.ID)
	others := []int{w}
	switch {
	case aborted >= 0:
		why += fmt.Sprintf(", and %s, an abort", n.Says(aborted))
		others = append(others, aborted)
	case late >= 0:
		why += fmt.Sprintf(", before EndTxn(commit) was invoked (op %d)", n.H.Ops[late].ID)
		others = append(others, late)
	default:
		why += ", and no EndTxn(commit) of it was accepted"
	}
	suspects := append([]proof.Suspect{{Op: i, Anomaly: "early-offset", Why: why}}, n.txns.RefusedEnds(w, o.Ret, true)...)
	return proof.NewConflict(suspects...).With(others...), true
}

// abortOf is an accepted abort of the one transaction that a write can belong
// to; -1 if there is none.
func (n *facts) abortOf(w int) int {
	if !n.txns.Identified(n.H.Ops[w].In.PID) {
		return -1
	}
	for _, end := range n.txns.EndsOf(w, false) {
		if n.H.Ops[end].Outcome == kfh.OK {
			return end
		}
	}
	return -1
}

// mayBeDecided tells whether something can have ended a write's transaction
// before an event: EndTxn, a new owner, or its timeout.
func (n *facts) mayBeDecided(w, event int) bool {
	p := &n.H.Ops[w]
	began := p.Inv
	for _, o := range n.H.Each(n.txns.Producers[p.In.PID].Ops) {
		if o.In.PID == p.In.PID && o.In.Epoch == p.In.Epoch && o.F != kfh.InitPID {
			began = min(began, o.Inv)
		}
	}
	for i, e := range n.H.Each(n.txns.Producers[p.In.PID].Ends[p.In.Epoch]) {
		if e.Outcome == kfh.Failed && !e.Open() {
			continue
		}
		if !n.txns.Bumps(e) && n.txns.EndedBefore(i, w) {
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
func (n *facts) fencedBefore(w *kfh.Op, event int) bool {
	s := n.txns.Producers[w.In.PID]
	given := kfh.Never
	for _, o := range n.H.Each(s.Ops) {
		if o.Outcome == kfh.OK && o.Out.PID == w.In.PID && o.Out.Epoch == w.In.Epoch {
			given = min(given, o.Inv)
		}
	}
	if given == kfh.Never {
		given = 0
	}
	return slices.ContainsFunc(n.txns.Ops, func(i int) bool {
		o := &n.H.Ops[i]
		switch {
		case o.F != kfh.InitPID || o.In.Txn != w.In.Txn || o.Inv > event || o.RefusedAs("PRODUCER_FENCED") || o.AnsweredAt() < given:
			return false
		case o.Outcome == kfh.OK && o.Out.PID == w.In.PID && o.Out.Epoch <= w.In.Epoch:
			return false
		}
		return !slices.ContainsFunc(s.Adds[w.In.Epoch], func(k int) bool { // the epoch was the same later
			return n.H.Ops[k].Inv > o.AnsweredAt()
		})
	})
}

// timedOut tells whether a transaction that began after one event can have timed
// out before another.
func (n *facts) timedOut(id string, began, event int) bool {
	from, to := n.H.Events[began].T, n.H.Events[event].T
	limit := txns.Timeout(n.H, n.txns.Component, id)
	return !n.txns.Clock.Trusted || from < 0 || to < 0 || to-from >= limit-kfh.ClockGrain
}

// judgeUnstable: a stable fetch was refused, and every transaction that brought
// offsets of the partition was over.
func (n *facts) judgeUnstable(i int, tp string, r *register) []proof.Conflict {
	o := &n.H.Ops[i]
	last, by := -1, -1
	for _, all := range r.writes {
		for _, w := range all {
			p := &n.H.Ops[w]
			if p.F != kfh.TxnCommit || p.Inv > o.Ret {
				continue
			}
			done := n.txns.DoneBy(w)
			if done < 0 || n.H.Ops[done].Ret > o.Inv {
				return nil
			}
			if last < 0 || p.Inv > n.H.Ops[last].Inv {
				last, by = w, done
			}
		}
	}
	if last < 0 {
		why := fmt.Sprintf("stable fetch (op %d) was refused for %s, of which no transaction had brought an offset", o.ID, tp)
		return []proof.Conflict{proof.NewConflict(proof.Suspect{Op: i, Anomaly: "unjustified-fence", Why: why})}
	}
	why := fmt.Sprintf("stable fetch (op %d) was refused for %s, although every transaction that had brought an offset of it was over: the last by %s, as %s", o.ID, tp, n.Says(last), n.Says(by))
	return []proof.Conflict{proof.NewConflict(proof.Suspect{Op: i, Anomaly: "hanging-txn", Why: why}, proof.Suspect{Op: by, Anomaly: "hanging-txn", Why: why, Unlikely: true}).With(last)}
}
