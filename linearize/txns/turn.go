package txns

import (
	"fmt"

	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// turn takes one step in one state, w, which is its own to change. What comes
// of it goes to keep.
type turn struct {
	*spec
	w    *state
	keep func(*state)
	// why collects the answers that the model gives in place of the recorded
	// ones; only filled in if it is not nil.
	why *[]sequential.Refusal
}

func (t *turn) refute(err model.Error, answer string) {
	if t.why != nil {
		*t.why = append(*t.why, sequential.Refusal{Err: err, Text: fmt.Sprintf("the model answers %s, where the transaction is %s with epoch %d", answer, t.w.txn.State, t.w.txn.Epoch)})
	}
}

func (t *turn) step(st sequential.Step) {
	if st.Phase == sequential.Restart {
		t.reload(st.Call)
		return
	}
	c := &t.calls[st.Call]
	if t.refusedAnyway(c, st) { // something else than the model's state says no
		w := t.w.clone()
		if st.Phase == sequential.Decide {
			w.launch(flight{call: st.Call, refused: true})
		}
		t.keep(w)
	}
	switch st.Phase {
	case sequential.Decide:
		t.admit(st.Call)
	case sequential.Release:
		t.append(st.Call)
	default:
		t.ask(st.Call)
	}
}

// coordinator is the model's view on the state.
func (t *turn) coordinator() *txn.Coordinator {
	k := &txn.Coordinator{Rules: &t.rules, Txn: &t.w.txn, Outbox: &t.w.outbox, Epoch: t.w.lives, Fresh: t.w.txn.PID + 1}
	if len(t.lives) > 1 {
		k.Log = &t.w.log
	}
	return k
}

// leader is the model's view on a partition.
func (t *turn) leader(place int) *txn.Leader {
	n := t.width()
	entries := t.w.entries[place*n : (place+1)*n]
	var used uint64
	for i := range t.w.flights {
		used |= 1 << t.w.flights[i].guard
	}
	return &txn.Leader{Rules: &t.rules, Entries: entries, Fresh: txn.FreshGuard(entries, used)}
}

// brokers are the views that a request to a partition meets. What a group says
// to offsets is judged with the group.
func (t *turn) brokers(place int) *txn.Brokers {
	return &txn.Brokers{Coordinator: t.coordinator(), Leader: t.leader(place)}
}

// refusedAnyway tells whether a refusal needs no state of the model.
func (t *turn) refusedAnyway(c *call, st sequential.Step) bool {
	switch {
	case st.Phase == sequential.Release:
		return false
	case c.err == model.ConcurrentTransactions:
		return c.hindered || t.w.closing
	}
	return c.err == model.InvalidProducerEpoch && c.evicted
}

// decideAt lets the coordinator decide a request and notes when its transaction
// began, or was completed.
func (t *turn) decideAt(c *call, decide func()) {
	before := t.w.txn
	decide()
	t.closes(before)
	switch {
	case t.w.txn.State != txn.Ongoing:
		t.w.began = 0
	case before.State != txn.Ongoing:
		t.w.began = t.start(c)
	}
}

// start is when a transaction that a request began did so at the earliest. Where
// each epoch has one transaction, that does not depend on which request it was.
func (t *turn) start(c *call) int64 {
	if first, known := t.first[pairOf{int64(c.pid), int64(c.epoch)}]; known && c.version == model.TV2 {
		return first
	}
	return t.h.Events[t.h.Ops[c.op].Inv].T
}

// closes notes a completion.
func (t *turn) closes(before txn.Transaction) {
	if now := &t.w.txn; *now != before {
		t.w.closing = now.State == txn.CompleteCommit || now.State == txn.CompleteAbort
	}
}

// request is a request to the coordinator itself.
func (t *turn) request(c *call) (r txn.TransactionReply) {
	q := txn.Request{API: c.api, PID: c.pid, Epoch: c.epoch, Commit: c.commit, Version: c.version, Partitions: c.parts}
	if c.parts != 0 {
		q.Version = model.TV1 // a client's own AddPartitionsToTxn
	}
	t.decideAt(c, func() { r = (&txn.Brokers{Coordinator: t.coordinator()}).Decide(&q).TransactionReply })
	return r
}

// ask decides a request to the coordinator and compares the answer.
func (t *turn) ask(i int) {
	c := &t.calls[i]
	before := t.w.txn
	r := t.request(c)
	switch {
	case r.Err != c.err:
		t.refute(r.Err, r.Err.String())
	case r.Err == model.None && c.reply.PID != 0 && (r.PID != c.reply.PID || r.Epoch != c.reply.Epoch):
		t.refute(model.None, fmt.Sprintf("epoch %d", r.Epoch))
	default:
		if r.Err != model.ConcurrentTransactions {
			t.w.closing = t.w.closing && t.w.txn != before
		}
		t.keep(t.w)
	}
}

// admit is the first half of a write: the leader looks, and asks the
// coordinator.
func (t *turn) admit(i int) {
	c := &t.calls[i]
	guard, err := t.admitted(c)
	if err != model.None && err != c.err {
		t.refute(err, err.String())
		return
	}
	f := flight{call: i, refused: err != model.None || c.byGroup()}
	if !f.refused {
		f.guard = guard
	}
	t.w.launch(f)
	t.keep(t.w)
}

func (t *turn) admitted(c *call) (guard uint8, err model.Error) {
	b := t.brokers(c.place)
	q := t.batch(b.Leader, c)
	t.decideAt(c, func() { err = b.Admit(&q) })
	return q.Guard, err
}

func (t *turn) batch(l *txn.Leader, c *call) txn.Request {
	return txn.Request{API: c.api, PID: c.pid, Epoch: c.epoch, Sequence: t.sequence(l, c), Transactional: true, Version: c.version, Partitions: model.Part(t.part(c.place))}
}

// append is the second half.
func (t *turn) append(i int) {
	c := &t.calls[i]
	at := t.w.flightOf(i)
	if at < 0 {
		return
	}
	f := t.w.flights[at]
	t.w.flights = append(t.w.flights[:at], t.w.flights[at+1:]...)
	if !f.refused {
		if err := t.appended(c, f.guard); err != c.err {
			t.refute(err, err.String())
			return
		}
	}
	t.keep(t.w)
}

func (t *turn) appended(c *call, guard uint8) model.Error {
	b := t.brokers(c.place)
	q := t.batch(b.Leader, c)
	q.Guard = guard
	a := b.Append(&q)
	if a.Err == model.None && !a.Duplicate && c.api == model.Produce {
		t.remember(c)
	}
	return a.Err
}

// window is what a leader remembers of a producer's numbers.
func (t *turn) window(c *call) *window {
	return &t.w.windows[c.place*t.width()+int(c.pid)]
}

// remember notes the numbers of an appended batch.
func (t *turn) remember(c *call) {
	w := t.window(c)
	copy(w[:], w[1:])
	w[len(w)-1] = [2]int64{c.seq, c.seq + c.n - 1}
	t.tidy()
}

// tidy forgets the numbers of batches that the leaders forgot.
func (t *turn) tidy() {
	n := t.width()
	for i := range t.w.windows {
		kept := 0
		place := t.w.entries[i/n*n : (i/n+1)*n]
		for k := range place {
			if place[k].PID == model.ProducerID(i%n) && place[k].PID != 0 {
				kept = int(place[k].Kept)
			}
		}
		for k := range len(t.w.windows[i]) - kept {
			t.w.windows[i][k] = [2]int64{}
		}
	}
}

// gap is how far beyond the next number the model is given one that follows
// nothing.
const gap = 1000

// sequence translates the number of a batch's first record into the model's,
// which counts batches: what is the next, what is a repetition, and what is
// neither stays so.
func (t *turn) sequence(l *txn.Leader, c *call) int32 {
	if c.api == model.TxnOffsetCommit {
		return txn.NoSequence
	}
	e := l.Find(c.pid)
	if e == nil || e.Epoch != c.epoch || e.Kept == 0 {
		return int32(min(c.seq, gap))
	}
	w := t.window(c)
	for back := range int(e.Kept) {
		if w[len(w)-1-back] == [2]int64{c.seq, c.seq + c.n - 1} {
			return e.Last - int32(back)
		}
	}
	if wrapped(w[len(w)-1][1]+1) == c.seq {
		return e.Last + 1
	}
	return e.Last + gap
}

// reload is a new life of the broker.
func (t *turn) reload(life int) {
	k := t.coordinator()
	t.w.lives++
	k.Epoch = t.w.lives
	k.Load()
	for i := range t.w.entries {
		t.w.entries[i] = t.w.entries[i].Durable()
	}
	t.compact()
	t.w.flights = nil
	for i, b := range t.bits {
		if t.h.Ops[t.calls[i].op].Inv < t.lives[life].Dead {
			t.w.used |= b
		}
	}
	if t.w.txn.State != txn.Ongoing {
		t.w.began = 0
	}
	t.tidy()
	t.keep(t.w)
}

// compact moves free places to the end, where the model wants them.
func (t *turn) compact() {
	n := t.width()
	for at := 0; at < len(t.w.entries); at += n {
		k := at
		for i := at; i < at+n; i++ {
			if t.w.entries[i].PID != 0 {
				t.w.entries[k] = t.w.entries[i]
				k++
			}
		}
		clear(t.w.entries[k : at+n])
	}
}
