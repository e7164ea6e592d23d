package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// This file has the steps of transactional producers. A writer writes one record
// to every output in each of its transactions. A member that consumes and
// produces writes the output of what it read, then its offsets.

const offsetsBit = 1 << cluster.OffsetsLog

// mayPoll: an application that produces in transactions polls between them.
func (x *Exec) mayPoll(client uint8) bool {
	return !x.cfg.HasProducer(int(client)) || x.s.Clients[client].Producer.Phase == cluster.Ready
}

func (x *Exec) initProducer(a Args) bool {
	p := &x.s.Clients[a.A].Producer
	done := x.cfg.IsWriter(int(a.A)) && int(p.Begun) >= x.cfg.Transactions && !p.Renew
	if p.Phase != cluster.Uninitialized || done {
		return false
	}
	x.begin()
	r := cluster.Request{API: model.InitProducerID, Epoch: model.NoEpoch}
	if p.Renew {
		r.PID, r.Epoch = p.PID, p.Epoch
	}
	return x.send(a.A, r, a)
}

// mayBegin tells whether a producer is in a transaction, or can begin one. A
// writer begins a bounded number of them.
func (x *Exec) mayBegin(client uint8) bool {
	p := &x.s.Clients[client].Producer
	if p.Phase == cluster.InTransaction {
		return !p.Failing
	}
	return p.Phase == cluster.Ready && (!x.cfg.IsWriter(int(client)) || int(p.Begun) < x.cfg.Transactions)
}

// beginTransaction is the client's own affair: nothing is sent. It is false
// where the model cannot tell a further transaction apart.
func (x *Exec) beginTransaction(client uint8) bool {
	p := &x.n.Clients[client].Producer
	if p.Phase == cluster.InTransaction {
		return true
	}
	if p.Work = x.n.FreshWork(int(client)); p.Work == 0 {
		x.seen.Works = true
		return false
	}
	x.n.Work(p.Work).Told = cluster.ToldNothing
	p.Phase, p.Added, p.Written, p.Sending = cluster.InTransaction, 0, 0, 0
	if x.cfg.IsWriter(int(client)) {
		p.Begun++
	}
	return true
}

// addToTransaction: the plain style tells the coordinator first.
func (x *Exec) addToTransaction(a Args) bool {
	if x.cfg.Version.Adds() || !x.mayBegin(a.A) || !x.cfg.HasLog(int(a.B)) {
		return false
	}
	cl := &x.s.Clients[a.A]
	if cl.Producer.Added>>a.B&1 == 1 || !x.wants(a.A, a.B) {
		return false
	}
	x.begin()
	if !x.beginTransaction(a.A) {
		return false
	}
	p := &x.n.Clients[a.A].Producer
	r := cluster.Request{API: model.AddPartitionsToTxn, PID: p.PID, Epoch: p.Epoch, Log: a.B}
	if a.B == cluster.OffsetsLog {
		r.API = model.AddOffsetsToTxn
	}
	return x.send(a.A, r, a)
}

// wants tells whether a transaction is about to write to a log.
func (x *Exec) wants(client, log uint8) bool {
	if x.cfg.IsWriter(int(client)) {
		return log != cluster.OffsetsLog
	}
	cl := &x.s.Clients[client]
	if log == cluster.OffsetsLog {
		return cl.Producer.Phase == cluster.InTransaction && cl.Dirty != 0
	}
	for p := range x.parts {
		if x.output(p) == log && x.mayRead(cl, p) {
			return true
		}
	}
	return false
}

// output is the log that the output of an input partition goes to.
func (x *Exec) output(p int) uint8 { return uint8(p % x.cfg.Outputs) }

// produce: a writer writes its record to one output.
func (x *Exec) produce(a Args) bool {
	if !x.mayBegin(a.A) {
		return false
	}
	p := &x.s.Clients[a.A].Producer
	inside := p.Phase == cluster.InTransaction
	if inside && (p.Written|p.Sending)>>a.B&1 == 1 || !x.added(p, a.B) {
		return false
	}
	x.begin()
	return x.beginTransaction(a.A) && x.sendBatch(a.A, a.B, a)
}

