package linearize

import (
	"context"
	"fencecheck/model"
	"slices"

	"github.com/anishathalye/porcupine"
)

// effort is what a search may do and has done.
type effort struct {
	bounded  bool // the search ends, undecided, when it has spent its fuel
	fuel     int
	spent    int  // worlds visited
	overflow bool // something did not fit; nothing follows from "illegal"
}

func (e *effort) exhausted() bool { return e.bounded && e.spent >= e.fuel }

func (e *effort) work() *effort { return e }

// searcher is a specification that porcupine can search.
type searcher interface {
	porcupineModel() porcupine.Model
	operations() []porcupine.Operation // one for each step; the input is its index
	size() int                         // how many answers it looks at
	work() *effort
	// refusals replays an order of operations and tells why the given request
	// cannot come next.
	refusals(order []porcupine.Operation, op int) []refusal
}

// refusal is an answer of the model that is not the recorded one, or another
// reason against a request.
type refusal struct {
	err  model.Error
	text string
}

// noDeadline is for steps that are taken to explain, not to search.
var noDeadline = context.Background()

// phase says which of a request's steps a porcupine operation is.
type phase uint8

const (
	whole   phase = iota // decided and answered at once
	decide               // decided; the answer is parked, or waits for the high watermark
	release              // the answer is sent
	perhaps              // unknown outcome: decided here, or never
	arm                  // unknown outcome: from here on it may be decided, by a silent step
	reload               // the broker starts again; call is the life that ends
)

// step is one operation of the search. All that is known of a request's steps
// is that they lie between its invocation and its answer.
type step struct {
	call     int
	phase    phase
	from, to int64
}

// porcupineModel is a specification whose states are of type C; next is nil where
// a step cannot be taken.
func porcupineModel[C any](first func() *C, next func(context.Context, *C, int) *C, equal func(a, b *C) bool, hash func(*C) uint64) porcupine.Model {
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

// stepList are the steps of a specification.
type stepList []step

// operations lists the steps for porcupine.
func (l stepList) operations() []porcupine.Operation {
	all := make([]porcupine.Operation, len(l))
	for i, st := range l {
		all[i] = porcupine.Operation{Input: i, Call: st.from, Return: st.to}
	}
	return all
}

// ticks are the steps that were taken, a bit each.
type ticks []uint64

func newTicks(steps stepList) ticks { return make(ticks, (len(steps)+63)/64) }

// with is a copy with one more step.
func (t ticks) with(i int) ticks {
	n := slices.Clone(t)
	n[i/64] |= 1 << (i % 64)
	return n
}

func (t ticks) has(i int) bool { return t[i/64]>>(i%64)&1 == 1 }

// interner numbers the values of one check: equal values have equal numbers, and
// the search keeps numbers. It only remembers, so that a step remains a function
// of its arguments.
type interner[W any, P interned[W]] struct {
	all []W
	at  map[uint64][]uint32
}

// interned is a value that can be numbered.
type interned[W any] interface {
	*W
	hash() uint64
	equal(*W) bool
}

func newInterner[W any, P interned[W]]() *interner[W, P] {
	return &interner[W, P]{at: map[uint64][]uint32{}}
}

func (a *interner[W, P]) number(w P) uint32 {
	h := w.hash()
	for _, n := range a.at[h] {
		if w.equal(&a.all[n]) {
			return n
		}
	}
	n := uint32(len(a.all))
	a.all = append(a.all, *w)
	a.at[h] = append(a.at[h], n)
	return n
}

// worlds is a set of worlds: their numbers, rising.
type worlds []uint32

// add puts a world into the set; it tells whether the world is new there.
func (s *worlds) add(n uint32) bool {
	at, known := slices.BinarySearch(*s, n)
	if !known {
		*s = slices.Insert(*s, at, n)
	}
	return !known
}

func (s worlds) hash() uint64 {
	var h uint64
	for _, n := range s {
		h = mix(h, uint64(n))
	}
	return h
}

// mix is a step of a multiplicative hash.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
