package linearize

import (
	"slices"
	"strconv"

	"fencecheck/model"
)

// The sequential specification of one transactional id: its coordinator, and
// what the leader of each partition knows of its producers. Nobody else touches
// either, so it is exact but for what the log and the group decide: where a
// record comes to lie, and whether a group takes a commit of offsets.

// txnWords maps the names and numbers of one transactional id to the model's.
type txnWords struct {
	h      *History
	places map[string]int             // partitions; the last place is that of the offsets
	pids   map[int64]model.ProducerID // in the order in which they were given out
	given  int                        // of pids, how many an answer gave out
	calls  []txnCall
	limit  int64            // timeout of transactions
	first  map[pairOf]int64 // when a pair was first used to write
}

// txnCall is a request in the model's numbers.
type txnCall struct {
	op      int
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
	reply   model.TransactionReply
	// hindered: another request of the id overlaps that may have had a record of
	// the coordinator under way.
	hindered bool
	// evicted: a request of a newer epoch overlaps, in whose favour a leader
	// drops this one.
	evicted bool
}

// maxPlaces leaves the model's place of the offsets free.
const maxPlaces = model.OffsetsPartition

const maxUnknown = 64

func newTxnWords(h *History, c component) *txnWords {
	w := &txnWords{h: h, places: map[string]int{}, pids: map[int64]model.ProducerID{-1: 0}, limit: txnTimeout(h, c, c.name), first: map[pairOf]int64{}}
	for _, i := range c.ops {
		o := &h.Ops[i]
		if o.F == fProduce {
			w.addPlace(o.In.Log)
		}
		for _, tp := range o.In.Partitions {
			w.addPlace(tp)
		}
		if o.Outcome == OK && o.Out.PID >= 0 {
			w.addPID(o.Out.PID)
		}
	}
	w.given = len(w.pids) - 1
	for _, i := range c.ops {
		w.addPID(h.Ops[i].In.PID)
	}
	for _, i := range c.ops {
		if o := &h.Ops[i]; !o.Local && !beforeLoad(o) {
			w.calls = append(w.calls, w.call(i))
			w.noteFirst(&w.calls[len(w.calls)-1])
		}
	}
	w.overlaps()
	return w
}

func (w *txnWords) noteFirst(c *txnCall) {
	k := pairOf{int64(c.pid), int64(c.epoch)}
	if _, known := w.first[k]; !known && c.writes() {
		w.first[k] = w.h.Events[w.h.Ops[c.op].Inv].T
	}
}

func (w *txnWords) addPlace(tp string) {
	if _, known := w.places[tp]; !known {
		w.places[tp] = len(w.places)
	}
}

func (w *txnWords) addPID(pid int64) {
	if _, known := w.pids[pid]; !known {
		w.pids[pid] = model.ProducerID(len(w.pids))
	}
}

// beforeLoad tells of a refusal by which a coordinator says that it has looked
// at nothing yet.
func beforeLoad(o *Op) bool {
	return o.refusedAs("COORDINATOR_LOAD_IN_PROGRESS") && o.F != fTxnCommit && o.F != fProduce
}

// txnTooLarge says what does not fit, "" for nothing.
func txnTooLarge(h *History, c component) string {
	w := newTxnWords(h, c)
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

func (w *txnWords) call(i int) txnCall {
	o := &w.h.Ops[i]
	c := txnCall{op: i, unknown: o.open(), pid: w.pids[o.In.PID], epoch: model.Epoch(o.In.Epoch), version: model.TransactionVersion(w.h.styleOf(o)), commit: o.In.Commit}
	if o.Outcome == Failed && !c.unknown {
		c.err, _ = model.ErrorByName(o.Out.Err)
	}
	switch o.F {
	case fInit:
		c.api = model.InitProducerID
	case fEnd:
		c.api = model.EndTxn
	case fAddParts:
		c.api = model.AddPartitionsToTxn
		for _, tp := range o.In.Partitions {
			c.parts |= model.Part(w.places[tp])
		}
	case fAddOffsets:
		c.api, c.parts = model.AddOffsetsToTxn, model.Part(model.OffsetsPartition)
	case fProduce:
		c.api, c.place, c.seq, c.n = model.Produce, w.places[o.In.Log], o.In.Seq, int64(len(o.In.Values))
	case fTxnCommit:
		c.api, c.place = model.TxnOffsetCommit, len(w.places)
	}
	if o.Outcome == OK && o.Out.PID >= 0 {
		c.reply = model.TransactionReply{PID: w.pids[o.Out.PID], Epoch: model.Epoch(o.Out.Epoch)}
	}
	return c
}

// part is the place of a partition in the coordinator's sets.
func (w *txnWords) part(place int) int {
	if place == len(w.places) {
		return model.OffsetsPartition
	}
	return place
}

// writes tells of requests that a leader decides.
func (c *txnCall) writes() bool { return c.api == model.Produce || c.api == model.TxnOffsetCommit }

// byGroup tells of a commit of offsets that only the group refused.
func (c *txnCall) byGroup() bool {
	return c.api == model.TxnOffsetCommit && (c.err == model.IllegalGeneration || c.err == model.UnknownMemberID)
}

// overlaps notes what a coordinator's or leader's unfinished work for one
// request means for another: the model does each in one step.
func (w *txnWords) overlaps() {
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
			if p.answeredAt() < o.Inv {
				continue
			}
			a.hindered = a.hindered || b.unknown || b.err == model.None || b.err == model.ConcurrentTransactions || b.writes()
			a.evicted = a.evicted || a.writes() && b.writes() && b.pid == a.pid && b.epoch > a.epoch
		}
	}
}

// txnTimeout is the shortest timeout of a transactional id's transactions.
func txnTimeout(h *History, c component, id string) int64 {
	limit := int64(-1)
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fInit && o.In.Txn == id {
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

// plainWrite finds a Produce outside of transactions by a producer id that a
// transaction coordinator gave out; -1 if there is none.
func plainWrite(h *History) int {
	given := map[int64]bool{}
	for i := range h.Ops {
		if o := &h.Ops[i]; o.In.Txn != "" && o.isTxn() {
			given[o.In.PID], given[o.Out.PID] = true, true
		}
	}
	return slices.IndexFunc(h.Ops, func(o Op) bool { return o.F == fProduce && o.In.Txn == "" && o.In.PID >= 0 && given[o.In.PID] })
}
