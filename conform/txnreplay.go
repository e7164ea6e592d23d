package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// txnReplay plays a story of transactions: its group as any other story's, and
// each transactional id with a play of its own.
type txnReplay struct {
	story *txnStory
	group *play
	stage *txnStage
	ids   []*txnPlay
	out   Replayed
}

// replayTxns plays a story until the machine is fast enough for its timeouts.
func (w *worker) replayTxns(ctx context.Context, y *txnStory) (Replayed, error) {
	tv, err := newTxnVenue(ctx, w.run.venue)
	if err != nil {
		return Replayed{}, err
	}
	defer func() {
		tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.run.venue.patience)
		defer cancel()
		tv.tidy(tidy)
	}()
	if y.cfg.Rules.NoVerification {
		restore, err := tv.withoutVerification(ctx)
		if err != nil {
			return Replayed{}, err
		}
		defer restore()
	}
	var last error
	for try := range replayTries {
		r, err := w.stageTxns(ctx, tv, y, 1+try/3)
		if err != nil {
			return Replayed{}, err
		}
		err = errors.Join(r.play(ctx), r.end(ctx))
		if !errors.Is(err, errTiming) && !errors.Is(err, errImpossible) {
			return r.out, err
		}
		last = err
	}
	return Replayed{}, fmt.Errorf("the story could not be played in %d tries: %w", replayTries, last)
}

// stageTxns prepares a group, output partitions and transactional ids that
// nobody has used.
func (w *worker) stageTxns(ctx context.Context, tv *txnVenue, y *txnStory, scale int) (*txnReplay, error) {
	var group []told
	for _, l := range y.lines {
		if l.group != nil {
			group = append(group, *l.group)
		}
	}
	p, err := w.begin(ctx, storyTimeouts(group, tv.limits, scale))
	if err != nil {
		return nil, err
	}
	p.careful = true
	s := newTxnStage(tv)
	s.group, s.coordinator = p.send.group, p.lines.address
	r := &txnReplay{story: y, group: p, stage: s, out: Replayed{Confirmed: true, Steps: []ReplayedStep{}}}
	c, err := s.conn(ctx, tv.address)
	if err != nil {
		return nil, err
	}
	first := cue{group: s.group, pids: map[model.ProducerID]int64{}, names: map[int64]model.ProducerID{},
		offsets: int32(partitionOf(s.group, tv.offsetsPartitions))}
	first.bind(0, -1)
	if err := s.settleIn(ctx, c, &first); err != nil {
		return nil, err
	}
	for id := range y.cfg.TransactionalIDs() {
		t := &txnPlay{stage: s, cue: first}
		t.cue.tid, t.cue.timeout = tv.tid(), tv.limits.longestTxn()
		if slices.ContainsFunc(y.lines, func(l txnLine) bool { return l.r.Step.Op == txnTimer && int(l.id) == id }) {
			t.short = tv.limits.shortest(scale)
			t.cue.timeout = t.short
		}
		at, err := c.coordinatorsOf(ctx, ofTransactions, []string{t.cue.tid})
		if err != nil {
			return nil, err
		}
		t.cue.coordinator = at[t.cue.tid]
		r.ids = append(r.ids, t)
	}
	return r, nil
}

// play plays the lines, and looks at what they leave behind. It stops where the
// broker differs.
func (r *txnReplay) play(ctx context.Context) error {
	for i := range r.story.lines {
		l := &r.story.lines[i]
		on, err := r.line(ctx, l)
		if !on || err != nil {
			return err
		}
		if on, err = r.readers(ctx, l); !on || err != nil {
			return err
		}
		for k := range r.group.track.states { // the group's play knows nothing of transactions
			copy(r.group.track.states[k].Offsets[:], l.committed[:])
		}
	}
	return r.afterwards(ctx)
}

