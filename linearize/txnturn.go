package linearize

import (
	"fmt"

	"fencecheck/model"
)

// txnTurn takes one step in one world, w, which is its own to change. What comes
// of it goes to keep.
type txnTurn struct {
	*txnSpec
	w    *txnWorld
	keep func(*txnWorld)
	// why collects the answers that the model gives in place of the recorded
	// ones; only filled in if it is not nil.
	why *[]refusal
}

func (t *txnTurn) refute(err model.Error, answer string) {
	if t.why != nil {
		*t.why = append(*t.why, refusal{err, fmt.Sprintf("the model answers %s, where the transaction is %s with epoch %d", answer, t.w.txn.State, t.w.txn.Epoch)})
	}
}

func (t *txnTurn) step(st step) {
	if st.phase == reload {
		t.reload(st.call)
		return
	}
	c := &t.calls[st.call]
	if t.refusedAnyway(c, st) { // something else than the model's state says no
		w := t.w.clone()
		if st.phase == decide {
			w.launch(flight{call: st.call, refused: true})
		}
		t.keep(w)
	}
	switch st.phase {
	case decide:
		t.admit(st.call)
	case release:
		t.append(st.call)
	default:
		t.ask(st.call)
	}
}

// coordinator is the model's view on the world.
func (t *txnTurn) coordinator() *model.TransactionCoordinator {
	k := &model.TransactionCoordinator{Rules: &t.rules, Txn: &t.w.txn, Outbox: &t.w.outbox, Epoch: t.w.lives, Fresh: t.w.txn.PID + 1}
	if len(t.lives) > 1 {
		k.Log = &t.w.log
	}
	return k
}

// leader is the model's view on a partition.
func (t *txnTurn) leader(place int) *model.PartitionLeader {
	n := t.width()
	entries := t.w.entries[place*n : (place+1)*n]
	var used uint64
	for i := range t.w.flights {
		used |= 1 << t.w.flights[i].guard
	}
	return &model.PartitionLeader{Rules: &t.rules, Entries: entries, Fresh: model.FreshGuard(entries, used)}
}

// brokers are the views that a request to a partition meets. What a group says
// to offsets is judged with the group.
func (t *txnTurn) brokers(place int) *model.Brokers {
	return &model.Brokers{Coordinator: t.coordinator(), Leader: t.leader(place)}
}

// refusedAnyway tells whether a refusal needs no state of the model.
func (t *txnTurn) refusedAnyway(c *txnCall, st step) bool {
	switch {
	case st.phase == release:
		return false
	case c.err == model.ConcurrentTransactions:
		return c.hindered || t.w.closing
	}
	return c.err == model.InvalidProducerEpoch && c.evicted
}

// decideAt lets the coordinator decide a request and notes when its transaction
// began, or was completed.
func (t *txnTurn) decideAt(c *txnCall, decide func()) {
	before := t.w.txn
	decide()
	t.closes(before)
	switch {
	case t.w.txn.State != model.Ongoing:
		t.w.began = 0
	case before.State != model.Ongoing:
		t.w.began = t.start(c)
	}
}

// start is when a transaction that a request began did so at the earliest. Where
// each epoch has one transaction, that does not depend on which request it was.
func (t *txnTurn) start(c *txnCall) int64 {
	if first, known := t.first[pairOf{int64(c.pid), int64(c.epoch)}]; known && c.version == model.TV2 {
		return first
	}
	return t.h.Events[t.h.Ops[c.op].Inv].T
}

// closes notes a completion.
func (t *txnTurn) closes(before model.Transaction) {
	if now := &t.w.txn; *now != before {
		t.w.closing = now.State == model.CompleteCommit || now.State == model.CompleteAbort
	}
}

// request is a request to the coordinator itself.
func (t *txnTurn) request(c *txnCall) (r model.TransactionReply) {
	q := model.TxnRequest{API: c.api, PID: c.pid, Epoch: c.epoch, Commit: c.commit, Version: c.version, Partitions: c.parts}
	if c.parts != 0 {
		q.Version = model.TV1 // a client's own AddPartitionsToTxn
	}
	t.decideAt(c, func() { r = (&model.Brokers{Coordinator: t.coordinator()}).Decide(&q).TransactionReply })
	return r
}

// ask decides a request to the coordinator and compares the answer.
func (t *txnTurn) ask(i int) {
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
func (t *txnTurn) admit(i int) {
	c := &t.calls[i]
	guard, err := t.admitted(c)
	switch {
	case err == c.err && err != model.None:
		t.w.launch(flight{call: i, refused: true})
		t.keep(t.w)
	case err != model.None:
		t.refute(err, err.String())
	case c.byGroup():
		t.w.launch(flight{call: i, refused: true})
		t.keep(t.w)
	default:
		t.w.launch(flight{call: i, guard: guard})
		t.keep(t.w)
	}
}

func (t *txnTurn) admitted(c *txnCall) (guard uint8, err model.Error) {
	b := t.brokers(c.place)
	q := t.batch(b.Leader, c)
	t.decideAt(c, func() { err = b.Admit(&q) })
	return q.Guard, err
}

func (t *txnTurn) batch(l *model.PartitionLeader, c *txnCall) model.TxnRequest {
	return model.TxnRequest{API: c.api, PID: c.pid, Epoch: c.epoch, Sequence: t.sequence(l, c), Transactional: true, Version: c.version, Partitions: model.Part(t.part(c.place))}
}

// append is the second half.
func (t *txnTurn) append(i int) {
	c := &t.calls[i]
	at := t.w.flightOf(i)
	if at < 0 {
		return
	}
	f := t.w.flights[at]
	t.w.flights = append(t.w.flights[:at], t.w.flights[at+1:]...)
	if f.refused {
		t.keep(t.w)
		return
	}
	if err := t.appended(c, f.guard); err != c.err {
		t.refute(err, err.String())
		return
	}
	t.keep(t.w)
}

func (t *txnTurn) appended(c *txnCall, guard uint8) model.Error {
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
func (t *txnTurn) window(c *txnCall) *window {
	return &t.w.windows[c.place*t.width()+int(c.pid)]
}

// remember notes the numbers of an appended batch.
func (t *txnTurn) remember(c *txnCall) {
	w := t.window(c)
	copy(w[:], w[1:])
	w[len(w)-1] = [2]int64{c.seq, c.seq + c.n - 1}
	t.tidy()
}

// tidy forgets the numbers of batches that the leaders forgot.
func (t *txnTurn) tidy() {
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
func (t *txnTurn) sequence(l *model.PartitionLeader, c *txnCall) int32 {
	if c.api == model.TxnOffsetCommit {
		return model.NoSequence
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
func (t *txnTurn) reload(life int) {
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
		if t.h.Ops[t.calls[i].op].Inv < t.lives[life].dead {
			t.w.used |= b
		}
	}
	if t.w.txn.State != model.Ongoing {
		t.w.began = 0
	}
	t.tidy()
	t.keep(t.w)
}

// compact moves free places to the end, where the model wants them.
func (t *txnTurn) compact() {
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
