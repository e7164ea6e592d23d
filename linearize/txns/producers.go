package txns

import (
	"cmp"
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
)

// Facts is a component under the eyes of the necessary conditions about
// producers, their transactions, and the logs they write to.
type Facts struct {
	*proof.Facts
	Component kfh.Component
	Clock     kfh.Clock
	lives     []kfh.Life
	pids      []int64                       // in the order of their first answer or request
	Producers map[int64]*Producer           // by producer id
	batches   map[string][]batch            // by partition, in the order of invocation
	writers   map[string]map[string][]batch // of batches, by value
	known     map[endKey][]int              // results of endsOf
	done      map[int]int                   // results of doneBy
	visible   map[pairOf]sight              // a record of each pair that a read_committed fetch returned
}

// Producer is what is known of one producer id.
type Producer struct {
	Ops  []int           // requests that carry it, and answers that give it out
	Ends map[int64][]int // EndTxns, by epoch
	// plain: some EndTxn is of the first style, so that an epoch may have several
	// transactions.
	plain bool
	given []milestone // answers that give out an epoch, as past
	// past[e] is the request that proves first that every transaction of an
	// epoch below e has all its markers, by rising epoch.
	past []milestone
	Adds map[int64][]int // by epoch, requests that only a complete predecessor allows
}

type milestone struct {
	epoch int64
	op    int
}

// NewFacts collects what a component says of each producer.
func NewFacts(h *kfh.History, c kfh.Component) *Facts {
	t := &Facts{Facts: proof.NewFacts(h, c), Component: c, Clock: h.Clock(), lives: h.Lives(), Producers: map[int64]*Producer{}, batches: map[string][]batch{}, writers: map[string]map[string][]batch{},
		known: map[endKey][]int{}, done: map[int]int{}}
	for i, o := range h.Each(t.Ops) {
		if !o.Row.OfProducer {
			continue
		}
		if o.In.Txn != "" && o.In.PID >= 0 { // without, no coordinator keeps the epoch
			t.note(i, o.In.PID)
		}
		if o.In.Txn != "" && o.Outcome == kfh.OK && o.Out.PID >= 0 && o.Out.PID != o.In.PID {
			t.note(i, o.Out.PID)
		}
		if o.F == kfh.Produce {
			t.addBatch(i)
		}
	}
	for _, s := range t.Producers {
		s.finish(h)
	}
	return t
}

func (t *Facts) note(i int, pid int64) {
	s := t.Producers[pid]
	if s == nil {
		s = &Producer{Ends: map[int64][]int{}, Adds: map[int64][]int{}}
		t.Producers[pid] = s
		t.pids = append(t.pids, pid)
	}
	s.Ops = append(s.Ops, i)
	o := &t.H.Ops[i]
	if o.Outcome == kfh.OK && o.Out.PID == pid {
		s.given = append(s.given, milestone{o.Out.Epoch, i})
	}
	if o.In.PID != pid {
		if o.F == kfh.InitPID {
			s.past = append(s.past, milestone{o.Out.Epoch, i})
		}
		return
	}
	switch {
	case o.F == kfh.EndTxn:
		s.Ends[o.In.Epoch] = append(s.Ends[o.In.Epoch], i)
		s.plain = s.plain || !t.Bumps(o)
	case o.F == kfh.InitPID && o.Outcome == kfh.OK && o.Out.PID == pid:
		s.past = append(s.past, milestone{o.Out.Epoch, i})
	}
	if o.Outcome != kfh.OK || o.F == kfh.InitPID {
		return
	}
	s.past = append(s.past, milestone{o.In.Epoch, i})
	if o.F == kfh.AddParts || o.F == kfh.AddOffsets {
		s.Adds[o.In.Epoch] = append(s.Adds[o.In.Epoch], i)
	}
}

func (s *Producer) finish(h *kfh.History) {
	s.past, s.given = firsts(h, s.past), firsts(h, s.given)
}