// line plays one line.
func (r *txnReplay) line(ctx context.Context, l *txnLine) (bool, error) {
	for i, t := range r.ids {
		if t.late() && (l.r.Step.Op != txnTimer || int(l.id) != i) {
			return false, errTiming
		}
	}
	if l.group != nil {
		return r.group.tellOne(ctx, *l.group, &r.out)
	}
	if err := r.group.clock.onTime(r.group.state()); err != nil {
		return false, err
	}
	t, begun := r.ids[l.id], time.Now()
	seen, err := r.perform(ctx, l, t)
	if err == nil && seen.Err == l.expected.Err && l.ends() {
		err = t.settle(ctx, &l.expected, &seen)
	}
	if err != nil {
		return false, err
	}
	for i, t := range r.ids {
		if before := t.state.Txn.State; before != model.Ongoing && l.states[i] == model.Ongoing {
			t.started = [2]time.Time{begun, time.Now()}
		}
		t.state.Txn.State = l.states[i]
	}
	return r.compare(l.step, l.op, r.describe(l), &l.expected, &seen), nil
}

// ends tells whether markers may come of a line.
func (l *txnLine) ends() bool {
	return l.states[l.id] != model.Ongoing && (l.r.Step.Op == endTxn || l.r.Step.Op == initProducer || l.r.Step.Op == txnTimer)
}

// compare notes a step, and tells whether the broker says what the story says.
func (r *txnReplay) compare(number int, op, request string, expected, seen *txnAnswer) bool {
	step := ReplayedStep{Step: number, Op: op, Request: request, Broker: seen.text()}
	same := seen.equal(expected)
	if !same {
		step.Model = expected.text()
		r.out.Confirmed, r.out.Step, r.out.Fields = false, number, compareTxn(expected, seen)
	}
	r.out.Steps = append(r.out.Steps, step)
	return same
}

// describe writes a line for a reader.
func (r *txnReplay) describe(l *txnLine) string {
	who := clientName(r.story.cfg, l.client)
	switch l.r.Step.Op {
	case txnTimer:
		return fmt.Sprintf("the transaction of id %d takes longer than its timeout", l.id)
	case readOffset:
		return who + ": OffsetFetch, stable"
	case txnCommit:
		words := []string{who + ": " + txnTitle(l.r), "pid=" + pidName(l.r.PID), fmt.Sprintf("epoch=%d generation=%d", l.r.Epoch, l.r.Generation), "member=" + name(l.r.Member)}
		for p, o := range l.offsets {
			if o != model.NoOffset {
				words = append(words, fmt.Sprintf("p%d=%d", p, o))
			}
		}
		return strings.Join(words, " ") + l.lateness()
	}
	text := who + ": " + l.r.describe()
	if l.number > 0 {
		text += fmt.Sprintf(" record=r%d", l.number)
	}
	return text + l.lateness()
}

func (l *txnLine) lateness() string {
	if l.late {
		return " (late, on another connection)"
	}
	return ""
}

// clientName is how stories call a client: members first, then writers.
func clientName(cfg *model.Config, client uint8) string {
	if cfg.IsWriter(int(client)) {
		return fmt.Sprintf("w%d", int(client)-cfg.Members-cfg.Simple+1)
	}
	return fmt.Sprintf("m%d", client+1)
}

// perform makes a line happen, and returns what came of it.
func (r *txnReplay) perform(ctx context.Context, l *txnLine, t *txnPlay) (txnAnswer, error) {
	if l.r.Step.Op == txnTimer {
		return t.wait(ctx)
	}
	if _, ok := t.cue.pids[l.r.PID]; !ok {
		return txnAnswer{}, errImpossible
	}
	if _, ok := r.group.send.ids.wire[l.r.Member]; !ok {
		return txnAnswer{}, errImpossible
	}
	ask := r.stage.ask
	if l.late {
		ask = r.apart
	}
	for end := time.Now().Add(r.stage.venue.patience); ; {
		m, err := ask(ctx, r.stage.address(l.r, &t.cue), r.message(l, &t.cue))
		if err != nil {
			return txnAnswer{}, err
		}
		a := r.read(m, l, &t.cue)
		if a.Err != model.CoordinatorLoadInProgress || time.Now().After(end) {
			return a, nil
		}
		if err := pause(ctx, 10*glance); err != nil { // it reads its log, and has decided nothing
			return a, err
		}
	}
}

