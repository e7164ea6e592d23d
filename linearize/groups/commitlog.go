package groups

import (
	"slices"

	"fencecheck/linearize/sequential"
	"fencecheck/model"
)

// A commit is two steps of the coordinator: it is applied, and later the high
// watermark covers it (groups.md E3). What a plain OffsetFetch sees is the
// prefix of applied commits that is covered; a stable one reads the newest
// applied value and is answered when all that it saw is covered (E4, 4.6).

// commitLog is the committed offsets of a group: what is covered, and the calls
// that are applied and not known to be covered, in their order. A stable fetch
// stands in the queue as a mark.
type commitLog struct {
	covered []model.Offset
	queue   []uint32 // indexes of calls
}

// commitLogs is an interning table of the commit logs of one check, so that a state
// holds a number.
type commitLogs struct {
	calls []Call
	*sequential.Table[commitLog, *commitLog]
}

func newCommitLogs(calls []Call, partitions int) *commitLogs {
	l := &commitLogs{calls, sequential.NewTable[commitLog]()}
	empty := commitLog{covered: make([]model.Offset, partitions)}
	for p := range empty.covered {
		empty.covered[p] = model.NoOffset
	}
	l.number(empty) // 0
	return l
}

// number finds or adds a commit log. Marks at the head wait for nothing and go.
func (l *commitLogs) number(b commitLog) uint32 {
	for len(b.queue) > 0 && l.calls[b.queue[0]].API == model.OffsetFetch {
		b.queue = b.queue[1:]
	}
	return l.Number(&b)
}

// Equal compares all of a commit log.
func (b *commitLog) Equal(c *commitLog) bool {
	return slices.Equal(b.covered, c.covered) && slices.Equal(b.queue, c.queue)
}

// Hash mixes all of a commit log.
func (b *commitLog) Hash() uint64 {
	h := uint64(len(b.queue))
	for _, o := range b.covered {
		h = sequential.Mix(h, uint64(uint32(o)))
	}
	for _, c := range b.queue {
		h = sequential.Mix(h, uint64(c))
	}
	return h
}

// cover moves the high watermark over the first n entries of the queue.
func (b commitLog) cover(calls []Call, n int) commitLog {
	next := commitLog{covered: append([]model.Offset(nil), b.covered...), queue: b.queue[n:]}
	for _, c := range b.queue[:n] {
		calls[c].Store(next.covered)
	}
	return next
}

// Store writes the values of a commit.
func (c *Call) Store(offsets []model.Offset) {
	if c.API != model.OffsetCommit {
		return
	}
	for _, v := range c.Values {
		offsets[v.Part] = v.Value
	}
}

// apply queues a commit or a stable fetch.
func (l *commitLogs) apply(n uint32, c uint32) uint32 {
	b := l.All[n]
	return l.number(commitLog{covered: b.covered, queue: append(append([]uint32(nil), b.queue...), c)})
}

// acknowledge covers the queue as far as the given call.
func (l *commitLogs) acknowledge(n uint32, c uint32) uint32 {
	b := l.All[n]
	for i, q := range b.queue {
		if q == c {
			return l.number(b.cover(l.calls, i+1))
		}
	}
	return n
}

// newest is what is committed once all that is applied is covered.
func (l *commitLogs) newest(n uint32) []model.Offset {
	b := l.All[n]
	return b.cover(l.calls, len(b.queue)).covered
}

// see finds the smallest advance of the high watermark after which a plain
// fetch reads what it returned. A larger one can follow at any time, so no
// other needs to be tried.
func (l *commitLogs) see(n uint32, reads func(covered []model.Offset) bool) (uint32, bool) {
	b := l.All[n]
	for k := 0; k <= len(b.queue); k++ {
		if after := b.cover(l.calls, k); reads(after.covered) {
			return l.number(after), true
		}
	}
	return 0, false
}
