package txn

import "fencecheck/model"

// TransactionState is the state of a transactional id (TransactionState).
type TransactionState uint8

const (
	// NoTransaction: the coordinator does not know the transactional id.
	NoTransaction TransactionState = iota
	// TransactionEmpty: Kafka's Empty; a producer was initialised and has no transaction.
	TransactionEmpty
	// Ongoing: a transaction has partitions.
	Ongoing
	// PrepareCommit: the transaction will be committed.
	PrepareCommit
	// PrepareAbort: the transaction will be aborted.
	PrepareAbort
	// CompleteCommit: every partition has its COMMIT marker.
	CompleteCommit
	// CompleteAbort: every partition has its ABORT marker.
	CompleteAbort
	// PrepareEpochFence is a pending state only: a coordinator raises the epoch to
	// abort somebody's transaction.
	PrepareEpochFence
)

// String is Kafka's name of the state.
func (s TransactionState) String() string {
	return [...]string{"Absent", "Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort", "PrepareEpochFence"}[s]
}

func (s TransactionState) preparing() bool { return s == PrepareCommit || s == PrepareAbort }

func (s TransactionState) complete() bool { return s == CompleteCommit || s == CompleteAbort }

// decided is the state that stands for an outcome, being prepared or complete.
func decided(commit, complete bool) TransactionState {
	s := PrepareAbort
	if commit {
		s = PrepareCommit
	}
	if complete {
		s += CompleteCommit - PrepareCommit
	}
	return s
}

// Transaction is what a coordinator knows of a transactional id
// (TransactionMetadata; transactions.md 1.1). The zero value is an id that it
// does not know.
type Transaction struct {
	State TransactionState
	// Pending is the transition under way: what it prepares is not logged or not
	// marked everywhere. NoTransaction for none.
	Pending    TransactionState
	PID        model.ProducerID
	Prev       model.ProducerID // before the last transition of any kind
	Next       model.ProducerID // to rotate to when this transaction is complete
	Epoch      model.Epoch
	LastEpoch  model.Epoch // before the last bump; NoEpoch: no retry is allowed
	Version    model.TransactionVersion
	Partitions model.PartSet
	// FailedFence: a fence raised the epoch in memory, and its record was not
	// written (KAFKA-9666).
	FailedFence bool
	// ByFence: the last completion was the coordinator's own. Kept only where
	// end-txn-retry-after-fence is off.
	ByFence bool
}

// Durable is what the record of a transaction holds, as a load reads it back
// (TransactionLog; KAFKA-20357 would keep the last epoch too).
func (t Transaction) Durable() Transaction {
	if t.State == NoTransaction || t.Epoch == model.NoEpoch { // never logged
		return Transaction{}
	}
	t.Pending, t.LastEpoch, t.FailedFence = NoTransaction, model.NoEpoch, false
	return t
}

// Marker is one WriteTxnMarkers entry. On its way to a partition To says which;
// in a coordinator's outbox, which are left.
type Marker struct {
	PID              model.ProducerID
	Epoch            model.Epoch
	CoordinatorEpoch int16
	Commit           bool
	Version          model.TransactionVersion
	To               model.PartSet
	// Stuck: a partition refused the marker, and the coordinator gave up
	// silently (TransactionMarkerRequestCompletionHandler).
	Stuck bool
}

// Request is the WriteTxnMarkers that brings the marker to one partition.
func (m *Marker) Request() Request {
	return Request{API: model.WriteTxnMarkers, PID: m.PID, Epoch: m.Epoch, CoordinatorEpoch: m.CoordinatorEpoch, Commit: m.Commit, Version: m.Version}
}

// Appending says what becomes of a coordinator's record (transactions.md 1.3).
type Appending uint8

const (
	// Appended: the record is in the log, and the coordinator knows.
	Appended Appending = iota
	// AppendUnknown: it is in the log, and the coordinator takes it for failed:
	// COORDINATOR_NOT_AVAILABLE.
	AppendUnknown
	// AppendFailed: it is not there, with the same answer.
	AppendFailed
	// Deposed: another coordinator leads the log: NOT_COORDINATOR.
	Deposed
)

