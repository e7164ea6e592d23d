package txns

import (
	"slices"

	"fencecheck/linearize/sequential"
	"fencecheck/model/txn"
)

// state is one state of a transactional id: its coordinator's memory and log,
// and what the partitions' leaders know of its producers.
type state struct {
	core
	entries []txn.ProducerEntry // a stretch for each place
	windows []window            // likewise
	flights []flight            // in the order of their calls
}

// core is the part of fixed size.
type core struct {
	txn, log txn.Transaction
	outbox   txn.Marker
	lives    int16  // starts of the broker: the coordinator epoch
	began    int64  // when the transaction began at the earliest
	used     uint64 // requests without answer that were decided or came to nothing
	// closing: the last transaction is decided, and the record that completes it may
	// still be on its way to the coordinator's log; until it is there, any request
	// may be refused with CONCURRENT_TRANSACTIONS. The model writes that record in
	// the same step, so the time in between has to be remembered here. It ends, at
	// the latest, with the first answer that is no such refusal.
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

func (w *state) clone() *state {
	return &state{w.core, slices.Clone(w.entries), slices.Clone(w.windows), slices.Clone(w.flights)}
}

// Equal compares all of a state.
func (w *state) Equal(v *state) bool {
	return w.core == v.core && slices.Equal(w.entries, v.entries) && slices.Equal(w.windows, v.windows) && slices.Equal(w.flights, v.flights)
}

// Hash mixes what tells states apart most.
func (w *state) Hash() uint64 {
	h := sequential.Mix(w.used, uint64(w.began)<<1|sequential.Bit(w.closing))
	t := &w.txn
	h = sequential.Mix(h, uint64(t.State)|uint64(t.Pending)<<8|uint64(uint16(t.Epoch))<<16|uint64(uint16(t.LastEpoch))<<32|uint64(t.PID)<<48)
	h = sequential.Mix(h, uint64(t.Partitions)^uint64(w.outbox.To)<<1)
	h = sequential.Mix(h, uint64(uint16(w.log.Epoch))|uint64(w.log.State)<<16|uint64(uint16(w.lives))<<32)
	for i := range w.entries {
		e := &w.entries[i]
		h = sequential.Mix(h, uint64(e.PID)|uint64(uint16(e.Epoch))<<16|uint64(uint32(e.Last))<<32)
		h = sequential.Mix(h, sequential.Bit(e.Open)|uint64(e.Guard)<<1|uint64(e.Kept)<<16|uint64(uint16(e.GuardEpoch))<<24|sequential.Bit(e.GuardBumps)<<48)
	}
	for _, f := range w.flights {
		h = sequential.Mix(h, uint64(f.call)<<1|sequential.Bit(f.refused))
	}
	return h
}

// flightOf is the place of a call's flight, -1 if it has none.
func (w *state) flightOf(call int) int {
	return slices.IndexFunc(w.flights, func(f flight) bool { return f.call == call })
}

func (w *state) launch(f flight) {
	n := 0
	for n < len(w.flights) && w.flights[n].call < f.call {
		n++
	}
	w.flights = slices.Insert(w.flights, n, f)
}
