package invariants

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
	"fencecheck/ops"
)

// Two writers that share a transactional id, and one member that consumes and
// produces under another.
var txnCfg = &model.Config{
	Members: 1, Writers: 2, Transactional: true, Partitions: 1, Topics: 1, Records: 2, Outputs: 1, Transactions: 2,
	IDs: [model.MaxClients]uint8{0: 1}, Version: model.TV2,
}

const (
	consumer, writer, rival = 0, 1, 2 // clients
	output                  = 0       // a log
)

// atRest is a state in which the first writer is ready for another transaction,
// the second was never initialised, and the member is ready too.
func atRest() *model.State {
	var s model.State
	s.Initial(txnCfg)
	s.Group = model.Group{State: model.Stable, Generation: 3}
	id := model.NewMemberID(consumer, 0)
	s.Members[0] = model.Member{ID: id, Assignment: 1}
	cl := &s.Clients[consumer]
	cl.Phase, cl.ID, cl.Generation, cl.Owned = model.MemberPhase, id, 3, 1
	for i, client := range []int{writer, consumer} {
		t := &s.Txns.IDs[i]
		t.Txn = model.Transaction{State: model.CompleteCommit, PID: model.ProducerID(i + 1), Prev: model.ProducerID(i + 1), Epoch: 4, LastEpoch: 3, Version: model.TV2}
		t.Log = t.Txn.Durable()
		s.Clients[client].Producer = model.Producer{Phase: model.Ready, PID: t.Txn.PID, Epoch: 4}
	}
	s.Txns.Logs[output].Entries[0] = model.ProducerEntry{PID: 1, Epoch: 4, Last: model.NoSequence}
	s.Txns.Logs[output].Entries[1] = model.ProducerEntry{PID: 2, Epoch: 4, Last: model.NoSequence}
	return &s
}

// written is atRest with a decision to commit what the writer has in the output,
// and the member in the offsets. Only the markers are missing.
func written() *model.State {
	s := atRest()
	for i, client := range []int{writer, consumer} {
		log := []int{output, model.OffsetsLog}[i]
		t := &s.Txns.IDs[i]
		t.Txn.State, t.Txn.Pending, t.Txn.Partitions = model.PrepareCommit, model.CompleteCommit, model.Part(log)
		t.Log = t.Txn.Durable()
		t.Outbox = model.Marker{PID: t.Txn.PID, Epoch: 4, Commit: true, Version: model.TV2, To: t.Txn.Partitions}
		w := model.NewWorkID(client, 0)
		s.Work(w).Told = model.ToldNothing
		l := &s.Txns.Logs[log]
		l.Entries = [model.MaxProducerIDs]model.ProducerEntry{{PID: t.Txn.PID, Epoch: 3, Open: true}}
		l.Log[0] = model.Entry{Rec: model.Record{Kind: model.TransactionalRecord, PID: t.Txn.PID}, Work: w}
	}
	s.Txns.Pending[0] = model.PendingOffset{PID: 2, Offset: 1, At: 2}
	s.Offsets[0], s.Txns.OffsetsAt[0], s.Ghost.Done[0] = 0, 1, 1
	return s
}

func work(s *model.State) *model.Work { return s.Work(model.NewWorkID(writer, 0)) }

