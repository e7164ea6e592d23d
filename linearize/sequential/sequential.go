// Package sequential is what the sequential specifications of all parts share: the
// steps of their requests, sets of candidate states, and how porcupine is asked.
//
// Nobody sees all that a coordinator does, so that a state of the search is a set:
// each candidate state in it explains every answer so far. A step keeps those that
// explain one more, and adds where internal steps (timers, markers, requests
// without an answer) lead from there; a history is legal if the set never runs
// empty on some order of its steps.
package sequential

import (
	"context"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencecheck/model"
)

// Effort is what a search may do and has done.
type Effort struct {
	Bounded  bool // the search ends, undecided, when it has spent its fuel
	Fuel     int
	Spent    int  // states visited
	Overflow bool // something did not fit; nothing follows from "illegal"
}

// Exhausted tells that the fuel is spent.
func (e *Effort) Exhausted() bool { return e.Bounded && e.Spent >= e.Fuel }

// Work is the effort of a specification that embeds it.
func (e *Effort) Work() *Effort { return e }

// Specification is a specification that porcupine can search.
type Specification interface {
	PorcupineModel() porcupine.Model
	Operations() []porcupine.Operation // one for each step; the input is its index
	Size() int                         // how many answers it looks at
	Work() *Effort
	// Refusals replays an order of operations and tells why the given request
	// cannot come next.
	Refusals(order []porcupine.Operation, op int) []Refusal
}

// Refusal is an answer of the model that is not the recorded one, or another
// reason against a request.
type Refusal struct {
	Err  model.Error
	Text string
}

// NoDeadline is for steps that are taken to explain, not to search.
var NoDeadline = context.Background()

// Phase says which of a request's steps a porcupine operation is.
type Phase uint8

const (
	Whole   Phase = iota // decided and answered at once
	Decide               // decided; the answer is parked, or waits for the high watermark
	Release              // the answer is sent
	Perhaps              // unknown outcome: decided here, or never
	Sent                 // unknown outcome: from here on it may be decided, by an internal step
	Restart              // the broker starts again; call is the life that ends
)

// Step is one operation of the search. All that is known of a request's steps
// is that they lie between its invocation and its answer.
type Step struct {
	Call     int
	Phase    Phase
	From, To int64
}

// Model is a specification whose states are of type C; next is nil where
// a step cannot be taken.
func Model[C any](first func() *C, next func(context.Context, *C, int) *C, equal func(a, b *C) bool, hash func(*C) uint64) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return first() },
		StepContext: func(ctx context.Context, state, input, _ any) (bool, any) {
			n := next(ctx, state.(*C), input.(int))
			return n != nil, n
		},
		Equal: func(a, b any) bool { return equal(a.(*C), b.(*C)) },
		Hash:  func(state any) uint64 { return hash(state.(*C)) },
	}
}

// Steps are the steps of a specification.
type Steps []Step

// Add appends a step.
func (l *Steps) Add(call int, p Phase, from, to int64) {
	*l = append(*l, Step{call, p, from, to})
}

// Operations lists the steps for porcupine.
func (l Steps) Operations() []porcupine.Operation {
	all := make([]porcupine.Operation, len(l))
	for i, st := range l {
		all[i] = porcupine.Operation{Input: i, Call: st.From, Return: st.To}
	}
	return all
}

// Taken are the steps that were taken, a bit each.
type Taken []uint64

// NewTaken makes room for steps, none of which is taken.
func NewTaken(steps Steps) Taken { return make(Taken, (len(steps)+63)/64) }

// With is a copy with one more step.
func (t Taken) With(i int) Taken {
	n := slices.Clone(t)
	n[i/64] |= 1 << (i % 64)
	return n
}

// Has tells whether a step was taken.
func (t Taken) Has(i int) bool { return t[i/64]>>(i%64)&1 == 1 }

// Table is an interning table: it numbers the values of one check: equal values have equal numbers, and
// the search keeps numbers. It only remembers, so that a step remains a function
// of its arguments.
type Table[W any, P interned[W]] struct {
	All []W
	at  map[uint64][]uint32
}

// interned is a value that can be numbered.
type interned[W any] interface {
	*W
	Hash() uint64
	Equal(*W) bool
}

// NewTable makes an empty table.
func NewTable[W any, P interned[W]]() *Table[W, P] {
	return &Table[W, P]{at: map[uint64][]uint32{}}
}

// Number finds or adds a value.
func (a *Table[W, P]) Number(w P) uint32 {
	h := w.Hash()
	for _, n := range a.at[h] {
		if w.Equal(&a.All[n]) {
			return n
		}
	}
	n := uint32(len(a.All))
	a.All = append(a.All, *w)
	a.at[h] = append(a.at[h], n)
	return n
}

// States is a set of candidate states: their numbers in a Table, rising.
type States []uint32

// Add puts a state into the set; it tells whether it is new there.
func (s *States) Add(n uint32) bool {
	at, known := slices.BinarySearch(*s, n)
	if !known {
		*s = slices.Insert(*s, at, n)
	}
	return !known
}

// Hash mixes the numbers of a set.
func (s States) Hash() uint64 {
	var h uint64
	for _, n := range s {
		h = Mix(h, uint64(n))
	}
	return h
}

// Mix is a step of a multiplicative hash.
func Mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Bit is 1 for true.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
