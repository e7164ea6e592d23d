package txns

import (
	"slices"
	"strconv"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// The sequential specification of one transactional id: its coordinator, and
// what the leader of each partition knows of its producers. Nobody else touches
// either, so it is exact but for what the log and the group decide: where a
// record comes to lie, and whether a group takes a commit of offsets.

// problem maps the names and numbers of one transactional id to the model's.
type problem struct {
	h      *kfh.History
	places map[string]int             // partitions; the last place is that of the offsets
	pids   map[int64]model.ProducerID // in the order in which they were given out
	given  int                        // of pids, how many an answer gave out
	calls  []call
	limit  int64            // timeout of transactions
	first  map[pairOf]int64 // when a pair was first used to write
}

// call is a request in the model's numbers.
type call struct {
	op      int
	row     *row
	api     model.API
	unknown bool
	pid     model.ProducerID
	epoch   model.Epoch
	version model.TransactionVersion
	commit  bool
	place   int           // Produce, TxnOffsetCommit
	parts   model.PartSet // AddPartitionsToTxn
	seq, n  int64         // Produce
	err     model.Error
	reply   txn.TransactionReply
	// hindered: another request of the id overlaps that may have had a record of
	// the coordinator under way.
	hindered bool
	// evicted: a request of a newer epoch overlaps, in whose favour a leader
	// drops this one.
	evicted bool
}

// maxPlaces leaves the model's place of the offsets free.
const maxPlaces = txn.OffsetsPartition

const maxUnknown = 64

func compile(h *kfh.History, c kfh.Component) *problem {
	w := &problem{h: h, places: map[string]int{}, pids: map[int64]model.ProducerID{-1: 0}, limit: Timeout(h, c, c.Name), first: map[pairOf]int64{}}
	for _, o := range h.Each(c.Ops) {
		if o.F == kfh.Produce {
			w.addPlace(o.In.Log)
		}
		for _, tp := range o.In.Partitions {
			w.addPlace(tp)
		}
		if o.Outcome == kfh.OK && o.Out.PID >= 0 {
			w.addPID(o.Out.PID)
		}
	}
	w.given = len(w.pids) - 1
	for _, i := range c.Ops {
		w.addPID(h.Ops[i].In.PID)
	}
	for i, o := range h.Each(c.Ops) {
		if !o.Local && !beforeLoad(o) {
			w.calls = append(w.calls, w.call(i))
			w.noteFirst(&w.calls[len(w.calls)-1])
		}
	}
	w.overlaps()
	return w
}

func (w *problem) noteFirst(c *call) {
	k := pairOf{int64(c.pid), int64(c.epoch)}
	if _, known := w.first[k]; !known && c.row.writes {
		w.first[k] = w.h.Events[w.h.Ops[c.op].Inv].T
	}
}

func (w *problem) addPlace(tp string) {
	if _, known := w.places[tp]; !known {
		w.places[tp] = len(w.places)
	}
}

func (w *problem) addPID(pid int64) {
	if _, known := w.pids[pid]; !known {
		w.pids[pid] = model.ProducerID(len(w.pids))
	}
}

// beforeLoad tells of a refusal by which a coordinator says that it has looked
// at nothing yet.
func beforeLoad(o *kfh.Op) bool {
	return o.RefusedAs("COORDINATOR_LOAD_IN_PROGRESS") && o.F != kfh.TxnCommit && o.F != kfh.Produce
}

// TooLarge says what does not fit, "" for nothing.
func TooLarge(h *kfh.History, c kfh.Component) string {
	w := compile(h, c)
	unknown := 0
	for i := range w.calls {
		if w.calls[i].unknown {
			unknown++
		}
	}
	switch {
	case len(w.places) > maxPlaces:
		return "more than " + strconv.Itoa(maxPlaces) + " partitions of one transactional id"
	case unknown > maxUnknown:
		return "more than " + strconv.Itoa(maxUnknown) + " requests of one transactional id without an answer"
	case len(w.pids) > 1<<15:
		return "more than 32768 producer ids of one transactional id"
	}
	return ""
}

func (w *problem) call(i int) call {
	o := &w.h.Ops[i]
	r := byName[o.F]
	c := call{op: i, row: r, api: r.api, unknown: o.Open(), pid: w.pids[o.In.PID], epoch: model.Epoch(o.In.Epoch), version: model.TransactionVersion(w.h.StyleOf(o)), commit: o.In.Commit}
	if o.Outcome == kfh.Failed && !c.unknown {
		c.err, _ = model.ErrorByName(o.Out.Err)
	}
	if c.row.compile != nil {
		c.row.compile(w, &c, o)
	}
	if o.Outcome == kfh.OK && o.Out.PID >= 0 {
		c.reply = txn.TransactionReply{PID: w.pids[o.Out.PID], Epoch: model.Epoch(o.Out.Epoch)}
	}
	return c
}

// part is the place of a partition in the coordinator's sets.
func (w *problem) part(place int) int {
	if place == len(w.places) {
		return txn.OffsetsPartition
	}
	return place
}

// byGroup tells of a commit of offsets that only the group refused.
func (c *call) byGroup() bool {
	return c.api == model.TxnOffsetCommit && (c.err == model.IllegalGeneration || c.err == model.UnknownMemberID)
}

// overlaps notes what a coordinator's or leader's unfinished work for one
// request means for another: the model does each in one step.
func (w *problem) overlaps() {
	for i := range w.calls {
		a := &w.calls[i]
		o := &w.h.Ops[a.op]
		if a.err != model.ConcurrentTransactions && a.err != model.InvalidProducerEpoch && a.err != model.NotEnoughReplicas {
			continue
		}
		for k := range w.calls {
			b := &w.calls[k]
			p := &w.h.Ops[b.op]
			if k == i || p.Inv > o.Ret {
				if p.Inv > o.Ret {
					break
				}
				continue
			}
			if p.AnsweredAt() < o.Inv {
				continue
			}
			a.hindered = a.hindered || b.unknown || b.err == model.None || b.err == model.ConcurrentTransactions || b.row.writes
			a.evicted = a.evicted || a.row.writes && b.row.writes && b.pid == a.pid && b.epoch > a.epoch
		}
	}
}

// Timeout is the shortest timeout of a transactional id's transactions.
func Timeout(h *kfh.History, c kfh.Component, id string) int64 {
	limit := int64(-1)
	for _, o := range h.Each(c.Ops) {
		if o.F == kfh.InitPID && o.In.Txn == id {
			to := o.In.Timeout
			if to == 0 {
				to = h.Header.TxnTimeout
			}
			if limit < 0 || to < limit {
				limit = to
			}
		}
	}
	return max(0, limit)
}

// PlainWrite finds a Produce outside of transactions by a producer id that a
// transaction coordinator gave out; -1 if there is none.
func PlainWrite(h *kfh.History) int {
	given := map[int64]bool{}
	for i := range h.Ops {
		if o := &h.Ops[i]; o.In.Txn != "" && o.Row.OfProducer {
			given[o.In.PID], given[o.Out.PID] = true, true
		}
	}
	return slices.IndexFunc(h.Ops, func(o kfh.Op) bool { return o.F == kfh.Produce && o.In.Txn == "" && o.In.PID >= 0 && given[o.In.PID] })
}