func TestTransactionStatePredicates(t *testing.T) {
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(s *model.State)
	}{
		{"no-lost-input", "an offset behind a record without output", func(s *model.State) { s.Offsets[0] = 1 }},
		{"no-lost-input", "output of which nothing is visible yet", func(s *model.State) { s.Offsets[0] = 1; hold(s, 0) }},
		{"no-lost-input", "visible output of another record", func(s *model.State) { s.Offsets[0] = 2; hold(s, 1) }},
		{"no-duplicate-output", "output visible twice", func(s *model.State) { s.Ghost.Output(0, 0); s.Ghost.Output(0, 0) }},
		{"truthful-outcome", "told committed, and aborted", func(s *model.State) { *work(s) = model.Work{Told: model.ToldCommitted, Aborted: 1} }},
		{"truthful-outcome", "told aborted, and visible", func(s *model.State) { *work(s) = model.Work{Told: model.ToldAborted, Committed: 1} }},
		{"tokens-unique-durable", "two processes with one pair", func(s *model.State) { s.Clients[rival].Producer = s.Clients[writer].Producer }},
		{"tokens-unique-durable", "an epoch that was given out is forgotten", func(s *model.State) { s.Txns.IDs[0].Txn.Epoch = 3 }},
		{"replay-equals-live", "an epoch that is not in the log", func(s *model.State) { s.Txns.IDs[0].Txn.Epoch = 5 }},
		{"replay-equals-live", "a decision that is not in the log", func(s *model.State) { s.Txns.IDs[1].Txn.State = model.PrepareAbort }},
		{"replay-equals-live", "a partition that only the log has", func(s *model.State) { s.Txns.IDs[0].Log.Partitions = 1 }},
	} {
		i, ok := ByName(c.property)
		assert.True(t, ok)
		assert.True(t, i.State(txnCfg, atRest()), "%s in a sound state", c.property)
		assert.True(t, i.State(txnCfg, written()), "%s in the midst of a transaction", c.property)
		s := atRest()
		c.spoil(s)
		assert.False(t, i.State(txnCfg, s), "%s: %s", c.property, c.fault)
	}
}

// hold leaves the output of an input record in the log, as part of a transaction
// of which nothing is visible.
func hold(s *model.State, record uint8) {
	s.Work(model.NewWorkID(consumer, 0)).Told = model.ToldCommitted
	s.Txns.Logs[output].Log[0] = model.Entry{Rec: model.Record{Kind: model.TransactionalRecord, PID: 2}, Work: model.NewWorkID(consumer, 0), Value: record + 1}
}

func TestTransactionStatePredicatesAreNotTooStrict(t *testing.T) {
	s := atRest()
	s.Offsets[0] = 1
	hold(s, 0)
	s.Work(model.NewWorkID(consumer, 0)).Committed = 1 << model.OffsetsLog
	assert.True(t, noLostInput(txnCfg, s), "the offsets are committed, and the output is about to be")

	s = atRest()
	*work(s) = model.Work{Told: model.ToldNothing, Aborted: 1}
	assert.True(t, truthfulOutcome(txnCfg, s), "nobody was told anything")
	*work(s) = model.Work{Told: model.ToldCommitted, Committed: 1}
	assert.True(t, truthfulOutcome(txnCfg, s))

	s = atRest()
	s.Clients[rival].Producer = model.Producer{PID: 1, Epoch: 3}
	assert.True(t, tokensUniqueDurable(txnCfg, s), "a zombie has an older epoch")
	s.Txns.IDs[0].Txn.PID, s.Txns.IDs[0].Txn.Epoch = 3, 0
	assert.True(t, tokensUniqueDurable(txnCfg, s), "the id was rotated")
	s = atRest()
	s.Txns.Loading = true
	s.Txns.IDs[0].Txn = model.Transaction{}
	assert.True(t, tokensUniqueDurable(txnCfg, s), "nobody answers before the log is read")
	assert.True(t, replayEqualsLive(txnCfg, s))

	s = atRest()
	t0 := &s.Txns.IDs[0]
	t0.Txn.LastEpoch, t0.Txn.Pending, t0.Txn.FailedFence = 1, model.CompleteAbort, true
	assert.True(t, replayEqualsLive(txnCfg, s), "records do not have this")
	t0.Txn.Epoch, t0.Unsure = 5, true
	assert.True(t, replayEqualsLive(txnCfg, s), "it was not told what became of a record")
}

