package invariants

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
	"fencecheck/ops"
)

// Two writers that share a transactional id, and one member that consumes and
// produces under another.
var txnCfg = &cluster.Config{
	Members: 1, Writers: 2, Transactional: true, Partitions: 1, Topics: 1, Records: 2, Outputs: 1, Transactions: 2,
	IDs: [cluster.MaxClients]uint8{0: 1}, Version: model.TV2,
}

const (
	consumer, writer, rival = 0, 1, 2 // clients
	output                  = 0       // a log
)

// atRest is a state in which the first writer is ready for another transaction,
// the second was never initialised, and the member is ready too.
func atRest() *cluster.State {
	var s cluster.State
	s.Initial(txnCfg)
	s.Group = classic.Group{State: classic.Stable, Generation: 3}
	id := cluster.NewMemberID(consumer, 0)
	s.Members[0] = classic.Member{ID: id, Assignment: 1}
	cl := &s.Clients[consumer]
	cl.Phase, cl.ID, cl.Generation, cl.Owned = cluster.MemberPhase, id, 3, 1
	for i, client := range []int{writer, consumer} {
		t := &s.Txns.IDs[i]
		t.Txn = txn.Transaction{State: txn.CompleteCommit, PID: model.ProducerID(i + 1), Prev: model.ProducerID(i + 1), Epoch: 4, LastEpoch: 3, Version: model.TV2}
		t.Log = t.Txn.Durable()
		s.Clients[client].Producer = cluster.Producer{Phase: cluster.Ready, PID: t.Txn.PID, Epoch: 4}
	}
	s.Txns.Logs[output].Entries[0] = txn.ProducerEntry{PID: 1, Epoch: 4, Last: txn.NoSequence}
	s.Txns.Logs[output].Entries[1] = txn.ProducerEntry{PID: 2, Epoch: 4, Last: txn.NoSequence}
	return &s
}

// written is atRest with a decision to commit what the writer has in the output,
// and the member in the offsets. Only the markers are missing.
func written() *cluster.State {
	s := atRest()
	for i, client := range []int{writer, consumer} {
		log := []int{output, cluster.OffsetsLog}[i]
		t := &s.Txns.IDs[i]
		t.Txn.State, t.Txn.Pending, t.Txn.Partitions = txn.PrepareCommit, txn.CompleteCommit, model.Part(log)
		t.Log = t.Txn.Durable()
		t.Outbox = txn.Marker{PID: t.Txn.PID, Epoch: 4, Commit: true, Version: model.TV2, To: t.Txn.Partitions}
		w := cluster.NewWorkID(client, 0)
		s.Work(w).Told = cluster.ToldNothing
		l := &s.Txns.Logs[log]
		l.Entries = [cluster.MaxProducerIDs]txn.ProducerEntry{{PID: t.Txn.PID, Epoch: 3, Open: true}}
		l.Log[0] = cluster.Entry{Rec: txn.Record{Kind: txn.TransactionalRecord, PID: t.Txn.PID}, Work: w}
	}
	s.Txns.Pending[0] = offsets.Pending{PID: 2, Offset: 1, At: 2}
	s.Offsets[0], s.Txns.OffsetsAt[0], s.Ghost.Done[0] = 0, 1, 1
	return s
}

func work(s *cluster.State) *cluster.Work { return s.Work(cluster.NewWorkID(writer, 0)) }

