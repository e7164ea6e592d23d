package linearize

import (
	"slices"

	"fencecheck/model"
)

// txnWorld is one state of a transactional id: its coordinator's memory and log,
// and what the partitions' leaders know of its producers.
type txnWorld struct {
	txnCore
	entries []model.ProducerEntry // a stretch for each place
	windows []window              // likewise
	flights []flight              // in the order of their calls
}

// txnCore is the part of fixed size.
type txnCore struct {
	txn, log model.Transaction
	outbox   model.Marker
	lives    int16  // starts of the broker: the coordinator epoch
	began    int64  // when the transaction began at the earliest
	used     uint64 // requests without answer that were decided or came to nothing
	// closing: the record of the last completion may not be in the log yet, and
	// nobody was answered as if it were. Until then all is refused. The model
	// writes it at once.
	closing bool
}

// window is the numbers of the batches that a leader remembers of a producer:
// the model counts batches, a producer counts records.
type window [5][2]int64 // first and last number of a batch; the newest last

// flight is a request that a leader has admitted and not yet appended.
type flight struct {
	call    int
	guard   uint8 // of its verification
	refused bool  // the answer was given
}

func (w *txnWorld) clone() *txnWorld {
	return &txnWorld{w.txnCore, slices.Clone(w.entries), slices.Clone(w.windows), slices.Clone(w.flights)}
}

func (w *txnWorld) equal(v *txnWorld) bool {
	return w.txnCore == v.txnCore && slices.Equal(w.entries, v.entries) && slices.Equal(w.windows, v.windows) && slices.Equal(w.flights, v.flights)
}

func (w *txnWorld) hash() uint64 {
	h := mix(w.used, uint64(w.began)<<1|bit(w.closing))
	t := &w.txn
	h = mix(h, uint64(t.State)|uint64(t.Pending)<<8|uint64(uint16(t.Epoch))<<16|uint64(uint16(t.LastEpoch))<<32|uint64(t.PID)<<48)
	h = mix(h, uint64(t.Partitions)^uint64(w.outbox.To)<<1)
	h = mix(h, uint64(uint16(w.log.Epoch))|uint64(w.log.State)<<16|uint64(uint16(w.lives))<<32)
	for i := range w.entries {
		e := &w.entries[i]
		h = mix(h, uint64(e.PID)|uint64(uint16(e.Epoch))<<16|uint64(uint32(e.Last))<<32)
		h = mix(h, bit(e.Open)|uint64(e.Guard)<<1|uint64(e.Kept)<<16|uint64(uint16(e.GuardEpoch))<<24|bit(e.GuardBumps)<<48)
	}
	for _, f := range w.flights {
		h = mix(h, uint64(f.call)<<1|bit(f.refused))
	}
	return h
}

// flightOf is the place of a call's flight, -1 if it has none.
func (w *txnWorld) flightOf(call int) int {
	return slices.IndexFunc(w.flights, func(f flight) bool { return f.call == call })
}

func (w *txnWorld) launch(f flight) {
	n := 0
	for n < len(w.flights) && w.flights[n].call < f.call {
		n++
	}
	w.flights = slices.Insert(w.flights, n, f)
}

// txnAtlas numbers the worlds of one check, as atlas does.
type txnAtlas struct {
	all []*txnWorld
	at  map[uint64][]uint32
}

func (a *txnAtlas) number(w *txnWorld) uint32 {
	h := w.hash()
	for _, n := range a.at[h] {
		if a.all[n].equal(w) {
			return n
		}
	}
	n := uint32(len(a.all))
	a.all = append(a.all, w)
	a.at[h] = append(a.at[h], n)
	return n
}