// added tells whether the coordinator knows what it must know before a write.
func (x *Exec) added(p *cluster.Producer, log uint8) bool {
	return x.cfg.Version.Adds() || p.Phase == cluster.InTransaction && p.Added>>log&1 == 1
}

// sendBatch sends what a producer has for an output, for the first time or
// again.
func (x *Exec) sendBatch(client, log uint8, a Args) bool {
	p := &x.n.Clients[client].Producer
	p.Sending |= 1 << log
	return x.send(client, cluster.Request{API: model.Produce, PID: p.PID, Epoch: p.Epoch, Log: log, Sequence: p.Next[log], Value: p.Value[log], Work: p.Work}, a)
}

// resend: a batch that was not acknowledged is sent again.
func (x *Exec) resend(a Args) bool {
	p := &x.s.Clients[a.A].Producer
	if p.Phase != cluster.InTransaction || p.Sending>>a.B&1 == 0 {
		return false
	}
	x.begin()
	return x.sendBatch(a.A, a.B, a)
}

// processInTransaction: a member writes the output of the next record of a
// partition.
func (x *Exec) processInTransaction(a Args) bool {
	cl, p := &x.s.Clients[a.A], int(a.B)
	out := x.output(p)
	pr := &cl.Producer
	if !x.mayRead(cl, p) || !x.mayBegin(a.A) || !x.added(pr, out) {
		return false
	}
	if pr.Phase == cluster.InTransaction && ((pr.Written|pr.Sending)>>out&1 == 1 || pr.Written&offsetsBit != 0) {
		return false
	}
	x.begin()
	if !x.beginTransaction(a.A) {
		return false
	}
	cl = &x.n.Clients[a.A]
	cl.Producer.Value[out] = uint8(p*cluster.MaxRecords+int(cl.Position[p])) + 1
	cl.Position[p]++
	cl.Dirty |= model.Part(p)
	return x.sendBatch(a.A, out, a)
}

// sendOffsets: a member brings the positions of what it read into the
// transaction.
func (x *Exec) sendOffsets(a Args) bool {
	cl := &x.s.Clients[a.A]
	p := &cl.Producer
	if p.Phase != cluster.InTransaction || p.Failing || p.Sending != 0 || cl.Dirty == 0 || p.Written&offsetsBit != 0 || !x.added(p, cluster.OffsetsLog) {
		return false
	}
	x.begin()
	cl = &x.n.Clients[a.A]
	r := cluster.Request{API: model.TxnOffsetCommit, PID: p.PID, Epoch: p.Epoch, Log: cluster.OffsetsLog, Sequence: int8(txn.NoSequence), Work: p.Work,
		Generation: model.NoGeneration}
	if cl.MetaID != 0 && !x.cfg.BareGroup {
		r.ID, r.Generation = cl.MetaID, cl.MetaGeneration
	}
	for q := range x.parts {
		r.Offsets[q] = model.NoOffset
		if cl.Dirty.Has(q) {
			r.Offsets[q] = cl.Position[q]
			r.Stale |= model.Part(q) & cl.Stale
		}
	}
	return x.send(a.A, r, a)
}

// written tells whether a transaction has all that it is to have.
func (x *Exec) written(client uint8) bool {
	p := &x.s.Clients[client].Producer
	if p.Sending != 0 {
		return false
	}
	if x.cfg.IsWriter(int(client)) {
		return p.Written == 1<<x.cfg.Outputs-1
	}
	return p.Written&offsetsBit != 0
}

func (x *Exec) commitTransaction(a Args) bool {
	p := &x.s.Clients[a.A].Producer
	begins := p.Phase == cluster.InTransaction && !p.Failing && x.written(a.A)
	if !begins && p.Phase != cluster.Committing {
		return false
	}
	x.begin().Clients[a.A].Producer.Phase = cluster.Committing
	return x.sendEnd(a.A, true, a)
}

