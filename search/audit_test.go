package search_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/search"
	"fencecheck/search/examples/lease"
)

// clock counts hours and minutes; what is wrong with it is up to the test.
type clock struct {
	start  hour
	decode func(src []byte, s *hour)
}

type hour struct{ Hour, Minute uint8 }

func (c clock) Init(yield func(*hour)) { yield(&c.start) }
func (clock) Ops() []string            { return []string{"tick"} }
func (clock) Outcomes() []string       { return nil }

func (clock) Next(s, next *hour, emit func(search.Step)) {
	*next = *s
	if next.Minute = (s.Minute + 1) % 60; next.Minute == 0 {
		next.Hour = (s.Hour + 1) % 24
	}
	emit(search.Step{})
}

func (clock) Append(dst []byte, s *hour) []byte {
	return append(dst, s.Hour, s.Minute)
}

func (c clock) Decode(src []byte, s *hour) {
	if c.decode != nil {
		c.decode(src, s)
		return
	}
	*s = hour{src[0], src[1]}
}

// TestAudit: whoever confuses parts of the state, or does not decode all, is told so.
func TestAudit(t *testing.T) {
	for want, c := range map[string]clock{
		"search: Decode is not the inverse of Append: 0001 was decoded as {Hour:1 Minute:0}, which is encoded as 0100": {
			decode: func(src []byte, s *hour) { *s = hour{src[1], src[0]} },
		},
		"search: Decode is not the inverse of Append: 0001 was decoded as {Hour:0 Minute:0}, which is encoded as 0000": {
			decode: func(src []byte, s *hour) { s.Hour = src[0] },
		},
	} {
		requirePanic(t, want, search.System[hour](c))
	}
}

// requirePanic demands that both kinds of search stop at the first violated promise.
func requirePanic[S any](t *testing.T, want string, sys search.System[S]) {
	t.Helper()
	assert.PanicsWithValue(t, want, func() { search.BreadthFirst(context.Background(), sys, search.Options[S]{}) })
	assert.PanicsWithValue(t, want, func() { search.DepthFirst(context.Background(), sys, search.Options[S]{}) })
}

// forgetful is a lock service whose encoding leaves out the token that the storage took
// last: Append and Decode agree with each other, and still states are lost.
type forgetful struct{ lease.System }

func (f forgetful) Append(dst []byte, s *lease.State) []byte {
	known := *s
	known.Stored = 0
	return f.System.Append(dst, &known)
}

// indifferent says that nothing but the encodings counts.
type indifferent struct{ forgetful }

func (indifferent) Same(_, _ *lease.State) bool { return true }

// TestForgottenField: without the comparison of states the search would prove what is
// wrong, as it does where the system asks for that.
func TestForgottenField(t *testing.T) {
	o := search.Options[lease.State]{Invariants: []search.Property[lease.State]{lease.InOrder}}
	assert.Equal(t, search.Violated, search.BreadthFirst(context.Background(), lease.System{}, o).Verdict)
	assert.Equal(t, search.Holds, search.BreadthFirst(context.Background(), indifferent{}, o).Verdict)
	requirePanic(t, "search: Decode is not the inverse of Append: {Last:1 Held:true Clients:[0 1] Stored:1} was encoded as 0101000001,"+
		" which is decoded as {Last:1 Held:true Clients:[0 1] Stored:0} (a Comparer says what may differ)", forgetful{})
}

// minutes is a clock for which the hour does not matter, and which says so.
type minutes struct{ clock }

func (m minutes) Append(dst []byte, s *hour) []byte { return append(dst, s.Minute) }
func (m minutes) Decode(src []byte, s *hour)        { *s = hour{Minute: src[0]} }
func (m minutes) Same(a, b *hour) bool              { return a.Minute == b.Minute }

// ahead is the same clock, whose Decode comes too late.
type ahead struct{ minutes }

func (a ahead) Same(x, y *hour) bool { return x.Minute+1 == y.Minute }

