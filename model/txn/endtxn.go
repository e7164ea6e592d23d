package txn

import "fencecheck/model"

// endTxn decides EndTxn: v5 where Version is 2, else v4. Source: TransactionCoordinator.handleEndTransaction;
// transactions.md 1.6, rows P1 to P7, and 1.7, rows E1 to E11.
func (c *Coordinator) endTxn(r *Request) TransactionReply {
	if err := c.gate(); err != model.None {
		return refuse(err)
	}
	if c.Txn.State == NoTransaction {
		return refuse(model.InvalidProducerIDMapping)
	}
	if r.Version.Bumps() {
		return c.endBumping(r)
	}
	return refuse(c.endPlain(r))
}

// endPlain keeps the epoch (TransactionCoordinator.endTransactionWithTV1;
// transactions.md 1.6).
func (c *Coordinator) endPlain(r *Request) model.Error {
	t := c.Txn
	switch {
	case r.PID != t.PID && c.enforces(model.EndTxnPIDCheck): // P1
		return model.InvalidProducerIDMapping
	case r.Epoch != t.Epoch && c.enforces(model.EndTxnEpochCheck): // P2
		return model.ProducerFenced
	case t.Pending != NoTransaction: // P3
		return model.ConcurrentTransactions
	}
	switch t.State {
	case Ongoing: // P4
		next := *t
		next.Version, next.ByFence = model.TV1, false
		return c.finish(next, r.Commit)
	case decided(r.Commit, true): // P5
		return model.None
	case decided(r.Commit, false): // P6: only where nothing completes it
		return model.ConcurrentTransactions
	case decided(!r.Commit, true): // P7
		if !c.enforces(model.EndTxnStateCheck) {
			return model.None
		}
	}
	return model.InvalidTxnState
}

// endBumping raises the epoch (TransactionCoordinator.endTransaction;
// transactions.md 1.7).
func (c *Coordinator) endBumping(r *Request) TransactionReply {
	t := c.Txn
	if t.Pending != NoTransaction && c.enforces(model.PendingCheckFirst) { // E2
		return refuse(model.ConcurrentTransactions)
	}
	retry := c.endRetry(r)
	switch {
	case r.PID != t.PID && !c.rotatedAway(r) && c.enforces(model.EndTxnPIDCheck): // E3
		return refuse(model.InvalidProducerIDMapping)
	case r.Epoch != t.Epoch && !retry && c.enforces(model.EndTxnEpochCheck): // E4
		return refuse(model.ProducerFenced)
	case t.Pending != NoTransaction:
		return refuse(model.ConcurrentTransactions)
	case retry:
		return c.endAgain(r)
	}
	switch {
	case t.State == Ongoing: // E8
	case t.State.preparing(): // E9: only where nothing completes it
		return refuse(model.ProducerFenced)
	case r.Commit: // E10
		return refuse(model.InvalidTxnState)
	}
	return c.endNow(r) // E8, E11
}

// endRetry recognises a request whose transaction has been ended, by the
// distance of the epochs, or by the rotation that the end brought about. The
// coordinator's own end counts too, since 4.1.
func (c *Coordinator) endRetry(r *Request) bool {
	t := c.Txn
	if !t.State.preparing() && !t.State.complete() || !c.enforces(model.EndTxnRetryDetection) || t.ByFence {
		return false
	}
	return r.PID == t.PID && t.Epoch == r.Epoch+1 || c.rotatedAway(r)
}

// rotatedAway tells whether a request has the pair before a rotation. Its id is
// not the current one, and is not refused for that, whatever brought the
// rotation about.
func (c *Coordinator) rotatedAway(r *Request) bool {
	t := c.Txn
	last := c.Rules.LargestEpoch() - 1
	return r.PID == t.Prev && r.PID != t.PID && r.Epoch == last && t.Epoch == 0 && c.enforces(model.EndTxnRetryDetection)
}

// endAgain answers a retry: NONE only if the outcome is the one asked for.
func (c *Coordinator) endAgain(r *Request) TransactionReply {
	t := c.Txn
	switch {
	case t.State == decided(r.Commit, true), t.State.complete() && !c.enforces(model.EndTxnStateCheck): // E5
		return TransactionReply{PID: t.PID, Epoch: t.Epoch}
	case t.State == decided(r.Commit, false): // E6: only where nothing completes it
		return refuse(model.ConcurrentTransactions)
	}
	return refuse(model.InvalidTxnState) // E7
}

// endNow ends the transaction, or, where there is none, raises the epoch all the
// same. The next pair is answered before the markers are written.
func (c *Coordinator) endNow(r *Request) TransactionReply {
	t := c.Txn
	next := *t
	next.Version, next.ByFence = model.TV2, false
	if t.State != Ongoing {
		next.Partitions = 0
	}
	next.LastEpoch = t.Epoch
	if c.Rules.Exhausted(t.Epoch) && c.enforces(model.EpochExhaustionRotation) {
		next.Next = c.fresh()
	}
	if c.enforces(model.EndTxnBumpEpoch) {
		next.Epoch = c.Rules.Bump(t.Epoch)
	}
	if err := c.finish(next, r.Commit); err != model.None {
		return refuse(err)
	}
	if next.Next != 0 {
		return TransactionReply{PID: next.Next, Epoch: 0}
	}
	return TransactionReply{PID: next.PID, Epoch: next.Epoch}
}
