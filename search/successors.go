package search

import (
	"bytes"

	"fencecheck/search/internal/storage"
)

// successors take the encoded successors of the states of a page on their way to an
// expansion. They are no part of worker because they depend on no system: as generic code
// they could not have the functions of package storage inlined.
type successors struct {
	store     *storage.Store
	pipeline  storage.Pipeline
	batch     *storage.Batch // of the pipeline, the one that is being filled
	recent    storage.RecentSet
	hints     hintRecorder
	expansion *storage.Expansion
	base      int64 // number of the page's first state within its level

	code    []byte // of the state whose successors come; nil: what comes are initial states
	parent  uint32 // place of that state in the page
	ordinal uint32 // successors of it so far
}

// begin starts a page.
func (x *successors) begin(base int64, to *storage.Expansion, recordHints bool) {
	to.Reset(base)
	clear(x.recent[:])
	x.base, x.expansion, x.code = base, to, nil
	x.parent, x.ordinal = 0, 0
	x.batch = x.pipeline.Filling()
	x.hints.begin(recordHints, to.Hints)
}

// index is the number of the state whose successors come, within its level.
func (x *successors) index() int64 { return x.base + int64(x.parent) }

// endState goes on to the next state, and returns how many successors there were.
func (x *successors) endState() (n uint32) {
	n = x.ordinal
	x.parent, x.ordinal = x.parent+1, 0
	return n
}

// add takes the successor that a step leads to, whose encoding was appended to the batch.
func (x *successors) add(start int, st Step) {
	b, ordinal := x.batch, x.ordinal
	x.ordinal++
	code := b.Codes[start:]
	if x.code != nil && bytes.Equal(code, x.code) { // the step changes nothing
		b.Codes = b.Codes[:start]
		return
	}
	f := storage.Hash(code)
	recent := x.recent.Has(f)
	helps := x.hints.wants(recent) && x.hints.edge(f, st)
	if recent {
		b.Codes = b.Codes[:start]
		return
	}
	if b.Add(f, x.parent, storage.NewStepRef(ordinal, helps)) {
		x.batch = x.pipeline.Advance(x.store, x.expansion)
	}
}

// end ends a page.
func (x *successors) end() {
	x.pipeline.Flush(x.store, x.expansion)
	x.expansion.Hints = x.hints.end()
}
