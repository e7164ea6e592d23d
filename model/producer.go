package model

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
func React(api API, err Error, commit bool, off *Mutations) Reaction {
	switch err {
	case None:
		return GoOn
	case CoordinatorLoadInProgress, CoordinatorNotAvailable, NotCoordinator, NotEnoughReplicas, ConcurrentTransactions:
		return Retry
	case InvalidProducerIDMapping:
		if off.Has(PIDMappingFatal) {
			return Abortable
		}
		return Fatal
	case InvalidProducerEpoch, InvalidTxnState:
		if api == Produce {
			return Abortable
		}
		return Fatal
	case IllegalGeneration, UnknownMemberID:
		return Abortable
	case TransactionAbortable:
		if api == EndTxn && !commit {
			return Fatal
		}
		return Abortable
	case ProducerFenced:
		return Fatal
	}
	if api == Produce || api == AddPartitionsToTxn {
		return Abortable
	}
	return Fatal
}
