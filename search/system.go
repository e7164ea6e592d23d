package search

// A Step names one transition. Together with the state before it, it is all
// that a replay needs.
type Step struct {
	Op      uint16 // index in System.Ops
	Outcome uint16 // index in System.Outcomes; 0 where there is no outcome worth counting
	Arg     uint32 // the operation's parameters, packed as the system likes
}

// A System is a transition system over states of type S, which should be a
// comparable value without pointers: a copy by assignment is then a copy.
//
// All nondeterminism belongs into Op and Arg: no state may have two transitions
// that share both, as searches try on some of the first states. Next must emit the transitions of a state in the same order
// whenever it is asked, since traces are kept as positions in that order.
//
// Several workers call one System at the same time, so its methods must not
// write to it. A system that wants scratch memory implements Forker.
type System[S any] interface {
	// Init calls yield for each initial state.
	Init(yield func(*S))
	// Next, for each transition enabled in s, writes the successor to *next and
	// calls emit. It must not change s. What *next holds between calls is
	// unspecified.
	Next(s, next *S, emit func(Step))
	// Append appends an encoding of s to dst. Two states are equal exactly if
	// their encodings are, and what is not encoded must not matter to Next.
	Append(dst []byte, s *S) []byte
	// Decode is the inverse of Append. It sets all of *s. Searches try that on some of
	// the first states, and panic if what was decoded is another state (see Comparer) or
	// is not encoded as before.
	Decode(src []byte, s *S)
	// Ops names the operations, for coverage and traces.
	Ops() []string
	// Outcomes names the outcomes. Index 0 is "", the absence of one; nil is as good
	// as that alone.
	Outcomes() []string
}

// outcomes names the outcomes of a system.
func outcomes[S any](sys System[S]) []string {
	if names := sys.Outcomes(); len(names) > 0 {
		return names
	}
	return []string{""}
}

// A Forker is a System that owns scratch memory. Each worker searches with a
// fork of its own.
type Forker[S any] interface {
	Fork() System[S]
}

// fork gives a worker a system that no other worker calls, where that matters.
func fork[S any](sys System[S]) System[S] {
	if f, ok := sys.(Forker[S]); ok {
		return f.Fork()
	}
	return sys
}

// A Canonizer is a System with a canonical form: of states that differ only in what
// no property and no operation can tell apart, it chooses one. Searches and Replay then
// know no other states. Properties of steps see the state after a step as the step
// left it; those of states see the canonical one.
type Canonizer[S any] interface {
	System[S]
	// Canonize replaces *s by its canonical form. Doing so twice must not differ
	// from doing it once.
	Canonize(s *S)
}