// TestComparer: what a system leaves out on purpose may differ, and nothing else.
func TestComparer(t *testing.T) {
	r := search.BreadthFirst(context.Background(), minutes{clock{start: hour{Hour: 5}}}, search.Options[hour]{})
	assert.Equal(t, search.Holds, r.Verdict)
	assert.EqualValues(t, 60, r.States)
	requirePanic(t, "search: Decode is not the inverse of Append: {Hour:5 Minute:0} was encoded as 00,"+
		" which is decoded as {Hour:0 Minute:0} (a Comparer says what may differ)", ahead{minutes{clock{start: hour{Hour: 5}}}})
}

// steps is a clock whose steps are up to the test.
type steps struct {
	clock
	emit []search.Step
}

func (c steps) Next(s, next *hour, emit func(search.Step)) {
	c.clock.Next(s, next, func(search.Step) {
		for _, st := range c.emit {
			emit(st)
		}
	})
}

// TestSteps: every step has an operation and an outcome with a name, and no other step
// of its state has its operation and argument.
func TestSteps(t *testing.T) {
	for want, emit := range map[string][]search.Step{
		"search: two steps of one state share the operation tick and the argument 0x2": {{Arg: 2}, {Arg: 1}, {Arg: 2}},
		"search: a step has Op 1, but there are 1 Ops":                                 {{}, {Op: 1}},
		"search: a step of tick has Outcome 1, but there are 1 Outcomes":               {{}, {Arg: 1, Outcome: 1}},
	} {
		requirePanic(t, want, search.System[hour](steps{emit: emit}))
	}
	r := search.BreadthFirst(context.Background(), steps{emit: []search.Step{{Arg: 1}, {Arg: 2}}}, search.Options[hour]{})
	assert.Equal(t, search.Holds, r.Verdict)
}

// TestUrgentSteps: urgent steps must have names as well.
func TestUrgentSteps(t *testing.T) {
	requirePanic(t, "search: a step has Op 9, but there are 1 Ops", search.System[hour](eager{}))
}

// eager is a clock that passes every odd minute at once.
type eager struct{ clock }

func (eager) Urgent(s, next *hour) (search.Step, bool) {
	*next = hour{s.Hour, s.Minute + 1}
	return search.Step{Op: 9}, s.Minute%2 == 1
}

// TestNoOutcomes: a system without outcomes need not say so.
func TestNoOutcomes(t *testing.T) {
	r := search.BreadthFirst(context.Background(), clock{}, search.Options[hour]{})
	assert.EqualValues(t, 24*60, r.States)
	assert.Equal(t, []int64{24 * 60}, r.OutcomeCounts)
	d := search.DepthFirst(context.Background(), clock{}, search.Options[hour]{})
	assert.Equal(t, r.OutcomeCounts, d.OutcomeCounts)
	w := search.Walk(context.Background(), clock{}, search.WalkOptions[hour]{Steps: 10})
	assert.Equal(t, []int64{10}, w.OutcomeCounts)
}

func TestTraceText(t *testing.T) {
	noon := search.Property[hour]{Name: "young", State: func(s *hour) bool { return s.Minute < 2 }}
	r := search.BreadthFirst(context.Background(), clock{}, search.Options[hour]{Invariants: []search.Property[hour]{noon}})
	assert.Equal(t, "0           {Hour:0 Minute:0}\n1  tick(0)  {Hour:0 Minute:1}\n2  tick(0)  {Hour:0 Minute:2}\n", r.Violation.Trace.Text(clock{}))

	wrong := search.Trace[hour]{Steps: []search.Step{{Op: 1, Arg: 3}}}
	assert.Equal(t, "0    {Hour:0 Minute:0}\n1 is not enabled: operation 1(3)\n", wrong.Text(clock{}))
	g := chain(3)
	g.arcs[0][0].out, g.arcs[1][0].out = 1, 7
	r2 := search.Trace[node]{Steps: []search.Step{{Outcome: 1}, {}}}
	assert.Equal(t, "0                  0\n1  a(0) x          1\n2  a(0) outcome 7  2\n", r2.Text(g))
}