func TestTransactionStepPredicates(t *testing.T) {
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(after *model.State)
	}{
		{"no-stale-write", "a fenced record is visible", func(s *model.State) { s.Last.StaleWrite = true }},
		{"no-torn-transaction", "two outcomes", func(s *model.State) {
			*work(s) = model.Work{Told: model.ToldNothing, Committed: 1, Aborted: 1 << model.OffsetsLog}
		}},
		{"no-torn-transaction", "a marker commits records of two", func(s *model.State) { s.Last.Mixed = true }},
		{"epoch-monotone", "the coordinator's goes back", func(s *model.State) { s.Txns.IDs[1].Txn.Epoch = 3 }},
		{"epoch-monotone", "it overflows", func(s *model.State) { s.Txns.IDs[0].Txn.Epoch = -4 }},
		{"epoch-monotone", "a partition's goes back", func(s *model.State) { s.Txns.Logs[output].Entries[1].Epoch = 3 }},
		{"fence-is-final", "whoever has a successor is given a pair", func(s *model.State) { s.Last.Returned = true }},
		{"no-duplicate-record", "a batch twice", func(s *model.State) { s.Last.Doubled = true }},
		{"no-false-abort", "a transaction that nobody disturbed is refused", func(s *model.State) { s.Last.FalseAbort = true }},
		{"timeout-is-no-fence", "a timeout is told as a fence", func(s *model.State) { s.Last.TakenForFenced = true }},
		{"no-rewind-by-marker", "a marker moves an offset back", func(s *model.State) { s.Last = model.Event{API: model.WriteTxnMarkers, Backward: 1} }},
		{"no-stale-commit", "a marker commits a replaced assignment", func(s *model.State) { s.Last = model.Event{API: model.WriteTxnMarkers, Committed: 1, Stale: 1} }},
		{"no-false-fence", "a healthy producer fails for good", func(s *model.State) { s.Last.Fenced = 1 << writer }},
	} {
		i, ok := ByName(c.property)
		assert.True(t, ok)
		before, after := atRest(), atRest()
		after.Last = model.Event{API: model.WriteTxnMarkers, Closed: true, Committed: 1}
		assert.True(t, i.Step(txnCfg, before, after), "%s in a sound step", c.property)
		after.Last = model.Event{}
		c.spoil(after)
		assert.False(t, i.Step(txnCfg, before, after), "%s: %s", c.property, c.fault)
	}
}

func TestTransactionStepPredicatesAreNotTooStrict(t *testing.T) {
	before, after := atRest(), atRest()
	after.Txns.IDs[0].Txn = model.Transaction{State: model.TransactionEmpty, PID: 3}
	after.Txns.Logs[output].Entries[0] = model.ProducerEntry{PID: 3}
	assert.True(t, epochMonotone(txnCfg, before, after), "another id begins at 0")
	after.Txns.IDs[0].Txn = model.Transaction{}
	after.Txns.Logs[output].Entries = [model.MaxProducerIDs]model.ProducerEntry{}
	assert.True(t, epochMonotone(txnCfg, before, after), "what is forgotten has no epoch")

	after = atRest()
	after.Last = model.Event{API: model.OffsetCommit, Backward: 1, Committed: 1}
	assert.True(t, noRewindByMarker(txnCfg, before, after), "a plain commit may")
	*work(after) = model.Work{Told: model.ToldNothing, Committed: 3}
	assert.True(t, noTornTransaction(txnCfg, before, after))
}

// deliver writes the marker of a transactional id to a log.
func deliver(t *testing.T, before *model.State, id, log uint8) *model.State {
	t.Helper()
	var after model.State
	op, ok := ops.ByName("deliver-marker")
	assert.True(t, ok)
	_, ok = ops.NewExec(txnCfg).Take(before, &after, uint16(op), ops.Args{A: id, B: log})
	assert.True(t, ok)
	return &after
}

