package txns

import (
	"fmt"
	"strings"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

// game is what a play of transactions does not change.
type game struct {
	rules       model.Rules
	coordinator int16 // the epoch of the transaction coordinator
	noOffsets   bool  // the broker has no offsets partition that a marker could be sent to
	known       []frame.Known
}

// generation is that of a group into which one member has come.
const generation model.Generation = 1

// with is the game under other mutations.
func (g game) with(off model.Mutations) *game {
	g.rules.Off = off
	return &g
}

// A view is the state of a play as package model sees it. Its coordinators and
// leaders read and write the state; the group has one member, and does not change.
type view struct {
	*state
	game    *game
	group   classic.Group
	members [1]classic.Member
	txns    txn.Coordinator
}

func (g *game) view(s *state) *view {
	return &view{state: s, game: g, group: classic.Group{State: classic.Stable, Generation: generation, Leader: theMember},
		members: [1]classic.Member{{ID: theMember, Assignment: 1}},
		txns:    txn.Coordinator{Rules: &g.rules, Txn: &s.Txn, Outbox: &s.Outbox, Epoch: g.coordinator, Fresh: s.Given + 1}}
}

// leader is the view on one log.
func (v *view) leader(log uint8) *txn.Leader {
	entries := v.Entries[log][:]
	return &txn.Leader{Rules: &v.game.rules, Entries: entries, Fresh: txn.FreshGuard(entries, 0)}
}

// offsets is the view on the group's offsets, and keep takes over what has changed
// there.
func (v *view) offsets(absent bool) (o *offsets.Store, keep func()) {
	group := &classic.Coordinator{Rules: &v.game.rules, Group: &v.group, Members: v.members[:]}
	if absent {
		group.Group, group.Members = &classic.Group{}, nil
	}
	o = &offsets.Store{Rules: &v.game.rules, Group: group, Committed: []model.Offset{v.Offset}, At: []uint32{v.OffsetAt}, Pending: v.Pending[:]}
	return o, func() { v.Offset, v.OffsetAt = o.Committed[0], o.At[0] }
}

// decide lets package model decide one step, and lets the markers that come of
// it reach every partition.
func (g *game) decide(s *state, r request) (state, answer) {
	after := *s
	v := g.view(&after)
	var a answer
	if f := r.row().decide; f != nil {
		a = f(v, &r)
	} else {
		a = answerOf(v.ask(r.Step.Log, false, &r.Request).TransactionReply)
	}
	a.Err = a.Err.Told(r.row().api, r.version().number)
	if v.txns.Taken {
		after.Given++
	}
	if a.Moved = after.Txn.Pending != txn.NoTransaction && !after.Outbox.Stuck || after.Txn != s.Txn && after.Txn.State >= txn.CompleteCommit; a.Moved {
		v.deliver()
	}
	a.Stuck = after.Outbox.Stuck
	return after, a
}

// ask lets a request meet the rules, where its log is.
func (v *view) ask(log uint8, absent bool, r *txn.Request) txn.Reply {
	b := &txn.Brokers{Coordinator: &v.txns, Leader: v.leader(log)}
	if log == offsetsLog {
		o, keep := v.offsets(absent)
		defer keep()
		b.Offsets = o
	}
	return b.Decide(r)
}

// deliver lets the outbox reach every partition.
func (v *view) deliver() {
	for log := range uint8(numOutputs + 1) {
		if name := logIndex(log); v.Outbox.To.Has(name) {
			q := v.Outbox.Request()
			v.txns.MarkerAnswered(name, v.mark(log, &q))
		}
	}
}

// mark writes a marker to a log.
func (v *view) mark(log uint8, q *txn.Request) model.Error {
	a := v.ask(log, false, q)
	if a.Err != model.None || log == offsetsLog {
		return a.Err
	}
	kind := txn.AbortMarker
	if q.Commit {
		kind = txn.CommitMarker
	}
	v.append(log, logged{Kind: kind, PID: q.PID, Epoch: q.Epoch})
	return a.Err
}

func (v *view) marker(r *request) answer { return answer{Err: v.mark(r.Step.Log, &r.Request)} }

func (v *view) produce(r *request) answer {
	v.Numbers++
	a := v.ask(r.Step.Log, false, &r.Request)
	switch {
	case a.Err != model.None:
		return answer{Err: a.Err}
	case a.Duplicate:
		return answer{At: v.appendedAt(r, a.Back), Again: true}
	}
	kind := txn.PlainRecord
	if r.Transactional {
		kind = txn.TransactionalRecord
	}
	v.append(r.Step.Log, logged{Kind: kind, PID: r.PID, Epoch: r.Epoch, Sequence: r.Sequence, Value: v.Numbers})
	return answer{At: len(v.Logs[r.Step.Log])}
}

// appendedAt is where a batch is that a producer appended some batches ago, counted
// from 1.
func (v *view) appendedAt(r *request, back int) int {
	log := v.Logs[r.Step.Log]
	for i := len(log) - 1; i >= 0; i-- {
		if l := log[i]; l.PID == r.PID && (l.Kind == txn.PlainRecord || l.Kind == txn.TransactionalRecord) {
			if back == 0 {
				return i + 1
			}
			back--
		}
	}
	return 0
}

func (v *view) txnCommit(r *request) answer {
	v.Numbers++
	r.Offsets = []model.Offset{model.Offset(v.Numbers)}
	return answer{Err: v.ask(offsetsLog, r.Step.Cred == absentGroup, &r.Request).Err}
}

func (v *view) memberCommit(r *request) answer {
	o, keep := v.offsets(false)
	defer keep()
	v.Numbers++
	return answer{Err: o.Decide(&offsets.Request{API: r.API, MemberID: r.MemberID, Generation: r.Generation, Offsets: []model.Offset{model.Offset(v.Numbers)}})}
}

// bumps is how many times InitProducerId gives an epoch of its own.
const bumps = int(model.MaxEpoch)

// exhaust repeats InitProducerId until no epoch is left.
func (v *view) exhaust(*request) (last answer) {
	for range bumps {
		last = answerOf(v.ask(0, false, &txn.Request{API: model.InitProducerID}).TransactionReply)
	}
	return last
}

func (v *view) timeout(*request) answer { return answer{Ignored: !v.txns.Overdue()} }

// restart: another coordinator and other leaders go on from what the logs hold.
// The coordinator may have read its log before the partitions have leaders.
func (v *view) restart(*request) answer {
	log := v.Txn.Durable()
	v.txns.Log, v.txns.Epoch, v.txns.Leaderless = &log, v.game.coordinator+1, true
	v.txns.Load()
	for log := range v.Entries {
		v.leader(uint8(log)).Elect()
	}
	return answer{}
}

func (v *view) lateRestart(r *request) answer {
	v.restart(r)
	return v.timeout(r)
}

func (v *view) readRecords(r *request) answer {
	return answer{Reads: v.reads(r.Step.Log, r.Step.Stable)}
}

func (v *view) lastOffset(r *request) answer {
	return answer{At: v.readable(r.Step.Log, r.Step.Stable)}
}

func (v *view) readOffset(r *request) answer {
	o, _ := v.offsets(false)
	q := offsets.Request{API: r.API, Offsets: make([]model.Offset, 1), Partitions: 1, Stable: r.Step.Stable}
	err := o.Decide(&q)
	return answer{Offset: q.Offsets[0] + 1, Err: err}
}

// describe is the coordinator's view, as DescribeTransactions tells it.
func (v *view) describe(*request) answer {
	return answer{State: described(&v.Txn), PID: v.Txn.PID, Epoch: v.Txn.Epoch}
}

// readable is the offset up to which a reader reads.
func (v *view) readable(log uint8, committed bool) int {
	entries := v.Logs[log]
	if !committed {
		return len(entries)
	}
	return txn.LastStableOffset(&v.game.rules, entries, len(entries))
}

// reads lists what a reader reads: everything, markers too, or what a
// read_committed consumer hands to its application.
func (v *view) reads(log uint8, committed bool) string {
	entries := v.Logs[log][:v.readable(log, committed)]
	var words []string
	for i, l := range entries {
		if !committed || txn.Reads(&v.game.rules, entries, i) {
			words = append(words, fmt.Sprintf("%d:%s", i, l.text()))
		}
	}
	return strings.Join(words, " ")
}

func (l logged) text() string {
	switch l.Kind {
	case txn.CommitMarker:
		return fmt.Sprintf("COMMIT(e%d)", l.Epoch)
	case txn.AbortMarker:
		return fmt.Sprintf("ABORT(e%d)", l.Epoch)
	}
	return fmt.Sprintf("r%d", l.Value)
}

// described is a transaction as DescribeTransactions tells of it. Once markers are
// on their way, the broker tells which partitions are without one; the model keeps
// those that were decided.
func described(t *txn.Transaction) string {
	words := []string{t.State.String()}
	if t.State != txn.Ongoing {
		return words[0]
	}
	for log := range uint8(numOutputs + 1) {
		if t.Partitions.Has(logIndex(log)) {
			words = append(words, logName(log))
		}
	}
	return strings.Join(words, " ")
}

func logName(log uint8) string {
	if log == offsetsLog {
		return "offsets"
	}
	return fmt.Sprintf("p%d", log)
}
