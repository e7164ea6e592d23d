package search

import (
	"fmt"
	"strings"
	"time"

	"fencecheck/search/internal/storage"
)

const checkpointVersion = "fencecheck search, checkpoint 3"

// identity is what a checkpoint must agree with, part after part.
func (e *breadthFirst[S]) identity() [][2]string {
	names := func(ps []Property[S]) string {
		var all []string
		for _, p := range ps {
			all = append(all, p.Name)
		}
		return strings.Join(all, ", ")
	}
	var goals []string
	for _, g := range e.o.Goals {
		goals = append(goals, g.Name)
	}
	return [][2]string{
		{"version", checkpointVersion},
		{"layout", fmt.Sprint(storage.Shards, storage.PageStates, roundPages, storage.FingerprintBits, storage.BucketBytes)},
		{"system", e.o.Identity},
		{"list of operations", strings.Join(e.sys.Ops(), ", ")},
		{"list of outcomes", strings.Join(outcomes(e.sys), ", ")},
		{"list of invariants", names(e.o.Invariants)},
		{"list of witnesses", names(e.o.Sometimes)},
		{"list of goals", strings.Join(goals, ", ")},
		{"demand on deadlocks", fmt.Sprint(e.o.End != nil)},
	}
}

// archive runs through all that a search needs to go on between two rounds.
func (e *breadthFirst[S]) archive(a *storage.Archive) {
	for _, part := range e.identity() {
		a.Expect(part[0], part[1])
	}
	elapsed := e.progressTicker.elapsed()
	a.Values(&elapsed)
	e.progressTicker.before = elapsed - time.Since(e.progressTicker.start)
	sum := e.sum()
	a.Values(&sum.transitions, &sum.counts, &sum.checks.seen, &sum.found)
	if !a.Saving() {
		e.workers[0].add(sum) // from now on it knows what all did
	}
	e.store.Archive(a, e.o.Memory > 0)
}
