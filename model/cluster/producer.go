package cluster

import "fencecheck/model"

// This file has a transactional producer's rules: what the Java client does with
// each answer (TransactionManager, Sender; transactions.md section 6).

// ProducerPhase is how far a producer is (TransactionManager.State).
type ProducerPhase uint8

// The phases.
const (
	Uninitialized ProducerPhase = iota
	Ready
	InTransaction
	Committing
	Aborting
	// AbortableError: only an abort leads on.
	AbortableError
	// FatalError: nothing does.
	FatalError
)

// Reaction is what a client makes of an answer.
type Reaction uint8

// The reactions.
const (
	GoOn Reaction = iota
	Retry
	Abortable
	Fatal
)

// React is the table of transactions.md section 6. commit is for EndTxn.
func React(api model.API, err model.Error, commit bool, off *model.Mutations) Reaction {
	switch err {
	case model.None:
		return GoOn
	case model.CoordinatorLoadInProgress, model.CoordinatorNotAvailable, model.NotCoordinator, model.NotEnoughReplicas, model.NotLeaderOrFollower, model.ConcurrentTransactions:
		return Retry
	case model.InvalidProducerIDMapping:
		if off.Has(model.PIDMappingFatal) {
			return Abortable
		}
		return Fatal
	case model.InvalidProducerEpoch, model.InvalidTxnState:
		if api == model.Produce {
			return Abortable
		}
		return Fatal
	case model.IllegalGeneration, model.UnknownMemberID:
		return Abortable
	case model.TransactionAbortable:
		if api == model.EndTxn && !commit {
			return Fatal
		}
		return Abortable
	case model.ProducerFenced:
		return Fatal
	}
	if api == model.Produce || api == model.AddPartitionsToTxn {
		return Abortable
	}
	return Fatal
}

// ReceiveProducer applies an answer to a producer's request.
func (c *Client) ReceiveProducer(r *Request, v model.TransactionVersion, off *model.Mutations) {
	p := &c.Producer
	switch React(r.API, r.Err, r.Commit, off) {
	case GoOn:
		c.goOn(r, v)
	case Abortable:
		switch {
		case r.Err == model.InvalidProducerIDMapping: // pid-mapping-fatal is off: it begins anew
			c.EndTransaction(false)
			*p = Producer{Begun: p.Begun, Succeeded: p.Succeeded}
		case p.Phase == InTransaction || p.Phase == Committing:
			p.Phase = AbortableError
			if r.Err == model.UnknownMemberID || r.Err == model.IllegalGeneration {
				// CommitFailedException: the application gives up its partitions and
				// joins again (in Kafka Streams, TaskMigratedException).
				c.lose(r.Err == model.UnknownMemberID, off)
			}
		case p.Phase == Aborting:
			p.Phase = FatalError
		}
	case Fatal:
		p.Phase = FatalError
	}
}

// goOn takes what an answer without an error brings.
func (c *Client) goOn(r *Request, v model.TransactionVersion) {
	p := &c.Producer
	switch r.API {
	case model.InitProducerID:
		*p = Producer{Phase: Ready, PID: r.NewPID, Epoch: r.NewEpoch, Begun: p.Begun}
	case model.AddPartitionsToTxn, model.AddOffsetsToTxn:
		p.Added |= 1 << r.Log
	case model.Produce:
		p.Written |= 1 << r.Log
		p.Sending &^= 1 << r.Log
		p.Failing = p.Failing && p.Sending != 0
		p.Next[r.Log]++
		p.Value[r.Log] = 0
	case model.TxnOffsetCommit:
		p.Written |= 1 << r.Log
	case model.EndTxn:
		if v.Adds() {
			p.PID, p.Epoch, p.Next = r.NewPID, r.NewEpoch, [MaxOutputs]int8{}
		}
		c.EndTransaction(r.Commit)
	}
}

// EndTransaction is what an application does when its transaction is over: after
// an abort it reads again what was committed.
func (c *Client) EndTransaction(commit bool) {
	p := &c.Producer
	*p = Producer{Phase: Ready, PID: p.PID, Epoch: p.Epoch, Next: p.Next, Begun: p.Begun, Renew: p.Renew, Replaced: p.Replaced, Succeeded: p.Succeeded}
	if p.Renew {
		p.Phase = Uninitialized
	}
	if !commit {
		c.Unfetched = c.Owned
	}
	c.Dirty = 0
}
