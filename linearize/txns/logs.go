package txns

import (
	"cmp"
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// A log is the simplest witness: an offset holds one record for ever, so what
// two answers say about it needs no order. Only what is decided later, the
// outcome of a transaction, has a time.

// batch is a Produce as far as the log is concerned.
type batch struct {
	op    int
	pid   int64
	epoch int64
	seq   int64
	n     int64 // records
	txn   bool
}

// same tells of two attempts to append one batch.
func (b batch) same(c batch) bool {
	return b.pid >= 0 && b.pid == c.pid && b.epoch == c.epoch && b.seq == c.seq && b.n == c.n
}

func (t *Facts) addBatch(i int) {
	o := &t.H.Ops[i]
	b := batch{op: i, pid: o.In.PID, epoch: o.In.Epoch, seq: o.In.Seq, n: int64(len(o.In.Values)), txn: o.In.Txn != ""}
	t.batches[o.In.Log] = append(t.batches[o.In.Log], b)
	if t.writers[o.In.Log] == nil {
		t.writers[o.In.Log] = map[string][]batch{}
	}
	for _, value := range o.In.Values {
		t.writers[o.In.Log][value] = append(t.writers[o.In.Log][value], b)
	}
}

// entry is a record whose place is known.
type entry struct {
	offset int64
	value  string
	by     int   // the answer that tells it: of a Produce, else of a fetch
	from   batch // the one batch that can have brought it; op -1 if unknown
}

// logView is one partition.
type logView struct {
	tp      string
	batches []batch
	entries map[int64]entry
	claims  []entry            // all that was said of places, in its order
	offsets []int64            // of the entries, rising
	writers map[string][]batch // by value
	reads   []int
	shown   map[int64]int // the first read_committed fetch that returned an offset
	lost    map[int64]bool
}

// log judges one partition.
func (t *Facts) log(c kfh.Component) []proof.Conflict {
	v := &logView{tp: c.Name, batches: t.batches[c.Name], entries: map[int64]entry{}, writers: t.writers[c.Name], shown: map[int64]int{}, lost: map[int64]bool{}}
	for i, o := range t.H.Each(c.Ops) {
		if o.F == kfh.Fetch && o.Outcome == kfh.OK {
			v.reads = append(v.reads, i)
		}
	}
	found := t.place(v)
	for _, rule := range []func(*logView) []proof.Conflict{t.twice, t.unwrittenRecords, t.skipped, t.decided, t.undecided, t.order, t.sequences} {
		found = append(found, rule(v)...)
	}
	return found[:min(len(found), 4*proof.MaxConflicts)]
}

// place collects the places of records, and finds two records at one place.
func (t *Facts) place(v *logView) []proof.Conflict {
	var found []proof.Conflict
	put := func(offset int64, value string, by int) {
		e, known := v.entries[offset]
		claim := entry{offset, value, by, t.writer(v, value)}
		switch {
		case !known:
			v.entries[offset] = claim
			v.offsets = append(v.offsets, offset)
			v.claims = append(v.claims, claim)
		case e.value != value && len(found) < proof.MaxConflicts:
			v.claims = append(v.claims, claim)
			why := fmt.Sprintf("offset %d of %s holds %s by op %d and %s by op %d", offset, v.tp, e.value, t.H.Ops[e.by].ID, value, t.H.Ops[by].ID)
			found = append(found, proof.Between("inconsistent-offsets", why, by, e.by))
		}
	}
	for _, b := range v.batches {
		if o := &t.H.Ops[b.op]; o.Outcome == kfh.OK && o.Out.Base >= 0 {
			for k, value := range o.In.Values {
				put(o.Out.Base+int64(k), value, b.op)
			}
		}
	}
	for i, o := range t.H.Each(v.reads) {
		for _, r := range o.Out.Records {
			put(r.Offset, r.Value, i)
			if _, known := v.shown[r.Offset]; !known && o.In.Committed {
				v.shown[r.Offset] = i
			}
		}
	}
	slices.Sort(v.offsets)
	return found
}

// writer is the one batch that can have brought a value, by the first request
// that may have appended it; its op is -1 if there are several.
func (t *Facts) writer(v *logView, value string) batch {
	if v.once(value) {
		for _, b := range v.writers[value] {
			if o := &t.H.Ops[b.op]; o.Open() || o.Outcome == kfh.OK {
				return b
			}
		}
	}
	return batch{op: -1}
}

// within lists the known records from one offset to before another.
func (v *logView) within(from, to int64) []int64 {
	a, _ := slices.BinarySearch(v.offsets, from)
	b, _ := slices.BinarySearch(v.offsets, to)
	return v.offsets[a:max(a, b)]
}

// once tells whether only one batch, repeated or not, can have brought a value.
func (v *logView) once(value string) bool {
	w := v.writers[value]
	for _, b := range w[min(1, len(w)):] {
		if !b.same(w[0]) {
			return false
		}
	}
	return len(w) > 0
}

// twice finds a value at two offsets, though one batch brought it.
func (t *Facts) twice(v *logView) []proof.Conflict {
	var found []proof.Conflict
	at := map[string]entry{}
	for _, e := range v.claims {
		a, known := at[e.value]
		if !known {
			at[e.value] = e
			continue
		}
		if a.offset == e.offset || !v.once(e.value) || len(found) >= proof.MaxConflicts {
			continue
		}
		why := fmt.Sprintf("%s is at offset %d of %s by op %d and at offset %d by op %d, and one batch brought it", e.value, a.offset, v.tp, t.H.Ops[a.by].ID, e.offset, t.H.Ops[e.by].ID)
		name := "duplicate"
		if t.H.Ops[a.by].F == kfh.Produce && t.H.Ops[e.by].F == kfh.Produce {
			name = "sequence-break" // a repeated batch was appended again
		}
		found = append(found, proof.Between(name, why, e.by, a.by))
	}
	return found
}

// unwrittenRecords finds records that nobody can have written by then.
func (t *Facts) unwrittenRecords(v *logView) []proof.Conflict {
	var found []proof.Conflict
	for i, o := range t.H.Each(v.reads) {
		for _, r := range o.Out.Records {
			w := v.writers[r.Value]
			if slices.ContainsFunc(w, func(b batch) bool {
				p := &t.H.Ops[b.op]
				return p.Inv < o.Ret && (p.Open() || p.Outcome == kfh.OK)
			}) || len(found) >= proof.MaxConflicts {
				continue
			}
			c := proof.NewConflict(proof.Suspect{Op: i, Anomaly: "garbage-read", Why: fmt.Sprintf("fetch (op %d) returned %s of %s, which nobody had produced", o.ID, r.Value, v.tp)})
			for _, b := range w {
				if p := &t.H.Ops[b.op]; p.Inv < o.Ret {
					c = proof.NewConflict(proof.Suspect{Op: i, Anomaly: "aborted-read", Why: fmt.Sprintf("fetch (op %d) returned %s of %s, but %s", o.ID, r.Value, v.tp, t.Says(b.op))},
						proof.Suspect{Op: b.op, Anomaly: "unjustified-fence", Why: fmt.Sprintf("%s, but fetch (op %d) returned its record %s", t.Says(b.op), o.ID, r.Value)})
				}
			}
			found = append(found, c)
		}
	}
	return found
}

// skipped finds reads past a record that do not return it.
func (t *Facts) skipped(v *logView) []proof.Conflict {
	var found []proof.Conflict
	for i, o := range t.H.Each(v.reads) {
		for _, offset := range v.within(o.In.From, o.Next()) {
			e := v.entries[offset]
			if o.Returned(offset) || o.In.Committed || len(found) >= proof.MaxConflicts {
				continue
			}
			v.lost[offset] = true
			why := fmt.Sprintf("fetch (op %d) read %s up to offset %d without %s at %d, which %s", o.ID, v.tp, o.Next(), e.value, offset, t.places(e))
			found = append(found, proof.Between("lost-write", why, i, e.by))
		}
	}
	return found
}

// places tells who says that a record is where it is.
func (t *Facts) places(e entry) string {
	o := &t.H.Ops[e.by]
	if o.F == kfh.Produce {
		return fmt.Sprintf("produce (op %d) put there", o.ID)
	}
	return fmt.Sprintf("fetch (op %d) found there", o.ID)
}

// order finds batches that lie before what was there already, and fetches that
// end before what was acknowledged.
func (t *Facts) order(v *logView) []proof.Conflict {
	type end struct {
		op, ret int
		to      int64
	}
	var ends []end // what was known to be in the log, by rising time
	for _, b := range v.batches {
		if o := &t.H.Ops[b.op]; o.Outcome == kfh.OK && o.Out.Base >= 0 && o.In.Acks < 0 {
			ends = append(ends, end{b.op, o.Ret, o.Out.Base + b.n})
		}
	}
	for i, o := range t.H.Each(v.reads) {
		ends = append(ends, end{i, o.Ret, max(o.Next(), o.Out.HW)})
	}
	slices.SortStableFunc(ends, func(a, b end) int { return a.ret - b.ret })
	furthest := make([]end, len(ends))
	for k, e := range ends {
		if furthest[k] = e; k > 0 && furthest[k-1].to >= e.to {
			furthest[k] = furthest[k-1]
		}
	}
	known := func(event int) (end, bool) {
		n, _ := slices.BinarySearchFunc(ends, event, func(e end, at int) int { return e.ret - at })
		if n == 0 {
			return end{}, false
		}
		return furthest[n-1], true
	}
	var found []proof.Conflict
	report := func(i int, e end, name, what string) {
		if len(found) < proof.MaxConflicts {
			why := fmt.Sprintf("%s, though op %d, answered before, had shown %s up to offset %d", what, t.H.Ops[e.op].ID, v.tp, e.to)
			found = append(found, proof.NewConflict(proof.Suspect{Op: i, Anomaly: name, Why: why}, proof.Suspect{Op: e.op, Anomaly: name, Why: why, Unlikely: true}))
		}
	}
	for k, b := range v.batches {
		o := &t.H.Ops[b.op]
		if o.Outcome != kfh.OK || o.Out.Base < 0 || slices.ContainsFunc(v.batches[:k], b.same) {
			continue
		}
		if e, ok := known(o.Inv); ok && o.Out.Base < e.to {
			report(b.op, e, "inconsistent-offsets", fmt.Sprintf("produce (op %d) was put at offset %d", o.ID, o.Out.Base))
		}
	}
	for i, o := range t.H.Each(v.reads) {
		if e, ok := known(o.Inv); ok && o.Out.HW >= 0 && o.Out.HW < e.to && t.H.Ops[e.op].Inv > t.lastStart(o.Inv) {
			report(i, e, "lost-write", fmt.Sprintf("fetch (op %d) found the end of the log at offset %d", o.ID, o.Out.HW))
		}
	}
	return found
}

// lastStart is the latest start of the broker before an event.
func (t *Facts) lastStart(event int) int {
	up := -1
	for _, l := range t.lives {
		if l.Up < event {
			up = l.Up
		}
	}
	return up
}

// sequences finds accepted batches that do not follow the one before, of the
// same producer and epoch: the offsets give their order. A batch without an
// answer may lie between.
func (t *Facts) sequences(v *logView) []proof.Conflict {
	type series struct{ pid, epoch int64 }
	all := map[series][]batch{}
	open := map[series]bool{}
	var order []series
	for _, b := range v.batches {
		o := &t.H.Ops[b.op]
		k := series{b.pid, b.epoch}
		switch {
		case b.pid < 0 || b.seq < 0:
		case o.Open():
			open[k] = true
		case o.Outcome == kfh.OK && o.Out.Base >= 0:
			if all[k] == nil {
				order = append(order, k)
			}
			all[k] = append(all[k], b)
		}
	}
	base := func(b batch) int64 { return t.H.Ops[b.op].Out.Base }
	var found []proof.Conflict
	for _, k := range order {
		s := all[k]
		slices.SortStableFunc(s, func(a, b batch) int { return cmp.Compare(base(a), base(b)) })
		if open[k] {
			continue
		}
		if first := s[0]; first.seq != 0 && first.txn && t.H.StyleOf(&t.H.Ops[first.op]) == 2 {
			why := fmt.Sprintf("%s with sequence %d, and no batch of this epoch lies before it in %s", t.Says(first.op), first.seq, v.tp)
			found = append(found, proof.NewConflict(proof.Suspect{Op: first.op, Anomaly: "sequence-break", Why: why}))
		}
		for n, b := range s[1:] {
			a := s[n]
			if b.same(a) || wrapped(a.seq+a.n) == b.seq || len(found) >= proof.MaxConflicts {
				continue
			}
			why := fmt.Sprintf("%s with sequence %d, after sequences %d to %d (op %d) in %s", t.Says(b.op), b.seq, a.seq, a.seq+a.n-1, t.H.Ops[a.op].ID, v.tp)
			found = append(found, proof.Between("sequence-break", why, b.op, a.op))
		}
	}
	return found
}

// wrapped: after the largest sequence comes 0.
func wrapped(seq int64) int64 { return seq & (1<<31 - 1) }
