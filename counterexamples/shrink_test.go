package counterexamples

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// leastShare is how often at least the length must be the shortest after
// shrink alone; 0.69 was measured (0.79 among groups alone). What shrink misses, Minimal finds by search.
const leastShare = 0.6

// A tally counts how often a minimised failure had the shortest length.
type tally struct{ found, equal int }

func (n *tally) check(t *testing.T) {
	t.Helper()
	t.Logf("minimised to the shortest length: %d of %d", n.equal, n.found)
	if n.found == 0 || float64(n.equal) < leastShare*float64(n.found) {
		t.Errorf("only %d of %d random failures were minimised to the shortest length", n.equal, n.found)
	}
}

// Random failures are minimised, over all mutations that the scenarios say are
// found: no step is to spare, and the length is compared with the shortest.
func TestShrinkOverAllMutations(t *testing.T) {
	const seeds = 5
	var all tally
	for i, target := range targets() {
		if testing.Short() && i%8 != 0 { // as with the race detector
			continue
		}
		met := 0
		for seed := range uint64(seeds) {
			f, ok := randomFailure(t, target, seed)
			if !ok {
				continue
			}
			if met++; met == 1 {
				minimalIsShortest(t, target, f)
			}
			all.add(t, target, f)
		}
		if met == 0 {
			t.Logf("%-70s not met by random runs", label(target))
		}
	}
	all.check(t)
}

// shrunk leaves out of a violation all that it does not need, and searches for
// nothing else.
func shrunk(s *scenarios.Scenario, f Found) ([]search.Step, error) {
	g, steps, err := trialOf(context.Background(), s, f)
	if err != nil {
		return nil, err
	}
	return g.shrink(steps), nil
}

// add minimises one failure by shrink and compares with the shortest.
func (n *tally) add(t *testing.T, s *scenarios.Scenario, f Found) {
	t.Helper()
	g, steps, err := trialOf(context.Background(), s, f)
	if err != nil {
		t.Fatal(err)
	}
	steps = g.shrink(steps)
	noStepToSpare(t, label(s), &Counterexample{Property: f.Property, Scenario: g.scenario, Steps: steps})
	best, ok := g.shortest(len(steps))
	if !ok {
		t.Logf("%-70s %-20s too large to search", label(s), f.Property)
		return
	}
	n.found++
	verdict := "LONGER"
	if len(best) == len(steps) {
		verdict = ""
		n.equal++
	}
	t.Logf("%-70s %-20s %3d steps, minimised %2d, shortest %2d %s", label(s), f.Property, len(f.Steps), len(steps), len(best), verdict)
}

