package search

import "fencecheck/search/internal/storage"

// memory is that of all that grows with the search.
func (b *breadthFirst[S]) memory() int64 {
	n := b.store.Bytes() + b.goalMemory() + b.hintBytes
	for _, x := range b.expansions {
		n += x.Bytes()
	}
	return n
}

// fits reports whether the shards may admit all candidates. It asks before
// they do, for all of them at once, so that the answer does not depend on which shard
// admits first.
func (b *breadthFirst[S]) fits(expansions []*storage.Expansion) bool {
	return b.o.Memory == 0 || b.memory()+b.store.Growth(expansions) <= b.o.Memory
}

// makeRoom gives up what can be made again, and then spills, until the shards may admit
// all candidates. Where that does not help, the search must stop.
func (b *breadthFirst[S]) makeRoom(expansions []*storage.Expansion) {
	if (b.hintBytes > 0 || b.recording()) && !b.fits(expansions) {
		b.dropHints()
	}
	if b.fits(expansions) {
		return
	}
	b.fail(b.store.Spill())
	if b.err == nil && !b.fits(expansions) {
		b.stopped = StoppedMemory
	}
}
