package search

import "fencecheck/search/internal/storage"

// memory is that of all that grows with the search.
func (e *breadthFirst[S]) memory() int64 {
	n := e.store.Bytes() + e.goalMemory() + e.hintBytes
	for _, x := range e.expansions {
		n += x.Bytes()
	}
	return n
}

// fits reports whether the shards may admit all candidates. It asks before
// they do, for all of them at once, so that the answer does not depend on which shard
// admits first.
func (e *breadthFirst[S]) fits(expansions []*storage.Expansion) bool {
	return e.o.Memory == 0 || e.memory()+e.store.Growth(expansions) <= e.o.Memory
}

// makeRoom gives up what can be made again, and then spills, until the shards may admit
// all candidates. Where that does not help, the search must stop.
func (e *breadthFirst[S]) makeRoom(expansions []*storage.Expansion) {
	if (e.hintBytes > 0 || e.recording()) && !e.fits(expansions) {
		e.dropHints()
	}
	if e.fits(expansions) {
		return
	}
	e.fail(e.store.Spill())
	if e.err == nil && !e.fits(expansions) {
		e.stopped = StoppedMemory
	}
}
