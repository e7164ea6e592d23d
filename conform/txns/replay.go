package txns

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// replay plays a story of transactions: its group as any other story's, and
// each transactional id with a play of its own.
type replay struct {
	story *Story
	group groups.Replay
	*worker
	ids []*play
	out frame.Replayed
}

// Play sends the requests of a story to a broker, in the order in which its
// coordinators decide them, and compares the answers with the story's. Late
// requests are sent when they are decided.
func (y *Story) Play(ctx context.Context, b *admin.Broker) (frame.Replayed, error) {
	v, err := newShared(ctx, b)
	if err != nil {
		return frame.Replayed{}, err
	}
	if y.cfg.Rules.NoVerification {
		restore, err := b.WithoutVerification(ctx)
		if err != nil {
			return frame.Replayed{}, &frame.Unplayable{Why: fmt.Sprintf("it needs %s=false, which could not be set: %v", admin.Verification, err)}
		}
		defer restore()
	}
	w := groups.NewStoryWorker(b, y.cfg)
	defer w.Close()
	return frame.Replay(func(scale int) (frame.Replayed, error) {
		r, err := y.begin(ctx, w, v, scale)
		if err != nil {
			return frame.Replayed{}, err
		}
		err = errors.Join(r.play(ctx), r.end(ctx))
		return r.out, err
	})
}

// begin prepares a group, output partitions and transactional ids that nobody has
// used.
func (y *Story) begin(ctx context.Context, w groups.StoryWorker, v *shared, scale int) (*replay, error) {
	var lines []groups.Line
	for _, l := range y.lines {
		if l.group != nil {
			lines = append(lines, *l.group)
		}
	}
	p, err := w.Begin(ctx, lines, scale)
	if err != nil {
		return nil, err
	}
	r := &replay{story: y, group: p, worker: newWorker(v, nil, 0), out: frame.Replayed{Confirmed: true, Steps: []frame.ReplayedStep{}}}
	g, topic := group{Member: groups.Member{Generation: int32(generation)}}, ""
	g.Group, topic, g.coordinator = p.Group()
	for id := range y.cfg.TransactionalIDs() {
		short := time.Duration(0)
		if slices.ContainsFunc(y.lines, func(l storyLine) bool { return l.r.Step.Op == timeout && int(l.id) == id }) {
			short = v.Limits.Shortest(scale)
		}
		t, err := r.newPlay(ctx, g, short)
		if err != nil {
			return nil, err
		}
		t.send.topic, t.send.partitions = topic, []int32{0, 1, 2, 3}
		if id == 0 {
			err = r.settleIn(ctx, &t.send)
		} else {
			t.send.outputs, t.send.base = r.ids[0].send.outputs, r.ids[0].send.base
		}
		if err != nil {
			return nil, err
		}
		r.ids = append(r.ids, t)
	}
	return r, nil
}

// play plays the lines, and looks at what they leave behind. It stops where the
// broker differs.
func (r *replay) play(ctx context.Context) error {
	for i := range r.story.lines {
		l := &r.story.lines[i]
		on, err := r.line(ctx, l)
		if !on || err != nil {
			return err
		}
		if on, err = r.readers(ctx, l); !on || err != nil {
			return err
		}
		r.group.Commit(l.committed[:])
	}
	return r.afterwards(ctx)
}

// line plays one line.
func (r *replay) line(ctx context.Context, l *storyLine) (bool, error) {
	for i, t := range r.ids {
		if t.late() && (l.r.Step.Op != timeout || int(l.id) != i) {
			return false, frame.ErrTiming
		}
	}
	if l.group != nil {
		return r.group.Line(ctx, l.group, &r.out)
	}
	if err := r.group.OnTime(); err != nil {
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
		if before := t.state.Txn.State; before != txn.Ongoing && l.states[i] == txn.Ongoing {
			t.started = [2]time.Time{begun, time.Now()}
		}
		t.state.Txn.State = l.states[i]
	}
	return r.compare(l.step, l.op, r.describe(l), &l.expected, &seen), nil
}

// ends tells whether markers may come of a line.
func (l *storyLine) ends() bool {
	return l.states[l.id] != txn.Ongoing && (l.r.Step.Op == endTxn || l.r.Step.Op == initProducer || l.r.Step.Op == timeout)
}

