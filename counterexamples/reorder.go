package counterexamples

import (
	"slices"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// maxOrders bounds how many partial orders of the same steps are kept at once.
const maxOrders = 20_000

// The lanes that are no client's.
const (
	coordinatorLane   = model.MaxClients
	administratorLane = model.MaxClients + 1
)

// laneOf is whose story a step belongs to: what happens to a client's process
// is part of that client's.
func laneOf(st search.Step) int {
	op := &ops.Table[st.Op]
	switch {
	case op.Actor == ops.ByCoordinator:
		return coordinatorLane
	case op.Params[0] == ops.Client:
		return int(ops.Unpack(st.Arg).A)
	}
	return administratorLane
}

// switches counts how often the story goes from one lane to another.
func switches(steps []search.Step) int {
	n := 0
	for i := 1; i < len(steps); i++ {
		if laneOf(steps[i]) != laneOf(steps[i-1]) {
			n++
		}
	}
	return n
}

// A prefix is the best way found so far to take some of the steps and arrive
// in one state with one lane having the word.
type prefix struct {
	state    model.State
	left     []uint8 // how often each kind of step remains
	steps    []search.Step
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
func (g *stage) calmest(steps []search.Step) []search.Step {
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
	best := &prefix{steps: steps, switches: switches(steps)}
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
func (g *stage) extend(p *prefix, kinds []search.Step, last bool, found map[string]*prefix) {
	var next model.State
	for i, st := range kinds {
		if p.left[i] == 0 {
			continue
		}
		taken, ok := g.sys.Take(&p.state, &next, st)
		if !ok || g.broken(&p.state, &next) != (last && g.invariant != nil) || last && g.goal != nil && !g.isTrap(&next) {
			continue
		}
		q := &prefix{state: next, left: slices.Clone(p.left), switches: p.switches,
			steps: append(slices.Clone(p.steps), taken)}
		q.left[i]--
		if n := len(p.steps); n > 0 && laneOf(taken) != laneOf(p.steps[n-1]) {
			q.switches++
		}
		g.key = append(g.sys.Append(g.key[:0], &next), q.left...)
		g.key = append(g.key, byte(laneOf(taken)))
		if known, ok := found[string(g.key)]; !ok || q.better(known) {
			found[string(g.key)] = q
		}
	}
}