// apart asks over a connection of its own.
func (r *txnReplay) apart(ctx context.Context, address string, m kmsg.Request) (kmsg.Response, error) {
	c, err := dial(ctx, address, r.stage.venue.patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return c.call(ctx, m)
}

// message is a line as it goes over the wire.
func (r *txnReplay) message(l *txnLine, x *cue) kmsg.Request {
	switch l.r.Step.Op {
	case txnCommit:
		m := r.txnCommit(l, x)
		m.SetVersion(l.r.spoken().version)
		return m
	case readOffset:
		m := r.group.send.fetch().(*kmsg.OffsetFetchRequest)
		m.RequireStable = true
		m.Groups[0].Topics[0].Partitions = nil
		for p, o := range l.offsets {
			if o != model.NoOffset {
				m.Groups[0].Topics[0].Partitions = append(m.Groups[0].Topics[0].Partitions, int32(p))
			}
		}
		return m
	}
	return x.message(l.r, l.number)
}

func (r *txnReplay) txnCommit(l *txnLine, x *cue) kmsg.Request {
	t := kmsg.NewTxnOffsetCommitRequestTopic()
	t.Topic = r.group.send.topic
	for i, o := range l.offsets {
		if o != model.NoOffset {
			p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset = int32(i), int64(o)
			t.Partitions = append(t.Partitions, p)
		}
	}
	m := kmsg.NewPtrTxnOffsetCommitRequest()
	m.TransactionalID, m.Group, m.ProducerID, m.ProducerEpoch, m.Topics = x.tid, x.group, x.pids[l.r.PID], int16(l.r.Epoch), append(m.Topics, t)
	m.Generation, m.MemberID = int32(l.r.Generation), r.group.send.ids.wire[l.r.Member]
	return m
}

// read turns an answer into the model's terms. Where a batch is shows afterwards.
func (r *txnReplay) read(m kmsg.Response, l *txnLine, x *cue) txnAnswer {
	var a txnAnswer
	switch m := m.(type) {
	case *kmsg.TxnOffsetCommitResponse:
		for _, t := range m.Topics {
			for _, p := range t.Partitions {
				if p.ErrorCode != 0 {
					a.Err = model.Error(p.ErrorCode)
				}
			}
		}
	case *kmsg.OffsetFetchResponse:
		if len(m.Groups) != 1 || len(m.Groups[0].Topics) != 1 {
			a.odd("no partition is answered")
			break
		}
		for _, p := range m.Groups[0].Topics[0].Partitions {
			if p.ErrorCode != 0 {
				a.Err = model.Error(p.ErrorCode)
			} else if want := l.offsets[p.Partition]; p.Offset+1 != int64(want) {
				a.odd("p%d has %d, the story %d", p.Partition, p.Offset, want-1)
			}
		}
	default:
		a = x.read(m, l.r, l.expected.PID)
		a.Place = 0
	}
	return a
}

// afterwards asks what the story has left behind, and what readers and
// applications see of it.
func (r *txnReplay) afterwards(ctx context.Context) error {
	y := r.story
	if y.cfg.Members > 0 && len(r.group.events) > 0 {
		var err error
		if r.out, err = r.group.ending(ctx, r.out, len(r.group.events)); err != nil || !r.out.Confirmed {
			return err
		}
	}
	last := y.lines[len(y.lines)-1].step
	visible := map[int32]bool{}
	for place := range uint8(y.cfg.Outputs) {
		a, err := r.look(ctx, place, true)
		if err != nil {
			return err
		}
		q := reading(place, true)
		r.compare(last, "afterwards", q.describe(), &a, &a) // it has been compared
		for _, word := range strings.Fields(a.Reads) {
			var at, number int32
			if n, _ := fmt.Sscanf(word, "%d:r%d", &at, &number); n == 2 {
				visible[number] = true
			}
		}
	}
	committed, err := r.offsets(ctx)
	if err != nil {
		return err
	}
	r.judge(visible, committed)
	if err := r.hanging(ctx); err != nil {
		return err
	}
	return r.coordinators(ctx, last)
}

// hanging looks for readers who wait for a transaction that no coordinator has.
func (r *txnReplay) hanging(ctx context.Context) error {
	for _, t := range r.ids {
		if t.state.Txn.State == model.Ongoing {
			return nil
		}
	}
	x := &r.ids[0].cue
	for place := range uint8(r.story.cfg.Outputs) {
		var ends [2]int
		for i, committed := range []bool{true, false} {
			q := txnRequest{Step: txnStep{Op: lastOffset, Place: place, Stable: committed}}
			m, err := r.stage.ask(ctx, r.stage.address(q, x), x.message(q, 0))
			if err != nil {
				return err
			}
			a := x.read(m, q, 0)
			ends[i] = a.Place
		}
		if ends[0] < ends[1] {
			r.out.Seen = append(r.out.Seen, fmt.Sprintf("read_committed readers of %s wait at place %d of %d for a transaction that no coordinator has open",
				placeName(place), ends[0], ends[1]))
		}
	}
	return nil
}

// coordinators asks what the coordinator has of each transactional id, and lets
// producers go on.
func (r *txnReplay) coordinators(ctx context.Context, last int) error {
	y := r.story
	for id, t := range r.ids {
		txn := &y.last.Txns.IDs[id].Txn
		if txn.State == model.NoTransaction {
			continue
		}
		q := txnRequest{Step: txnStep{Op: describe}}
		m, err := r.stage.ask(ctx, t.cue.coordinator, t.cue.message(q, 0))
		if err != nil {
			return err
		}
		seen := t.cue.read(m, q, 0)
		expected := txnAnswer{State: y.described(id), PID: y.pids[txn.PID], Epoch: txn.Epoch}
		if !r.compare(last, "afterwards", q.describe(), &expected, &seen) {
			return nil
		}
	}
	if err := r.recover(ctx, last); err != nil {
		return err
	}
	if y.cfg.Rules.Off != (model.Mutations{}) && len(r.out.Seen) == 0 {
		r.out.Confirmed = false // that nothing differs says nothing of a check that is missing
	}
	return nil
}

// reading is what a reader of an output asks.
func reading(place uint8, committed bool) txnRequest {
	return txnRequest{Step: txnStep{Op: readRecords, Place: place, Stable: committed}}
}

// look reads an output.
func (r *txnReplay) look(ctx context.Context, place uint8, committed bool) (txnAnswer, error) {
	q, x := reading(place, committed), &r.ids[0].cue
	m, err := r.stage.ask(ctx, r.stage.address(q, x), x.message(q, 0))
	if err != nil {
		return txnAnswer{}, err
	}
	return x.read(m, q, 0), nil
}

// readers compares what readers of either kind see after a line. It notes only
// what differs.
func (r *txnReplay) readers(ctx context.Context, l *txnLine) (bool, error) {
	if l.group != nil {
		return true, nil
	}
	t := table{txnState: &txnState{Logs: l.logs}, rules: &r.story.cfg.Rules}
	for place := range uint8(r.story.cfg.Outputs) {
		for _, committed := range []bool{false, true} {
			seen, err := r.look(ctx, place, committed)
			if err != nil {
				return false, err
			}
			q := reading(place, committed)
			if expected := (txnAnswer{Reads: t.reads(place, committed)}); !seen.equal(&expected) {
				return r.compare(l.step, "a reader", q.describe(), &expected, &seen), nil
			}
		}
	}
	return true, nil
}

// described is the coordinator's view of a transactional id, as
// DescribeTransactions tells it.
func (y *txnStory) described(id int) string {
	txn := y.last.Txns.IDs[id].Txn
	named := txn
	named.Partitions = 0
	for log := range model.NumLogs {
		if txn.Partitions.Has(log) {
			named.Partitions |= model.Part(coordinatorsName(uint8(log)))
		}
	}
	return (&table{txnState: &txnState{Txn: named}}).describe()
}

// recover lets producers whose property is that they can go on do so: the first
// request of another transaction.
func (r *txnReplay) recover(ctx context.Context, last int) error {
	y := r.story
	if y.c.Property != "producer-recovers" || !r.out.Confirmed {
		return nil
	}
	for i := range y.cfg.Clients() {
		p := &y.last.Clients[i].Producer
		id := y.cfg.IDs[i]
		if !y.cfg.HasProducer(i) || p.PID == 0 || p.Replaced || p.Phase != model.Ready {
			continue
		}
		side := y.last.Txns.IDs[id]
		tc := &model.TransactionCoordinator{Rules: &y.cfg.Rules, Txn: &side.Txn, Log: &side.Log, Outbox: &side.Outbox}
		q := txnRequest{Step: txnStep{Op: addPartition, Style: styled(addPartition, y.cfg.Version)}, PID: y.pids[p.PID], Epoch: p.Epoch}
		expected := txnAnswer{Err: (&model.Brokers{Coordinator: tc}).Decide(&model.TxnRequest{API: model.AddPartitionsToTxn, PID: p.PID, Epoch: p.Epoch, Partitions: 1, Version: y.cfg.Version}).Err.
			Told(model.AddPartitionsToTxn, q.spoken().version)}
		t := r.ids[id]
		m, err := r.stage.ask(ctx, t.cue.coordinator, t.cue.message(q, 0))
		if err != nil {
			return err
		}
		seen := t.cue.read(m, q, 0)
		who := clientName(y.cfg, uint8(i))
		if !r.compare(last, "afterwards", who+": "+q.describe(), &expected, &seen) {
			return nil
		}
		if seen.Err != model.None {
			r.out.Seen = append(r.out.Seen, fmt.Sprintf("%s, whom nobody replaced, begins its next transaction and is told %s", who, seen.Err))
		}
	}
	return nil
}

// offsets are those that the group has committed, NoOffset where there is none.
func (r *txnReplay) offsets(ctx context.Context) (all [model.MaxPartitions]model.Offset, err error) {
	m, err := r.stage.ask(ctx, r.stage.coordinator, r.group.send.fetch())
	if err != nil {
		return all, err
	}
	for i := range all {
		all[i] = model.NoOffset
	}
	for _, g := range m.(*kmsg.OffsetFetchResponse).Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				if int(p.Partition) < len(all) {
					all[p.Partition] = model.Offset(p.Offset)
				}
			}
		}
	}
	return all, nil
}