// compare notes a step, and tells whether the broker says what the story says.
func (r *replay) compare(number int, op, request string, expected, seen *answer) bool {
	s := frame.ReplayedStep{Step: number, Op: op, Request: request, Broker: seen.text()}
	same := seen.equal(expected)
	if !same {
		s.Model = expected.text()
	}
	r.out.Note(s, !same, frame.Compare(expected.said(), seen.said()))
	return same
}

// describe writes a line for a reader.
func (r *replay) describe(l *storyLine) string {
	who := clientName(r.story.cfg, l.client)
	switch l.r.Step.Op {
	case timeout:
		return fmt.Sprintf("the transaction of id %d takes longer than its timeout", l.id)
	case readOffset:
		return who + ": OffsetFetch, stable"
	}
	text := who + ": " + l.r.describe()
	if l.r.Step.Op == txnCommit {
		for p, o := range l.r.Offsets {
			if o != model.NoOffset {
				text += fmt.Sprintf(" p%d=%d", p, o)
			}
		}
	}
	if l.number > 0 {
		text += fmt.Sprintf(" record=r%d", l.number)
	}
	if l.late {
		text += " (late, on another connection)"
	}
	return text
}

// clientName is how stories call a client: members first, then writers.
func clientName(cfg *cluster.Config, client uint8) string {
	if cfg.IsWriter(int(client)) {
		return fmt.Sprintf("w%d", int(client)-cfg.Members-cfg.Simple+1)
	}
	return fmt.Sprintf("m%d", client+1)
}

// perform makes a line happen, and returns what came of it.
func (r *replay) perform(ctx context.Context, l *storyLine, t *play) (answer, error) {
	if l.r.Step.Op == timeout {
		return t.wait(ctx)
	}
	if !t.send.pids.Known(l.r.PID) {
		return answer{}, frame.ErrImpossible
	}
	member, ok := r.group.ID(l.r.MemberID)
	if !ok {
		return answer{}, frame.ErrImpossible
	}
	t.send.members = map[model.MemberID]string{l.r.MemberID: member}
	ask := r.ask
	if l.late {
		ask = r.apart
	}
	return r.loaded(ctx, func() (answer, error) {
		m, err := ask(ctx, t.send.address(&l.r), t.send.message(&l.r, l.number))
		if err != nil {
			return answer{}, err
		}
		return l.read(m, &t.send), nil
	})
}

// apart asks over a connection of its own.
func (r *replay) apart(ctx context.Context, address string, m kmsg.Request) (kmsg.Response, error) {
	c, err := wire.Dial(ctx, address, r.Patience)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Call(ctx, m)
}

// read turns an answer into the model's terms. Where a batch is shows afterwards.
func (l *storyLine) read(body kmsg.Response, x *sending) (a answer) {
	m, ok := body.(*kmsg.OffsetFetchResponse)
	if !ok {
		a = x.read(body, &l.r, l.expected.PID)
		a.At = 0
		return a
	}
	for _, p := range only(&a, only(&a, m.Groups).Topics).Partitions {
		if p.ErrorCode != 0 {
			a.Err = model.Error(p.ErrorCode)
		} else if want := l.r.Offsets[p.Partition]; p.Offset+1 != int64(want) {
			a.Odd.Add("p%d has %d, the story %d", p.Partition, p.Offset, want-1)
		}
	}
	return a
}

// reading is what a reader of an output asks.
func reading(log uint8, committed bool) request {
	return newRequest(Step{Op: readRecords, Log: log, Stable: committed})
}

// readers compares what readers of either kind see after a line. It notes only
// what differs.
func (r *replay) readers(ctx context.Context, l *storyLine) (bool, error) {
	if l.group != nil {
		return true, nil
	}
	v := (&game{rules: r.story.cfg.Rules}).view(&state{Logs: l.logs})
	for log := range uint8(r.story.cfg.Outputs) {
		for _, committed := range []bool{false, true} {
			q := reading(log, committed)
			seen, err := r.exchange(ctx, &r.ids[0].send, &q, 0, 0)
			if err != nil {
				return false, err
			}
			if expected := v.readRecords(&q); !seen.equal(&expected) {
				return r.compare(l.step, "a reader", q.describe(), &expected, &seen), nil
			}
		}
	}
	return true, nil
}

// end gives everything back, and ends what is open.
func (r *replay) end(ctx context.Context) error {
	err := r.group.End(ctx)
	for _, t := range r.ids {
		err = errors.Join(err, t.abort(ctx))
	}
	r.Close()
	return err
}
