package linearize

import (
	"cmp"
	"fmt"
	"slices"
)

// txnFacts is a component under the eyes of the necessary conditions about
// producers, their transactions, and the logs they write to.
type txnFacts struct {
	*facts
	part    component
	clock   clock
	lives   []life
	pids    []int64            // in the order of their first answer or request
	by      map[int64]*session // by producer id
	batches map[string][]batch // by partition, in the order of invocation
	known   map[endKey][]int   // results of endsOf
	done    map[int]int        // results of doneBy
	visible map[pairOf]sight   // a record of each pair that a read_committed fetch returned
}

// session is what is known of one producer id.
type session struct {
	ops  []int           // requests that carry it, and answers that give it out
	ends map[int64][]int // EndTxns, by epoch
	// plain: some EndTxn is of the first style, so that an epoch may have several
	// transactions.
	plain bool
	given []milestone // answers that give out an epoch, as past
	// past[e] is the request that proves first that every transaction of an
	// epoch below e has all its markers, by rising epoch.
	past []milestone
	adds map[int64][]int // by epoch, requests that only a complete predecessor allows
}

type milestone struct {
	epoch int64
	op    int
}

func newTxnFacts(h *History, c component) *txnFacts {
	t := &txnFacts{facts: newFacts(h, c), part: c, clock: h.clock(), lives: h.lives(), by: map[int64]*session{}, batches: map[string][]batch{},
		known: map[endKey][]int{}, done: map[int]int{}}
	for _, i := range t.ops {
		o := &h.Ops[i]
		if !o.isTxn() {
			continue
		}
		if o.In.Txn != "" && o.In.PID >= 0 { // without, no coordinator keeps the epoch
			t.note(i, o.In.PID)
		}
		if o.In.Txn != "" && o.Outcome == OK && o.Out.PID >= 0 && o.Out.PID != o.In.PID {
			t.note(i, o.Out.PID)
		}
		if o.F == fProduce {
			t.addBatch(i)
		}
	}
	for _, s := range t.by {
		s.finish(h)
	}
	return t
}

func (t *txnFacts) note(i int, pid int64) {
	s := t.by[pid]
	if s == nil {
		s = &session{ends: map[int64][]int{}, adds: map[int64][]int{}}
		t.by[pid] = s
		t.pids = append(t.pids, pid)
	}
	s.ops = append(s.ops, i)
	o := &t.h.Ops[i]
	if o.Outcome == OK && o.Out.PID == pid {
		s.given = append(s.given, milestone{o.Out.Epoch, i})
	}
	if o.In.PID != pid {
		if o.F == fInit {
			s.past = append(s.past, milestone{o.Out.Epoch, i})
		}
		return
	}
	switch {
	case o.F == fEnd:
		s.ends[o.In.Epoch] = append(s.ends[o.In.Epoch], i)
		s.plain = s.plain || !t.bumps(o)
	case o.F == fInit && o.Outcome == OK && o.Out.PID == pid:
		s.past = append(s.past, milestone{o.Out.Epoch, i})
	}
	if o.Outcome != OK || o.F == fInit {
		return
	}
	s.past = append(s.past, milestone{o.In.Epoch, i})
	if o.F == fAddParts || o.F == fAddOffsets {
		s.adds[o.In.Epoch] = append(s.adds[o.In.Epoch], i)
	}
}

func (s *session) finish(h *History) {
	s.past, s.given = firsts(h, s.past), firsts(h, s.given)
}

