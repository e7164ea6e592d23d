package conform

import (
	"fmt"
	"strings"

	"fencecheck/model"
)

// txnGame is what a play of transactions does not change.
type txnGame struct {
	rules       model.Rules
	coordinator int16 // the epoch of the transaction coordinator
	noOffsets   bool  // the broker has no offsets partition that a marker could be sent to
	known       []Known
}

// generation is that of a group into which one member has come.
const generation model.Generation = 1

// credentials are what a TxnOffsetCommit says of the group.
func (g *txnGame) credentials(c credentials) (model.Generation, model.MemberID) {
	switch c {
	case wrongGen:
		return generation + 1, theMember
	case wrongMember:
		return generation, notAMember
	case bare:
		return model.NoGeneration, 0
	case withoutGen:
		return model.NoGeneration, theMember
	}
	return generation, theMember
}

// with is the game under other mutations.
func (g txnGame) with(off model.Mutations) *txnGame {
	g.rules.Off = off
	return &g
}

// A table is the state of a play as the rules see it: coordinators and leaders
// are views on it.
type table struct {
	*txnState
	game  *txnGame
	rules *model.Rules
	group model.Group
	crew  [1]model.Member
	txns  model.TransactionCoordinator
}

func (g *txnGame) table(s *txnState) *table {
	t := &table{txnState: s, game: g, rules: &g.rules}
	t.group = model.Group{State: model.Stable, Generation: generation, Leader: theMember}
	t.crew[0] = model.Member{ID: theMember, Assignment: 1}
	t.txns = model.TransactionCoordinator{Rules: &g.rules, Txn: &s.Txn, Outbox: &s.Outbox, Epoch: g.coordinator, Fresh: s.Given + 1}
	return t
}

// leader is the view on one partition. Its next guard is one that nothing uses.
func (t *table) leader(place uint8) *model.PartitionLeader {
	l := &model.PartitionLeader{Rules: t.rules, Entries: t.Entries[place][:], Fresh: 1}
	for _, e := range l.Entries {
		l.Fresh = max(l.Fresh, e.Guard+1)
	}
	return l
}

// offsets is the view on the group's offsets.
func (t *table) offsets(absent bool) *model.OffsetStore {
	group := &model.Coordinator{Rules: t.rules, Group: &t.group, Members: t.crew[:]}
	if absent {
		group.Group, group.Members = &model.Group{}, nil
	}
	return &model.OffsetStore{Rules: t.rules, Group: group, Committed: []model.Offset{t.Offset}, At: []uint32{t.OffsetAt}, Pending: t.Pending[:]}
}

// keep takes over what the group's coordinator has changed.
func (t *table) keep(o *model.OffsetStore) { t.Offset, t.OffsetAt = o.Committed[0], o.At[0] }

// brokers are the coordinators and the leader of a partition.
func (t *table) brokers(place uint8, absent bool) *model.Brokers {
	b := &model.Brokers{Coordinator: &t.txns, Leader: t.leader(place)}
	if place == offsetsPlace {
		b.Offsets = t.offsets(absent)
	}
	return b
}

// at lets the brokers of a partition decide a request.
func (t *table) at(place uint8, absent bool, q *model.TxnRequest) model.TxnReply {
	b := t.brokers(place, absent)
	a := b.Decide(q)
	if o, ok := b.Offsets.(*model.OffsetStore); ok {
		t.keep(o)
	}
	return a
}

// place is the partition that a request is for.
func (r *txnRequest) place() uint8 {
	if r.Step.Op == addOffsets || r.Step.Op == txnCommit {
		return offsetsPlace
	}
	return r.Step.Place
}

// model is the request as the rules know it.
func (r *txnRequest) model() model.TxnRequest {
	v := r.spoken()
	return model.TxnRequest{API: txnAPIs[r.Step.Op], PID: r.PID, Epoch: r.Epoch, Version: v.txnV, Verify: v.verify, Commit: r.Step.Commit,
		Partitions: model.Part(coordinatorsName(r.place())), Sequence: r.Sequence, Transactional: v.txnV != 0,
		MemberID: r.Member, Generation: r.Generation, CoordinatorEpoch: r.Coord}
}

// decide lets package model decide one step, and lets the markers that come of
// it reach every partition.
func (g *txnGame) decide(s *txnState, r txnRequest) (txnState, txnAnswer) {
	after := *s
	t := g.table(&after)
	a := t.ask(r)
	a.Err = a.Err.Told(txnAPIs[r.Step.Op], r.spoken().version)
	if t.txns.Taken {
		after.Given++
	}
	if a.Moved = after.Txn.Pending != model.NoTransaction && !after.Outbox.Stuck || after.Txn != s.Txn && after.Txn.State >= model.CompleteCommit; a.Moved {
		t.deliver()
	}
	a.Stuck = after.Outbox.Stuck
	return after, a
}

// deliver lets the outbox reach every partition.
func (t *table) deliver() {
	for place := range uint8(outs + 1) {
		name := coordinatorsName(place)
		if !t.Outbox.To.Has(name) {
			continue
		}
		q := t.Outbox.Request()
		t.txns.MarkerAnswered(name, t.mark(place, &q))
	}
}

// mark writes a marker at a partition.
func (t *table) mark(place uint8, q *model.TxnRequest) model.Error {
	a := t.at(place, false, q)
	if a.Err != model.None || place == offsetsPlace {
		return a.Err
	}
	kind := model.AbortMarker
	if q.Commit {
		kind = model.CommitMarker
	}
	t.log(place, logged{Kind: kind, PID: q.PID, Epoch: q.Epoch})
	return a.Err
}

