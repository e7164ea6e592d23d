package txn

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// The vectors of transactions.md section 11, each seen on a real broker.

// A bench is one transactional id, two output partitions, and the offsets
// partition of a group that is stable with one member.
type bench struct {
	rules       model.Rules
	txn         Transaction
	log         Transaction
	outbox      Marker
	tc          Coordinator
	leaders     [3]Leader
	entries     [3][4]ProducerEntry
	group       classic.Group
	members     [2]classic.Member
	offsets     [1]model.Offset
	pending     [4]offsets.Pending
	committedAt [1]uint32
	pid         model.ProducerID
	guards      uint8
	version     model.TransactionVersion
}

const offsetsPlace = 2

func newBench(off ...model.Mutation) *bench {
	b := &bench{version: model.TV2, offsets: [1]model.Offset{model.NoOffset}}
	for _, m := range off {
		b.rules.Off = b.rules.Off.With(m)
	}
	b.tc = Coordinator{Rules: &b.rules, Txn: &b.txn, Log: &b.log, Outbox: &b.outbox}
	for i := range b.leaders {
		b.leaders[i] = Leader{Rules: &b.rules, Entries: b.entries[i][:]}
	}
	b.group = classic.Group{State: classic.Stable, Generation: 5, Leader: 1}
	b.members[0] = classic.Member{ID: 1, Assignment: 1}
	return b
}

func (b *bench) coordinator() *Coordinator {
	b.tc.Fresh, b.tc.Taken = b.pid+1, false
	return &b.tc
}

func (b *bench) settle() {
	if b.tc.Taken {
		b.pid++
		b.tc.Taken = false
	}
}

func pair(r TransactionReply) string {
	if r.Err != model.None {
		return r.Err.String()
	}
	return fmt.Sprintf("%d,%d", r.PID, r.Epoch)
}

func (b *bench) init(pid model.ProducerID, epoch model.Epoch) string {
	defer b.settle()
	return pair(b.ask(Request{API: model.InitProducerID, PID: pid, Epoch: epoch}))
}

func (b *bench) end(pid model.ProducerID, epoch model.Epoch, commit bool, v model.TransactionVersion) string {
	defer b.settle()
	return pair(b.ask(Request{API: model.EndTxn, PID: pid, Epoch: epoch, Commit: commit, Version: v}))
}

func (b *bench) commit5(e model.Epoch) string { return b.end(1, e, true, model.TV2) }
func (b *bench) abort5(e model.Epoch) string  { return b.end(1, e, false, model.TV2) }
func (b *bench) end4(e model.Epoch, commit bool) string {
	return b.ask(Request{API: model.EndTxn, PID: 1, Epoch: e, Commit: commit, Version: model.TV1}).Err.String()
}

func (b *bench) add3(parts model.PartSet, e model.Epoch) string {
	return b.ask(Request{API: model.AddPartitionsToTxn, PID: 1, Epoch: e, Partitions: parts, Version: model.TV1}).Err.String()
}

// ask lets the coordinator decide.
func (b *bench) ask(r Request) TransactionReply {
	return (&Brokers{Coordinator: b.coordinator()}).Decide(&r).TransactionReply
}

// at lets the brokers of one partition decide.
func (b *bench) at(p int, r Request) Reply {
	l := &b.leaders[p]
	b.guards++
	l.Fresh = b.guards
	brokers := Brokers{Coordinator: b.coordinator(), Leader: l}
	if p == offsetsPlace {
		brokers.Offsets = b.store()
	}
	r.Partitions = model.Part(p)
	return brokers.Decide(&r)
}

func (b *bench) produce(p int, pid model.ProducerID, e model.Epoch, seq int32, v model.TransactionVersion) string {
	a := b.at(p, Request{API: model.Produce, PID: pid, Epoch: e, Sequence: seq, Transactional: v != 0, Version: v})
	if a.Duplicate {
		return "old offset"
	}
	return a.Err.String()
}

func (b *bench) offsetsCommit(e model.Epoch, id model.MemberID, g model.Generation, v model.TransactionVersion) string {
	return b.at(offsetsPlace, Request{API: model.TxnOffsetCommit, PID: 1, Epoch: e, Sequence: NoSequence, Transactional: true, Version: v,
		MemberID: id, Generation: g, Offsets: []model.Offset{7}}).Err.String()
}

