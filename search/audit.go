package search

import (
	"bytes"
	"fmt"
	"reflect"
)

// auditStates is how many states of each shard are audited at least: the first ones, as far
// as they begin a page, with all of their successors.
const auditStates = 64

// A Comparer is a System that leaves a part of its states out of their encodings on
// purpose, because no operation and no property asks for it. It says which states a
// search may take for one another. Of all other systems whose states are comparable,
// searches demand that Decode gives back the very state that was encoded: otherwise a
// field that is forgotten in both Append and Decode would hide states without a word.
type Comparer[S any] interface {
	System[S]
	// Same reports whether two states differ at most in what is left out.
	Same(a, b *S) bool
}

// An audit looks whether a system keeps its promises: that Decode is the inverse of
// Append, and that a step is known by its Op and Arg. A mistake there makes a search miss
// states or tell the wrong trace, so it ends in a panic.
type audit[S any] struct {
	sys           System[S]
	canon         func(*S)
	same          func(a, b *S) bool // nil: states cannot be compared
	ops, outcomes int
	decoded       S
	codes         [2][]byte
	steps         map[Step]bool // of the state whose steps are being made, without outcomes
}

func newAudit[S any](sys System[S]) *audit[S] {
	a := &audit[S]{sys: sys, ops: len(sys.Ops()), outcomes: len(outcomes(sys)), steps: map[Step]bool{}}
	a.canon = canonizer(sys, a.inRange)
	if c, ok := sys.(Comparer[S]); ok {
		a.same = c.Same
	} else if reflect.TypeFor[S]().Comparable() {
		a.same = func(a, b *S) bool { return any(*a) == any(*b) }
	}
	return a
}

// code looks at an encoding that the search keeps.
func (a *audit[S]) code(code []byte) {
	a.sys.Decode(code, &a.decoded)
	a.codes[1] = a.sys.Append(a.codes[1][:0], &a.decoded)
	if !bytes.Equal(code, a.codes[1]) {
		panic(fmt.Sprintf("search: Decode is not the inverse of Append: %x was decoded as %+v, which is encoded as %x", code, a.decoded, a.codes[1]))
	}
}

// state looks at a state as the system made it.
func (a *audit[S]) state(s S) {
	if a.canon != nil {
		a.canon(&s)
	}
	a.codes[0] = a.sys.Append(a.codes[0][:0], &s)
	a.code(a.codes[0])
	if a.same != nil && !a.same(&s, &a.decoded) {
		panic(fmt.Sprintf("search: Decode is not the inverse of Append: %+v was encoded as %x, which is decoded as %+v (a Comparer says what may differ)", s, a.codes[0], a.decoded))
	}
}

// begin starts with the steps of another state.
func (a *audit[S]) begin() { clear(a.steps) }

// step looks at a step of that state.
func (a *audit[S]) step(st Step) {
	a.inRange(st)
	st.Outcome = 0
	if a.steps[st] {
		panic(fmt.Sprintf("search: two steps of one state share the operation %s and the argument %#x", opName(a.sys, st.Op), st.Arg))
	}
	a.steps[st] = true
}

// inRange demands that the operation and the outcome of a step have names.
func (a *audit[S]) inRange(st Step) {
	if int(st.Op) >= a.ops {
		panic(fmt.Sprintf("search: a step has Op %d, but there are %d Ops", st.Op, a.ops))
	}
	if int(st.Outcome) >= a.outcomes {
		panic(fmt.Sprintf("search: a step of %s has Outcome %d, but there are %d Outcomes", opName(a.sys, st.Op), st.Outcome, a.outcomes))
	}
}