// minimalIsShortest demands that a random failure becomes as short as what a
// search finds.
func minimalIsShortest(t *testing.T, s *scenarios.Scenario, f Found) {
	t.Helper()
	c, err := Minimal(context.Background(), s, f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := newTrial(context.Background(), s, f.Property)
	if err != nil {
		t.Fatal(err)
	}
	if best, ok := g.shortest(len(c.Steps) - 1); ok {
		t.Errorf("%s: minimal has %d steps, the shortest %d", label(s), len(c.Steps), len(best))
	}
	if d, err := Replay(c); err != nil || d != nil {
		t.Errorf("%s: %v, %v", label(s), d, err)
	}
	noStepToSpare(t, label(s), c)
}

// targets has a scenario for every mutation, or combination, that some
// scenario says is found: the one that needs the fewest steps.
func targets() []*scenarios.Scenario {
	best := map[model.Mutations]int{}
	var all []*scenarios.Scenario
	var lengths []int
	for _, s := range scenarios.All() {
		for _, c := range s.Caught {
			only, err := s.With(c.Mutations).Only(c.Property)
			if err != nil {
				panic(err)
			}
			i, ok := best[c.Mutations]
			switch {
			case !ok:
				best[c.Mutations] = len(all)
				all, lengths = append(all, only), append(lengths, c.Length)
			case c.Length < lengths[i]:
				all[i], lengths[i] = only, c.Length
			}
		}
	}
	return all
}

func label(s *scenarios.Scenario) string {
	return s.ID + " " + strings.Join(s.Definition.Mutations, " ")
}

// randomFailure takes random runs until one fails. Those that a goal is checked
// on fail when they end where it is out of reach.
func randomFailure(t *testing.T, s *scenarios.Scenario, seed uint64) (Found, bool) {
	t.Helper()
	if len(s.Goals) == 0 {
		r := search.Walk(context.Background(), s.System(), search.WalkOptions[cluster.State]{
			Invariants: s.Options().Invariants, Seed: seed, Runs: 1000, Steps: 80})
		if r.Violation == nil {
			return Found{}, false
		}
		return Found{r.Violation.Property, r.Violation.Trace.Steps}, true
	}
	g, err := newTrial(context.Background(), s, s.Goals[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	for range 30 {
		steps := g.randomRun(random, 25)
		if _, ok := g.try(steps); ok {
			return Found{s.Goals[0].Name, steps}, true
		}
	}
	return Found{}, false
}

func (g *trial) randomRun(random *rand.Rand, most int) []search.Step {
	s := g.start()
	var next, drawn cluster.State
	var steps []search.Step
	for range most {
		n := 0
		var step search.Step
		g.sys.Next(&s, &next, func(st search.Step) {
			if n++; random.IntN(n) == 0 {
				drawn, step = next, st
			}
		})
		if n == 0 {
			break
		}
		steps = append(steps, step)
		s = drawn
	}
	return steps
}

// Steps that do not show what is claimed are refused.
func TestShrinkRefuses(t *testing.T) {
	c := Saved()["zombie-commit"]
	if _, err := shrunk(c.Scenario, Found{c.Property, c.Steps[:5]}); err == nil {
		t.Error("a harmless run was taken")
	}
	if _, err := shrunk(c.Scenario, Found{"no-such-thing", c.Steps}); err == nil {
		t.Error("an unknown property was taken")
	}
	if _, err := Minimal(context.Background(), c.Scenario, Found{c.Property, c.Steps[:5]}); err == nil {
		t.Error("a harmless run was taken as minimal")
	}
}

// calmest finds the best of all orders, as trying them all shows.
func TestCalmestIsBest(t *testing.T) {
	for name, c := range Saved() {
		g, err := newTrial(context.Background(), c.Scenario, c.Property)
		if err != nil {
			t.Fatal(err)
		}
		best := &prefix{steps: c.Steps, switches: g.switches(c.Steps)}
		orders := 0
		var explore func(p *prefix)
		explore = func(p *prefix) {
			if len(p.steps) == len(c.Steps) {
				orders++
				if p.better(best) {
					best = p
				}
				return
			}
			for i := range p.left {
				if p.left[i] == 0 {
					continue
				}
				q := g.taken(p, i, c.Steps)
				if q != nil {
					explore(q)
				}
			}
		}
		_, counts := kindsOf(c.Steps)
		explore(&prefix{state: g.start(), left: counts})
		if orders == 0 || compareSteps(best.steps, c.Steps) != 0 {
			t.Errorf("%s: of %d orders another one is better", name, orders)
		}
		t.Logf("%s: %d orders, %d switches", name, orders, g.switches(c.Steps))
	}
}

// taken is the naive way to take one more step.
func (g *trial) taken(p *prefix, i int, all []search.Step) *prefix {
	kinds, _ := kindsOf(all)
	var next cluster.State
	st, ok := g.sys.Take(&p.state, &next, kinds[i])
	last := len(p.steps) == len(all)-1
	switch {
	case !ok, g.broken(&p.state, &next) != (last && g.invariant != nil), last && g.goal != nil && !g.isTrap(&next):
		return nil
	}
	steps := append(append([]search.Step(nil), p.steps...), st)
	q := &prefix{state: next, left: append([]uint8(nil), p.left...), steps: steps, switches: p.switches, lane: laneOf(&p.state, st)}
	if len(p.steps) > 0 && q.lane != p.lane {
		q.switches++
	}
	q.left[i]--
	return q
}