func TestTransactionStatePredicates(t *testing.T) {
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(s *cluster.State)
	}{
		{"no-lost-input", "an offset behind a record without output", func(s *cluster.State) { s.Offsets[0] = 1 }},
		{"no-lost-input", "output of which nothing is visible yet", func(s *cluster.State) { s.Offsets[0] = 1; hold(s, 0) }},
		{"no-lost-input", "visible output of another record", func(s *cluster.State) { s.Offsets[0] = 2; hold(s, 1) }},
		{"no-duplicate-output", "output visible twice", func(s *cluster.State) { s.Ghost.Output(0, 0); s.Ghost.Output(0, 0) }},
		{"truthful-outcome", "told committed, and aborted", func(s *cluster.State) { *work(s) = cluster.Work{Told: cluster.ToldCommitted, Aborted: 1} }},
		{"truthful-outcome", "told aborted, and visible", func(s *cluster.State) { *work(s) = cluster.Work{Told: cluster.ToldAborted, Committed: 1} }},
		{"tokens-unique-durable", "two processes with one pair", func(s *cluster.State) { s.Clients[rival].Producer = s.Clients[writer].Producer }},
		{"tokens-unique-durable", "an epoch that was given out is forgotten", func(s *cluster.State) { s.Txns.IDs[0].Txn.Epoch = 3 }},
		{"replay-equals-live", "an epoch that is not in the log", func(s *cluster.State) { s.Txns.IDs[0].Txn.Epoch = 5 }},
		{"replay-equals-live", "a decision that is not in the log", func(s *cluster.State) { s.Txns.IDs[1].Txn.State = txn.PrepareAbort }},
		{"replay-equals-live", "a partition that only the log has", func(s *cluster.State) { s.Txns.IDs[0].Log.Partitions = 1 }},
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
func hold(s *cluster.State, record uint8) {
	s.Work(cluster.NewWorkID(consumer, 0)).Told = cluster.ToldCommitted
	s.Txns.Logs[output].Log[0] = cluster.Entry{Rec: txn.Record{Kind: txn.TransactionalRecord, PID: 2}, Work: cluster.NewWorkID(consumer, 0), Value: record + 1}
}

func TestTransactionStatePredicatesAreNotTooStrict(t *testing.T) {
	s := atRest()
	s.Offsets[0] = 1
	hold(s, 0)
	s.Work(cluster.NewWorkID(consumer, 0)).Committed = 1 << cluster.OffsetsLog
	assert.True(t, noLostInput(txnCfg, s), "the offsets are committed, and the output is about to be")

	s = atRest()
	*work(s) = cluster.Work{Told: cluster.ToldNothing, Aborted: 1}
	assert.True(t, truthfulOutcome(txnCfg, s), "nobody was told anything")
	*work(s) = cluster.Work{Told: cluster.ToldCommitted, Committed: 1}
	assert.True(t, truthfulOutcome(txnCfg, s))

	s = atRest()
	s.Clients[rival].Producer = cluster.Producer{PID: 1, Epoch: 3}
	assert.True(t, tokensUniqueDurable(txnCfg, s), "a zombie has an older epoch")
	s.Txns.IDs[0].Txn.PID, s.Txns.IDs[0].Txn.Epoch = 3, 0
	assert.True(t, tokensUniqueDurable(txnCfg, s), "the id was rotated")
	s = atRest()
	s.Txns.Loading = true
	s.Txns.IDs[0].Txn = txn.Transaction{}
	assert.True(t, tokensUniqueDurable(txnCfg, s), "nobody answers before the log is read")
	assert.True(t, replayEqualsLive(txnCfg, s))

	s = atRest()
	t0 := &s.Txns.IDs[0]
	t0.Txn.LastEpoch, t0.Txn.Pending, t0.Txn.FailedFence = 1, txn.CompleteAbort, true
	assert.True(t, replayEqualsLive(txnCfg, s), "records do not have this")
	t0.Txn.Epoch, t0.Unsure = 5, true
	assert.True(t, replayEqualsLive(txnCfg, s), "it was not told what became of a record")
}

func TestTransactionStepPredicates(t *testing.T) {
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(after *cluster.State)
	}{
		{"no-stale-write", "a fenced record is visible", func(s *cluster.State) { s.Last.StaleWrite = true }},
		{"no-torn-transaction", "two outcomes", func(s *cluster.State) {
			*work(s) = cluster.Work{Told: cluster.ToldNothing, Committed: 1, Aborted: 1 << cluster.OffsetsLog}
		}},
		{"no-torn-transaction", "a marker commits records of two", func(s *cluster.State) { s.Last.Mixed = true }},
		{"epoch-monotone", "the coordinator's goes back", func(s *cluster.State) { s.Txns.IDs[1].Txn.Epoch = 3 }},
		{"epoch-monotone", "it overflows", func(s *cluster.State) { s.Txns.IDs[0].Txn.Epoch = -4 }},
		{"epoch-monotone", "a partition's goes back", func(s *cluster.State) { s.Txns.Logs[output].Entries[1].Epoch = 3 }},
		{"fence-is-final", "whoever has a successor is given a pair", func(s *cluster.State) { s.Last.Returned = true }},
		{"no-duplicate-record", "a batch twice", func(s *cluster.State) { s.Last.Doubled = true }},
		{"no-false-abort", "a transaction that nobody disturbed is refused", func(s *cluster.State) { s.Last.FalseAbort = true }},
		{"timeout-is-no-fence", "a timeout is told as a fence", func(s *cluster.State) { s.Last.TakenForFenced = true }},
		{"no-rewind-by-marker", "a marker moves an offset back", func(s *cluster.State) { s.Last = cluster.Event{API: model.WriteTxnMarkers, Backward: 1} }},
		{"no-stale-commit", "a marker commits a replaced assignment", func(s *cluster.State) { s.Last = cluster.Event{API: model.WriteTxnMarkers, Committed: 1, Stale: 1} }},
		{"no-false-fence", "a healthy producer fails for good", func(s *cluster.State) { s.Last.Fenced = 1 << writer }},
	} {
		i, ok := ByName(c.property)
		assert.True(t, ok)
		before, after := atRest(), atRest()
		after.Last = cluster.Event{API: model.WriteTxnMarkers, Closed: true, Committed: 1}
		assert.True(t, i.Step(txnCfg, before, after), "%s in a sound step", c.property)
		after.Last = cluster.Event{}
		c.spoil(after)
		assert.False(t, i.Step(txnCfg, before, after), "%s: %s", c.property, c.fault)
	}
}

