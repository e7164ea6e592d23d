package sequential

import (
	"context"
	"fencecheck/model"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Effort is what a search may do and has done.
type Effort struct {
	Bounded  bool // the search ends, undecided, when it has spent its fuel
	Fuel     int
	Spent    int  // worlds visited
	Overflow bool // something did not fit; nothing follows from "illegal"
}

func (e *Effort) Exhausted() bool { return e.Bounded && e.Spent >= e.Fuel }

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
type phase uint8

const (
	Whole   phase = iota // decided and answered at once
	Decide               // decided; the answer is parked, or waits for the high watermark
	Release              // the answer is sent
	Perhaps              // unknown outcome: decided here, or never
	Sent                 // unknown outcome: from here on it may be decided, by a silent step
	Restart              // the broker starts again; call is the life that ends
)

// Step is one operation of the search. All that is known of a request's steps
// is that they lie between its invocation and its answer.
type Step struct {
	Call     int
	Phase    phase
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
func (l *Steps) Add(call int, p phase, from, to int64) {
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

func NewTaken(steps Steps) Taken { return make(Taken, (len(steps)+63)/64) }

// With is a copy with one more step.
func (t Taken) With(i int) Taken {
	n := slices.Clone(t)
	n[i/64] |= 1 << (i % 64)
	return n
}

func (t Taken) Has(i int) bool { return t[i/64]>>(i%64)&1 == 1 }

// Table numbers the values of one check: equal values have equal numbers, and
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

func NewTable[W any, P interned[W]]() *Table[W, P] {
	return &Table[W, P]{at: map[uint64][]uint32{}}
}

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

// States is a set of worlds: their numbers, rising.
type States []uint32

// Add puts a world into the set; it tells whether the world is new there.
func (s *States) Add(n uint32) bool {
	at, known := slices.BinarySearch(*s, n)
	if !known {
		*s = slices.Insert(*s, at, n)
	}
	return !known
}

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

func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