func (b *bench) store() *offsets.Store {
	group := &classic.Coordinator{Rules: &b.rules, Group: &b.group, Members: b.members[:]}
	return &offsets.Store{Rules: &b.rules, Group: group, Committed: b.offsets[:], Pending: b.pending[:], At: b.committedAt[:]}
}

// markers lets the outbox reach every partition.
func (b *bench) markers() {
	for p := range b.leaders {
		if b.outbox.To.Has(p) {
			b.tc.MarkerAnswered(p, b.at(p, b.outbox.Request()).Err)
		}
	}
}

func (b *bench) marker(p int, pid model.ProducerID, e model.Epoch, ce int16, commit bool, v model.TransactionVersion) string {
	return b.at(p, Request{API: model.WriteTxnMarkers, PID: pid, Epoch: e, CoordinatorEpoch: ce, Commit: commit, Version: v}).Err.String()
}

func (b *bench) restart() {
	b.tc.Epoch++
	b.tc.Load()
}

const (
	fenced, invalidEpoch = "PRODUCER_FENCED", "INVALID_PRODUCER_EPOCH"
	invalidState, wait   = "INVALID_TXN_STATE", "CONCURRENT_TRANSACTIONS"
	order, abortable     = "OUT_OF_ORDER_SEQUENCE_NUMBER", "TRANSACTION_ABORTABLE"
	none                 = "NONE"
)

func TestVectorsEndTxnWithoutATransaction(t *testing.T) { // v1
	b := newBench()
	assert.Equal(t, "1,0", b.init(0, 0))
	assert.Equal(t, invalidState, b.commit5(0))
	assert.Equal(t, "1,1", b.abort5(0))
	assert.Equal(t, "1,1", b.abort5(0))
	assert.Equal(t, invalidState, b.commit5(0))
	assert.Equal(t, invalidState, b.commit5(1))
	assert.Equal(t, "1,2", b.abort5(1))
	assert.Equal(t, fenced, b.abort5(7))
}

func TestVectorsRepeatedEndTxn(t *testing.T) { // v2
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, "1,1", b.commit5(0))
	assert.Equal(t, wait, b.commit5(0), "until the markers are written")
	b.markers()
	assert.Equal(t, "1,1", b.commit5(0))
	assert.Equal(t, invalidState, b.abort5(0))
	assert.Equal(t, invalidState, b.commit5(1))
	assert.Equal(t, "1,2", b.abort5(1))
	assert.Equal(t, invalidEpoch, b.produce(0, 1, 0, 1, model.TV2))
	assert.Equal(t, invalidEpoch, b.produce(1, 1, 0, 0, model.TV2))
	assert.Equal(t, invalidEpoch, b.produce(1, 1, 9, 0, model.TV2))
}

func TestVectorsFenceByInit(t *testing.T) { // v3
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, wait, b.init(0, 0))
	b.markers()
	assert.Equal(t, invalidState, b.commit5(0))
	assert.Equal(t, "1,1", b.abort5(0))
	assert.Equal(t, none, b.produce(0, 1, 1, 0, model.TV2))
	assert.Equal(t, wait, b.init(0, 0))
	b.markers()
	assert.Equal(t, "1,3", b.init(0, 0))
}

func TestVectorsTimeout(t *testing.T) { // v4
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.True(t, b.coordinator().Overdue())
	b.markers()
	assert.Equal(t, "1,1", b.init(1, 0))
	assert.Equal(t, "1,1", b.init(1, 0))
	assert.Equal(t, "1,2", b.init(1, 1))
	assert.Equal(t, "1,2", b.init(1, 1))
	assert.Equal(t, fenced, b.init(1, 0))
	assert.Equal(t, "1,3", b.init(0, 0))
	assert.Equal(t, fenced, b.init(1, 2))
}

func TestVectorsOldEpochAborts(t *testing.T) { // v5
	b := newBench()
	for range 4 {
		b.init(0, 0)
	}
	assert.Equal(t, none, b.produce(0, 1, 3, 0, model.TV2))
	assert.Equal(t, wait, b.init(1, 1))
	b.markers()
	assert.Equal(t, fenced, b.init(1, 1))
	assert.Equal(t, invalidEpoch, b.produce(0, 1, 3, 1, model.TV2))
	assert.Equal(t, "1,4", b.abort5(3))
}

