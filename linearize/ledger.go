package linearize

import (
	"encoding/binary"

	"fencecheck/model"
)

// A commit is two steps of the coordinator: it is applied, and later the high
// watermark covers it (groups.md E3). What a plain OffsetFetch sees is the
// prefix of applied commits that is covered; a stable one reads the newest
// applied value and is answered when all that it saw is covered (E4, 4.6).

// ledger is the committed offsets of a group: what is covered, and the calls
// that are applied and not known to be covered, in their order. A stable fetch
// stands in the queue as a mark.
type ledger struct {
	covered []model.Offset
	queue   []uint32 // indexes of calls
}

// ledgers numbers the ledgers of one check, so that a state holds a number and
// equal ledgers have equal numbers. It only remembers: a step remains a
// function of its arguments.
type ledgers struct {
	calls []call
	all   []ledger
	at    map[string]uint32
}

func newLedgers(calls []call, partitions int) *ledgers {
	l := &ledgers{calls: calls, at: map[string]uint32{}}
	empty := ledger{covered: make([]model.Offset, partitions)}
	for p := range empty.covered {
		empty.covered[p] = model.NoOffset
	}
	l.number(empty) // 0
	return l
}

// number finds or adds a ledger. Marks at the head wait for nothing and go.
func (l *ledgers) number(b ledger) uint32 {
	for len(b.queue) > 0 && l.calls[b.queue[0]].api == model.OffsetFetch {
		b.queue = b.queue[1:]
	}
	key := make([]byte, 0, 4*len(b.covered)+4*len(b.queue))
	for _, o := range b.covered {
		key = binary.LittleEndian.AppendUint32(key, uint32(o))
	}
	for _, c := range b.queue {
		key = binary.LittleEndian.AppendUint32(key, c)
	}
	n, known := l.at[string(key)]
	if !known {
		n = uint32(len(l.all))
		l.all = append(l.all, b)
		l.at[string(key)] = n
	}
	return n
}

// cover moves the high watermark over the first n entries of the queue.
func (b ledger) cover(calls []call, n int) ledger {
	next := ledger{covered: append([]model.Offset(nil), b.covered...), queue: b.queue[n:]}
	for _, c := range b.queue[:n] {
		calls[c].store(next.covered)
	}
	return next
}

// store writes the values of a commit.
func (c *call) store(offsets []model.Offset) {
	if c.api != model.OffsetCommit {
		return
	}
	for _, v := range c.values {
		offsets[v.part] = v.value
	}
}

// apply queues a commit or a stable fetch.
func (l *ledgers) apply(n uint32, c uint32) uint32 {
	b := l.all[n]
	return l.number(ledger{covered: b.covered, queue: append(append([]uint32(nil), b.queue...), c)})
}

// acknowledge covers the queue as far as the given call.
func (l *ledgers) acknowledge(n uint32, c uint32) uint32 {
	b := l.all[n]
	for i, q := range b.queue {
		if q == c {
			return l.number(b.cover(l.calls, i+1))
		}
	}
	return n
}

// newest is what is committed once all that is applied is covered.
func (l *ledgers) newest(n uint32) []model.Offset {
	b := l.all[n]
	return b.cover(l.calls, len(b.queue)).covered
}

// see finds the smallest advance of the high watermark after which a plain
// fetch reads what it returned. A larger one can follow at any time, so no
// other needs to be tried.
func (l *ledgers) see(n uint32, reads func(covered []model.Offset) bool) (uint32, bool) {
	b := l.all[n]
	for k := 0; k <= len(b.queue); k++ {
		if after := b.cover(l.calls, k); reads(after.covered) {
			return l.number(after), true
		}
	}
	return 0, false
}
