package search

import (
	"math/bits"
	"sync/atomic"
)

// goalSets hold a set of goals for each of many, in as many bits as the largest set
// needs, rounded up to a power of two. Several workers may read and write.
type goalSets struct {
	words []uint64
	shift uint8 // 1<<shift sets share a word
}

func newGoalSets(n int64, goals int) goalSets {
	width := bits.Len(uint(goals - 1)) // as a power of two
	gs := goalSets{shift: uint8(6 - width)}
	gs.words = make([]uint64, (n+1<<gs.shift-1)>>gs.shift)
	return gs
}

// at returns where a set is: its word, and the bit that it starts with.
func (gs *goalSets) at(n int64) (word *uint64, bit int64) {
	return &gs.words[n>>gs.shift], n & (1<<gs.shift - 1) << (6 - gs.shift)
}

// get returns a set, with others above it.
func (gs *goalSets) get(n int64) uint64 {
	word, bit := gs.at(n)
	return atomic.LoadUint64(word) >> bit
}

// read gets the sets of consecutive numbers, without what lies above all.
func (gs *goalSets) read(n int64, dst []uint64, all uint64) {
	at, width := n>>gs.shift, uint(64)>>gs.shift&63
	_, bit := gs.at(n)
	word, left := atomic.LoadUint64(&gs.words[at])>>bit, (64-uint(bit))>>(6-gs.shift)
	for i := range dst {
		if left == 0 {
			at++
			word, left = atomic.LoadUint64(&gs.words[at]), 64>>(6-gs.shift)
		}
		dst[i] = word & all
		word >>= width
		left--
	}
}

func (gs *goalSets) add(n int64, set uint64) {
	word, bit := gs.at(n)
	atomic.OrUint64(word, set<<bit)
}

// satisfied returns the goals that hold in a state.
func satisfied[S any](goals []Goal[S], s *S) (set uint64) {
	for i := range goals {
		if goals[i].State(s) {
			set |= 1 << i
		}
	}
	return set
}

// A goalHelp is what of goals does not depend on states: by which steps they may be
// reached.
type goalHelp []func(Step) bool

func helpOf[S any](goals []Goal[S]) goalHelp {
	var help goalHelp
	for _, g := range goals {
		help = append(help, g.Help)
	}
	return help
}

// helped returns the goals that a step helps.
func (h goalHelp) helped(st Step) (set uint64) {
	for i, help := range h {
		if help == nil || help(st) {
			set |= 1 << i
		}
	}
	return set
}

// all is the set of all goals; there are at most goalsPerBatch.
func (h goalHelp) all() uint64 { return 1<<min(len(h), goalsPerBatch) - 1 }