func TestVectorsPlainStyle(t *testing.T) { // v6; the answers to v10 of Produce are those of an older version
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, invalidState, b.end4(0, true))
	assert.Equal(t, invalidState, b.end4(0, false))
	assert.Equal(t, abortable, b.produce(0, 1, 0, 0, model.TV1))
	assert.Equal(t, none, b.add3(model.Part(0), 0))
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV1))
	assert.Equal(t, none, b.end4(0, true))
	b.markers()
	assert.Equal(t, none, b.end4(0, true))
	assert.Equal(t, invalidState, b.end4(0, false))
	assert.Equal(t, abortable, b.produce(0, 1, 0, 1, model.TV1))
}

func TestVectorsMixedStyles(t *testing.T) { // v7
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, none, b.end4(0, true))
	b.markers()
	assert.Equal(t, invalidState, b.commit5(0))
	assert.Equal(t, "1,1", b.abort5(0))
}

func TestVectorsMarkers(t *testing.T) { // v8, v9
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, invalidEpoch, b.marker(0, 1, 0, 5, false, model.TV2))
	assert.Equal(t, none, b.marker(0, 1, 1, 5, false, model.TV2))
	assert.Equal(t, none, b.marker(0, 1, 1, 5, true, model.TV2))
	assert.Equal(t, "TRANSACTION_COORDINATOR_FENCED", b.marker(0, 1, 1, 4, false, model.TV2))
	assert.Equal(t, "TRANSACTION_COORDINATOR_FENCED", b.marker(0, 1, 2, 4, false, model.TV2))
	assert.Equal(t, invalidEpoch, b.marker(0, 1, 0, 1, false, model.TV1))

	assert.Equal(t, "1,1", b.commit5(0)) // its marker, of coordinator epoch 0, is refused
	b.markers()
	assert.True(t, b.outbox.Stuck)
	assert.Equal(t, wait, b.commit5(0))
	assert.Equal(t, wait, b.end(9, 0, true, model.TV2))
	assert.Equal(t, wait, b.init(0, 0))
	assert.Equal(t, wait, b.ask(Request{API: model.AddPartitionsToTxn, PID: 9, Partitions: 1, Version: model.TV1}).Err.String())
	assert.Equal(t, fenced, b.end4(0, true))
	assert.Equal(t, wait, b.end4(1, true))
	assert.Equal(t, "INVALID_PRODUCER_ID_MAPPING", b.ask(Request{API: model.EndTxn, PID: 9, Commit: true, Version: model.TV1}).Err.String())
	b.restart()
	b.markers()
	assert.Equal(t, wait, b.init(0, 0))
}

func TestVectorsMarkerOfTheNextEpoch(t *testing.T) { // v10
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, "1,1", b.commit5(0))
	b.markers()
	assert.Equal(t, none, b.produce(0, 1, 1, 0, model.TV2))
	assert.Equal(t, invalidEpoch, b.marker(0, 1, 1, 5, false, model.TV2))
	assert.Equal(t, none, b.marker(0, 1, 1, 0, false, model.TV1), "the plain style closes it")
	assert.Equal(t, none, b.produce(0, 1, 1, 1, model.TV2))
	assert.Equal(t, "1,2", b.commit5(1))
}

func TestVectorsOffsets(t *testing.T) { // v11
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, "ILLEGAL_GENERATION", b.offsetsCommit(0, 1, 6, model.TV2))
	assert.Equal(t, "UNKNOWN_MEMBER_ID", b.offsetsCommit(0, 9, 5, model.TV2))
	assert.Equal(t, none, b.offsetsCommit(0, 1, 5, model.TV2))
	err := b.store().Decide(&offsets.Request{API: model.OffsetFetch, Offsets: make([]model.Offset, 1), Partitions: 1, Stable: true})
	assert.Equal(t, model.UnstableOffsetCommit, err)
	assert.Equal(t, none, b.offsetsCommit(0, 0, model.NoGeneration, model.TV2))
	assert.Equal(t, "ILLEGAL_GENERATION", b.offsetsCommit(0, 1, model.NoGeneration, model.TV2))
	assert.Equal(t, "1,1", b.commit5(0))
	b.markers()
	assert.Equal(t, model.Offset(7), b.offsets[0])
	assert.Equal(t, invalidEpoch, b.offsetsCommit(0, 1, 5, model.TV2))
	assert.Equal(t, abortable, b.offsetsCommit(1, 1, 5, model.TV1))
}

