package conform

import (
	"fencecheck/model"
	"fencecheck/search"
)

// txnSystem is one transactional id as package search explores it: every request
// that anybody could send, and every timeout, in every state.
type txnSystem struct {
	game txnGame
	cast cast
}

// cast says which partitions take part: those that a plan leaves out cannot
// matter to the rest.
type cast struct {
	outs    uint8 // output partitions
	offsets bool  // the group's
	plain   bool  // records outside transactions, and commits
	spent   bool  // it begins where no epoch is left
}

// Init yields the id that nobody has used.
func (y txnSystem) Init(yield func(*txnState)) {
	s := txnStart()
	yield(&s)
}

// Next calls emit for every step.
func (y txnSystem) Next(s, next *txnState, emit func(search.Step)) {
	if y.cast.spent && s.Txn.State == model.NoTransaction {
		y.step(s, next, txnStep{Op: exhaust}, emit)
		return
	}
	y.cast.steps(func(st txnStep) { y.step(s, next, st, emit) })
}

// step emits one step, if it is possible.
func (y txnSystem) step(s, next *txnState, st txnStep, emit func(search.Step)) {
	r, ok := s.resolveTxn(st, &y.game)
	if !ok {
		return
	}
	after, a := y.game.decide(s, r)
	*next = after.canonical(y.game.coordinator)
	if y.game.unprovokable(r, y.game.triple(s, r, &a)) != "" {
		*next = *s // so that it leads nowhere
	}
	emit(search.Step{Op: uint16(st.Op), Arg: st.pack()})
}

// Append encodes a state.
func (y txnSystem) Append(dst []byte, s *txnState) []byte { return s.append(dst) }

// Decode decodes a state.
func (y txnSystem) Decode(src []byte, s *txnState) { s.decode(src) }

// Ops names the steps.
func (y txnSystem) Ops() []string { return txnOpNames[:] }

// Outcomes: what is answered is counted by triples instead.
func (y txnSystem) Outcomes() []string { return []string{""} }

// steps calls yield for each step.
func (c cast) steps(yield func(txnStep)) {
	for p := range numPairs {
		c.pairSteps(p, yield)
	}
	for place := range c.outs {
		for _, committed := range []bool{true, false} {
			yield(txnStep{Op: readRecords, Place: place, Stable: committed})
			yield(txnStep{Op: lastOffset, Place: place, Stable: committed})
		}
		markerSteps(place, yield)
	}
	if c.offsets {
		yield(txnStep{Op: memberCommit})
		yield(txnStep{Op: readOffset})
		yield(txnStep{Op: readOffset, Stable: true})
		markerSteps(offsetsPlace, yield)
	}
	yield(txnStep{Op: describe})
	yield(txnStep{Op: txnTimer})
}

// pairSteps are the requests that carry a producer id and epoch.
func (c cast) pairSteps(p pair, yield func(txnStep)) {
	for style := range styles(initProducer) {
		yield(txnStep{Op: initProducer, Pair: p, Style: style})
	}
	for style := range styles(endTxn) {
		yield(txnStep{Op: endTxn, Pair: p, Style: style, Commit: true})
		yield(txnStep{Op: endTxn, Pair: p, Style: style})
	}
	for place := range c.outs {
		for style := range styles(addPartition) {
			yield(txnStep{Op: addPartition, Pair: p, Style: style, Place: place})
		}
		for style := range styles(produce) {
			for n := range numNths {
				if speech[produce][style].txnV != 0 || c.plain && p != foreigner {
					yield(txnStep{Op: produce, Pair: p, Style: style, Place: place, Nth: n})
				}
			}
		}
	}
	if !c.offsets {
		return
	}
	for style := range styles(addOffsets) {
		yield(txnStep{Op: addOffsets, Pair: p, Style: style, Place: offsetsPlace})
	}
	for style := range styles(txnCommit) {
		for cred := range numCredential {
			yield(txnStep{Op: txnCommit, Pair: p, Style: style, Place: offsetsPlace, Cred: cred})
		}
	}
}

func styles(o txnOp) uint8 { return uint8(len(speech[o])) }

func markerSteps(place uint8, yield func(txnStep)) {
	for style := range styles(writeMarker) {
		for e := range numRanks {
			for ce := range numRanks {
				yield(txnStep{Op: writeMarker, Style: style, Place: place, Epoch: e, Coord: ce, Commit: true})
				yield(txnStep{Op: writeMarker, Style: style, Place: place, Epoch: e, Coord: ce})
			}
		}
	}
}
