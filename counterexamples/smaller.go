package counterexamples

import (
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// maxStates bounds the search of one smaller scenario: one that is too large
// is not proposed.
const maxStates = 300_000

// smallest looks for the smallest scenario that still violates the property,
// in no more steps than are known.
func (g *trial) smallest(steps []search.Step) (*trial, []search.Step) {
	for changed := true; changed; {
		changed = false
		for _, change := range g.scenario.Definition.Smaller() {
			for {
				smaller, shorter, ok := g.changed(change, steps)
				if !ok {
					break
				}
				g, steps, changed = smaller, shorter, true
			}
		}
	}
	return g, steps
}

// changed tries one change.
func (g *trial) changed(change scenarios.Change, steps []search.Step) (*trial, []search.Step, bool) {
	applies := false
	s, err := g.scenario.Change(func(d *scenarios.Definition) { applies = change(d) })
	if err != nil || !applies {
		return nil, nil, false
	}
	smaller, err := newTrial(g.ctx, s, g.property())
	if err != nil {
		return nil, nil, false
	}
	if shorter, ok := smaller.shortest(len(steps)); ok {
		return smaller, shorter, true
	}
	if taken, ok := smaller.try(steps); ok && len(taken) <= len(steps) {
		return smaller, taken, true
	}
	return nil, nil, false
}

func (g *trial) property() string {
	if g.goal != nil {
		return g.goal.Name
	}
	return g.invariant.Name
}

// shortest searches for a violation of at most so many steps.
func (g *trial) shortest(most int) ([]search.Step, bool) {
	o := g.scenario.Options()
	o.MaxStates = maxStates
	if g.goal == nil { // a trap shows only when everything has been explored
		o.MaxDepth = most
	}
	r := search.BreadthFirst(g.ctx, search.System[cluster.State](g.sys), o)
	if r.Violation == nil || len(r.Violation.Trace.Steps) > most {
		return nil, false
	}
	return r.Violation.Trace.Steps, true
}
