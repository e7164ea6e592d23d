package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// This file keeps the ghost truth about transactions, which no broker sees.

// noteAppend is ghost: is the log known to hold what the coordinator has?
func (x *Exec) noteAppend(id uint8) {
	t := &x.n.Txns.IDs[id]
	switch {
	case x.appends != txn.Appended:
		t.Unsure = true
	case t.Log != x.s.Txns.IDs[id].Log:
		t.Unsure = false
	}
}

// holdsEntry is ghost: each transaction writes once to each output.
func (x *Exec) holdsEntry(p uint8, w cluster.WorkID) bool {
	for i := range x.n.Txns.Logs[p].Log {
		if e := &x.n.Txns.Logs[p].Log[i]; p != cluster.OffsetsLog && e.Work == w && e.Rec.Kind == txn.TransactionalRecord {
			return true
		}
	}
	return false
}

// judge is ghost: what a marker says of the transactions whose records it
// decides. It tells whether there are any.
func (x *Exec) judge(p uint8, m txn.Marker) (any bool) {
	log := &x.n.Txns.Logs[p]
	entries := log.Log[:log.Len()]
	var first cluster.WorkID
	for i := range entries {
		e := &entries[i]
		if e.Rec.Kind != txn.TransactionalRecord || e.Rec.PID != m.PID {
			continue
		}
		if o, _ := txn.OutcomeOf(entries, i); o != txn.Undecided {
			continue
		}
		if any && e.Work != first && m.Commit {
			x.n.Last.Mixed = true
		}
		any, first = true, e.Work
		if w := x.n.Work(e.Work); w != nil {
			if !m.Commit {
				w.Aborted |= 1 << p
			}
			x.n.Last.StaleWrite = x.n.Last.StaleWrite || m.Commit && w.Fenced
		}
	}
	return any
}

// read is ghost: a reader takes whatever the last stable offset lets it have,
// and the log forgets what is behind it.
func (x *Exec) read(p uint8) {
	if p == cluster.OffsetsLog {
		return
	}
	log := &x.n.Txns.Logs[p]
	entries := log.Log[:log.Len()]
	rules := &x.cfg.Rules
	for i := range txn.LastStableOffset(rules, entries, len(entries)) {
		e := &entries[i]
		if e.Rec.Kind == txn.TransactionalRecord && !e.Read && txn.Reads(rules, entries, i) {
			e.Read = true
			x.show(p, e)
		}
	}
	drop := 0
	for drop < len(entries) {
		if entries[drop].Rec.Kind == txn.TransactionalRecord {
			o, _ := txn.OutcomeOf(entries, drop)
			if o == txn.Undecided || o == txn.Committed && !entries[drop].Read {
				break
			}
		}
		drop++
	}
	copy(entries, entries[drop:])
	clear(entries[len(entries)-drop:])
}

// show is ghost: a record is visible to committed readers.
func (x *Exec) show(p uint8, e *cluster.Entry) {
	if e.Value > 0 {
		v := int(e.Value - 1)
		x.n.Ghost.Output(v/cluster.MaxRecords, model.Offset(v%cluster.MaxRecords))
	}
	if w := x.n.Work(e.Work); w != nil {
		w.Committed |= 1 << p
	}
}

// fenceWorks is ghost: what was written under a transactional id before its new
// owner began is fenced, whatever can still arrive of it.
func (x *Exec) fenceWorks(id uint8) {
	for client := range x.cfg.Clients() {
		if !x.cfg.Produces(client, id) {
			continue
		}
		for i := range x.n.Txns.Works[client] {
			if w := &x.n.Txns.Works[client][i]; w.Told != cluster.NoWork {
				w.Fenced = true
			}
		}
	}
}

// succeed is ghost: a fence of other producers is final.
func (x *Exec) succeed(id uint8, owner int) {
	for i := range x.cfg.Clients() {
		if i != owner && x.cfg.Produces(i, id) && x.n.Clients[i].Producer.PID != 0 {
			x.n.Clients[i].Producer.Succeeded = true
		}
	}
}

// replaceProducers is ghost: other producers of a transactional id may be
// refused from now on, and rightly.
func (x *Exec) replaceProducers(id uint8, but int) {
	for i := range x.cfg.Clients() {
		if i != but && x.cfg.Produces(i, id) {
			x.n.Clients[i].Producer.Replaced = true
		}
	}
}

// overdue is ghost: whoever held the transactional id did nothing for too long.
func (x *Exec) overdue(id uint8) {
	for i := range x.cfg.Clients() {
		if x.cfg.Produces(i, id) {
			x.n.Clients[i].Producer.Overdue = true
		}
	}
}
