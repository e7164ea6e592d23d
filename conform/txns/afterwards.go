package txns

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// afterwards asks what the story has left behind, and what readers and
// applications see of it.
func (r *replay) afterwards(ctx context.Context) error {
	y := r.story
	if y.cfg.Members > 0 && r.group.Begun() {
		if err := r.group.Afterwards(ctx, &r.out); err != nil || !r.out.Confirmed {
			return err
		}
	}
	last := y.lines[len(y.lines)-1].step
	visible := map[int32]bool{}
	for log := range uint8(y.cfg.Outputs) {
		q := reading(log, true)
		a, err := r.exchange(ctx, &r.ids[0].send, &q, 0, 0)
		if err != nil {
			return err
		}
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
func (r *replay) hanging(ctx context.Context) error {
	if slices.ContainsFunc(r.ids, func(t *play) bool { return t.state.Txn.State == txn.Ongoing }) {
		return nil
	}
	for log := range uint8(r.story.cfg.Outputs) {
		var ends [2]int
		for i, committed := range []bool{true, false} {
			q := newRequest(Step{Op: lastOffset, Log: log, Stable: committed})
			a, err := r.exchange(ctx, &r.ids[0].send, &q, 0, 0)
			if err != nil {
				return err
			}
			ends[i] = a.At
		}
		if ends[0] < ends[1] {
			r.seen("read_committed readers of %s wait at place %d of %d for a transaction that no coordinator has open", logName(log), ends[0], ends[1])
		}
	}
	return nil
}

func (r *replay) seen(format string, args ...any) {
	r.out.Seen = append(r.out.Seen, fmt.Sprintf(format, args...))
}

// coordinators asks what the coordinator has of each transactional id, and lets
// producers go on.
func (r *replay) coordinators(ctx context.Context, last int) error {
	y := r.story
	for id, t := range r.ids {
		held := y.last.Txns.IDs[id].Txn
		if held.State == txn.NoTransaction {
			continue
		}
		q := newRequest(Step{Op: describe})
		seen, err := r.exchange(ctx, &t.send, &q, 0, 0)
		if err != nil {
			return err
		}
		partitions := held.Partitions
		held.Partitions = 0
		for log := range cluster.NumLogs {
			if partitions.Has(log) {
				held.Partitions |= model.Part(logIndex(uint8(log)))
			}
		}
		expected := answer{State: described(&held), PID: y.pids[held.PID], Epoch: held.Epoch}
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

// recover lets producers whose property is that they can go on do so: the first
// request of another transaction.
func (r *replay) recover(ctx context.Context, last int) error {
	y := r.story
	if y.c.Property != "producer-recovers" || !r.out.Confirmed {
		return nil
	}
	for i := range y.cfg.Clients() {
		p := &y.last.Clients[i].Producer
		id := y.cfg.IDs[i]
		if !y.cfg.HasProducer(i) || p.PID == 0 || p.Replaced || p.Phase != cluster.Ready {
			continue
		}
		q := newRequest(Step{Op: addPartition, Style: styled(addPartition, y.cfg.Version)})
		q.PID, q.Epoch = y.pids[p.PID], p.Epoch
		side, asked := y.last.Txns.IDs[id], q.Request
		asked.PID, asked.Version = p.PID, y.cfg.Version
		b := txn.Brokers{Coordinator: &txn.Coordinator{Rules: &y.cfg.Rules, Txn: &side.Txn, Log: &side.Log, Outbox: &side.Outbox}}
		expected := answer{Err: b.Decide(&asked).Err.Told(q.API, q.version().number)}
		seen, err := r.exchange(ctx, &r.ids[id].send, &q, 0, 0)
		if err != nil {
			return err
		}
		who := clientName(y.cfg, uint8(i))
		if !r.compare(last, "afterwards", who+": "+q.describe(), &expected, &seen) {
			return nil
		}
		if seen.Err != model.None {
			r.seen("%s, whom nobody replaced, begins its next transaction and is told %s", who, seen.Err)
		}
	}
	return nil
}

// offsets are those that the group has committed, NoOffset where there is none.
func (r *replay) offsets(ctx context.Context) (all [cluster.MaxPartitions]model.Offset, err error) {
	m, err := r.ask(ctx, r.ids[0].send.group.coordinator, r.group.Fetch())
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
func (r *replay) judge(visible map[int32]bool, committed [cluster.MaxPartitions]model.Offset) {
	by := map[uint8]int{} // output records by the input record
	for _, w := range r.story.works {
		who := fmt.Sprintf("%s was told that its transaction %d", clientName(r.story.cfg, w.client), w.nth)
		for _, rec := range w.records {
			shown := visible[rec.number]
			switch {
			case w.outcome == cluster.ToldCommitted && !shown:
				r.seen("%s is committed; a read_committed reader of %s does not get its record r%d", who, logName(rec.log), rec.number)
			case w.outcome == cluster.ToldAborted && shown:
				r.seen("%s is aborted; a read_committed reader of %s gets its record r%d", who, logName(rec.log), rec.number)
			}
			if shown && rec.value > 0 {
				by[rec.value]++
			}
		}
		for p, o := range w.offsets {
			if w.outcome == cluster.ToldCommitted && o > committed[p] {
				r.seen("%s is committed, and with it the offset p%d=%d; the committed offset is %d", who, p, o, committed[p])
			}
		}
	}
	for value, n := range by {
		if n > 1 {
			r.seen("a read_committed reader gets the output of record %d of p%d %d times", int(value-1)%cluster.MaxRecords, int(value-1)/cluster.MaxRecords, n)
		}
	}
	slices.Sort(r.out.Seen)
}
