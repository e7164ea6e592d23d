package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
)

// A claim is a set of properties of a graph, drawn at random.
type claim struct {
	*graph
	bad      map[node]bool        // states that an invariant forbids
	badArc   map[[2]node]bool     // steps that an invariant forbids: node and place of the arc
	mayEnd   func(n node) bool    // nil: deadlocks are not looked for
	goals    []map[node]bool      // states to stay in reach
	helps    func(op uint16) bool // steps that help the second goal
	witness  map[node]bool        // states that should be seen
	distance map[node]int         // to the reachable nodes
	options  search.Options[node]
}

func randomSet(r *rand.Rand, n int, share float64) map[node]bool {
	set := map[node]bool{}
	for i := range n {
		if r.Float64() < share {
			set[node(i)] = true
		}
	}
	return set
}

// randomClaim makes violations about as likely as their absence.
func randomClaim(r *rand.Rand) *claim {
	g := randomGraph(r, 60)
	n := len(g.arcs)
	c := &claim{graph: g, distance: g.distances(), badArc: map[[2]node]bool{}}
	c.bad = randomSet(r, n, 0.5/float64(n)*float64(r.IntN(3)))
	if r.IntN(3) == 0 {
		from := r.IntN(n)
		c.badArc[[2]node{node(from), node(r.IntN(4))}] = true
	}
	if r.IntN(3) == 0 {
		c.mayEnd = func(n node) bool { return n%4 != 0 }
	}
	for range r.IntN(3) {
		c.goals = append(c.goals, randomSet(r, n, 0.3))
	}
	c.helps = func(op uint16) bool { return op != 0 }
	c.witness = randomSet(r, n, 2/float64(n))
	c.options = c.properties()
	return c
}

func (c *claim) properties() search.Options[node] {
	o := search.Options[node]{
		Invariants: []search.Property[node]{
			{Name: "state", State: func(s *node) bool { return !c.bad[*s] }},
			{Name: "step", Step: func(s *node, st search.Step, _ *node) bool { return !c.badArc[[2]node{*s, node(st.Arg)}] }},
		},
		Sometimes: []search.Property[node]{
			{Name: "witness", State: func(s *node) bool { return c.witness[*s] }},
		},
	}
	if c.mayEnd != nil {
		o.End = func(s *node) bool { return c.mayEnd(*s) }
	}
	for i, set := range c.goals {
		g := search.Goal[node]{Name: fmt.Sprint("goal ", i), State: func(s *node) bool { return set[*s] }}
		if i == 1 {
			g.Help = func(st search.Step) bool { return c.helps(st.Op) }
		}
		o.Goals = append(o.Goals, g)
	}
	return o
}

// shortest returns the length of the shortest trace to a violation of safety,
// or -1.
func (c *claim) shortest() int {
	best := -1
	offer := func(length int) {
		if best < 0 || length < best {
			best = length
		}
	}
	for n, d := range c.distance {
		if c.bad[n] {
			offer(d)
		}
		if len(c.arcs[n]) == 0 && c.mayEnd != nil && !c.mayEnd(n) {
			offer(d)
		}
		for i := range c.arcs[n] {
			if c.badArc[[2]node{n, node(i)}] {
				offer(d + 1)
			}
		}
	}
	return best
}

// trapped returns the reachable nodes that cannot reach a goal, each by a search of its own.
func (c *claim) trapped(goal int) map[node]bool {
	trapped := map[node]bool{}
	for n := range c.distance {
		helping := &graph{initial: []node{n}, arcs: make([][]arc, len(c.arcs))}
		for i, arcs := range c.arcs {
			for _, a := range arcs {
				if goal != 1 || c.helps(a.op) {
					helping.arcs[i] = append(helping.arcs[i], a)
				}
			}
		}
		trapped[n] = true
		for m := range helping.distances() {
			if c.goals[goal][m] {
				delete(trapped, n)
			}
		}
	}
	return trapped
}

// lost returns the distance of the nearest trap of any goal, or -1.
func (c *claim) lost() int {
	best := -1
	for goal := range c.goals {
		for n := range c.trapped(goal) {
			if d := c.distance[n]; best < 0 || d < best {
				best = d
			}
		}
	}
	return best
}

func (c *claim) seen() bool {
	for n := range c.distance {
		if c.witness[n] {
			return true
		}
	}
	return false
}

func TestAgainstNaiveSearch(t *testing.T) {
	verdicts := map[string]int{}
	for seed := range uint64(3000) {
		c := randomClaim(rand.New(rand.NewPCG(seed, 0)))
		c.options.Workers = 1 + int(seed%3)
		r := search.BreadthFirst(context.Background(), c, c.options)
		require.Equal(t, c.expect(r), summary(r), "seed %d", seed)
		c.check(t, r)
		kind := ""
		if r.Violation != nil {
			kind = " " + r.Violation.Kind.String()
		}
		verdicts[r.Verdict.String()+kind]++
	}
	for _, v := range []string{"holds", "vacuous", "violated invariant", "violated deadlock", "violated goal"} {
		assert.Greater(t, verdicts[v], 50, v)
	}
}

// An outcome is what the naive search predicts.
type outcome struct {
	verdict                    search.Verdict
	states, transitions, depth int
	length                     int
}

func summary(r search.Result[node]) outcome {
	o := outcome{r.Verdict, int(r.States), int(r.Transitions), r.Depth, -1}
	if r.Violation != nil {
		o.length = len(r.Violation.Trace.Steps)
	}
	return o
}

// expect predicts the result. The counts of a search that a violation ends are taken from
// it: they are compared across workers elsewhere.
func (c *claim) expect(r search.Result[node]) outcome {
	if n := c.shortest(); n >= 0 {
		o := summary(r)
		o.verdict, o.length = search.Violated, n
		return o
	}
	o := outcome{states: len(c.distance), transitions: len(c.initial), length: c.lost()}
	for n, d := range c.distance {
		o.transitions += len(c.arcs[n])
		o.depth = max(o.depth, d)
	}
	switch {
	case o.length >= 0:
		o.verdict = search.Violated
	case !c.seen():
		o.verdict = search.Vacuous
	}
	return o
}

// check replays the trace and looks whether it ends in what the violation claims.
func (c *claim) check(t *testing.T, r search.Result[node]) {
	v := r.Violation
	if v == nil {
		return
	}
	last, before, step := v.Trace.Start, node(0), search.Step{}
	require.Contains(t, c.initial, last)
	err := search.Replay(c, v.Trace, func(s *node, st search.Step, after *node) {
		before, step, last = *s, st, *after
	})
	require.NoError(t, err)
	switch v.Property {
	case "state":
		assert.True(t, c.bad[last])
	case "step":
		assert.True(t, c.badArc[[2]node{before, node(step.Arg)}])
	case "deadlock":
		assert.Empty(t, c.arcs[last])
		assert.False(t, c.mayEnd(last))
	default:
		trapped := c.trapped(int(v.Property[len(v.Property)-1] - '0'))
		assert.True(t, trapped[last])
		assert.EqualValues(t, len(trapped), v.Trap)
	}
}