// What a marker does is judged by the truth about each transaction, as ops keeps
// it.
func TestMarkersAreJudged(t *testing.T) {
	properties := []string{"no-stale-write", "no-torn-transaction", "no-rewind-by-marker", "no-stale-commit", "epoch-monotone"}
	for _, c := range []struct {
		fault    string
		property string // that notices it; none for no fault
		id, log  uint8
		spoil    func(s *model.State)
	}{
		{"", "", 0, output, func(*model.State) {}},
		{"", "", 1, model.OffsetsLog, func(*model.State) {}},
		{"a later owner was initialised", "no-stale-write", 0, output, func(s *model.State) { work(s).Fenced = true }},
		{"some of it was aborted elsewhere", "no-torn-transaction", 0, output, func(s *model.State) { work(s).Aborted = 1 << model.OffsetsLog }},
		{"a record of another transaction came between", "no-torn-transaction", 0, output, func(s *model.State) {
			l := &s.Txns.Logs[output].Log
			l[1] = l[0]
			l[1].Work = model.NewWorkID(rival, 0)
			s.Work(l[1].Work).Told = model.ToldNothing
		}},
		{"a larger offset is committed", "no-rewind-by-marker", 1, model.OffsetsLog, func(s *model.State) { s.Offsets[0] = 2 }},
		{"the assignment was replaced", "no-stale-commit", 1, model.OffsetsLog, func(s *model.State) { s.Txns.Logs[model.OffsetsLog].Log[0].Stale = 1 }},
	} {
		before := written()
		c.spoil(before)
		after := deliver(t, before, c.id, c.log)
		assert.True(t, after.Last.Closed, c.fault)
		for _, name := range properties {
			i, ok := ByName(name)
			assert.True(t, ok)
			assert.Equal(t, name != c.property, i.Step(txnCfg, before, after), "%s: %s", name, c.fault)
		}
	}
}

func TestTransactionGoals(t *testing.T) {
	hanging, _ := GoalByName("no-hanging-transaction")
	recovers, _ := GoalByName("producer-recovers")
	for _, c := range []struct {
		what               string
		hanging, recovered bool // what the goals say
		change             func(s *model.State)
	}{
		{"all at rest", true, true, func(*model.State) {}},
		{"an open transaction", false, true, func(s *model.State) { s.Txns.Logs[output].Entries[0].Open = true }},
		{"offsets that nobody decides", false, true, func(s *model.State) { s.Txns.Pending[0] = model.PendingOffset{PID: 2, Offset: 1} }},
		{"a verification under way", true, true, func(s *model.State) { s.Txns.Logs[output].Entries[0].Guard = 1 }},
		{"a log that is not read", true, false, func(s *model.State) { s.Txns.Loading = true }},
		{"a completion that does not come", true, false, func(s *model.State) { s.Txns.IDs[0].Txn.Pending = model.CompleteCommit }},
		{"an epoch that its producer does not know", true, false, func(s *model.State) { s.Txns.IDs[0].Txn.Epoch = 5 }},
		{"an id that its producer does not know", true, false, func(s *model.State) { s.Txns.IDs[0].Txn.PID = 3 }},
		{"a producer in the midst of it", true, false, func(s *model.State) { s.Clients[writer].Producer.Phase = model.InTransaction }},
		{"a producer that must renew its epoch", true, false, func(s *model.State) {
			s.Clients[writer].Producer.Phase, s.Clients[writer].Producer.Renew = model.Uninitialized, true
		}},
		{"a producer that was replaced", true, true, func(s *model.State) {
			s.Txns.IDs[0].Txn.Epoch, s.Clients[writer].Producer.Replaced = 5, true
		}},
		{"one that failed", true, true, func(s *model.State) { s.Clients[writer].Producer.Phase = model.FatalError }},
		{"one that is paused", true, true, func(s *model.State) {
			s.Clients[writer].Process, s.Clients[writer].Producer.Phase = model.Paused, model.Committing
		}},
	} {
		s := atRest()
		c.change(s)
		assert.Equal(t, c.hanging, hanging.State(txnCfg, s), "no-hanging-transaction: %s", c.what)
		assert.Equal(t, c.recovered, recovers.State(txnCfg, s), "producer-recovers: %s", c.what)
	}
	assert.False(t, hanging.State(txnCfg, written()))
	assert.False(t, recovers.State(txnCfg, written()))
}

