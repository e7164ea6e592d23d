package counterexamples

import (
	"slices"

	"fencecheck/model/cluster"
	"fencecheck/search"
)

// maxOrders bounds how many partial orders of the same steps are kept at once.
const maxOrders = 20_000

// switches counts how often the story goes from one lane to another.
func (g *trial) switches(steps []search.Step) int {
	s := g.start()
	var next cluster.State
	n, last := 0, -1
	for i, st := range steps {
		lane := laneOf(&s, st)
		if i > 0 && lane != last {
			n++
		}
		last = lane
		if _, ok := g.sys.Take(&s, &next, st); !ok {
			break
		}
		s = next
	}
	return n
}

// A prefix is the best way found so far to take some of the steps and arrive
// in one state with one lane having the word.
type prefix struct {
	state    cluster.State
	left     []uint8 // how often each kind of step remains
	steps    []search.Step
	lane     int // of the last step
	switches int
}

// better orders prefixes that lead to the same place.
func (p *prefix) better(q *prefix) bool {
	if p.switches != q.switches {
		return p.switches < q.switches
	}
	return compareSteps(p.steps, q.steps) < 0
}

// calmest returns, of all orders in which the same steps show the violation,
// the one that goes the fewest times from one lane to another; of several the
// first in the order of the operations' table. Layer by layer it keeps the
// best prefix for each state, rest of steps, and lane. Where there are too many
// it leaves the steps as they are.
func (g *trial) calmest(steps []search.Step) []search.Step {
	kinds, counts := kindsOf(steps)
	layer := []*prefix{{state: g.start(), left: counts}}
	for depth := range steps {
		last := depth == len(steps)-1
		found := map[string]*prefix{}
		for _, p := range layer {
			g.extend(p, kinds, last, found)
		}
		if len(found) > maxOrders {
			return steps
		}
		layer = layer[:0]
		for _, p := range found {
			layer = append(layer, p)
		}
	}
	best := &prefix{steps: steps, switches: g.switches(steps)}
	for _, p := range layer {
		if p.better(best) {
			best = p
		}
	}
	return best.steps
}

// kindsOf lists the different steps, and how often each occurs.
func kindsOf(steps []search.Step) (kinds []search.Step, counts []uint8) {
	for _, st := range steps {
		i := slices.IndexFunc(kinds, func(k search.Step) bool { return compareStep(k, st) == 0 })
		if i < 0 {
			i = len(kinds)
			kinds, counts = append(kinds, st), append(counts, 0)
		}
		counts[i]++
	}
	return kinds, counts
}

// extend takes each step that remains, where it is enabled. A prefix that
// breaks the invariant is whole.
func (g *trial) extend(p *prefix, kinds []search.Step, last bool, found map[string]*prefix) {
	var next cluster.State
	for i, st := range kinds {
		if p.left[i] == 0 {
			continue
		}
		taken, ok := g.sys.Take(&p.state, &next, st)
		if !ok || g.broken(&p.state, &next) != (last && g.invariant != nil) || last && g.goal != nil && !g.isTrap(&next) {
			continue
		}
		q := &prefix{state: next, left: slices.Clone(p.left), switches: p.switches,
			steps: append(slices.Clone(p.steps), taken), lane: laneOf(&p.state, taken)}
		q.left[i]--
		if len(p.steps) > 0 && q.lane != p.lane {
			q.switches++
		}
		g.key = append(g.sys.Append(g.key[:0], &next), q.left...)
		g.key = append(g.key, byte(q.lane))
		if known, ok := found[string(g.key)]; !ok || q.better(known) {
			found[string(g.key)] = q
		}
	}
}
