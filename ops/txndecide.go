package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// This file has what the transaction coordinator and the partitions' leaders
// decide of producers' requests. The decisions themselves are in package model.

// coordinator gives the rules access to a transactional id in the successor.
func (x *Exec) coordinator(id uint8) *txn.Coordinator {
	t := &x.n.Txns.IDs[id]
	x.tc = txn.Coordinator{
		Rules: &x.cfg.Rules, Txn: &t.Txn, Log: &t.Log, Outbox: &t.Outbox,
		Epoch: x.n.Txns.Epoch, Loading: x.n.Txns.Loading, Leaderless: x.n.Txns.Leaderless,
		Appends: x.appends, Fresh: x.n.FreshProducerID(x.cfg),
	}
	return &x.tc
}

// zombie gives access to what the coordinator before has in memory. What it
// appends is refused; without tc-append-ce-check it is not, and the two are one
// broker that was elected again.
func (x *Exec) zombie(id uint8) *txn.Coordinator {
	c := x.coordinator(id)
	old := &x.n.Txns.Old[id]
	c.Txn, c.Outbox, c.Epoch, c.Loading, c.Appends = &old.Txn, &old.Outbox, c.Epoch-1, false, txn.Deposed
	return c
}

// decider is the coordinator that the step is about.
func (x *Exec) decider(id uint8) *txn.Coordinator {
	if x.byZombie {
		return x.zombie(id)
	}
	return x.coordinator(id)
}

// leader gives the rules access to a partition's producers in the successor.
func (x *Exec) leader(p uint8) *txn.Leader {
	x.pl = txn.Leader{Rules: &x.cfg.Rules, Entries: x.n.Txns.Logs[p].Entries[:], Fresh: x.n.FreshGuard(x.cfg, int(p))}
	return &x.pl
}

// decideProducer lets the transaction coordinator, or a partition's leader,
// decide a producer's request. It is false where the model has no room.
func (x *Exec) decideProducer(r *cluster.Request) bool {
	id := x.cfg.IDs[r.Client]
	x.sent(r)
	ev := &x.n.Last
	ev.PID, ev.Epoch, ev.Log = r.PID, r.Epoch, r.Log
	if t := &x.s.Txns.IDs[id].Txn; r.PID != 0 && t.State != txn.NoTransaction {
		ev.OldEpoch = r.PID != t.PID || r.Epoch < t.Epoch
	}
	switch r.API {
	case model.Produce, model.TxnOffsetCommit:
		if !x.decideBatch(r, id) {
			return false
		}
	default:
		x.decideTransaction(r, id)
	}
	if r.Status == cluster.Answered {
		ev.Err = r.Err
		x.outcome = outcomeOf(r.API, r.Err, false)
	}
	return x.fits()
}

// decideTransaction decides what is for the coordinator alone.
func (x *Exec) decideTransaction(r *cluster.Request, id uint8) {
	b := txn.Brokers{Coordinator: x.decider(id)}
	before := *b.Coordinator.Txn
	q := txn.Request{API: r.API, PID: r.PID, Epoch: r.Epoch, Commit: r.Commit, Version: x.cfg.Version, Partitions: model.Part(int(r.Log))}
	if r.API == model.AddPartitionsToTxn || r.API == model.AddOffsetsToTxn {
		q.Version = model.TV1 // a client's own
	}
	a := b.Decide(&q)
	ev := &x.n.Last
	switch r.API {
	case model.InitProducerID:
		if a.Err == model.None || b.Coordinator.Txn.State != before.State {
			x.replaceProducers(id, int(r.Client))
		}
		if a.Err == model.None {
			x.fenceWorks(id)
			ev.Returned = x.n.Clients[r.Client].Producer.Succeeded && !ev.Late
			x.succeed(id, int(r.Client))
			ev.Repeated = before.State != txn.NoTransaction && a.PID == before.PID && a.Epoch == before.Epoch
		}
	case model.EndTxn:
		ev.Repeated = a.Err == model.None && *b.Coordinator.Txn == before
		ev.Returned = a.Err == model.None && a.PID != 0 && x.n.Clients[r.Client].Producer.Succeeded && !ev.Late
	}
	ev.Rotated = a.Err == model.None && before.PID != 0 && a.PID != 0 && a.PID != before.PID
	x.noteAppend(id)
	r.Status, r.Err, r.Work = cluster.Answered, a.Err, 0
	r.NewPID, r.NewEpoch = a.PID, a.Epoch
}

