package search

import (
	"context"
	"time"

	"fencecheck/search/internal/storage"
)

const (
	// roundPages is how many pages are expanded before the shards admit what was
	// found. Like storage.PageStates it is fixed: what a search finds depends on both,
	// and must not depend on the workers.
	roundPages = 64
	// A round of fewer states than fewStates is not worth waking the workers for.
	fewStates = 128
)

// A breadthFirst is one breadth-first search. It expands level after level, each in
// rounds of two phases: first the workers expand pages and only read the
// visited set; then they let each shard admit what was found for it.
type breadthFirst[S any] struct {
	sys              System[S]
	o                Options[S]
	pool             *workerPool
	workers          []*worker[S]
	store            *storage.Store
	expansions       []*storage.Expansion // of the round
	hintBytes        int64                // what the hints take that are kept with the pages
	hintBudget       int64                // beyond which no more are
	goalTimes        []time.Duration      // by batch of goals, what it took to check them
	stopped          string
	err              error
	found            *finding
	progressTicker   ticker
	checkpointTicker ticker
}

// BreadthFirst explores every state that is reachable from the initial ones,
// level by level, so that the first violation found is a shortest one. It ends
// with the level that shows a violation, and otherwise when everything is
// explored, a bound of o is reached, or ctx is done.
func BreadthFirst[S any](ctx context.Context, sys System[S], o Options[S]) Result[S] {
	return newBreadthFirst(sys, o.withDefaults()).search(ctx)
}

func newBreadthFirst[S any](sys System[S], o Options[S]) *breadthFirst[S] {
	b := &breadthFirst[S]{
		sys:              sys,
		o:                o,
		pool:             newWorkerPool(o.Workers),
		store:            storage.NewStore(o.TempDir, len(o.Goals) > 0),
		hintBudget:       defaultHintBudget,
		progressTicker:   newTicker(o.Progress != nil, o.ProgressEvery),
		checkpointTicker: newTicker(true, o.CheckpointEvery),
	}
	if o.Memory > 0 {
		b.hintBudget = o.Memory / hintShare
	}
	b.checkpointTicker.next = b.checkpointTicker.start // the first is due at once
	for range o.Workers {
		b.workers = append(b.workers, newWorker(b))
	}
	return b
}

// search searches until something ends it. After a panic it does not release the store,
// since a worker may still use it.
func (b *breadthFirst[S]) search(ctx context.Context) Result[S] {
	defer b.pool.stop()
	if b.o.Resume {
		b.fail(storage.LoadCheckpoint(b.o.Checkpoint, b.archive))
	} else {
		b.seed()
	}
	for len(b.store.Pages) > 0 && b.found == nil && b.stopped == "" {
		b.level(ctx)
	}
	r := b.result(ctx)
	b.store.Release()
	return r
}

// seed finds the initial states.
func (b *breadthFirst[S]) seed() {
	expansions := b.use(1)
	b.workers[0].seed(expansions[0])
	b.admit(expansions, true)
	b.closeLevel()
}

// level expands one level. It may stop between rounds.
func (b *breadthFirst[S]) level(ctx context.Context) {
	for len(b.store.Unexpanded) > 0 {
		if b.betweenRounds(ctx); b.stopped != "" {
			break
		}
		b.round(b.store.Take(roundPages))
		if b.progressTicker.due() {
			b.o.Progress(b.progress())
		}
	}
	if b.err == nil && b.closeLevel() {
		b.fail(b.store.Recycle())
	}
}

// betweenRounds looks whether the search must stop although states are left to expand, and
// saves it. What is stopped within a round is in no state to be saved.
func (b *breadthFirst[S]) betweenRounds(ctx context.Context) {
	switch {
	case b.stopped != "":
		return
	case b.o.MaxDepth > 0 && b.store.Depth() >= b.o.MaxDepth:
		b.stopped = StoppedDepth
	case b.o.MaxStates > 0 && b.store.States() >= b.o.MaxStates:
		b.stopped = StoppedStates
	default:
		b.stopped = interruption(ctx)
	}
	if b.o.Checkpoint != "" && (b.stopped != "" || b.checkpointTicker.due()) {
		b.fail(storage.SaveCheckpoint(b.o.Checkpoint, b.archive))
	}
}

// round expands pages and admits what they yield.
func (b *breadthFirst[S]) round(pages []storage.Page) {
	expansions := b.use(len(pages))
	last := pages[len(pages)-1]
	alone := last.Base+int64(last.States)-pages[0].Base < fewStates
	b.pool.run(len(pages), alone, func(worker, i int) {
		b.workers[worker].expand(&pages[i], expansions[i])
	})
	for _, w := range b.workers {
		b.fail(w.err)
	}
	if b.err == nil {
		b.makeRoom(expansions)
	}
	if b.stopped != "" {
		return
	}
	b.admit(expansions, alone)
	if len(b.o.Goals) > 0 {
		b.keepHints(pages, expansions)
	}
	b.store.Expanded(pages)
}

// use returns n expansions to fill.
func (b *breadthFirst[S]) use(n int) []*storage.Expansion {
	for len(b.expansions) < n {
		b.expansions = append(b.expansions, new(storage.Expansion))
	}
	return b.expansions[:n]
}

// admit lets the shards admit what was found.
func (b *breadthFirst[S]) admit(expansions []*storage.Expansion, alone bool) {
	b.pool.run(storage.Shards, alone, func(worker, id int) {
		b.workers[worker].admit(id, expansions)
	})
}

// closeLevel ends a level and reports whether there is another one.
func (b *breadthFirst[S]) closeLevel() bool {
	more := b.store.CloseLevel()
	for _, w := range b.workers {
		b.found = least(b.found, w.found)
	}
	return more
}

// fail ends the search with an error.
func (b *breadthFirst[S]) fail(err error) {
	if err != nil && b.err == nil {
		b.err, b.stopped = err, StoppedError
	}
}