// firsts keeps, of several milestones, those that no larger one precedes, by
// rising epoch.
func firsts(h *kfh.History, all []milestone) []milestone {
	slices.SortStableFunc(all, func(a, b milestone) int {
		return cmp.Or(cmp.Compare(b.epoch, a.epoch), h.Ops[a.op].Ret-h.Ops[b.op].Ret)
	})
	first := kfh.Never
	all = slices.DeleteFunc(all, func(m milestone) bool {
		late := h.Ops[m.op].Ret >= first
		first = min(first, h.Ops[m.op].Ret)
		return late
	})
	slices.Reverse(all)
	return all
}

// reached is the first request that proves an epoch or a larger one; -1 if none
// does.
func reached(all []milestone, epoch int64) int {
	n, _ := slices.BinarySearchFunc(all, epoch, func(m milestone, e int64) int {
		if m.epoch >= e {
			return 1
		}
		return -1
	})
	if n == len(all) {
		return -1
	}
	return all[n].op
}

// over is the first request whose answer proves that all transactions of the
// pair have all their markers; -1 if none does. Whoever was answered with a
// larger epoch, or was accepted with it, came after the last marker.
func (t *Facts) over(pid, epoch int64) int { return reached(t.Producers[pid].past, epoch+1) }

// Bumps tells whether an EndTxn raises the epoch (v5).
func (t *Facts) Bumps(o *kfh.Op) bool { return t.H.StyleOf(o) == 2 }

// Identified tells whether an epoch has one transaction at most, so that an
// outcome of the pair is the outcome of all that it wrote.
func (t *Facts) Identified(pid int64) bool { return !t.Producers[pid].plain }

// Conflicts checks all rules that are not about a group.
func (t *Facts) Conflicts() []proof.Conflict {
	var all []proof.Conflict
	for _, pid := range t.pids {
		all = append(all, t.epochs(pid)...)
		all = append(all, t.outcomes(pid)...)
	}
	for _, l := range t.Component.Logs(t.H) {
		all = append(all, t.log(l)...)
	}
	return all
}

// epochs finds answers that would need an epoch to come back: the coordinator's
// epoch of a producer id only grows.
func (t *Facts) epochs(pid int64) []proof.Conflict {
	var all []proof.Observation
	for _, i := range t.Producers[pid].Ops {
		all = append(all, t.observeEpoch(pid, i)...)
	}
	return proof.NewLine(all).WaysBack(t.epochBack)
}

const noEpochLimit = 1 << 20

// observeEpoch is what an answer says about the coordinator's epoch of a producer
// id while the request was decided.
func (t *Facts) observeEpoch(pid int64, i int) []proof.Observation {
	o := &t.H.Ops[i]
	given := o.In.PID == pid && t.givenBefore(pid, o.In.Epoch, o.Inv)
	if least, most, says := epochsOf(t.H, o, pid, given); says {
		return []proof.Observation{{Op: i, From: o.Inv, To: o.Ret, Least: least, Most: most}}
	}
	return nil
}

// epochsOf limits the coordinator's epoch while a request is decided. A log can
// be one epoch behind, between the decision of a transaction and its marker
// there. given: the request's epoch, or a later one, had been given out.
func epochsOf(h *kfh.History, o *kfh.Op, pid int64, given bool) (least, most int64, says bool) {
	e, bumps := o.In.Epoch, h.StyleOf(o) == 2
	switch {
	case o.Open():
	case o.Outcome == kfh.OK && o.Out.PID == pid:
		return o.Out.Epoch, o.Out.Epoch, true
	case o.In.PID != pid || o.F == kfh.InitPID:
	case o.Outcome == kfh.OK && (o.F == kfh.AddParts || o.F == kfh.AddOffsets || o.F == kfh.EndTxn && !bumps):
		return e, e, true
	case o.Outcome == kfh.OK && o.Out.PID < 0: // a log's
		return e, e + 1, true
	case o.RefusedAs("TRANSACTION_ABORTABLE"):
		return e, e, true
	case o.F == kfh.EndTxn && o.RefusedAs("INVALID_TXN_STATE") && bumps:
		return e, e + 1, true
	case !given:
	case o.F == kfh.EndTxn && o.RefusedAs("PRODUCER_FENCED") && bumps:
		return e + 2, noEpochLimit, true
	case o.RefusedAs("PRODUCER_FENCED") || o.RefusedAs("INVALID_PRODUCER_EPOCH"):
		return e + 1, noEpochLimit, true
	}
	return 0, 0, false
}

