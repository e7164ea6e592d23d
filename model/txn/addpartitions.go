package txn

import "fencecheck/model"

// OffsetsPartition is where a set of partitions has the group's partition of
// __consumer_offsets, if whoever makes the set has no other place for it.
const OffsetsPartition = 63

// addPartitions decides AddPartitionsToTxn, or AddOffsetsToTxn, where the
// partition is the group's of __consumer_offsets. Version 2 is a partition
// leader's request on behalf of a writer; a client's own has a smaller one. Source:
// TransactionCoordinator.handleAddPartitionsToTransaction; transactions.md 1.5,
// rows A2 to A8.
func (c *Coordinator) addPartitions(r *Request) model.Error {
	if err := c.gate(); err != model.None { // A2
		return err
	}
	t := c.Txn
	if t.State == NoTransaction { // A2
		return model.InvalidProducerIDMapping
	}
	deciding := t.State.preparing() || t.Pending != NoTransaction
	if t.Pending != NoTransaction && c.enforces(model.PendingCheckFirst) { // A3
		return model.ConcurrentTransactions
	}
	if err := c.owner(r); err != model.None { // A4, A5
		return err
	}
	if deciding && c.enforces(model.AddPartitionsPrepareCheck) { // A6
		return model.ConcurrentTransactions
	}
	if t.State == Ongoing && r.Partitions&^t.Partitions == 0 { // A7
		return model.None
	}
	next := *t
	if !deciding {
		next.State = Ongoing
	}
	if next.Version = model.TV1; r.Version.Bumps() {
		next.Version = model.TV2
	}
	next.Partitions |= r.Partitions
	return c.enter(next) // A8
}

// owner: rows A4 and A5.
func (c *Coordinator) owner(r *Request) model.Error {
	t := c.Txn
	ignored := r.API == model.TxnOffsetCommit && !c.enforces(model.TxnOffsetCommitProducerEpoch)
	switch {
	case r.PID != t.PID && c.enforces(model.AddPartitionsPIDCheck): // A4
		return model.InvalidProducerIDMapping
	case r.Epoch != t.Epoch && c.enforces(model.AddPartitionsEpochCheck) && !ignored: // A5
		return model.ProducerFenced
	}
	return model.None
}

// addOrVerify decides AddPartitionsToTxn of either kind.
func (c *Coordinator) addOrVerify(r *Request, verify bool) model.Error {
	if verify {
		return c.verify(r)
	}
	return c.addPartitions(r)
}

// verify decides a verify-only AddPartitionsToTxn of a partition leader: is the
// partition part of the transaction? A pending state is not looked at. Source:
// TransactionCoordinator.handleVerifyPartitionsInTransaction; transactions.md
// 1.5.
func (c *Coordinator) verify(r *Request) model.Error {
	if err := c.gate(); err != model.None {
		return err
	}
	t := c.Txn
	if t.State == NoTransaction {
		return model.InvalidProducerIDMapping
	}
	if err := c.owner(r); err != model.None {
		return err
	}
	switch {
	case t.State.preparing() && c.enforces(model.AddPartitionsPrepareCheck):
		return model.ConcurrentTransactions
	case r.Partitions&^t.Partitions != 0:
		return model.TransactionAbortable
	}
	return model.None
}
