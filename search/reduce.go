package search

import (
	"bytes"
	"cmp"
	"fmt"
)

// A Reducer is a System that knows of steps which need not be interleaved with
// others, such as those that concern nobody but one actor. A search takes an urgent
// step at once and keeps only the state behind it, instead of trying it at every later
// moment too: a reduction by partial order, in which each ample set is one step.
//
// It finds the same verdicts if a step is called urgent only where
//   - whatever other steps are taken first, it stays enabled, and the two orders
//     lead to the same state;
//   - it changes no property's value, be it of the states before and after it or
//     of the other steps, and every goal's Help admits it;
//   - no run consists of urgent steps for ever. The search panics where one does.
//
// None of these can be seen from one state: they are the system's promise, and
// a property test is the place to hold it to that.
type Reducer[S any] interface {
	System[S]
	// Urgent writes to *next what an urgent step of s leads to; ok is false where
	// no step is urgent. It must not change s. Like Canonize it is called from
	// within emit, and must leave alone what Next works with.
	Urgent(s, next *S) (st Step, ok bool)
}

// maxUrgent is more urgent steps in a row than any system should have.
const maxUrgent = 1 << 16

// canonizer returns what brings a state to the form in which searches keep it,
// or nil if that is its own. Urgent steps, which it takes, are shown to count.
func canonizer[S any](sys System[S], count func(Step)) func(*S) {
	c, canonizes := sys.(Canonizer[S])
	r, reduces := sys.(Reducer[S])
	switch {
	case !reduces && !canonizes:
		return nil
	case !reduces:
		return c.Canonize
	}
	next := new(S)
	return func(s *S) {
		for n := 0; ; n++ {
			st, ok := r.Urgent(s, next)
			if !ok {
				break
			}
			if n == maxUrgent {
				panic(fmt.Sprintf("search: %s is urgent for ever", opName(sys, st.Op)))
			}
			count(st)
			*s = *next
		}
		if canonizes {
			c.Canonize(s)
		}
	}
}

func uncounted(Step) {}

// Unfold turns a violation that was found in a reduced system (Canonizer, Reducer)
// into one with a trace through all of its states, as if there were no reduction:
// urgent steps are put in, and each step has the parameters that it has without
// canonical forms. Such a trace may be longer than the shortest, since an urgent
// step is put in where the violation does not need it. The invariants are those of
// the search.
func Unfold[S any](sys System[S], v *Violation[S], invariants []Property[S]) (*Violation[S], error) {
	u := &unfolder[S]{sys: sys, canon: canonizer(sys, uncounted)}
	if u.canon == nil {
		return v, nil
	}
	u.reducer, _ = sys.(Reducer[S])
	code := sys.Append(nil, &v.Trace.Start)
	found := false
	sys.Init(func(s *S) {
		if !found && u.hasForm(s, code) {
			u.at, u.trace, found = *s, Trace[S]{Start: *s}, true
		}
	})
	if !found {
		return nil, fmt.Errorf("the trace does not begin in an initial state")
	}
	i := 0
	var unsound error
	err := Replay(sys, v.Trace, func(_ *S, st Step, after *S) {
		accept := func(*S, Step, *S) bool { return true }
		if i == len(v.Trace.Steps)-1 && v.Kind == Invariant {
			accept = violates(invariants, v.Property)
		}
		if unsound == nil && !u.step(st, sys.Append(nil, after), accept) {
			unsound = fmt.Errorf("step %d, %s, has no counterpart without the reduction, which is unsound here", i, opName(sys, st.Op))
		}
		i++
	})
	if err = cmp.Or(unsound, err); err != nil {
		return nil, err
	}
	if v.Kind == Deadlock {
		u.takeUrgent()
	}
	unfolded := *v
	unfolded.Trace = u.trace
	return &unfolded, nil
}

// violates tells which steps violate an invariant.
func violates[S any](invariants []Property[S], name string) func(before *S, st Step, after *S) bool {
	return func(before *S, st Step, after *S) bool {
		for _, p := range invariants {
			if p.Name == name {
				return p.State != nil && !p.State(after) || p.Step != nil && !p.Step(before, st, after)
			}
		}
		return false
	}
}

// An unfolder follows a trace of a reduced system through all of its states.
type unfolder[S any] struct {
	sys     System[S]
	reducer Reducer[S] // nil: no step is urgent
	canon   func(*S)
	at      S
	trace   Trace[S]
	code    []byte
}

// hasForm tells whether a search keeps s in the form with the given encoding.
func (u *unfolder[S]) hasForm(s *S, code []byte) bool {
	kept := *s
	u.canon(&kept)
	u.code = u.sys.Append(u.code[:0], &kept)
	return bytes.Equal(u.code, code)
}

// takeUrgent takes all urgent steps.
func (u *unfolder[S]) takeUrgent() {
	for u.reducer != nil {
		var next S
		st, ok := u.reducer.Urgent(&u.at, &next)
		if !ok {
			return
		}
		u.at, u.trace.Steps = next, append(u.trace.Steps, st)
	}
}

// step takes the step that is kept as st with the encoding that follows it.
func (u *unfolder[S]) step(st Step, code []byte, accept func(before *S, st Step, after *S) bool) bool {
	u.takeUrgent()
	var next, after S
	var taken Step
	found := false
	u.sys.Next(&u.at, &next, func(other Step) {
		if !found && other.Op == st.Op && other.Outcome == st.Outcome && u.hasForm(&next, code) && accept(&u.at, other, &next) {
			taken, after, found = other, next, true
		}
	})
	if found {
		u.at, u.trace.Steps = after, append(u.trace.Steps, taken)
	}
	return found
}