// decideBatch takes a batch through its two halves: it is admitted, and then
// appended. If AddPartitionsToTxn travels, each is a step of its own.
func (x *Exec) decideBatch(r *cluster.Request, id uint8) bool {
	b := x.brokers(r.Log)
	q := x.batch(r)
	if r.Status == cluster.InFlight {
		b.Coordinator = x.decider(id)
		err := b.Admit(&q)
		x.noteAppend(id)
		switch {
		case err != model.None:
			x.answerBatch(r, err)
			return true
		case x.cfg.Travels[model.AddPartitionsToTxn]:
			r.Status, r.Guard = cluster.Admitted, q.Guard
			return true
		}
	}
	return x.appendBatch(&b, r, &q)
}

// brokers are the leader of a partition and, behind the group's offsets, their
// coordinator.
func (x *Exec) brokers(log uint8) txn.Brokers {
	b := txn.Brokers{Leader: x.leader(log)}
	if log == cluster.OffsetsLog {
		b.Offsets = x.openOffsets()
	}
	return b
}

func (x *Exec) batch(r *cluster.Request) txn.Request {
	return txn.Request{API: r.API, PID: r.PID, Epoch: r.Epoch, Sequence: int32(r.Sequence), Transactional: true, Version: x.cfg.Version, Guard: r.Guard,
		Partitions: model.Part(int(r.Log)), MemberID: r.ID, Generation: r.Generation, Offsets: r.Offsets[:x.parts]}
}

// Consults tells, for a story, whether a partition's leader asks the transaction
// coordinator about a batch before it appends it, and what that answers. scratch
// is overwritten.
func (x *Exec) Consults(s, scratch *cluster.State, r *cluster.Request, zombie bool) (asks bool, answer model.Error) {
	x.s, x.n = s, scratch
	*scratch = *s
	q := x.batch(r)
	x.byZombie = zombie
	b := txn.Brokers{Leader: x.leader(r.Log), Coordinator: x.decider(x.cfg.IDs[r.Client])}
	x.byZombie = false
	return b.Consult(&q)
}

func (x *Exec) appendBatch(b *txn.Brokers, r *cluster.Request, q *txn.Request) bool {
	before := x.n.Offsets
	a := b.Append(q)
	if r.API == model.TxnOffsetCommit {
		if x.store.Full {
			x.seen.Producers = true
			return false
		}
		x.n.Last.FalseAbort = r.Stale == 0 && (a.Err == model.UnknownMemberID || a.Err == model.IllegalGeneration)
		if x.n.Offsets != before { // read before its marker
			x.n.Last.Committed = committed(r, x.parts)
		}
	}
	x.n.Last.Repeated = a.Duplicate
	if a.Err == model.None && !a.Duplicate {
		x.n.Last.Doubled = x.holdsEntry(r.Log, r.Work)
		e := cluster.Entry{Rec: txn.Record{Kind: txn.TransactionalRecord, PID: r.PID}, Work: r.Work, Value: r.Value, Stale: r.Stale}
		if !x.appendEntry(r.Log, e) {
			return false
		}
		x.read(r.Log)
	}
	x.answerBatch(r, a.Err)
	return true
}

func (x *Exec) answerBatch(r *cluster.Request, err model.Error) {
	r.Status, r.Err, r.Guard, r.Work, r.Value, r.Stale = cluster.Answered, err, 0, 0, 0, 0
}

func (x *Exec) appendEntry(p uint8, e cluster.Entry) bool {
	l := &x.n.Txns.Logs[p]
	n := l.Len()
	if n == cluster.MaxLog {
		x.seen.Log = true
		return false
	}
	l.Log[n] = e
	return true
}

// fits follows up on what the coordinators and leaders did: it forgets what can
// have no effect any more, and is false beyond a bound.
func (x *Exec) fits() bool {
	n := x.n
	switch {
	case x.pl.Full, x.tc.TakenTwice:
		x.seen.Producers = true
		return false
	}
	for i := range n.Txns.IDs {
		if n.Txns.IDs[i].Txn.Epoch > x.cfg.MaxProducerEpoch() {
			x.seen.Epochs = true
			return false
		}
	}
	if x.cfg.Transactional {
		n.RankOffsets(x.cfg)
	}
	return true
}