// TransactionCoordinator is a view on what a coordinator holds of one
// transactional id. The storage is the caller's, as with Coordinator. One
// request or one timer is one call.
type Coordinator struct {
	Rules  *model.Rules
	Txn    *Transaction
	Log    *Transaction // the last record; nil where nobody asks for it
	Outbox *Marker      // markers that are still to be written
	// Epoch is the coordinator epoch: that of the log's leader.
	Epoch int16
	// Loading: the log has not been read to its end.
	Loading bool
	// Leaderless: the partitions have no leader yet, after a restart of everything.
	Leaderless bool
	Appends    Appending
	// Fresh is the next id of the producer id manager; Taken says that the call
	// used it, and TakenTwice that it would have needed another one.
	Fresh             model.ProducerID
	Taken, TakenTwice bool
}

// TransactionReply is an answer of the transaction coordinator. PID and Epoch
// are zero where the answer has none.
type TransactionReply struct {
	Err   model.Error
	PID   model.ProducerID
	Epoch model.Epoch
}

func refuse(err model.Error) TransactionReply {
	return TransactionReply{Err: err, Epoch: model.NoEpoch}
}

func (c *Coordinator) enforces(id model.Mutation) bool { return !c.Rules.Off.Has(id) }

// gate is common to all requests (TransactionStateManager.
// getAndMaybeAddTransactionState; transactions.md 1.2). Whoever does not lead the
// log, and knows, has nothing in memory: that is a client's retry, not modelled.
func (c *Coordinator) gate() model.Error {
	if c.Loading && c.enforces(model.TCLoadGate) {
		return model.CoordinatorLoadInProgress
	}
	return model.None
}

func (c *Coordinator) fresh() model.ProducerID {
	c.TakenTwice = c.Taken
	c.Taken = true
	return c.Fresh
}

// enter logs what a transition leads to, and takes it over once it is logged
// (prepare, append, complete; transactions.md 1.1). Kafka overwrites the
// previous producer id with every transition (TransactionMetadata.
// prepareTransitionTo).
func (c *Coordinator) enter(next Transaction) model.Error {
	next.Prev, next.Pending = c.Txn.PID, NoTransaction
	switch c.Appends {
	case Deposed:
		if c.enforces(model.TCAppendCECheck) {
			return model.NotCoordinator
		}
	case AppendFailed:
		return model.CoordinatorNotAvailable
	case AppendUnknown:
		c.record(next)
		return model.CoordinatorNotAvailable
	}
	c.record(next)
	*c.Txn = next
	return model.None
}

func (c *Coordinator) record(t Transaction) {
	if c.Log != nil {
		*c.Log = t.Durable()
	}
}

// finish prepares an outcome and, once that is logged, the completion: markers go
// out to every partition (TransactionCoordinator.endTransaction; transactions.md
// 1.7). next has epoch and ids as they shall be.
func (c *Coordinator) finish(next Transaction, commit bool) model.Error {
	next.State = decided(commit, false)
	if c.enforces(model.PrepareBeforeMarkers) {
		if err := c.enter(next); err != model.None {
			return err
		}
	} else { // markers go out before the decision is safe
		next.Prev, next.Pending = c.Txn.PID, NoTransaction
		*c.Txn = next
	}
	c.distribute()
	return model.None
}

// distribute begins the completion of a decision that is logged.
func (c *Coordinator) distribute() {
	t := c.Txn
	t.Pending = t.State + CompleteCommit - PrepareCommit
	*c.Outbox = Marker{PID: t.PID, Epoch: t.Epoch, CoordinatorEpoch: c.Epoch, Commit: t.State == PrepareCommit, Version: t.Version, To: t.Partitions}
	if c.Leaderless && !c.enforces(model.MarkerSkipBug) { // taken for deleted partitions
		c.Outbox.To = 0
	}
	if c.Outbox.To == 0 || !c.enforces(model.CompleteAfterAllMarkers) {
		c.complete()
	}
}

