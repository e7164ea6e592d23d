package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
)

// explore searches with several numbers of workers, which must all agree.
func explore(t *testing.T, args string, several ...int) search.Result[state] {
	t.Helper()
	f, o, err := parse(strings.Fields(args))
	require.NoError(t, err)
	var first search.Result[state]
	for i, workers := range several {
		o.Workers = workers
		r := search.BreadthFirst(context.Background(), f, o)
		r.Elapsed = 0
		if i == 0 {
			first = r
		}
		require.Equal(t, first, r, "%d workers", workers)
	}
	return first
}

// TestCounts compares with TLC, SPIN, Stateright, Rumur, CMurphi and LTSmin. The
// larger sizes that they agree on take too long for a test.
func TestCounts(t *testing.T) {
	for _, want := range []struct {
		args                string
		states, transitions int64
		depth               int
		workers             []int
	}{
		{"2 2 2 2 2", 187_743, 1_619_640, 29, []int{1, 2, 3, 8}},
		{"3 2 2 1 3", 320_829, 3_230_730, 28, []int{2}},
		{"2 2 2 2 3", 307_171, 3_147_858, 30, []int{2}},
	} {
		t.Run(want.args, func(t *testing.T) {
			r := explore(t, want.args, want.workers...)
			assert.Equal(t, search.Holds, r.Verdict)
			assert.Equal(t, want.states, r.States)
			assert.Equal(t, want.transitions, r.Transitions)
			assert.Equal(t, want.depth, r.Depth)
			for op, n := range r.OpCounts {
				assert.NotZero(t, n, ops[op])
			}
			for i, n := range r.OutcomeCounts {
				assert.NotZero(t, n, outcomes[i])
			}
		})
	}
}

// TestBug: without the check a stale commit is accepted after 9 steps, and an offset
// moves back after 14.
func TestBug(t *testing.T) {
	for bug, length := range map[string]int{"i2": 9, "i3": 14} {
		for _, size := range []string{"2 2 2 2 2", "2 1 2 2 2", "3 2 2 2 3"} {
			r := explore(t, "-bug "+bug+" "+size, 1, 2, 3, 8)
			require.Equal(t, search.Violated, r.Verdict)
			assert.Equal(t, strings.ToUpper(bug), r.Violation.Property)
			assert.Len(t, r.Violation.Trace.Steps, length, "%s %s", bug, size)
			f, _, err := parse(strings.Fields("-bug " + bug + " " + size))
			require.NoError(t, err)
			assert.NoError(t, search.Replay(f, r.Violation.Trace, nil))
		}
	}
}

// TestLimits walks in the largest sizes, where fields of the packed state would
// run into each other first.
func TestLimits(t *testing.T) {
	f, o, err := parse(strings.Fields("3 4 4 3 3"))
	require.NoError(t, err)
	r := search.Walk(context.Background(), f, search.WalkOptions[state]{
		Invariants: append(o.Invariants, search.Property[state]{Name: "round trip", State: func(s *state) bool {
			var back state
			f.Decode(f.Append(nil, s), &back)
			return back == *s
		}}),
		Sometimes: []search.Property[state]{
			{Name: "last generation", State: func(s *state) bool { return s.generation() == 4 }},
			{Name: "highest offset", State: func(s *state) bool { return s.committed(3) == 3 }},
			{Name: "last message", State: func(s *state) bool { return s.Net[2]>>message(4, 3) != 0 }},
			{Name: "full network", State: func(s *state) bool { return f.sent(s) == 3 }},
		},
		Runs: 3000, Steps: 300,
	})
	assert.Equal(t, search.Holds, r.Verdict, "%v", r.Seen)
}

// TestLayout sets fields in turn and expects no other to change.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var s state
	var members [maxMembers]member
	var committed [maxPartitions]uint32
	var phase, ghost uint64
	for range 1000 {
		m, p := r.IntN(maxMembers), r.IntN(maxPartitions)
		members[m] = member(r.Uint32N(memberMask + 1))
		committed[p] = r.Uint32N(maxOffset + 1)
		phase, ghost = r.Uint64N(4), r.Uint64N(3)
		s.setMember(m, members[m])
		s.commit(p, committed[p])
		s.setPhase(phase)
		s.setErr(ghost)
		for m, want := range members {
			require.Equal(t, want, s.member(m))
		}
		for p, want := range committed {
			require.Equal(t, want, s.committed(p))
		}
		require.Equal(t, phase, s.phase())
		require.Equal(t, ghost, s.err())
		require.Zero(t, s.generation())
	}
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		output string
	}{
		{"-workers 2 2 1 1 1 1", 0, `^distinct=\d+ generated=\d+ depth=\d+ seconds=\d+\.\d\d verdict=holds\n$`},
		{"-bug i2 2 2 2 2 2", 1, `^distinct=\d+ generated=\d+ depth=9 seconds=\d+\.\d\d verdict=violated\n$`},
		{"-bug i3 -workers 1 2 2 2 2 2", 1, `depth=14 .*verdict=violated`},
		{"2 2 2 2", 2, `^fence: 4 arguments, want five: N P G K B\nusage: `},
		{"4 2 2 2 2", 2, `^fence: N is "4": must be a number from 1 to 3\n`},
		{"3 2 x 2 2", 2, `^fence: G is "x": must be a number from 0 to 4\n`},
		{"-bug i4 2 2 2 2 2", 2, `^fence: -bug i4: must be i2 or i3\n`},
		{"-workers -1 2 2 2 2 2", 2, `^fence: -workers -1: must not be negative`},
		{"-fast 2 2 2 2 2", 2, `^fence: flag provided but not defined: -fast\n`},
	} {
		var stdout, stderr strings.Builder
		status := run(strings.Fields(c.args), &stdout, &stderr)
		assert.Equal(t, c.status, status, c.args)
		assert.Regexp(t, regexp.MustCompile(c.output), stdout.String()+stderr.String(), c.args)
		assert.Equal(t, c.status == 2, stdout.Len() == 0, fmt.Sprint(c.args, ": only results belong on standard output"))
	}
}
