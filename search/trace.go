package search

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// A Trace is a path through a system: a state, usually an initial one, and the
// steps from there.
type Trace[S any] struct {
	Start S
	Steps []Step
}

// Text tells a trace to people: the state that it starts in, and in a line for each
// step its operation, its argument, its outcome if it has one, and the state after.
// States are printed as by %+v, so that a String method of S has its say. A trace that
// is not one of sys ends with the step that is not enabled.
func (t Trace[S]) Text(sys System[S]) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	n := 0
	line := func(step string, s *S) {
		fmt.Fprintf(w, "%d\t%s\t%+v\n", n, step, *s)
		n++
	}
	line("", &t.Start)
	err := Replay(sys, t, func(_ *S, st Step, after *S) { line(stepText(sys, st), after) })
	_ = w.Flush() // a Builder takes everything
	if err != nil {
		fmt.Fprintf(&b, "%d is not enabled: %s\n", n, stepText(sys, t.Steps[n-1]))
	}
	return b.String()
}

func stepText[S any](sys System[S], st Step) string {
	text := fmt.Sprintf("%s(%d)", opName(sys, st.Op), st.Arg)
	if st.Outcome == 0 {
		return text
	}
	if names := outcomes(sys); int(st.Outcome) < len(names) {
		return text + " " + names[st.Outcome]
	}
	return fmt.Sprintf("%s outcome %d", text, st.Outcome)
}

// Replay follows a trace and calls visit, if it is set, for each step. It fails
// at a step that is not enabled. Steps are recognised by Op and Arg.
func Replay[S any](sys System[S], t Trace[S], visit func(before *S, st Step, after *S)) error {
	s := t.Start
	for i, want := range t.Steps {
		st, after, ok := pick(sys, &s, func(_ int, st Step) bool {
			return st.Op == want.Op && st.Arg == want.Arg
		})
		if !ok {
			return fmt.Errorf("step %d is not enabled: %s, argument %#x", i, opName(sys, want.Op), want.Arg)
		}
		if visit != nil {
			visit(&s, st, &after)
		}
		s = after
	}
	return nil
}

func opName[S any](sys System[S], op uint16) string {
	if ops := sys.Ops(); int(op) < len(ops) {
		return ops[op]
	}
	return fmt.Sprintf("operation %d", op)
}

// pick returns the first transition of s that wanted accepts, by its place
// among the transitions of s or by its step. The state after it is canonical.
func pick[S any](sys System[S], s *S, wanted func(i int, st Step) bool) (step Step, after S, ok bool) {
	var next S
	i := 0
	sys.Next(s, &next, func(st Step) {
		if !ok && wanted(i, st) {
			step, after, ok = st, next, true
		}
		i++
	})
	if canon := canonizer(sys, uncounted); canon != nil && ok {
		canon(&after)
	}
	return step, after, ok
}
