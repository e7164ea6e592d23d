package search

import (
	"fmt"
	"strings"
	"time"

	"fencecheck/search/internal/storage"
)

const checkpointVersion = "fencecheck search, checkpoint 3"

// identity is what a checkpoint must agree with, part after part.
func (b *breadthFirst[S]) identity() [][2]string {
	names := func(ps []Property[S]) string {
		var all []string
		for _, p := range ps {
			all = append(all, p.Name)
		}
		return strings.Join(all, ", ")
	}
	var goals []string
	for _, g := range b.o.Goals {
		goals = append(goals, g.Name)
	}
	return [][2]string{
		{"version", checkpointVersion},
		{"layout", fmt.Sprint(storage.Shards, storage.PageStates, roundPages, storage.FingerprintBits, storage.BucketBytes)},
		{"system", b.o.Identity},
		{"list of operations", strings.Join(b.sys.Ops(), ", ")},
		{"list of outcomes", strings.Join(outcomes(b.sys), ", ")},
		{"list of invariants", names(b.o.Invariants)},
		{"list of witnesses", names(b.o.Sometimes)},
		{"list of goals", strings.Join(goals, ", ")},
		{"demand on deadlocks", fmt.Sprint(b.o.End != nil)},
	}
}

// archive runs through all that a search needs to go on between two rounds.
func (b *breadthFirst[S]) archive(a *storage.Archive) {
	for _, part := range b.identity() {
		a.Expect(part[0], part[1])
	}
	elapsed := b.progressTicker.elapsed()
	a.Values(&elapsed)
	b.progressTicker.before = elapsed - time.Since(b.progressTicker.start)
	sum := b.sum()
	a.Values(&sum.transitions, &sum.counts, &sum.checks.seen, &sum.found)
	if !a.Saving() {
		b.workers[0].add(sum) // from now on it knows what all did
	}
	b.store.Archive(a, b.o.Memory > 0)
}
