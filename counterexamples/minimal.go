package counterexamples

import (
	"context"
	"fmt"

	"fencecheck/scenarios"
	"fencecheck/search"
)

// Minimal makes a counterexample of a violation: the fewest steps, none of
// which can be left out; the smallest scenario that still shows it; and of the
// shortest stories the one that goes the fewest times from one actor to
// another. When ctx ends, it makes do with what it has.
//
// The same violation gives the same counterexample, whatever the number of
// workers of the searches.
func Minimal(ctx context.Context, s *scenarios.Scenario, f Found) (*Counterexample, error) {
	g, steps, err := trialOf(context.WithoutCancel(ctx), s, f)
	if err != nil {
		return nil, err
	}
	g.ctx = ctx
	steps = g.shrink(steps)
	if shorter, ok := g.shortest(len(steps)); ok {
		steps = shorter
	}
	g, steps = g.smallest(steps)
	steps = g.calmest(g.shrink(steps))

	return newCounterexample(context.WithoutCancel(ctx), g.scenario, f.Property, steps)
}

// trialOf is a trial of a violation: its scenario, and of its steps those that
// can be taken.
func trialOf(ctx context.Context, s *scenarios.Scenario, f Found) (*trial, []search.Step, error) {
	g, err := newTrial(ctx, s, f.Property)
	if err != nil {
		return nil, nil, err
	}
	steps, ok := g.try(f.Steps)
	if !ok {
		return nil, nil, fmt.Errorf("the %d steps do not violate %s in %s", len(f.Steps), f.Property, s.ID)
	}
	return g, steps, nil
}

// newCounterexample tells the story of steps that violate one property.
func newCounterexample(ctx context.Context, s *scenarios.Scenario, property string, steps []search.Step) (*Counterexample, error) {
	g, err := newTrial(ctx, s, property)
	if err != nil {
		return nil, err
	}
	only, err := g.scenario.Change(func(d *scenarios.Definition) {
		d.Doc, d.Caught, d.Witnesses = "", nil, nil
		d.Expect = scenarios.Expectation{Verdict: "violated", Property: property, Length: len(steps)}
	})
	if err != nil {
		return nil, err
	}
	c := &Counterexample{Title: s.Title, Version: Version, Property: property, Kind: g.kind(), Scenario: only, Steps: steps}
	story, err := Tell(c)
	if err != nil {
		return nil, err
	}
	c.Story = story.Ending
	return c, nil
}
