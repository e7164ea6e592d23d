package linearize

import (
	"fmt"
	"slices"
)

// A record's transaction ends with the next marker of its producer. Who reads
// only what is decided sees it after a COMMIT marker, and never after another.

// endKey is what endsOf is asked.
type endKey struct {
	write  int
	commit bool
}

// endsOf lists the EndTxns that may have written a marker of the given kind for
// what a batch or commit of offsets wrote: accepted, or without an answer.
func (t *txnFacts) endsOf(write int, commit bool) []int {
	all, known := t.known[endKey{write, commit}]
	o := &t.h.Ops[write]
	s := t.by[o.In.PID]
	if known || s == nil {
		return all
	}
	for _, i := range s.ends[o.In.Epoch] {
		e := &t.h.Ops[i]
		if e.In.Commit != commit || !e.open() && e.Outcome != OK {
			continue
		}
		if !t.bumps(e) && (t.endedBefore(i, write) || commit && t.abortedBetween(write, i)) {
			continue
		}
		all = append(all, i)
	}
	t.known[endKey{write, commit}] = all
	return all
}

// endedBefore tells, where epochs do not, that a transaction was ended and had
// its markers before a write was sent.
func (t *txnFacts) endedBefore(end, write int) bool {
	e, w := &t.h.Ops[end], &t.h.Ops[write]
	if e.answeredAt() >= w.Inv {
		return false
	}
	return slices.ContainsFunc(t.by[e.In.PID].adds[e.In.Epoch], func(i int) bool {
		o := &t.h.Ops[i]
		return o.Inv > e.Ret && o.Ret < w.Inv
	})
}

// abortedBetween tells, where epochs do not, that what was written had been
// aborted before an EndTxn was sent.
func (t *txnFacts) abortedBetween(write, end int) bool {
	w, e := &t.h.Ops[write], &t.h.Ops[end]
	return slices.ContainsFunc(t.by[w.In.PID].ends[w.In.Epoch], func(i int) bool {
		a := &t.h.Ops[i]
		return !a.In.Commit && a.Outcome == OK && !t.bumps(a) && a.Inv > w.answeredAt() && a.Ret < e.Inv
	})
}

// doneBy is the first request whose answer proves that what was written is
// decided, with its marker; -1 if there is none.
func (t *txnFacts) doneBy(write int) int {
	if done, known := t.done[write]; known {
		return done
	}
	w := &t.h.Ops[write]
	s := t.by[w.In.PID]
	best := t.over(w.In.PID, w.In.Epoch)
	for _, i := range s.ends[w.In.Epoch] {
		e := &t.h.Ops[i]
		if t.identified(w.In.PID) || e.Outcome != OK || e.Inv < w.answeredAt() {
			continue
		}
		for _, y := range s.adds[w.In.Epoch] {
			if o := &t.h.Ops[y]; o.Inv > e.Ret && (best < 0 || o.Ret < t.h.Ops[best].Ret) {
				best = y
			}
		}
		break
	}
	t.done[write] = best
	return best
}

// decided judges what read_committed fetches show and hide.
func (t *txnFacts) decided(v *logView) []conflict {
	var found []conflict
	for _, i := range v.reads {
		o := &t.h.Ops[i]
		if !o.In.Committed {
			continue
		}
		judge := func(offset int64, rule func(*logView, int, entry) (conflict, bool)) {
			e := v.entries[offset]
			if len(found) >= maxConflicts || e.from.op < 0 || v.lost[offset] {
				return
			}
			if c, bad := rule(v, i, e); bad {
				found = append(found, c)
			}
		}
		for _, r := range o.Out.Records {
			judge(r.Offset, t.shownEarly)
		}
		for _, offset := range v.within(o.In.From, o.next()) {
			if !o.returned(offset) {
				judge(offset, t.hidden)
			}
		}
	}
	return found
}

// shownEarly: a record is visible, and no commit can have made it so.
func (t *txnFacts) shownEarly(v *logView, read int, e entry) (conflict, bool) {
	o := &t.h.Ops[read]
	if !e.from.txn {
		return conflict{}, false
	}
	commits := t.endsOf(e.from.op, true)
	at := func(name, why string) (conflict, bool) {
		why = fmt.Sprintf("read_committed fetch (op %d) returned %s at offset %d of %s, a record of producer %d epoch %d, %s", o.ID, e.value, e.offset, v.tp, e.from.pid, e.from.epoch, why)
		suspects := append([]suspect{{op: read, anomaly: name, why: why}}, t.refusedEnds(e.from.op, o.Ret, true)...)
		return newConflict(suspects...).with(e.from.op), true
	}
	if o.Out.LSO >= 0 && e.offset >= o.Out.LSO {
		return at("early-read", fmt.Sprintf("which lies after the last stable offset %d", o.Out.LSO))
	}
	if len(commits) == 0 {
		return at("aborted-read", "and no EndTxn(commit) of it was accepted")
	}
	if !slices.ContainsFunc(commits, func(i int) bool { return t.h.Ops[i].Inv < o.Ret }) {
		return at("early-read", fmt.Sprintf("before EndTxn(commit) was invoked (op %d)", t.h.Ops[commits[0]].ID))
	}
	if !t.identified(e.from.pid) {
		return conflict{}, false
	}
	for _, a := range t.endsOf(e.from.op, false) {
		if t.h.Ops[a].Outcome == OK {
			c, _ := at("aborted-read", "and "+t.says(a)+", an abort")
			return c.with(a), true
		}
	}
	return conflict{}, false
}