// abortTransaction: after an error there is nothing else to do.
func (x *Exec) abortTransaction(a Args) bool {
	p := &x.s.Clients[a.A].Producer
	failing := p.Phase == cluster.AbortableError || p.Phase == cluster.InTransaction && p.Failing
	if !failing && p.Phase != cluster.Aborting {
		return false
	}
	x.begin()
	return x.beginAbort(a.A, a)
}

// abortAnyway: an application aborts because it wants to.
func (x *Exec) abortAnyway(a Args) bool {
	p := &x.s.Clients[a.A].Producer
	if p.Phase != cluster.InTransaction || p.Failing || !x.spend(cluster.Aborts) {
		return false
	}
	return x.beginAbort(a.A, a)
}

// beginAbort: where nothing was sent, nothing is to be ended.
func (x *Exec) beginAbort(client uint8, a Args) bool {
	cl := &x.n.Clients[client]
	p := &cl.Producer
	if p.Phase == cluster.AbortableError || p.Failing {
		p.Renew = !x.cfg.Version.Adds()
	}
	p.Phase = cluster.Aborting
	if p.Added|p.Written|p.Sending == 0 {
		x.tell(cl, false)
		cl.EndTransaction(false)
		return true
	}
	return x.sendEnd(client, false, a)
}

func (x *Exec) sendEnd(client uint8, commit bool, a Args) bool {
	p := &x.n.Clients[client].Producer
	return x.send(client, cluster.Request{API: model.EndTxn, PID: p.PID, Epoch: p.Epoch, Commit: commit, Work: p.Work}, a)
}

// tell is ghost: an application learns the outcome of its transaction.
func (x *Exec) tell(cl *cluster.Client, commit bool) {
	w := x.n.Work(cl.Producer.Work)
	if w == nil {
		return
	}
	if w.Told = cluster.ToldAborted; commit {
		w.Told = cluster.ToldCommitted
	}
}

// receiveProducer lets a client take the answer to a producer's request.
func (x *Exec) receiveProducer(cl *cluster.Client, r *cluster.Request) {
	n := x.n
	n.Last.ToldErr, n.Last.ToldCommit = r.Err, r.API == model.EndTxn && r.Commit
	if r.API == model.EndTxn && r.Err == model.None {
		x.tell(cl, r.Commit)
	}
	fatal := cl.Producer.Phase == cluster.FatalError
	n.Last.FalseAbort = n.Last.FalseAbort || !cl.Producer.Replaced && !cl.Producer.Overdue && denied(r)
	n.Last.Revived = r.API == model.EndTxn && r.Err == model.None && (cl.Producer.Replaced || cl.Producer.Overdue)
	cl.ReceiveProducer(r, x.cfg.Version, &x.cfg.Rules.Off)
	if r.API == model.InitProducerID && r.Err == model.None {
		cl.Producer.Replaced = x.replacedSince(cl, r)
	}
	if cl.Producer.Phase == cluster.FatalError && !fatal {
		if !cl.Producer.Replaced && !cl.Producer.Overdue {
			n.Last.Fenced |= 1 << r.Client
		}
		n.Last.TakenForFenced = r.Err == model.ProducerFenced && !cl.Producer.Replaced
		if x.cfg.IsMember(int(r.Client)) {
			topics := cl.Topics
			p := cl.Producer
			cl.Fail()
			cl.Topics, cl.Producer = topics, p
		}
		cl.Producer = cluster.Producer{Phase: cluster.FatalError, Begun: cl.Producer.Begun, Replaced: cl.Producer.Replaced}
	}
}

// denied tells whether an answer says that the transaction is not what its
// producer believes.
func denied(r *cluster.Request) bool {
	if r.API != model.Produce && r.API != model.TxnOffsetCommit {
		return false
	}
	switch r.Err {
	case model.InvalidProducerEpoch, model.InvalidTxnState, model.OutOfOrderSequenceNumber, model.TransactionAbortable:
		return true
	}
	return false
}

// replacedSince is ghost: an answer may be overtaken by what happened after it
// was given.
func (x *Exec) replacedSince(cl *cluster.Client, r *cluster.Request) bool {
	t := &x.n.Txns.IDs[x.cfg.IDs[r.Client]].Txn
	return t.PID != r.NewPID || t.Epoch != r.NewEpoch
}
