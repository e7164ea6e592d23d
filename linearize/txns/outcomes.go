package txns

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// A record's transaction ends with the next marker of its producer. Who reads
// only what is decided sees it after a COMMIT marker, and never after another.

// endKey is what endsOf is asked.
type endKey struct {
	write  int
	commit bool
}

// EndsOf lists the EndTxns that may have written a marker of the given kind for
// what a batch or commit of offsets wrote: accepted, or without an answer.
func (t *Facts) EndsOf(write int, commit bool) []int {
	all, known := t.known[endKey{write, commit}]
	o := &t.H.Ops[write]
	s := t.Producers[o.In.PID]
	if known || s == nil {
		return all
	}
	for i, e := range t.H.Each(s.Ends[o.In.Epoch]) {
		if e.In.Commit != commit || !e.Open() && e.Outcome != kfh.OK {
			continue
		}
		if !t.Bumps(e) && (t.EndedBefore(i, write) || commit && t.abortedBetween(write, i)) {
			continue
		}
		all = append(all, i)
	}
	t.known[endKey{write, commit}] = all
	return all
}

// EndedBefore tells, where epochs do not, that a transaction was ended and had
// its markers before a write was sent.
func (t *Facts) EndedBefore(end, write int) bool {
	e, w := &t.H.Ops[end], &t.H.Ops[write]
	if e.AnsweredAt() >= w.Inv {
		return false
	}
	return slices.ContainsFunc(t.Producers[e.In.PID].Adds[e.In.Epoch], func(i int) bool {
		o := &t.H.Ops[i]
		return o.Inv > e.Ret && o.Ret < w.Inv
	})
}

// abortedBetween tells, where epochs do not, that what was written had been
// aborted before an EndTxn was sent.
func (t *Facts) abortedBetween(write, end int) bool {
	w, e := &t.H.Ops[write], &t.H.Ops[end]
	return slices.ContainsFunc(t.Producers[w.In.PID].Ends[w.In.Epoch], func(i int) bool {
		a := &t.H.Ops[i]
		return !a.In.Commit && a.Outcome == kfh.OK && !t.Bumps(a) && a.Inv > w.AnsweredAt() && a.Ret < e.Inv
	})
}

// DoneBy is the first request whose answer proves that what was written is
// decided, with its marker; -1 if there is none.
func (t *Facts) DoneBy(write int) int {
	if done, known := t.done[write]; known {
		return done
	}
	w := &t.H.Ops[write]
	s := t.Producers[w.In.PID]
	best := t.over(w.In.PID, w.In.Epoch)
	for _, e := range t.H.Each(s.Ends[w.In.Epoch]) {
		if t.Identified(w.In.PID) || e.Outcome != kfh.OK || e.Inv < w.AnsweredAt() {
			continue
		}
		for _, y := range s.Adds[w.In.Epoch] {
			if o := &t.H.Ops[y]; o.Inv > e.Ret && (best < 0 || o.Ret < t.H.Ops[best].Ret) {
				best = y
			}
		}
		break
	}
	t.done[write] = best
	return best
}

// decided judges what read_committed fetches show and hide.
func (t *Facts) decided(v *logView) []proof.Conflict {
	var found []proof.Conflict
	for i, o := range t.H.Each(v.reads) {
		if !o.In.Committed {
			continue
		}
		judge := func(offset int64, rule func(*logView, int, entry) (proof.Conflict, bool)) {
			e := v.entries[offset]
			if len(found) >= proof.MaxConflicts || e.from.op < 0 || v.lost[offset] {
				return
			}
			if c, bad := rule(v, i, e); bad {
				found = append(found, c)
			}
		}
		for _, r := range o.Out.Records {
			judge(r.Offset, t.shownEarly)
		}
		for _, offset := range v.within(o.In.From, o.Next()) {
			if !o.Returned(offset) {
				judge(offset, t.hidden)
			}
		}
	}
	return found
}