// refusedEnds suspects the refusals to end the transaction of what was written
// and later seen as if it had ended.
func (t *txnFacts) refusedEnds(write, before int, commits bool) []suspect {
	w := &t.h.Ops[write]
	var all []suspect
	for _, i := range t.by[w.In.PID].ends[w.In.Epoch] {
		o := &t.h.Ops[i]
		if o.Outcome == Failed && !o.open() && o.Inv < before && o.Ret > w.Inv && (o.In.Commit || !commits) {
			all = append(all, suspect{op: i, anomaly: "unjustified-fence", why: fmt.Sprintf("%s, but what op %d wrote was decided", t.says(i), w.ID)})
		}
	}
	return all
}

// hidden: a record below the end of a read_committed fetch is missing, so that
// it was aborted; but something says that it was committed.
func (t *txnFacts) hidden(v *logView, read int, e entry) (conflict, bool) {
	o := &t.h.Ops[read]
	at := func(name, why string, others ...int) (conflict, bool) {
		why = fmt.Sprintf("read_committed fetch (op %d) read %s up to offset %d without %s at %d, %s", o.ID, v.tp, o.next(), e.value, e.offset, why)
		c := newConflict(suspect{op: read, anomaly: name, why: why})
		for _, i := range others {
			c.suspects = append(c.suspects, suspect{op: i, anomaly: name, why: why})
		}
		return c.with(append(others, e.from.op)...), true
	}
	if !e.from.txn {
		return at("lost-write", "which "+t.places(e)+" outside of any transaction")
	}
	if len(t.endsOf(e.from.op, true)) == 0 {
		return conflict{}, false // whoever shows it is at fault
	}
	if by, shown := v.shown[e.offset]; shown {
		return at("lost-write", fmt.Sprintf("which op %d returned", t.h.Ops[by].ID), by)
	}
	if t.identified(e.from.pid) {
		if tp, other, by := t.visibleOf(e.from.pid, e.from.epoch); by >= 0 {
			return at("torn-transaction", fmt.Sprintf("but op %d returned %s of %s, which producer %d wrote in the same epoch %d", t.h.Ops[by].ID, other, tp, e.from.pid, e.from.epoch), by)
		}
	}
	if i := t.committedBy(e.from.op); i >= 0 {
		return at("torn-transaction", "of a transaction that was committed: "+t.says(i), i)
	}
	return conflict{}, false
}

// committedBy is an answer that proves what was written to be committed; -1 if
// there is none. Without an epoch of its own, a transaction is known by its
// time: an accepted commit covers what was written before it, if no abort can
// have come between. A fence would have raised the epoch.
func (t *txnFacts) committedBy(write int) int {
	w := &t.h.Ops[write]
	first := -1
	for _, i := range t.endsOf(write, true) {
		c := &t.h.Ops[i]
		if c.Outcome != OK {
			continue
		}
		if t.identified(w.In.PID) {
			return i
		}
		if c.Inv > w.answeredAt() && (first < 0 || c.Ret < t.h.Ops[first].Ret) {
			first = i
		}
	}
	if first < 0 || slices.ContainsFunc(t.endsOf(write, false), func(i int) bool { return t.h.Ops[i].Inv < t.h.Ops[first].Ret }) {
		return -1
	}
	return first
}

// visibleOf finds a record of a pair that some read_committed fetch returned.
func (t *txnFacts) visibleOf(pid, epoch int64) (tp, value string, by int) {
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

func (t *txnFacts) allVisible() map[pairOf]sight {
	writer := map[string]map[string][]batch{}
	for tp, all := range t.batches {
		writer[tp] = map[string][]batch{}
		for _, b := range all {
			for _, value := range t.h.Ops[b.op].In.Values {
				writer[tp][value] = append(writer[tp][value], b)
			}
		}
	}
	seen := map[pairOf]sight{}
	for _, i := range t.ops {
		o := &t.h.Ops[i]
		if o.F != fRead || o.Outcome != OK || !o.In.Committed {
			continue
		}
		for _, r := range o.Out.Records {
			w := writer[o.In.Log][r.Value]
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
func (t *txnFacts) undecided(v *logView) []conflict {
	var found []conflict
	for _, i := range v.reads {
		o := &t.h.Ops[i]
		e, known := v.entries[o.Out.LSO]
		if !known || o.Out.LSO >= o.Out.HW || e.from.op < 0 || !e.from.txn {
			continue
		}
		if done := t.doneBy(e.from.op); done >= 0 && t.h.Ops[done].Ret < o.Inv {
			why := fmt.Sprintf("fetch (op %d) found the last stable offset of %s at %d, where %s is; but the transaction of producer %d epoch %d was over, as %s",
				o.ID, v.tp, o.Out.LSO, e.value, e.from.pid, e.from.epoch, t.says(done))
			found = append(found, newConflict(suspect{op: i, anomaly: "hanging-txn", why: why}, suspect{op: done, anomaly: "hanging-txn", why: why}).with(e.from.op))
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
func (t *txnFacts) noMarker(v *logView, e entry) []conflict {
	next, known := v.entries[e.offset+1]
	if !known || next.from.op < 0 || next.from.pid == e.from.pid && next.from.epoch == e.from.epoch {
		return nil
	}
	done := t.doneBy(e.from.op)
	if done < 0 || t.h.Ops[next.from.op].Inv < t.h.Ops[done].Ret {
		return nil
	}
	why := fmt.Sprintf("%s of %s at offset %d follows %s at %d, although the transaction of producer %d epoch %d was over, as %s: its marker is missing",
		next.value, v.tp, next.offset, e.value, e.offset, e.from.pid, e.from.epoch, t.says(done))
	return []conflict{newConflict(suspect{op: next.by, anomaly: "hanging-txn", why: why}, suspect{op: done, anomaly: "hanging-txn", why: why}).with(e.from.op)}
}
