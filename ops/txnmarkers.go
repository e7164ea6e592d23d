package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// This file has the way of markers from a coordinator to the partitions.

// writeMarker lets a partition's leader decide a marker. It is false where the
// model has no room.
func (x *Exec) writeMarker(p uint8, m txn.Marker) (model.Error, bool) {
	n := x.n
	ev := &n.Last
	ev.API, ev.Log, ev.PID, ev.Epoch = model.WriteTxnMarkers, p, m.PID, m.Epoch
	b := x.brokers(p)
	if e := b.Leader.Find(m.PID); e != nil {
		ev.OldEpoch = m.Epoch < e.Epoch || m.CoordinatorEpoch < e.CoordinatorEpoch
		ev.Repeated = m.Epoch == e.Epoch && !e.Open
	}
	q := m.Request()
	a := b.Decide(&q)
	ev.Err, ev.Closed = a.Err, a.Closed
	x.outcome = outcomeOf(model.WriteTxnMarkers, a.Err, false)
	if a.Err != model.None {
		return a.Err, true
	}
	if p == cluster.OffsetsLog {
		n.Last.Committed = a.Committed
		x.endOffsets(m)
		return a.Err, true
	}
	if x.judge(p, m) {
		kind := txn.AbortMarker
		if m.Commit {
			kind = txn.CommitMarker
		}
		if !x.appendEntry(p, cluster.Entry{Rec: txn.Record{Kind: kind, PID: m.PID}}) {
			return a.Err, false
		}
	}
	x.read(p)
	return a.Err, true
}

// endOffsets is ghost: a transaction has ended in the group's offsets, which are
// read at once.
func (x *Exec) endOffsets(m txn.Marker) {
	n := x.n
	x.judge(cluster.OffsetsLog, m)
	log := &n.Txns.Logs[cluster.OffsetsLog].Log
	kept := 0
	for _, e := range log {
		if e.Rec.PID != m.PID {
			log[kept] = e
			kept++
			continue
		}
		if m.Commit {
			n.Last.Stale |= e.Stale
			x.show(cluster.OffsetsLog, &e)
		}
	}
	clear(log[kept:])
	for p := range x.parts {
		if n.Offsets[p] < x.s.Offsets[p] {
			n.Last.Backward |= model.Part(p)
		}
	}
}

// owes tells whether the coordinator has yet to write a marker.
func (x *Exec) owes(a Args) bool {
	return x.s.Txns.IDs[a.A].Outbox.To.Has(int(a.B)) && !x.s.Txns.Loading
}

// deliverMarker: the coordinator writes a marker to a partition and learns the
// answer.
func (x *Exec) deliverMarker(a Args) bool {
	if !x.owes(a) {
		return false
	}
	m := x.begin().Txns.IDs[a.A].Outbox
	err, ok := x.writeMarker(a.B, m)
	if !ok {
		return false
	}
	x.coordinator(a.A).MarkerAnswered(int(a.B), err)
	x.noteAppend(a.A)
	return x.fits()
}

// loseMarkerAnswer: the marker is decided, its answer lost; it will be sent
// again.
func (x *Exec) loseMarkerAnswer(a Args) bool {
	if !x.owes(a) || !x.cfg.Travels[model.WriteTxnMarkers] || !x.spend(cluster.LostAnswers) {
		return false
	}
	n := x.n
	n.Last.GaveUp = true
	_, ok := x.writeMarker(a.B, n.Txns.IDs[a.A].Outbox)
	return ok && x.fits()
}

// delayMarker: the coordinator gives up on a marker that is still in flight, and
// sends it again.
func (x *Exec) delayMarker(a Args) bool {
	if !x.owes(a) || !x.cfg.Travels[model.WriteTxnMarkers] || !x.spend(cluster.LateRequests) {
		return false
	}
	n := x.n
	n.Last.GaveUp = true
	if !n.AddLate(markerRequest(&x.s.Txns.IDs[a.A].Outbox, a.B)) {
		x.seen.Late = true
		return false
	}
	return true
}

// markerRequest is a marker on its way to a partition.
func markerRequest(m *txn.Marker, p uint8) cluster.Request {
	return cluster.Request{API: model.WriteTxnMarkers, PID: m.PID, Epoch: m.Epoch, Commit: m.Commit, Elected: m.CoordinatorEpoch, Log: p, Plain: m.Version < model.TV2}
}

// decideMarker decides a marker that its coordinator gave up on.
func (x *Exec) decideMarker(r *cluster.Request) bool {
	m := txn.Marker{PID: r.PID, Epoch: r.Epoch, Commit: r.Commit, CoordinatorEpoch: r.Elected, Version: model.TV2}
	if r.Plain {
		m.Version = model.TV1
	}
	_, ok := x.writeMarker(r.Log, m)
	return ok && x.fits()
}

// zombieMarker: the coordinator before writes a marker of its own.
func (x *Exec) zombieMarker(a Args) bool {
	if !x.s.Txns.Zombie || !x.s.Txns.Old[a.A].Outbox.To.Has(int(a.B)) {
		return false
	}
	m := x.begin().Txns.Old[a.A].Outbox
	if _, ok := x.writeMarker(a.B, m); !ok {
		return false
	}
	x.n.Txns.Old[a.A].Outbox.To &^= model.Part(int(a.B))
	return x.fits()
}
