package search

import (
	"context"
	"time"
)

const (
	// roundPages is how many pages are expanded before the shards admit what was
	// found. Like pageStates it is fixed: what a search finds depends on both,
	// and must not depend on the workers.
	roundPages = 64
	// A round of fewer states than fewStates is not worth waking the workers for.
	fewStates = 128
)

// An engine is one breadth-first search. It expands level after level, each in
// rounds of two phases: first the workers expand pages and only read the
// visited set; then they let each shard admit what was found for it.
type engine[S any] struct {
	sys         System[S]
	o           Options[S]
	crew        *crew
	workers     []*worker[S]
	shards      [shards]shard
	chunks      []*chunk // of the round
	pages       []page   // of the level, as far as it is not expanded yet
	levels      levels
	rest        []page // of the level, behind those that are being expanded
	kept        []page // of all levels before, where there are goals to judge
	stored      int    // how many of these are on disk
	edges       int64  // bytes of the edges that are kept with them
	edgesBudget int64  // beyond which no more are
	depots      depots
	spilled     int64 // bytes put into them
	err         error
	judging     bool
	judged      []time.Duration // by batch of goals, what that took
	seeded      bool
	depth       int // of the level that is being expanded
	stopped     string
	found       *finding
	pulse       pulse
	saved       pulse // says when the next checkpoint is due
}

// BreadthFirst explores every state that is reachable from the initial ones,
// level by level, so that the first violation found is a shortest one. It ends
// with the level that shows a violation, and otherwise when everything is
// explored, a bound of o is reached, or ctx is done.
func BreadthFirst[S any](ctx context.Context, sys System[S], o Options[S]) Result[S] {
	e := newEngine(sys, o.withDefaults())
	defer e.crew.dismiss()
	e.run(ctx)
	r := e.result(ctx)
	e.release()
	return r
}

// run searches until something ends it.
func (e *engine[S]) run(ctx context.Context) {
	if e.o.Resume {
		e.fail(e.load())
	} else {
		e.seed()
	}
	for len(e.pages) > 0 && e.found == nil && e.stopped == "" {
		e.level(ctx)
	}
}

func newEngine[S any](sys System[S], o Options[S]) *engine[S] {
	e := &engine[S]{
		sys:     sys,
		o:       o,
		crew:    newCrew(o.Workers),
		judging: len(o.Goals) > 0,
		depots:  newDepots(o.TempDir),
		pulse:   newPulse(o.Progress != nil, o.ProgressEvery),
	}
	e.edgesBudget = edgesBudget
	if o.Memory > 0 {
		e.edgesBudget = o.Memory / edgesShare
	}
	e.saved = newPulse(true, o.CheckpointEvery)
	e.saved.next = e.saved.start // the first is due at once
	for i := range e.shards {
		e.shards[i].table = newTable(i)
		e.shards[i].frontier.shard = i
	}
	for range o.Workers {
		e.workers = append(e.workers, newWorker(e))
	}
	return e
}

// release gives back what the garbage collector would not. It must not be called
// where a worker may still search, as after a panic.
func (e *engine[S]) release() {
	for i := range e.shards {
		e.shards[i].table.release()
	}
	e.depots.close()
}

// seed finds the initial states.
func (e *engine[S]) seed() {
	chunks := e.use(1)
	e.workers[0].seed(chunks[0])
	e.settle(chunks, true)
	e.seeded = true
	e.close()
}

// level expands one level. It may stop between rounds.
func (e *engine[S]) level(ctx context.Context) {
	for e.rest = e.pages; len(e.rest) > 0; {
		if e.pause(ctx); e.stopped != "" {
			break
		}
		n := min(len(e.rest), roundPages)
		pages := e.rest[:n]
		e.rest = e.rest[n:]
		e.round(pages)
		if e.pulse.due() {
			e.o.Progress(e.progress())
		}
	}
	if e.err == nil && e.close() {
		e.fail(e.recycle())
		e.depth++
	}
}

// pause looks between two rounds whether the search must stop, and saves it.
func (e *engine[S]) pause(ctx context.Context) {
	if e.stopped != "" { // within a round: that is no state to save
		return
	}
	halted := e.halted(ctx)
	if e.o.Checkpoint != "" && (halted || e.saved.due()) {
		e.fail(e.save())
	}
}

// round expands pages and admits what they yield.
func (e *engine[S]) round(pages []page) {
	chunks := e.use(len(pages))
	last := pages[len(pages)-1]
	alone := last.base+int64(last.states)-pages[0].base < fewStates
	e.crew.run(len(pages), alone, func(worker, i int) {
		e.workers[worker].expand(&pages[i], chunks[i])
	})
	for _, w := range e.workers {
		e.fail(w.err)
	}
	if e.err == nil && (e.edges > 0 || e.recording()) && !e.fits(chunks) {
		e.forgetHints()
	}
	if e.err == nil && !e.fits(chunks) {
		e.fail(e.spill())
		if e.err == nil && !e.fits(chunks) {
			e.stopped = StoppedMemory
		}
	}
	if e.stopped != "" {
		return
	}
	e.settle(chunks, alone)
	if e.judging {
		e.keepHints(pages, chunks)
		e.kept = append(e.kept, pages...)
		return
	}
	for _, p := range pages {
		e.shards[p.shard].frontier.release(p)
	}
}

// use returns n chunks to fill.
func (e *engine[S]) use(n int) []*chunk {
	for len(e.chunks) < n {
		e.chunks = append(e.chunks, new(chunk))
	}
	return e.chunks[:n]
}

// settle admits what the chunks hold.
func (e *engine[S]) settle(chunks []*chunk, alone bool) {
	e.crew.run(shards, alone, func(worker, id int) {
		e.workers[worker].settle(id, chunks)
	})
}

// close ends a level: what was found becomes the next one. It reports whether
// that has any states.
func (e *engine[S]) close() bool {
	start := len(e.levels.segments)
	e.pages = e.pages[:0]
	var base int64
	for id := range e.shards {
		s := &e.shards[id]
		if g := s.close(id); g.count > 0 {
			e.levels.segments = append(e.levels.segments, g)
		}
		n := len(e.pages)
		e.pages = s.frontier.take(e.pages)
		for i := range e.pages[n:] {
			p := &e.pages[n+i]
			p.depth, p.base = len(e.levels.starts), base
			base += int64(p.states)
		}
	}
	for _, w := range e.workers {
		e.found = least(e.found, w.found)
	}
	if base == 0 {
		return false
	}
	e.levels.starts = append(e.levels.starts, start)
	return true
}

// length is that of the traces to the states which are being found.
func (e *engine[S]) length() int {
	if !e.seeded {
		return 0
	}
	return e.depth + 1
}

// halted reports whether the search must stop although states are left to expand.
func (e *engine[S]) halted(ctx context.Context) bool {
	switch {
	case e.stopped != "":
	case e.o.MaxDepth > 0 && e.depth >= e.o.MaxDepth:
		e.stopped = StoppedDepth
	case e.o.MaxStates > 0 && e.states() >= e.o.MaxStates:
		e.stopped = StoppedStates
	default:
		e.stopped = interruption(ctx)
	}
	return e.stopped != ""
}
