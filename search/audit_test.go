package search_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/search"
)

// clock counts hours and minutes; what is wrong with it is up to the test.
type clock struct{ decode func(src []byte, s *hour) }

type hour struct{ Hour, Minute uint8 }

func (clock) Init(yield func(*hour)) { yield(&hour{}) }
func (clock) Ops() []string          { return []string{"tick"} }
func (clock) Outcomes() []string     { return nil }

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
		assert.PanicsWithValue(t, want, func() { search.BreadthFirst(context.Background(), c, search.Options[hour]{}) })
		assert.PanicsWithValue(t, want, func() { search.DepthFirst(context.Background(), c, search.Options[hour]{}) })
	}
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