func TestVectorsExhaustion(t *testing.T) { // v12, v13
	b := newBench()
	for range 32766 {
		b.init(0, 0)
	}
	assert.Equal(t, "1,32766", b.init(0, 0))
	assert.Equal(t, "UNKNOWN_SERVER_ERROR", b.init(1, 5))
	assert.Equal(t, "2,0", b.init(1, 32766))
	assert.Equal(t, "2,0", b.init(1, 32766))
	assert.Equal(t, fenced, b.init(1, 32766))

	b = newBench()
	for range 32767 {
		b.init(0, 0)
	}
	assert.Equal(t, none, b.produce(0, 1, 32766, 0, model.TV2))
	assert.Equal(t, "2,0", b.commit5(32766))
	assert.Equal(t, wait, b.commit5(32766))
	b.markers()
	assert.Equal(t, "2,0", b.commit5(32766))
	assert.Equal(t, invalidState, b.abort5(32766))
	assert.Equal(t, model.Epoch(32767), b.entries[0][0].Epoch)
}

func TestVectorsRepeatAfterRestart(t *testing.T) { // v14
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, "1,1", b.init(1, 0))
	b.restart()
	assert.Equal(t, fenced, b.init(1, 0))
}

func TestVectorsSequences(t *testing.T) { // v15
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, order, b.produce(0, 1, 0, 5, model.TV2))
	assert.Equal(t, none, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, invalidState, b.produce(0, 1, 0, 1, 0))
	for seq := range int32(6) {
		assert.Equal(t, none, b.produce(0, 1, 0, 1+seq, model.TV2))
	}
	assert.Equal(t, "old offset", b.produce(0, 1, 0, 6, model.TV2))
	assert.Equal(t, "old offset", b.produce(0, 1, 0, 2, model.TV2))
	assert.Equal(t, order, b.produce(0, 1, 0, 1, model.TV2))
	assert.Equal(t, order, b.produce(0, 1, 0, 9, model.TV2))
}

func TestVectorsIdempotentProducer(t *testing.T) { // v16
	b := newBench()
	assert.Equal(t, none, b.produce(0, 8, 0, 7, 0))
	assert.Equal(t, order, b.produce(0, 8, 1, 3, 0))
	assert.Equal(t, none, b.produce(0, 8, 1, 0, 0))
	assert.Equal(t, invalidEpoch, b.produce(0, 8, 0, 8, 0))
}

func TestOldVersionsAreToldOldErrors(t *testing.T) { // v6, v11, and KIP-588
	assert.Equal(t, model.InvalidProducerEpoch, model.ProducerFenced.Told(model.InitProducerID, 3))
	assert.Equal(t, model.ProducerFenced, model.ProducerFenced.Told(model.InitProducerID, 4))
	assert.Equal(t, model.InvalidTxnState, model.TransactionAbortable.Told(model.Produce, 10))
	assert.Equal(t, model.TransactionAbortable, model.TransactionAbortable.Told(model.Produce, 11))
	assert.Equal(t, model.InvalidTxnState, model.TransactionAbortable.Told(model.TxnOffsetCommit, 3))
	assert.Equal(t, model.IllegalGeneration, model.IllegalGeneration.Told(model.TxnOffsetCommit, 3))
}

// Seen on Apache Kafka 4.4.0: a verification keeps the style of the batch that
// began it, so that a TV1 batch of a newer epoch must begin with sequence 0 too.
func TestVerificationKeepsItsStyle(t *testing.T) {
	b := newBench()
	b.init(0, 0)
	assert.Equal(t, "1,1", b.init(1, 0))
	assert.Equal(t, none, b.add3(model.Part(0), 1))
	assert.Equal(t, invalidEpoch, b.produce(0, 1, 0, 0, model.TV2))
	assert.Equal(t, order, b.produce(0, 1, 1, 2, model.TV1))
}

// Seen on Apache Kafka 4.4.0: the id before a rotation by InitProducerId passes
// the check of the id, and fails that of the epoch.
func TestEndTxnOfTheIDBeforeARotation(t *testing.T) {
	b := newBench()
	b.rules.MaxEpoch = 3
	for range 3 {
		b.init(0, 0)
	}
	assert.Equal(t, "2,0", b.init(0, 0))
	assert.Equal(t, fenced, b.abort5(2))
	assert.Equal(t, fenced, b.commit5(2))
	assert.Equal(t, "2,1", b.init(0, 0))
	assert.Equal(t, "INVALID_PRODUCER_ID_MAPPING", b.abort5(2))
}