// Each witness sees its event, and not the one that lacks what matters.
func TestTransactionWitnesses(t *testing.T) {
	for _, c := range []struct {
		witness  string
		seen     model.Event
		unseen   model.Event
		preceded func(before *model.State)
	}{
		{witness: "transaction-ended", seen: model.Event{API: model.WriteTxnMarkers, Closed: true}, unseen: model.Event{API: model.WriteTxnMarkers}},
		{witness: "outcome-told", seen: model.Event{Received: model.EndTxn, ToldCommit: true}, unseen: model.Event{Received: model.EndTxn, ToldErr: model.InvalidTxnState}},
		{witness: "producer-initialised-again", seen: model.Event{API: model.InitProducerID}, unseen: model.Event{API: model.InitProducerID, PID: 1, Epoch: 4}},
		{witness: "old-epoch-refused", seen: model.Event{API: model.Produce, OldEpoch: true, Err: model.InvalidProducerEpoch}, unseen: model.Event{API: model.Produce, OldEpoch: true}},
		{witness: "producer-fenced", seen: model.Event{Received: model.EndTxn, ToldErr: model.ProducerFenced}, unseen: model.Event{API: model.EndTxn, Err: model.ProducerFenced}},
		{witness: "producer-fenced", seen: model.Event{Received: model.Produce, ToldErr: model.InvalidProducerEpoch}, unseen: model.Event{ToldErr: model.ConcurrentTransactions}},
		{witness: "transaction-timed-out", seen: model.Event{TimedOut: true}},
		{witness: "coordinator-failed-over", seen: model.Event{FailedOver: true},
			preceded: func(s *model.State) { s.Txns.IDs[0].Txn.State = model.Ongoing }},
		{witness: "coordinator-failed-over", seen: model.Event{FailedOver: true},
			preceded: func(s *model.State) { s.Txns.IDs[1].Txn.Pending = model.CompleteCommit }},
		{witness: "repeat-recognised", seen: model.Event{API: model.EndTxn, Repeated: true}, unseen: model.Event{API: model.EndTxn}},
		{witness: "producer-id-rotated", seen: model.Event{API: model.EndTxn, Rotated: true}, unseen: model.Event{API: model.EndTxn}},
		{witness: "late-end-txn-decided", seen: model.Event{API: model.EndTxn, Late: true}, unseen: model.Event{API: model.Produce, Late: true}},
		{witness: "late-produce-decided", seen: model.Event{API: model.Produce, Late: true}, unseen: model.Event{API: model.EndTxn, Late: true}},
		{witness: "fenced-producer-went-on", seen: model.Event{Received: model.EndTxn, Revived: true}, unseen: model.Event{Received: model.EndTxn}},
		{witness: "offsets-unstable", seen: model.Event{API: model.OffsetFetch, Unstable: true}, unseen: model.Event{API: model.OffsetFetch}},
		{witness: "stale-txn-commit-decided", seen: model.Event{API: model.TxnOffsetCommit, Stale: 1}, unseen: model.Event{API: model.OffsetCommit, Stale: 1}},
		{witness: "revoked-commit-accepted", seen: model.Event{API: model.OffsetCommit, Committed: 1},
			preceded: func(s *model.State) { s.Group.State = model.PreparingRebalance }},
	} {
		w, ok := WitnessByName(c.witness)
		assert.True(t, ok, c.witness)
		before, after := atRest(), atRest()
		if after.Last = c.seen; c.preceded != nil {
			assert.False(t, w.Step(txnCfg, before, after), "%s without what must precede it", c.witness)
			c.preceded(before)
		}
		assert.True(t, w.Step(txnCfg, before, after), c.witness)
		after.Last = c.unseen
		assert.False(t, w.Step(txnCfg, before, after), "%s sees another event", c.witness)
	}

	w, _ := WitnessByName("producer-initialised-again")
	before, after := atRest(), atRest()
	before.Txns.IDs = [model.MaxTransactionals]model.Transactional{}
	after.Last = model.Event{API: model.InitProducerID}
	assert.False(t, w.Step(txnCfg, before, after), "the first owner is not another one")
}