// ask lets requests meet the rules.
func (t *table) ask(r txnRequest) txnAnswer {
	q := r.model()
	switch r.Step.Op {
	case initProducer, endTxn, addPartition, addOffsets:
		return answerOfTxn(t.at(r.place(), false, &q).TransactionReply)
	case exhaust:
		return answerOfTxn(t.exhaust())
	case produce:
		return t.produce(r, &q)
	case txnCommit:
		t.Numbers++
		q.Offsets = []model.Offset{model.Offset(t.Numbers)}
		return txnAnswer{Err: t.at(offsetsPlace, r.Step.Cred == absentGroup, &q).Err}
	case writeMarker:
		return txnAnswer{Err: t.mark(r.Step.Place, &q)}
	case memberCommit:
		o := t.offsets(false)
		t.Numbers++
		err := o.Decide(&model.OffsetsRequest{API: model.OffsetCommit, MemberID: r.Member, Generation: r.Generation, Offsets: []model.Offset{model.Offset(t.Numbers)}})
		t.keep(o)
		return txnAnswer{Err: err}
	case txnTimer:
		return txnAnswer{Ignored: !t.txns.Overdue()}
	case restart:
		t.restart()
		return txnAnswer{}
	case lateRestart:
		t.restart()
		return txnAnswer{Ignored: !t.txns.Overdue()}
	}
	return t.observe(r)
}

// bumps is how many times InitProducerId gives an epoch of its own.
const bumps = int(model.MaxEpoch)

// exhaust repeats InitProducerId until no epoch is left.
func (t *table) exhaust() (last model.TransactionReply) {
	for range bumps {
		last = t.at(0, false, &model.TxnRequest{API: model.InitProducerID}).TransactionReply
	}
	return last
}

func (t *table) produce(r txnRequest, q *model.TxnRequest) txnAnswer {
	t.Numbers++
	a := t.at(r.Step.Place, false, q)
	switch {
	case a.Err != model.None:
		return txnAnswer{Err: a.Err}
	case a.Duplicate:
		return txnAnswer{Place: t.appendedAt(r, a.Back), Again: true}
	}
	kind := model.PlainRecord
	if q.Transactional {
		kind = model.TransactionalRecord
	}
	t.log(r.Step.Place, logged{Kind: kind, PID: r.PID, Epoch: r.Epoch, Sequence: r.Sequence, Value: t.Numbers})
	return txnAnswer{Place: len(t.Logs[r.Step.Place])}
}

// appendedAt is where a batch is that a producer appended some batches ago, counted
// from 1.
func (t *table) appendedAt(r txnRequest, back int) int {
	log := t.Logs[r.Step.Place]
	for i := len(log) - 1; i >= 0; i-- {
		if l := log[i]; l.PID == r.PID && (l.Kind == model.PlainRecord || l.Kind == model.TransactionalRecord) {
			if back == 0 {
				return i + 1
			}
			back--
		}
	}
	return 0
}

// restart: another coordinator and other leaders go on from what the logs hold.
// The coordinator may have read its log before the partitions have leaders.
func (t *table) restart() {
	log := t.Txn.Durable()
	t.txns.Log, t.txns.Epoch, t.txns.Leaderless = &log, t.game.coordinator+1, true
	t.txns.Load()
	for place := range t.Entries {
		t.leader(uint8(place)).Elect()
	}
}

// observe answers the requests that change nothing.
func (t *table) observe(r txnRequest) txnAnswer {
	switch r.Step.Op {
	case readRecords:
		return txnAnswer{Reads: t.reads(r.Step.Place, r.Step.Stable)}
	case lastOffset:
		return txnAnswer{Place: t.readable(r.Step.Place, r.Step.Stable)}
	case readOffset:
		q := model.OffsetsRequest{API: model.OffsetFetch, Offsets: make([]model.Offset, 1), Partitions: 1, Stable: r.Step.Stable}
		err := t.offsets(false).Decide(&q)
		return txnAnswer{Offset: q.Offsets[0] + 1, Err: err}
	}
	return txnAnswer{State: t.describe(), PID: t.Txn.PID, Epoch: t.Txn.Epoch}
}

// readable is the place up to which a reader reads.
func (t *table) readable(place uint8, committed bool) int {
	log := t.Logs[place]
	if !committed {
		return len(log)
	}
	return model.LastStableOffset(t.rules, log, len(log))
}

// reads lists what a reader reads: everything, markers too, or what a
// read_committed consumer hands to its application.
func (t *table) reads(place uint8, committed bool) string {
	log := t.Logs[place][:t.readable(place, committed)]
	var words []string
	for i, l := range log {
		if !committed || model.Reads(t.rules, log, i) {
			words = append(words, fmt.Sprintf("%d:%s", i, l.text()))
		}
	}
	return strings.Join(words, " ")
}

func (l logged) text() string {
	switch l.Kind {
	case model.CommitMarker:
		return fmt.Sprintf("COMMIT(e%d)", l.Epoch)
	case model.AbortMarker:
		return fmt.Sprintf("ABORT(e%d)", l.Epoch)
	}
	return fmt.Sprintf("r%d", l.Value)
}

// describe is the coordinator's view, as DescribeTransactions tells it. Once
// markers are on their way, the broker tells which partitions are without one;
// the model keeps those that were decided.
func (t *table) describe() string {
	words := []string{t.Txn.State.String()}
	if t.Txn.State != model.Ongoing {
		return words[0]
	}
	for place := range uint8(outs + 1) {
		if t.Txn.Partitions.Has(coordinatorsName(place)) {
			words = append(words, placeName(place))
		}
	}
	return strings.Join(words, " ")
}

func placeName(place uint8) string {
	if place == offsetsPlace {
		return "offsets"
	}
	return fmt.Sprintf("p%d", place)
}