// MarkerAnswered takes a partition leader's answer to a marker of the outbox
// (TransactionMarkerRequestCompletionHandler.onComplete; transactions.md 1.9).
func (c *Coordinator) MarkerAnswered(p int, err model.Error) {
	switch err {
	case model.None:
	case model.InvalidProducerEpoch, model.TransactionCoordinatorFenced:
		c.Outbox.Stuck = true
	default: // it is sent again
		return
	}
	if c.Outbox.To &^= model.Part(p); c.Outbox.To == 0 && !c.Outbox.Stuck && c.Txn.State.preparing() {
		c.complete()
	}
}

// complete logs that every marker is written (TransactionMetadata.
// prepareComplete). A log that does not answer is asked again until it does.
func (c *Coordinator) complete() {
	t := c.Txn
	next := *t
	next.State = t.State + CompleteCommit - PrepareCommit
	next.Partitions, next.FailedFence = 0, false
	if t.Next != 0 {
		next.PID, next.Epoch, next.Next = t.Next, 0, 0
	}
	appends := c.Appends
	if appends == AppendFailed || appends == AppendUnknown {
		c.Appends = Appended
	}
	if c.enter(next) != model.None { // deposed: the completion is dropped, a loader will repeat it
		t.Pending = NoTransaction
	}
	c.Appends = appends
	if c.enforces(model.CompleteAfterAllMarkers) || c.Outbox.To == 0 {
		*c.Outbox = Marker{}
	}
}

// Load reads the log, as a new coordinator does with every transactional id
// (TransactionStateManager.loadTransactionsForTxnTopicPartition; transactions.md
// section 5). Whatever was decided is marked again, everywhere.
func (c *Coordinator) Load() {
	*c.Txn, *c.Outbox = *c.Log, Marker{}
	c.Loading = false
	if c.Txn.State.preparing() && c.enforces(model.TCLoadCompletesPrepare) {
		c.distribute()
	}
}

// Overdue aborts a transaction that has taken longer than its timeout
// (TransactionCoordinator.abortTimedOutTransactions; KIP-588; transactions.md
// 1.8). It tells whether it did.
func (c *Coordinator) Overdue() bool {
	if c.Loading || c.Txn.State != Ongoing || c.Txn.Pending != NoTransaction || !c.enforces(model.TimeoutAbort) {
		return false
	}
	return c.fence() == model.None
}

// fence aborts a running transaction with a raised epoch, of the coordinator's
// own accord (TransactionMetadata.prepareFenceProducerEpoch). Which way it goes
// is for the feature to say, not for the client.
func (c *Coordinator) fence() model.Error {
	t := c.Txn
	next := *t
	next.ByFence = !c.enforces(model.EndTxnRetryAfterFence)
	if c.Rules.Feature.OrDefault().Bumps() {
		next.LastEpoch = t.Epoch
		if c.Rules.Exhausted(t.Epoch) { // KAFKA-20090
			next.Next = c.fresh()
		}
		if c.enforces(model.FenceBumpsEpoch) {
			next.Epoch = c.Rules.Bump(t.Epoch)
		}
		if !c.enforces(model.DoubleFenceBumpBug) {
			next.LastEpoch, next.Epoch = next.Epoch, c.Rules.Bump(next.Epoch)
		}
		next.Version = model.TV2
		return c.finish(next, false)
	}
	if !t.FailedFence && c.enforces(model.FenceBumpsEpoch) {
		next.Epoch = c.Rules.Bump(t.Epoch)
	}
	next.LastEpoch = model.NoEpoch
	// The epoch is raised in memory first, and stays so if the append fails.
	t.Epoch, t.LastEpoch = next.Epoch, model.NoEpoch
	err := c.finish(next, false)
	if err != model.None {
		t.FailedFence = true
	}
	return err
}

// Expire forgets a transactional id that was idle for transactional.id.
// expiration.ms (TransactionStateManager.removeExpiredTransactionalIds;
// transactions.md 1.10). It tells whether it did.
func (c *Coordinator) Expire() bool {
	t := c.Txn
	idle := (t.State == TransactionEmpty || t.State.complete()) && t.Pending == NoTransaction
	if c.Loading || t.State == NoTransaction || !idle && c.enforces(model.TidExpiryOnlyIdle) {
		return false
	}
	*t, *c.Outbox = Transaction{}, Marker{}
	c.record(Transaction{})
	return true
}