func TestTransactionStepPredicatesAreNotTooStrict(t *testing.T) {
	before, after := atRest(), atRest()
	after.Txns.IDs[0].Txn = txn.Transaction{State: txn.TransactionEmpty, PID: 3}
	after.Txns.Logs[output].Entries[0] = txn.ProducerEntry{PID: 3}
	assert.True(t, epochMonotone(txnCfg, before, after), "another id begins at 0")
	after.Txns.IDs[0].Txn = txn.Transaction{}
	after.Txns.Logs[output].Entries = [cluster.MaxProducerIDs]txn.ProducerEntry{}
	assert.True(t, epochMonotone(txnCfg, before, after), "what is forgotten has no epoch")

	after = atRest()
	after.Last = cluster.Event{API: model.OffsetCommit, Backward: 1, Committed: 1}
	assert.True(t, noRewindByMarker(txnCfg, before, after), "a plain commit may")
	*work(after) = cluster.Work{Told: cluster.ToldNothing, Committed: 3}
	assert.True(t, noTornTransaction(txnCfg, before, after))
}

// deliver writes the marker of a transactional id to a log.
func deliver(t *testing.T, before *cluster.State, id, log uint8) *cluster.State {
	t.Helper()
	var after cluster.State
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
		spoil    func(s *cluster.State)
	}{
		{"", "", 0, output, func(*cluster.State) {}},
		{"", "", 1, cluster.OffsetsLog, func(*cluster.State) {}},
		{"a later owner was initialised", "no-stale-write", 0, output, func(s *cluster.State) { work(s).Fenced = true }},
		{"some of it was aborted elsewhere", "no-torn-transaction", 0, output, func(s *cluster.State) { work(s).Aborted = 1 << cluster.OffsetsLog }},
		{"a record of another transaction came between", "no-torn-transaction", 0, output, func(s *cluster.State) {
			l := &s.Txns.Logs[output].Log
			l[1] = l[0]
			l[1].Work = cluster.NewWorkID(rival, 0)
			s.Work(l[1].Work).Told = cluster.ToldNothing
		}},
		{"a larger offset is committed", "no-rewind-by-marker", 1, cluster.OffsetsLog, func(s *cluster.State) { s.Offsets[0] = 2 }},
		{"the assignment was replaced", "no-stale-commit", 1, cluster.OffsetsLog, func(s *cluster.State) { s.Txns.Logs[cluster.OffsetsLog].Log[0].Stale = 1 }},
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
		change             func(s *cluster.State)
	}{
		{"all at rest", true, true, func(*cluster.State) {}},
		{"an open transaction", false, true, func(s *cluster.State) { s.Txns.Logs[output].Entries[0].Open = true }},
		{"offsets that nobody decides", false, true, func(s *cluster.State) { s.Txns.Pending[0] = offsets.Pending{PID: 2, Offset: 1} }},
		{"a verification under way", true, true, func(s *cluster.State) { s.Txns.Logs[output].Entries[0].Guard = 1 }},
		{"a log that is not read", true, false, func(s *cluster.State) { s.Txns.Loading = true }},
		{"a completion that does not come", true, false, func(s *cluster.State) { s.Txns.IDs[0].Txn.Pending = txn.CompleteCommit }},
		{"an epoch that its producer does not know", true, false, func(s *cluster.State) { s.Txns.IDs[0].Txn.Epoch = 5 }},
		{"an id that its producer does not know", true, false, func(s *cluster.State) { s.Txns.IDs[0].Txn.PID = 3 }},
		{"a producer in the midst of it", true, false, func(s *cluster.State) { s.Clients[writer].Producer.Phase = cluster.InTransaction }},
		{"a producer that must renew its epoch", true, false, func(s *cluster.State) {
			s.Clients[writer].Producer.Phase, s.Clients[writer].Producer.Renew = cluster.Uninitialized, true
		}},
		{"a producer that was replaced", true, true, func(s *cluster.State) {
			s.Txns.IDs[0].Txn.Epoch, s.Clients[writer].Producer.Replaced = 5, true
		}},
		{"one that failed", true, true, func(s *cluster.State) { s.Clients[writer].Producer.Phase = cluster.FatalError }},
		{"one that is paused", true, true, func(s *cluster.State) {
			s.Clients[writer].Process, s.Clients[writer].Producer.Phase = cluster.Paused, cluster.Committing
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
		seen     cluster.Event
		unseen   cluster.Event
		preceded func(before *cluster.State)
	}{
		{witness: "transaction-ended", seen: cluster.Event{API: model.WriteTxnMarkers, Closed: true}, unseen: cluster.Event{API: model.WriteTxnMarkers}},
		{witness: "outcome-told", seen: cluster.Event{Received: model.EndTxn, ToldCommit: true}, unseen: cluster.Event{Received: model.EndTxn, ToldErr: model.InvalidTxnState}},
		{witness: "producer-initialised-again", seen: cluster.Event{API: model.InitProducerID}, unseen: cluster.Event{API: model.InitProducerID, PID: 1, Epoch: 4}},
		{witness: "old-epoch-refused", seen: cluster.Event{API: model.Produce, OldEpoch: true, Err: model.InvalidProducerEpoch}, unseen: cluster.Event{API: model.Produce, OldEpoch: true}},
		{witness: "producer-fenced", seen: cluster.Event{Received: model.EndTxn, ToldErr: model.ProducerFenced}, unseen: cluster.Event{API: model.EndTxn, Err: model.ProducerFenced}},
		{witness: "producer-fenced", seen: cluster.Event{Received: model.Produce, ToldErr: model.InvalidProducerEpoch}, unseen: cluster.Event{ToldErr: model.ConcurrentTransactions}},
		{witness: "transaction-timed-out", seen: cluster.Event{TimedOut: true}},
		{witness: "coordinator-failed-over", seen: cluster.Event{FailedOver: true},
			preceded: func(s *cluster.State) { s.Txns.IDs[0].Txn.State = txn.Ongoing }},
		{witness: "coordinator-failed-over", seen: cluster.Event{FailedOver: true},
			preceded: func(s *cluster.State) { s.Txns.IDs[1].Txn.Pending = txn.CompleteCommit }},
		{witness: "repeat-recognised", seen: cluster.Event{API: model.EndTxn, Repeated: true}, unseen: cluster.Event{API: model.EndTxn}},
		{witness: "producer-id-rotated", seen: cluster.Event{API: model.EndTxn, Rotated: true}, unseen: cluster.Event{API: model.EndTxn}},
		{witness: "late-end-txn-decided", seen: cluster.Event{API: model.EndTxn, Late: true}, unseen: cluster.Event{API: model.Produce, Late: true}},
		{witness: "late-produce-decided", seen: cluster.Event{API: model.Produce, Late: true}, unseen: cluster.Event{API: model.EndTxn, Late: true}},
		{witness: "fenced-producer-went-on", seen: cluster.Event{Received: model.EndTxn, Revived: true}, unseen: cluster.Event{Received: model.EndTxn}},
		{witness: "offsets-unstable", seen: cluster.Event{API: model.OffsetFetch, Unstable: true}, unseen: cluster.Event{API: model.OffsetFetch}},
		{witness: "stale-txn-commit-decided", seen: cluster.Event{API: model.TxnOffsetCommit, Stale: 1}, unseen: cluster.Event{API: model.OffsetCommit, Stale: 1}},
		{witness: "revoked-commit-accepted", seen: cluster.Event{API: model.OffsetCommit, Committed: 1},
			preceded: func(s *cluster.State) { s.Group.State = classic.PreparingRebalance }},
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
	before.Txns.IDs = [cluster.MaxTransactionals]cluster.Transactional{}
	after.Last = cluster.Event{API: model.InitProducerID}
	assert.False(t, w.Step(txnCfg, before, after), "the first owner is not another one")
}
