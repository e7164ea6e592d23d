package txn

import "fencecheck/model"

// initProducerID decides InitProducerId v4 for a transactional id. Source: TransactionCoordinator.
// handleInitProducerId, prepareInitProducerIdTransit; transactions.md 1.4, rows
// I8 to I11. The rows before those concern permissions and malformed requests.
func (c *Coordinator) initProducerID(r *Request) TransactionReply {
	if err := c.gate(); err != model.None { // I8
		return refuse(err)
	}
	t := c.Txn
	if t.State == NoTransaction { // I8
		*t = Transaction{State: TransactionEmpty, PID: c.fresh(), Epoch: model.NoEpoch, LastEpoch: model.NoEpoch}
	}
	if t.Pending != NoTransaction && c.enforces(model.InitPendingCheck) { // I9
		return refuse(model.ConcurrentTransactions)
	}
	if r.PID != 0 && !c.expects(r) && c.enforces(model.InitExpectedPIDCheck) { // I10
		return refuse(model.ProducerFenced)
	}
	if t.State.preparing() && c.enforces(model.InitWaitPrepare) { // I11
		return refuse(model.ConcurrentTransactions)
	}
	if t.State == Ongoing && c.enforces(model.InitAbortOngoing) { // I11: whoever has the right id, whatever the epoch
		if err := c.fence(); err != model.None {
			return refuse(err)
		}
		return refuse(model.ConcurrentTransactions)
	}
	return c.initialise(r)
}

// expects: row I10. A producer whose id was rotated away may ask once more with
// what it had.
func (c *Coordinator) expects(r *Request) bool {
	t := c.Txn
	return t.Epoch == model.NoEpoch || r.PID == t.PID || r.PID == t.Prev && c.Rules.Exhausted(r.Epoch)
}

// initialise gives out the next pair (TransactionMetadata.
// prepareIncrementProducerEpoch, prepareProducerIdRotation; the epoch rule of
// transactions.md 1.4).
func (c *Coordinator) initialise(r *Request) TransactionReply {
	t := c.Txn
	next := *t
	next.State, next.Partitions, next.Next = TransactionEmpty, 0, 0
	switch named := r.PID != 0; {
	case c.Rules.Exhausted(t.Epoch) && c.enforces(model.EpochExhaustionRotation):
		if named && r.Epoch != t.Epoch {
			return refuse(model.UnknownServerError)
		}
		next.PID, next.Epoch, next.LastEpoch = c.fresh(), 0, model.NoEpoch
		if named {
			next.LastEpoch = t.Epoch
		}
	case !named:
		c.bumpForInit(&next)
		next.LastEpoch = model.NoEpoch
		if !c.enforces(model.InitResetLastEpoch) {
			next.LastEpoch = t.Epoch
		}
	case r.Epoch == t.Epoch || t.Epoch == model.NoEpoch:
		c.bumpForInit(&next)
		next.LastEpoch = t.Epoch
	case r.Epoch == t.LastEpoch && c.enforces(model.InitRetryDetection): // a retry: its answer was lost
	case c.enforces(model.InitExpectedEpochCheck):
		return refuse(model.ProducerFenced)
	default:
		c.bumpForInit(&next)
		next.LastEpoch = t.Epoch
	}
	if err := c.enter(next); err != model.None {
		return refuse(err)
	}
	return TransactionReply{PID: t.PID, Epoch: t.Epoch}
}

func (c *Coordinator) bumpForInit(next *Transaction) {
	if next.Epoch == model.NoEpoch || c.enforces(model.InitBumpEpoch) {
		next.Epoch = c.Rules.Bump(next.Epoch)
	}
}