// judge says what clients of the broker saw that no application expects. It
// knows nothing of the rules: it compares what applications were told with what
// readers see.
func (r *txnReplay) judge(visible map[int32]bool, committed [model.MaxPartitions]model.Offset) {
	seen := func(format string, args ...any) { r.out.Seen = append(r.out.Seen, fmt.Sprintf(format, args...)) }
	by := map[uint8]int{} // output records by the input record
	for _, w := range r.story.works {
		who := fmt.Sprintf("%s was told that its transaction %d", clientName(r.story.cfg, w.client), w.nth)
		for _, rec := range w.records {
			shown := visible[rec.number]
			switch {
			case w.told == model.ToldCommitted && !shown:
				seen("%s is committed; a read_committed reader of %s does not get its record r%d", who, placeName(rec.place), rec.number)
			case w.told == model.ToldAborted && shown:
				seen("%s is aborted; a read_committed reader of %s gets its record r%d", who, placeName(rec.place), rec.number)
			}
			if shown && rec.value > 0 {
				by[rec.value]++
			}
		}
		for p, o := range w.offsets {
			if w.told == model.ToldCommitted && o > committed[p] {
				seen("%s is committed, and with it the offset p%d=%d; the committed offset is %d", who, p, o, committed[p])
			}
		}
	}
	for value, n := range by {
		if n > 1 {
			seen("a read_committed reader gets the output of record %d of p%d %d times", int(value-1)%model.MaxRecords, int(value-1)/model.MaxRecords, n)
		}
	}
	slices.Sort(r.out.Seen)
}

// end gives everything back, and ends what is open.
func (r *txnReplay) end(ctx context.Context) error {
	err := r.group.end(ctx)
	for _, t := range r.ids {
		q := txnRequest{Step: txnStep{Op: initProducer}, Epoch: model.NoEpoch}
		_, failure := r.stage.ask(ctx, t.cue.coordinator, t.cue.message(q, 0))
		err = errors.Join(err, failure)
	}
	r.stage.close()
	return err
}