// shownEarly: a record is visible, and no commit can have made it so.
func (t *Facts) shownEarly(v *logView, read int, e entry) (proof.Conflict, bool) {
	o := &t.H.Ops[read]
	if !e.from.txn {
		return proof.Conflict{}, false
	}
	commits := t.EndsOf(e.from.op, true)
	at := func(name, why string) (proof.Conflict, bool) {
		why = fmt.Sprintf("read_committed fetch (op %d) returned %s at offset %d of %s, a record of producer %d epoch %d, %s", o.ID, e.value, e.offset, v.tp, e.from.pid, e.from.epoch, why)
		suspects := append([]proof.Suspect{{Op: read, Anomaly: name, Why: why}}, t.RefusedEnds(e.from.op, o.Ret, true)...)
		return proof.NewConflict(suspects...).With(e.from.op), true
	}
	if o.Out.LSO >= 0 && e.offset >= o.Out.LSO {
		return at("early-read", fmt.Sprintf("which lies after the last stable offset %d", o.Out.LSO))
	}
	if len(commits) == 0 {
		return at("aborted-read", "and no EndTxn(commit) of it was accepted")
	}
	if !slices.ContainsFunc(commits, func(i int) bool { return t.H.Ops[i].Inv < o.Ret }) {
		return at("early-read", fmt.Sprintf("before EndTxn(commit) was invoked (op %d)", t.H.Ops[commits[0]].ID))
	}
	if !t.Identified(e.from.pid) {
		return proof.Conflict{}, false
	}
	for _, a := range t.EndsOf(e.from.op, false) {
		if t.H.Ops[a].Outcome == kfh.OK {
			c, _ := at("aborted-read", "and "+t.Says(a)+", an abort")
			return c.With(a), true
		}
	}
	return proof.Conflict{}, false
}

// RefusedEnds suspects the refusals to end the transaction of what was written
// and later seen as if it had ended.
func (t *Facts) RefusedEnds(write, before int, commits bool) []proof.Suspect {
	w := &t.H.Ops[write]
	var all []proof.Suspect
	for i, o := range t.H.Each(t.Producers[w.In.PID].Ends[w.In.Epoch]) {
		if o.Outcome == kfh.Failed && !o.Open() && o.Inv < before && o.Ret > w.Inv && (o.In.Commit || !commits) {
			all = append(all, proof.Suspect{Op: i, Anomaly: "unjustified-fence", Why: fmt.Sprintf("%s, but what op %d wrote was decided", t.Says(i), w.ID)})
		}
	}
	return all
}

// hidden: a record below the end of a read_committed fetch is missing, so that
// it was aborted; but something says that it was committed.
func (t *Facts) hidden(v *logView, read int, e entry) (proof.Conflict, bool) {
	o := &t.H.Ops[read]
	at := func(name, why string, others ...int) (proof.Conflict, bool) {
		why = fmt.Sprintf("read_committed fetch (op %d) read %s up to offset %d without %s at %d, %s", o.ID, v.tp, o.Next(), e.value, e.offset, why)
		c := proof.NewConflict(proof.Suspect{Op: read, Anomaly: name, Why: why})
		for _, i := range others {
			c.Suspects = append(c.Suspects, proof.Suspect{Op: i, Anomaly: name, Why: why})
		}
		return c.With(append(others, e.from.op)...), true
	}
	if !e.from.txn {
		return at("lost-write", "which "+t.places(e)+" outside of any transaction")
	}
	if len(t.EndsOf(e.from.op, true)) == 0 {
		return proof.Conflict{}, false // whoever shows it is at fault
	}
	if by, shown := v.shown[e.offset]; shown {
		return at("lost-write", fmt.Sprintf("which op %d returned", t.H.Ops[by].ID), by)
	}
	if t.Identified(e.from.pid) {
		if tp, other, by := t.visibleOf(e.from.pid, e.from.epoch); by >= 0 {
			return at("torn-transaction", fmt.Sprintf("but op %d returned %s of %s, which producer %d wrote in the same epoch %d", t.H.Ops[by].ID, other, tp, e.from.pid, e.from.epoch), by)
		}
	}
	if i := t.CommittedBy(e.from.op); i >= 0 {
		return at("torn-transaction", "of a transaction that was committed: "+t.Says(i), i)
	}
	return proof.Conflict{}, false
}

