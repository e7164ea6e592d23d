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

// groups is the view on the group.
func (t *table) groups(absent bool) *model.Coordinator {
	c := &model.Coordinator{Rules: t.rules, Group: &t.group, Members: t.crew[:], Offsets: []model.Offset{t.Offset},
		OffsetsAt: []uint32{t.OffsetAt}, Pending: t.Pending[:]}
	if absent {
		c.Group, c.Members = &model.Group{}, nil
	}
	return c
}

// keep takes over what the group's coordinator has changed.
func (t *table) keep(c *model.Coordinator) { t.Offset, t.OffsetAt = c.Offsets[0], c.OffsetsAt[0] }

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
		t.txns.MarkerAnswered(name, t.mark(place, t.Outbox))
	}
}

// mark writes a marker at a partition.
func (t *table) mark(place uint8, m model.Marker) model.Error {
	_, err := t.leader(place).WriteMarker(m)
	if err != model.None {
		return err
	}
	if place == offsetsPlace {
		c := t.groups(false)
		c.EndTransaction(m.PID, m.Commit)
		t.keep(c)
		return err
	}
	kind := model.AbortMarker
	if m.Commit {
		kind = model.CommitMarker
	}
	t.log(place, logged{Kind: kind, PID: m.PID, Epoch: m.Epoch})
	return err
}

// ask is the one place where requests meet the rules.
func (t *table) ask(r txnRequest) txnAnswer {
	switch r.Step.Op {
	case initProducer:
		return answerOfTxn(t.txns.InitProducerID(model.InitProducerIDRequest{PID: r.PID, Epoch: r.Epoch}))
	case exhaust:
		return answerOfTxn(t.exhaust())
	case addPartition, addOffsets:
		return txnAnswer{Err: t.add(r)}
	case produce:
		return t.produce(r)
	case txnCommit:
		return txnAnswer{Err: t.txnCommit(r)}
	case endTxn:
		return answerOfTxn(t.txns.EndTxn(model.EndTxnRequest{PID: r.PID, Epoch: r.Epoch, Commit: r.Step.Commit, Version: r.spoken().txnV}))
	case writeMarker:
		return txnAnswer{Err: t.mark(r.Step.Place, model.Marker{PID: r.PID, Epoch: r.Epoch, CoordinatorEpoch: r.Coord, Commit: r.Step.Commit, Version: r.spoken().txnV})}
	case memberCommit:
		c := t.groups(false)
		t.Numbers++
		reply := c.OffsetCommit(model.OffsetCommitRequest{MemberID: r.Member, Generation: r.Generation, Offsets: []model.Offset{model.Offset(t.Numbers)}})
		t.keep(c)
		return txnAnswer{Err: reply.Err}
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
		last = t.txns.InitProducerID(model.InitProducerIDRequest{})
	}
	return last
}

func (t *table) add(r txnRequest) model.Error {
	place := r.Step.Place
	if r.Step.Op == addOffsets {
		place = offsetsPlace
	}
	q := model.AddPartitionsRequest{PID: r.PID, Epoch: r.Epoch, Partitions: model.Part(coordinatorsName(place)), Version: r.spoken().txnV}
	if r.spoken().verify {
		return t.txns.Verify(q)
	}
	return t.txns.AddPartitions(q)
}

func (t *table) batch(r txnRequest) model.Batch {
	v := r.spoken().txnV
	return model.Batch{PID: r.PID, Epoch: r.Epoch, Sequence: r.Sequence, Transactional: v != 0, Version: v}
}

func (t *table) produce(r txnRequest) txnAnswer {
	l, b := t.leader(r.Step.Place), t.batch(r)
	t.Numbers++
	if b.Transactional {
		if err := l.Admit(&b, &t.txns, int(r.Step.Place)); err != model.None {
			return txnAnswer{Err: err}
		}
	}
	back, duplicate, err := l.Append(b)
	switch {
	case err != model.None:
		return txnAnswer{Err: err}
	case duplicate:
		return txnAnswer{Place: t.place(r, back), Again: true}
	}
	kind := model.PlainRecord
	if b.Transactional {
		kind = model.TransactionalRecord
	}
	t.log(r.Step.Place, logged{Kind: kind, PID: r.PID, Epoch: r.Epoch, Sequence: r.Sequence, Value: t.Numbers})
	return txnAnswer{Place: len(t.Logs[r.Step.Place])}
}

// place is where a batch is that a producer appended some batches ago, counted
// from 1.
func (t *table) place(r txnRequest, back int) int {
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

func (t *table) txnCommit(r txnRequest) model.Error {
	l, b := t.leader(offsetsPlace), t.batch(r)
	t.Numbers++
	if err := l.Admit(&b, &t.txns, model.OffsetsPartition); err != model.None {
		return err
	}
	c := t.groups(r.Step.Cred == absentGroup)
	err := l.CommitTxnOffsets(c, b, model.TxnOffsetCommitRequest{PID: r.PID, MemberID: r.Member, Generation: r.Generation, Offsets: []model.Offset{model.Offset(t.Numbers)}})
	t.keep(c)
	return err
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
		c := t.groups(false)
		if !r.Step.Stable {
			return txnAnswer{Offset: c.OffsetFetch(0) + 1}
		}
		o, err := c.OffsetFetchStable(0)
		return txnAnswer{Offset: o + 1, Err: err}
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