// firsts keeps, of several milestones, those that no larger one precedes, by
// rising epoch.
func firsts(h *History, all []milestone) []milestone {
	slices.SortStableFunc(all, func(a, b milestone) int {
		return cmp.Or(cmp.Compare(b.epoch, a.epoch), h.Ops[a.op].Ret-h.Ops[b.op].Ret)
	})
	first := never
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
func (t *txnFacts) over(pid, epoch int64) int { return reached(t.by[pid].past, epoch+1) }

// bumps tells whether an EndTxn raises the epoch (v5).
func (t *txnFacts) bumps(o *Op) bool { return t.h.styleOf(o) == 2 }

// identified tells whether an epoch has one transaction at most, so that an
// outcome of the pair is the outcome of all that it wrote.
func (t *txnFacts) identified(pid int64) bool { return !t.by[pid].plain }

// conflicts checks all rules that are not about a group.
func (t *txnFacts) conflicts() []conflict {
	var all []conflict
	for _, pid := range t.pids {
		all = append(all, t.epochs(pid)...)
		all = append(all, t.outcomes(pid)...)
	}
	for _, l := range t.part.logs(t.h) {
		all = append(all, t.log(l)...)
	}
	return all
}

// epochs finds answers that would need an epoch to come back: the coordinator's
// epoch of a producer id only grows.
func (t *txnFacts) epochs(pid int64) []conflict {
	var all []sighting
	for _, i := range t.by[pid].ops {
		all = append(all, t.sightEpoch(pid, i)...)
	}
	return newHorizon(all).waysBack(t.epochBack)
}

const noEpochLimit = 1 << 20

// sightEpoch is what an answer says about the coordinator's epoch of a producer
// id while the request was decided.
func (t *txnFacts) sightEpoch(pid int64, i int) []sighting {
	o := &t.h.Ops[i]
	given := o.In.PID == pid && t.givenBefore(pid, o.In.Epoch, o.Inv)
	if least, most, says := epochsOf(t.h, o, pid, given); says {
		return []sighting{{op: i, from: o.Inv, to: o.Ret, least: least, most: most}}
	}
	return nil
}

// epochsOf limits the coordinator's epoch while a request is decided. A log can
// be one epoch behind, between the decision of a transaction and its marker
// there. given: the request's epoch, or a later one, had been given out.
func epochsOf(h *History, o *Op, pid int64, given bool) (least, most int64, says bool) {
	e, bumps := o.In.Epoch, h.styleOf(o) == 2
	switch {
	case o.open():
	case o.Outcome == OK && o.Out.PID == pid:
		return o.Out.Epoch, o.Out.Epoch, true
	case o.In.PID != pid || o.F == fInit:
	case o.Outcome == OK && (o.F == fAddParts || o.F == fAddOffsets || o.F == fEnd && !bumps):
		return e, e, true
	case o.Outcome == OK && o.Out.PID < 0: // a log's
		return e, e + 1, true
	case o.refusedAs("TRANSACTION_ABORTABLE"):
		return e, e, true
	case o.F == fEnd && o.refusedAs("INVALID_TXN_STATE") && bumps:
		return e, e + 1, true
	case !given:
	case o.F == fEnd && o.refusedAs("PRODUCER_FENCED") && bumps:
		return e + 2, noEpochLimit, true
	case o.refusedAs("PRODUCER_FENCED") || o.refusedAs("INVALID_PRODUCER_EPOCH"):
		return e + 1, noEpochLimit, true
	}
	return 0, 0, false
}

// givenBefore tells whether an epoch, or a later one, had been given out.
func (t *txnFacts) givenBefore(pid, epoch int64, event int) bool {
	i := reached(t.by[pid].given, epoch)
	return i >= 0 && t.h.Ops[i].Ret < event
}

// epochBack: a was answered before b was invoked, and says that the epoch was
// past b.
func (t *txnFacts) epochBack(a, b *sighting) conflict {
	x, y := &t.h.Ops[a.op], &t.h.Ops[b.op]
	return newConflict(
		suspect{op: a.op, anomaly: t.epochName(a, false), why: fmt.Sprintf("%s, yet op %d, invoked after that, proves that the epoch was %d or less", t.says(a.op), y.ID, b.most)},
		suspect{op: b.op, anomaly: t.epochName(b, true), why: fmt.Sprintf("%s after op %d had proved epoch %d or more", t.says(b.op), x.ID, a.least)},
	)
}

// epochName is the anomaly if a sighting is wrong.
func (t *txnFacts) epochName(s *sighting, late bool) string {
	switch o := &t.h.Ops[s.op]; {
	case o.Outcome == Failed && o.Out.Err != "PRODUCER_FENCED" && o.Out.Err != "INVALID_PRODUCER_EPOCH" && late:
		return "stale-epoch-write"
	case o.Outcome == Failed:
		return "unjustified-fence"
	case o.F == fInit || o.F == fEnd && !late:
		return "generation-regression"
	}
	return "stale-epoch-write"
}

// outcomes finds pairs whose one transaction was both committed and aborted, and
// answers of EndTxn v5 that do not give the next epoch.
func (t *txnFacts) outcomes(pid int64) []conflict {
	var found []conflict
	s := t.by[pid]
	first := map[int64][2]int{} // by epoch, the first abort and the first commit, plus one
	for _, i := range s.ops {
		o := &t.h.Ops[i]
		if o.F != fEnd || o.In.PID != pid || o.Outcome != OK || !t.bumps(o) {
			continue
		}
		if o.Out.PID == pid && o.Out.Epoch != o.In.Epoch+1 {
			why := t.says(i) + fmt.Sprintf(": the epoch after %d is %d", o.In.Epoch, o.In.Epoch+1)
			found = append(found, newConflict(suspect{op: i, anomaly: "generation-regression", why: why}))
		}
		seen := first[o.In.Epoch]
		mine, other := 0, seen[1]
		if o.In.Commit {
			mine, other = 1, seen[0]
		}
		if other > 0 {
			why := fmt.Sprintf("%s, and so was op %d, which asked for the other outcome of the same transaction", t.says(i), t.h.Ops[other-1].ID)
			found = append(found, newConflict(suspect{op: i, anomaly: wrongTransaction, why: why}, suspect{op: other - 1, anomaly: wrongTransaction, why: why}))
		}
		if seen[mine] == 0 {
			seen[mine] = i + 1
			first[o.In.Epoch] = seen
		}
	}
	return found
}

// wrongTransaction: a client was told an outcome that is not that of its
// transaction.
const wrongTransaction = "wrong-transaction"
