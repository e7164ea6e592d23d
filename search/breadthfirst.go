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
	e := &breadthFirst[S]{
		sys:              sys,
		o:                o,
		pool:             newWorkerPool(o.Workers),
		store:            storage.NewStore(o.TempDir, len(o.Goals) > 0),
		hintBudget:       defaultHintBudget,
		progressTicker:   newTicker(o.Progress != nil, o.ProgressEvery),
		checkpointTicker: newTicker(true, o.CheckpointEvery),
	}
	if o.Memory > 0 {
		e.hintBudget = o.Memory / hintShare
	}
	e.checkpointTicker.next = e.checkpointTicker.start // the first is due at once
	for range o.Workers {
		e.workers = append(e.workers, newWorker(e))
	}
	return e
}

// search searches until something ends it. After a panic it does not release the store,
// since a worker may still use it.
func (e *breadthFirst[S]) search(ctx context.Context) Result[S] {
	defer e.pool.stop()
	if e.o.Resume {
		e.fail(storage.LoadCheckpoint(e.o.Checkpoint, e.archive))
	} else {
		e.seed()
	}
	for len(e.store.Pages) > 0 && e.found == nil && e.stopped == "" {
		e.level(ctx)
	}
	r := e.result(ctx)
	e.store.Release()
	return r
}

// seed finds the initial states.
func (e *breadthFirst[S]) seed() {
	expansions := e.use(1)
	e.workers[0].seed(expansions[0])
	e.admit(expansions, true)
	e.closeLevel()
}

// level expands one level. It may stop between rounds.
func (e *breadthFirst[S]) level(ctx context.Context) {
	for len(e.store.Unexpanded) > 0 {
		if e.betweenRounds(ctx); e.stopped != "" {
			break
		}
		e.round(e.store.Take(roundPages))
		if e.progressTicker.due() {
			e.o.Progress(e.progress())
		}
	}
	if e.err == nil && e.closeLevel() {
		e.fail(e.store.Recycle())
	}
}

// betweenRounds looks whether the search must stop although states are left to expand, and
// saves it. What is stopped within a round is in no state to be saved.
func (e *breadthFirst[S]) betweenRounds(ctx context.Context) {
	switch {
	case e.stopped != "":
		return
	case e.o.MaxDepth > 0 && e.store.Depth() >= e.o.MaxDepth:
		e.stopped = StoppedDepth
	case e.o.MaxStates > 0 && e.store.States() >= e.o.MaxStates:
		e.stopped = StoppedStates
	default:
		e.stopped = interruption(ctx)
	}
	if e.o.Checkpoint != "" && (e.stopped != "" || e.checkpointTicker.due()) {
		e.fail(storage.SaveCheckpoint(e.o.Checkpoint, e.archive))
	}
}

// round expands pages and admits what they yield.
func (e *breadthFirst[S]) round(pages []storage.Page) {
	expansions := e.use(len(pages))
	last := pages[len(pages)-1]
	alone := last.Base+int64(last.States)-pages[0].Base < fewStates
	e.pool.run(len(pages), alone, func(worker, i int) {
		e.workers[worker].expand(&pages[i], expansions[i])
	})
	for _, w := range e.workers {
		e.fail(w.err)
	}
	if e.err == nil {
		e.makeRoom(expansions)
	}
	if e.stopped != "" {
		return
	}
	e.admit(expansions, alone)
	if len(e.o.Goals) > 0 {
		e.keepHints(pages, expansions)
	}
	e.store.Expanded(pages)
}

// use returns n expansions to fill.
func (e *breadthFirst[S]) use(n int) []*storage.Expansion {
	for len(e.expansions) < n {
		e.expansions = append(e.expansions, new(storage.Expansion))
	}
	return e.expansions[:n]
}

// admit lets the shards admit what was found.
func (e *breadthFirst[S]) admit(expansions []*storage.Expansion, alone bool) {
	e.pool.run(storage.Shards, alone, func(worker, id int) {
		e.workers[worker].admit(id, expansions)
	})
}

// closeLevel ends a level and reports whether there is another one.
func (e *breadthFirst[S]) closeLevel() bool {
	more := e.store.CloseLevel()
	for _, w := range e.workers {
		e.found = least(e.found, w.found)
	}
	return more
}

// fail ends the search with an error.
func (e *breadthFirst[S]) fail(err error) {
	if err != nil && e.err == nil {
		e.err, e.stopped = err, StoppedError
	}
}
