package model

// OffsetsPartition is where a set of partitions has the group's partition of
// __consumer_offsets, if whoever makes the set has no other place for it.
const OffsetsPartition = 63

// addPartitions decides AddPartitionsToTxn, or AddOffsetsToTxn, where the
// partition is the group's of __consumer_offsets. Version 2 is a partition
// leader's request on behalf of a writer; a client's own has a smaller one. Source:
// TransactionCoordinator.handleAddPartitionsToTransaction; transactions.md 1.5,
// rows A2 to A8.
func (c *TransactionCoordinator) addPartitions(r *TxnRequest) Error {
	if err := c.gate(); err != None { // A2
		return err
	}
	t := c.Txn
	if t.State == NoTransaction { // A2
		return InvalidProducerIDMapping
	}
	deciding := t.State.preparing() || t.Pending != NoTransaction
	if t.Pending != NoTransaction && c.enforces(PendingCheckFirst) { // A3
		return ConcurrentTransactions
	}
	if err := c.owner(r); err != None { // A4, A5
		return err
	}
	if deciding && c.enforces(AddPartitionsPrepareCheck) { // A6
		return ConcurrentTransactions
	}
	if t.State == Ongoing && r.Partitions&^t.Partitions == 0 { // A7
		return None
	}
	next := *t
	if !deciding {
		next.State = Ongoing
	}
	if next.Version = TV1; r.Version.bumps() {
		next.Version = TV2
	}
	next.Partitions |= r.Partitions
	return c.enter(next) // A8
}

// owner: rows A4 and A5.
func (c *TransactionCoordinator) owner(r *TxnRequest) Error {
	t := c.Txn
	ignored := r.API == TxnOffsetCommit && !c.enforces(TxnOffsetCommitProducerEpoch)
	switch {
	case r.PID != t.PID && c.enforces(AddPartitionsPIDCheck): // A4
		return InvalidProducerIDMapping
	case r.Epoch != t.Epoch && c.enforces(AddPartitionsEpochCheck) && !ignored: // A5
		return ProducerFenced
	}
	return None
}

// addOrVerify decides AddPartitionsToTxn of either kind.
func (c *TransactionCoordinator) addOrVerify(r *TxnRequest, verify bool) Error {
	if verify {
		return c.verify(r)
	}
	return c.addPartitions(r)
}

// verify decides a verify-only AddPartitionsToTxn of a partition leader: is the
// partition part of the transaction? A pending state is not looked at. Source:
// TransactionCoordinator.handleVerifyPartitionsInTransaction; transactions.md
// 1.5.
func (c *TransactionCoordinator) verify(r *TxnRequest) Error {
	if err := c.gate(); err != None {
		return err
	}
	t := c.Txn
	if t.State == NoTransaction {
		return InvalidProducerIDMapping
	}
	if err := c.owner(r); err != None {
		return err
	}
	switch {
	case t.State.preparing() && c.enforces(AddPartitionsPrepareCheck):
		return ConcurrentTransactions
	case r.Partitions&^t.Partitions != 0:
		return TransactionAbortable
	}
	return None
}