// givenBefore tells whether an epoch, or a later one, had been given out.
func (t *Facts) givenBefore(pid, epoch int64, event int) bool {
	i := reached(t.Producers[pid].given, epoch)
	return i >= 0 && t.H.Ops[i].Ret < event
}

// epochBack: a was answered before b was invoked, and says that the epoch was
// past b.
func (t *Facts) epochBack(a, b *proof.Observation) proof.Conflict {
	x, y := &t.H.Ops[a.Op], &t.H.Ops[b.Op]
	return proof.NewConflict(
		proof.Suspect{Op: a.Op, Anomaly: t.epochName(a, false), Why: fmt.Sprintf("%s, yet op %d, invoked after that, proves that the epoch was %d or less", t.Says(a.Op), y.ID, b.Most)},
		proof.Suspect{Op: b.Op, Anomaly: t.epochName(b, true), Why: fmt.Sprintf("%s after op %d had proved epoch %d or more", t.Says(b.Op), x.ID, a.Least)},
	)
}

// epochName is the anomaly if a sighting is wrong.
func (t *Facts) epochName(s *proof.Observation, late bool) string {
	switch o := &t.H.Ops[s.Op]; {
	case o.Outcome == kfh.Failed && o.Out.Err != "PRODUCER_FENCED" && o.Out.Err != "INVALID_PRODUCER_EPOCH" && late:
		return "stale-epoch-write"
	case o.Outcome == kfh.Failed:
		return "unjustified-fence"
	case o.F == kfh.InitPID || o.F == kfh.EndTxn && !late:
		return "generation-regression"
	}
	return "stale-epoch-write"
}

// outcomes finds pairs whose one transaction was both committed and aborted, and
// answers of EndTxn v5 that do not give the next epoch.
func (t *Facts) outcomes(pid int64) []proof.Conflict {
	var found []proof.Conflict
	s := t.Producers[pid]
	first := map[int64][2]int{} // by epoch, the first abort and the first commit, plus one
	for i, o := range t.H.Each(s.Ops) {
		if o.F != kfh.EndTxn || o.In.PID != pid || o.Outcome != kfh.OK || !t.Bumps(o) {
			continue
		}
		if o.Out.PID == pid && o.Out.Epoch != o.In.Epoch+1 {
			why := t.Says(i) + fmt.Sprintf(": the epoch after %d is %d", o.In.Epoch, o.In.Epoch+1)
			found = append(found, proof.NewConflict(proof.Suspect{Op: i, Anomaly: "generation-regression", Why: why}))
		}
		seen := first[o.In.Epoch]
		mine, other := 0, seen[1]
		if o.In.Commit {
			mine, other = 1, seen[0]
		}
		if other > 0 {
			why := fmt.Sprintf("%s, and so was op %d, which asked for the other outcome of the same transaction", t.Says(i), t.H.Ops[other-1].ID)
			found = append(found, proof.Between(WrongTransaction, why, i, other-1))
		}
		if seen[mine] == 0 {
			seen[mine] = i + 1
			first[o.In.Epoch] = seen
		}
	}
	return found
}

// WrongTransaction: a client was told an outcome that is not that of its
// transaction.
const WrongTransaction = "wrong-transaction"
