package model

// endTxn decides EndTxn: v5 where Version is 2, else v4. Source: TransactionCoordinator.handleEndTransaction;
// transactions.md 1.6, rows P1 to P7, and 1.7, rows E1 to E11.
func (c *TransactionCoordinator) endTxn(r *TxnRequest) TransactionReply {
	if err := c.gate(); err != None {
		return refuse(err)
	}
	if c.Txn.State == NoTransaction {
		return refuse(InvalidProducerIDMapping)
	}
	if r.Version.bumps() {
		return c.endBumping(r)
	}
	return refuse(c.endPlain(r))
}

// endPlain keeps the epoch (TransactionCoordinator.endTransactionWithTV1;
// transactions.md 1.6).
func (c *TransactionCoordinator) endPlain(r *TxnRequest) Error {
	t := c.Txn
	switch {
	case r.PID != t.PID && c.enforces(EndTxnPIDCheck): // P1
		return InvalidProducerIDMapping
	case r.Epoch != t.Epoch && c.enforces(EndTxnEpochCheck): // P2
		return ProducerFenced
	case t.Pending != NoTransaction: // P3
		return ConcurrentTransactions
	}
	switch t.State {
	case Ongoing: // P4
		next := *t
		next.Version, next.ByFence = TV1, false
		return c.finish(next, r.Commit)
	case decided(r.Commit, true): // P5
		return None
	case decided(r.Commit, false): // P6: only where nothing completes it
		return ConcurrentTransactions
	case decided(!r.Commit, true): // P7
		if !c.enforces(EndTxnStateCheck) {
			return None
		}
	}
	return InvalidTxnState
}

// endBumping raises the epoch (TransactionCoordinator.endTransaction;
// transactions.md 1.7).
func (c *TransactionCoordinator) endBumping(r *TxnRequest) TransactionReply {
	t := c.Txn
	if t.Pending != NoTransaction && c.enforces(PendingCheckFirst) { // E2
		return refuse(ConcurrentTransactions)
	}
	retry := c.endRetry(r)
	switch {
	case r.PID != t.PID && !c.rotatedAway(r) && c.enforces(EndTxnPIDCheck): // E3
		return refuse(InvalidProducerIDMapping)
	case r.Epoch != t.Epoch && !retry && c.enforces(EndTxnEpochCheck): // E4
		return refuse(ProducerFenced)
	case t.Pending != NoTransaction:
		return refuse(ConcurrentTransactions)
	case retry:
		return c.endAgain(r)
	}
	switch {
	case t.State == Ongoing: // E8
	case t.State.preparing(): // E9: only where nothing completes it
		return refuse(ProducerFenced)
	case r.Commit: // E10
		return refuse(InvalidTxnState)
	}
	return c.endNow(r) // E8, E11
}

// endRetry recognises a request whose transaction has been ended, by the
// distance of the epochs, or by the rotation that the end brought about. The
// coordinator's own end counts too, since 4.1.
func (c *TransactionCoordinator) endRetry(r *TxnRequest) bool {
	t := c.Txn
	if !t.State.preparing() && !t.State.complete() || !c.enforces(EndTxnRetryDetection) || t.ByFence {
		return false
	}
	return r.PID == t.PID && t.Epoch == r.Epoch+1 || c.rotatedAway(r)
}

// rotatedAway tells whether a request has the pair before a rotation. Its id is
// not the current one, and is not refused for that, whatever brought the
// rotation about.
func (c *TransactionCoordinator) rotatedAway(r *TxnRequest) bool {
	t := c.Txn
	last := c.Rules.maxEpoch() - 1
	return r.PID == t.Prev && r.PID != t.PID && r.Epoch == last && t.Epoch == 0 && c.enforces(EndTxnRetryDetection)
}

// endAgain answers a retry: NONE only if the outcome is the one asked for.
func (c *TransactionCoordinator) endAgain(r *TxnRequest) TransactionReply {
	t := c.Txn
	switch {
	case t.State == decided(r.Commit, true), t.State.complete() && !c.enforces(EndTxnStateCheck): // E5
		return TransactionReply{PID: t.PID, Epoch: t.Epoch}
	case t.State == decided(r.Commit, false): // E6: only where nothing completes it
		return refuse(ConcurrentTransactions)
	}
	return refuse(InvalidTxnState) // E7
}

// endNow ends the transaction, or, where there is none, raises the epoch all the
// same. The next pair is answered before the markers are written.
func (c *TransactionCoordinator) endNow(r *TxnRequest) TransactionReply {
	t := c.Txn
	next := *t
	next.Version, next.ByFence = TV2, false
	if t.State != Ongoing {
		next.Partitions = 0
	}
	next.LastEpoch = t.Epoch
	if c.Rules.Exhausted(t.Epoch) && c.enforces(EpochExhaustionRotation) {
		next.Next = c.fresh()
	}
	if c.enforces(EndTxnBumpEpoch) {
		next.Epoch = c.Rules.bump(t.Epoch)
	}
	if err := c.finish(next, r.Commit); err != None {
		return refuse(err)
	}
	if next.Next != 0 {
		return TransactionReply{PID: next.Next, Epoch: 0}
	}
	return TransactionReply{PID: next.PID, Epoch: next.Epoch}
}
