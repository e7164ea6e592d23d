package txn

import "fencecheck/model"

// TxnRequest is a request of transactions: a producer's, a partition leader's
// on its behalf, or a coordinator's marker. Fields that a request does not have
// are not looked at.
type Request struct {
	API model.API
	// PID and Epoch are the pair that the sender has; in InitProducerId the one
	// that it expects (KIP-360), PID 0 for none.
	PID     model.ProducerID
	Epoch   model.Epoch
	Version model.TransactionVersion // the style of the request
	Commit  bool                     // EndTxn, WriteTxnMarkers
	// Partitions are those to add, in the coordinator's numbers. Of a batch: the
	// partition that it is for.
	Partitions model.PartSet
	Verify     bool // AddPartitionsToTxn: verify only

	// Produce, a batch of one record; TxnOffsetCommit.
	Sequence      int32 // NoSequence for offsets, which carry none
	Transactional bool
	Guard         uint8 // the verification that the batch went through, 0 for none
	MemberID      model.MemberID
	Generation    model.Generation
	Offsets       []model.Offset // by partition, NoOffset for those that are not named

	CoordinatorEpoch int16 // WriteTxnMarkers
}

// TxnReply is the answer to a TxnRequest.
type Reply struct {
	TransactionReply
	// Of a batch: it is a duplicate of the one that was appended Back batches ago.
	Duplicate bool
	Back      int
	// Of a marker: it ended an open transaction, and committed the offsets of these
	// partitions.
	Closed    bool
	Committed model.PartSet
}

// TxnOffsetStore is what transactions ask the offsets of a group.
type Offsets interface {
	CheckTxn(id model.MemberID, generation model.Generation) model.Error
	StoreTxn(pid model.ProducerID, offsets []model.Offset)
	EndTransaction(pid model.ProducerID, commit bool) (committed model.PartSet)
}

// Brokers are the views that a request of transactions meets.
type Brokers struct {
	Coordinator *Coordinator
	Leader      *Leader // of the partition that a batch or marker is for
	Offsets     Offsets // behind the group's offsets partition; nil behind others, and where the group is not looked at
}

// Decide decides a request. It is the one place where requests of transactions
// meet their rules; where a batch is not appended at once, Admit and Append are
// its two halves.
func (b *Brokers) Decide(r *Request) (a Reply) {
	switch r.API {
	case model.InitProducerID:
		a.TransactionReply = b.Coordinator.initProducerID(r)
	case model.EndTxn:
		a.TransactionReply = b.Coordinator.endTxn(r)
	case model.AddPartitionsToTxn, model.AddOffsetsToTxn:
		if err := b.Coordinator.addOrVerify(r, r.Verify); err != model.None {
			a.TransactionReply = refuse(err)
		}
	case model.Produce, model.TxnOffsetCommit:
		if a.Err = b.Admit(r); a.Err == model.None {
			a = b.Append(r)
		}
	case model.WriteTxnMarkers:
		if a.Closed, a.Err = b.Leader.writeMarker(r); a.Err == model.None && b.Offsets != nil {
			a.Committed = b.Offsets.EndTransaction(r.PID, r.Commit)
		}
	default:
		panic("txn: " + r.API.String() + " is not a request of transactions")
	}
	return a
}

// Admit is what a leader does with a batch before it appends it: look, and ask
// the transaction coordinator. The batch gets its guard.
func (b *Brokers) Admit(r *Request) model.Error {
	if !r.Transactional {
		return model.None
	}
	ask, err := b.Leader.begin(r)
	if ask {
		err = r.told(b.consult(r))
	}
	return err
}

// Consult tells whether a leader asks the transaction coordinator about a batch
// before it appends it, and what that answers.
func (b *Brokers) Consult(r *Request) (asks bool, answer model.Error) {
	if asks, _ = b.Leader.begin(r); !asks {
		return false, model.None
	}
	return true, b.consult(r)
}

// consult lets the coordinator verify the partition, or add it
// (AddPartitionsToTxnManager).
func (b *Brokers) consult(r *Request) model.Error {
	return b.Coordinator.addOrVerify(r, !r.Version.Bumps())
}

// Append is the second half of a batch, once it is admitted: the group's rules,
// then the log's, then its effect (CoordinatorRuntime.
// scheduleTransactionalWriteOperation; transactions.md 3.1).
func (b *Brokers) Append(r *Request) (a Reply) {
	offsets := r.API == model.TxnOffsetCommit && b.Offsets != nil
	if offsets {
		if a.Err = b.Offsets.CheckTxn(r.MemberID, r.Generation); a.Err != model.None {
			return a
		}
	}
	if a.Back, a.Duplicate, a.Err = b.Leader.append(r); a.Err == model.None && offsets {
		b.Offsets.StoreTxn(r.PID, r.Offsets)
	}
	return a
}
