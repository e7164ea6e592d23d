package counterexamples

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// readerChanges is what readers with read_committed learn in a step: which records
// they get, and which they never will.
func (t *teller) readerChanges(s *step) []Change {
	var all []Change
	t.fenced = nil
	for p := range t.g.cfg.Outputs {
		for _, r := range t.recordsRead(&t.g.cfg.Rules, s, s.after, p) {
			if r.visible {
				t.outputs[r.entry.Value] = append(t.outputs[r.entry.Value], t.work(r.entry.Work))
				if w := s.before.Work(r.entry.Work); w != nil && w.Fenced {
					t.fenced = append(t.fenced, fmt.Sprintf("%s from %s", t.record(r.entry.Work, r.entry.Value), logName(p)))
				}
			}
			all = append(all, Change{"readers", r.text(t, p), t.lane(leaderLane(uint8(p)))})
		}
	}
	return all
}

// A recordRead says what becomes of one record for readers.
type recordRead struct {
	entry   cluster.Entry
	visible bool
	outcome txn.Outcome
	again   bool // its input had a visible output before
}

func (r *recordRead) text(t *teller, p int) string {
	record := t.record(r.entry.Work, r.entry.Value)
	switch {
	case r.visible && r.again:
		return fmt.Sprintf("get %s from %s, for the second time", record, logName(p))
	case r.visible:
		return fmt.Sprintf("get %s from %s", record, logName(p))
	case r.outcome == txn.Aborted:
		return fmt.Sprintf("skip %s in %s, which is aborted", record, logName(p))
	}
	return fmt.Sprintf("will get %s from %s once the transaction before it has ended", record, logName(p))
}

// recordsRead asks the readers' rules about a log to which the step has appended a
// record or a marker.
func (t *teller) recordsRead(rules *model.Rules, s *step, after *cluster.State, p int) []recordRead {
	old := s.before.Txns.Logs[p]
	log := append([]cluster.Entry(nil), old.Log[:old.Len()]...)
	decided := len(log)
	if m := &s.request; m.API == model.WriteTxnMarkers && int(m.Log) == p && after.Last.Err == model.None {
		kind := txn.AbortMarker
		if m.Commit {
			kind = txn.CommitMarker
		}
		log = append(log, cluster.Entry{Rec: txn.Record{Kind: kind, PID: m.PID}})
	} else if now := after.Txns.Logs[p]; after.Last.API == model.Produce && int(after.Last.Log) == p && now.Len() == decided+1 {
		log = append(log, now.Log[decided])
	}
	var all []recordRead
	stable := txn.LastStableOffset(rules, log, len(log))
	seen := map[uint8]bool{}
	for i, e := range log {
		if e.Rec.Kind != txn.TransactionalRecord || e.Read && i < decided {
			continue
		}
		was := txn.Undecided
		if i < decided {
			was, _ = txn.OutcomeOf(log[:decided], i)
		}
		is, _ := txn.OutcomeOf(log, i)
		if visible := i < stable && txn.Reads(rules, log, i); visible || was != is {
			again := visible && e.Value > 0 && (seen[e.Value] || len(t.outputs[e.Value]) > 0)
			seen[e.Value] = seen[e.Value] || visible
			all = append(all, recordRead{e, visible, is, again})
		}
	}
	return all
}

// missingLater says what a rule would have changed that no actor has
// noticed yet: what readers get, or what is remembered.
func (t *teller) missingLater(b *restored, s *step, other *cluster.State) string {
	if !t.g.cfg.Producing() {
		return ""
	}
	for p := range t.g.cfg.Outputs {
		is, were := t.recordsRead(&t.g.cfg.Rules, s, s.after, p), t.recordsRead(b.rules, s, other, p)
		if slices.Equal(is, were) {
			continue
		}
		if len(were) == 0 {
			return inForce(b.mutation) + ": readers get nothing yet"
		}
		var words []string
		for i := range were {
			words = append(words, were[i].text(t, p))
		}
		return fmt.Sprintf("%s: readers %s", inForce(b.mutation), strings.Join(words, ", "))
	}
	if other.Last = s.after.Last; *other != *s.after {
		return inForce(b.mutation) + ", the state would differ here in a way that shows only later"
	}
	return ""
}