// CommittedBy is an answer that proves what was written to be committed; -1 if
// there is none. Without an epoch of its own, a transaction is known by its
// time: an accepted commit covers what was written before it, if no abort can
// have come between. A fence would have raised the epoch.
func (t *Facts) CommittedBy(write int) int {
	w := &t.H.Ops[write]
	first := -1
	for _, i := range t.EndsOf(write, true) {
		c := &t.H.Ops[i]
		if c.Outcome != kfh.OK {
			continue
		}
		if t.Identified(w.In.PID) {
			return i
		}
		if c.Inv > w.AnsweredAt() && (first < 0 || c.Ret < t.H.Ops[first].Ret) {
			first = i
		}
	}
	if first < 0 || slices.ContainsFunc(t.EndsOf(write, false), func(i int) bool { return t.H.Ops[i].Inv < t.H.Ops[first].Ret }) {
		return -1
	}
	return first
}

// visibleOf finds a record of a pair that some read_committed fetch returned.
func (t *Facts) visibleOf(pid, epoch int64) (tp, value string, by int) {
	if t.visible == nil {
		t.visible = t.allVisible()
	}
	s, known := t.visible[pairOf{pid, epoch}]
	if !known {
		return "", "", -1
	}
	return s.tp, s.value, s.by
}

type pairOf struct{ pid, epoch int64 }

type sight struct {
	tp, value string
	by        int
}

func (t *Facts) allVisible() map[pairOf]sight {
	seen := map[pairOf]sight{}
	for i, o := range t.H.Each(t.Ops) {
		if o.F != kfh.Fetch || o.Outcome != kfh.OK || !o.In.Committed {
			continue
		}
		for _, r := range o.Out.Records {
			w := t.writers[o.In.Log][r.Value]
			if len(w) == 0 || !w[0].txn {
				continue
			}
			if _, known := seen[pairOf{w[0].pid, w[0].epoch}]; !known && !slices.ContainsFunc(w, func(b batch) bool { return !b.same(w[0]) }) {
				seen[pairOf{w[0].pid, w[0].epoch}] = sight{o.In.Log, r.Value, i}
			}
		}
	}
	return seen
}

// undecided judges the last stable offset, and the room for markers: a
// transaction that is over has its marker in every partition. The record at the
// last stable offset is the first of an open one.
func (t *Facts) undecided(v *logView) []proof.Conflict {
	var found []proof.Conflict
	for i, o := range t.H.Each(v.reads) {
		e, known := v.entries[o.Out.LSO]
		if !known || o.Out.LSO >= o.Out.HW || e.from.op < 0 || !e.from.txn {
			continue
		}
		if done := t.DoneBy(e.from.op); done >= 0 && t.H.Ops[done].Ret < o.Inv {
			why := fmt.Sprintf("fetch (op %d) found the last stable offset of %s at %d, where %s is; but the transaction of producer %d epoch %d was over, as %s",
				o.ID, v.tp, o.Out.LSO, e.value, e.from.pid, e.from.epoch, t.Says(done))
			found = append(found, proof.Between("hanging-txn", why, i, done).With(e.from.op))
		}
	}
	for _, offset := range v.offsets {
		if e := v.entries[offset]; e.from.op >= 0 && e.from.txn {
			found = append(found, t.noMarker(v, e)...)
		}
	}
	return found
}

// noMarker: a batch sent after a transaction was over lies right behind its last
// record, where a marker has to be.
func (t *Facts) noMarker(v *logView, e entry) []proof.Conflict {
	next, known := v.entries[e.offset+1]
	if !known || next.from.op < 0 || next.from.pid == e.from.pid && next.from.epoch == e.from.epoch {
		return nil
	}
	done := t.DoneBy(e.from.op)
	if done < 0 || t.H.Ops[next.from.op].Inv < t.H.Ops[done].Ret {
		return nil
	}
	why := fmt.Sprintf("%s of %s at offset %d follows %s at %d, although the transaction of producer %d epoch %d was over, as %s: its marker is missing",
		next.value, v.tp, next.offset, e.value, e.offset, e.from.pid, e.from.epoch, t.Says(done))
	return []proof.Conflict{proof.Between("hanging-txn", why, next.by, done).With(e.from.op)}
}
