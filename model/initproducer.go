package model

// initProducerID decides InitProducerId v4 for a transactional id. Source: TransactionCoordinator.
// handleInitProducerId, prepareInitProducerIdTransit; transactions.md 1.4, rows
// I8 to I11. The rows before those concern permissions and malformed requests.
func (c *TransactionCoordinator) initProducerID(r *TxnRequest) TransactionReply {
	if err := c.gate(); err != None { // I8
		return refuse(err)
	}
	t := c.Txn
	if t.State == NoTransaction { // I8
		*t = Transaction{State: TransactionEmpty, PID: c.fresh(), Epoch: NoEpoch, LastEpoch: NoEpoch}
	}
	if t.Pending != NoTransaction && c.enforces(InitPendingCheck) { // I9
		return refuse(ConcurrentTransactions)
	}
	if r.PID != 0 && !c.expects(r) && c.enforces(InitExpectedPIDCheck) { // I10
		return refuse(ProducerFenced)
	}
	if t.State.preparing() && c.enforces(InitWaitPrepare) { // I11
		return refuse(ConcurrentTransactions)
	}
	if t.State == Ongoing && c.enforces(InitAbortOngoing) { // I11: whoever has the right id, whatever the epoch
		if err := c.fence(); err != None {
			return refuse(err)
		}
		return refuse(ConcurrentTransactions)
	}
	return c.initialise(r)
}

// expects: row I10. A producer whose id was rotated away may ask once more with
// what it had.
func (c *TransactionCoordinator) expects(r *TxnRequest) bool {
	t := c.Txn
	return t.Epoch == NoEpoch || r.PID == t.PID || r.PID == t.Prev && c.Rules.Exhausted(r.Epoch)
}

// initialise gives out the next pair (TransactionMetadata.
// prepareIncrementProducerEpoch, prepareProducerIdRotation; the epoch rule of
// transactions.md 1.4).
func (c *TransactionCoordinator) initialise(r *TxnRequest) TransactionReply {
	t := c.Txn
	next := *t
	next.State, next.Partitions, next.Next = TransactionEmpty, 0, 0
	switch named := r.PID != 0; {
	case c.Rules.Exhausted(t.Epoch) && c.enforces(EpochExhaustionRotation):
		if named && r.Epoch != t.Epoch {
			return refuse(UnknownServerError)
		}
		next.PID, next.Epoch, next.LastEpoch = c.fresh(), 0, NoEpoch
		if named {
			next.LastEpoch = t.Epoch
		}
	case !named:
		c.bumpForInit(&next)
		next.LastEpoch = NoEpoch
		if !c.enforces(InitResetLastEpoch) {
			next.LastEpoch = t.Epoch
		}
	case r.Epoch == t.Epoch || t.Epoch == NoEpoch:
		c.bumpForInit(&next)
		next.LastEpoch = t.Epoch
	case r.Epoch == t.LastEpoch && c.enforces(InitRetryDetection): // a retry: its answer was lost
	case c.enforces(InitExpectedEpochCheck):
		return refuse(ProducerFenced)
	default:
		c.bumpForInit(&next)
		next.LastEpoch = t.Epoch
	}
	if err := c.enter(next); err != None {
		return refuse(err)
	}
	return TransactionReply{PID: t.PID, Epoch: t.Epoch}
}

func (c *TransactionCoordinator) bumpForInit(next *Transaction) {
	if next.Epoch == NoEpoch || c.enforces(InitBumpEpoch) {
		next.Epoch = c.Rules.bump(next.Epoch)
	}
}
