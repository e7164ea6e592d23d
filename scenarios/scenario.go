// Package scenarios has the ready scenarios, loads further ones from YAML, and
// binds a scenario's configuration, operations and invariants into a system
// that package search can explore:
//
//	s, _ := scenarios.ByID("classic-eager")
//	result := search.BreadthFirst(ctx, s.System(), s.Options())
//
// A further knob is a field of Definition, with its key, and a row in one of the
// tables that make up Knobs; the loader, the command and its results, saved
// counterexamples and the minimiser need no more. A fault or a request that may
// travel needs nothing here: its row in package model is enough.
package scenarios

import (
	"slices"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/search"
)

// Scenario is one question to the model: who takes part, what may go wrong, and
// what must hold.
type Scenario struct {
	ID         string
	Title      string
	Doc        string
	Path       string     // the file it came from; empty for the embedded ones
	Definition Definition // as it was written
	Config     cluster.Config
	Invariants []*invariants.Invariant
	Goals      []*invariants.Goal
	Witnesses  []*invariants.Witness
	Expect     Expect
	// Caught says what is found when mutations are switched on.
	Caught []Caught
}

// Expect is what a search of a scenario finds.
type Expect struct {
	Verdict  search.Verdict
	Property string // what is violated
	Length   int    // of the shortest counterexample
}

// Caught is what is found with mutations on.
type Caught struct {
	Mutations model.Mutations
	Property  string
	Length    int
}

// With is the scenario with further mutations switched on.
func (s *Scenario) With(m model.Mutations) *Scenario {
	c := *s
	c.Definition.Mutations = slices.Clone(c.Definition.Mutations)
	for _, id := range m.List() {
		if !c.Config.Rules.Off.Has(id) {
			c.Definition.Mutations = append(c.Definition.Mutations, id.String())
		}
		c.Config.Rules.Off = c.Config.Rules.Off.With(id)
	}
	return &c
}

// Only is the scenario with one of its properties, or with any other, as its
// only property.
func (s *Scenario) Only(property string) (*Scenario, error) {
	c := *s
	c.Invariants, c.Goals = nil, nil
	c.Definition.Invariants, c.Definition.Goals, c.Definition.Witnesses = nil, nil, nil
	if i, ok := invariants.ByName(property); ok {
		c.Invariants, c.Definition.Invariants = []*invariants.Invariant{i}, []string{property}
	} else if g, ok := invariants.GoalByName(property); ok {
		c.Goals, c.Definition.Goals = []*invariants.Goal{g}, []string{property}
	} else {
		return nil, Unknown("invariant or goal", property, PropertyNames())
	}
	c.demandWitnesses()
	return &c, nil
}

// demandWitnesses demands the witness of each property that is checked: what
// holds where its danger never arose is no result. A scenario that names its
// witnesses has chosen others.
func (s *Scenario) demandWitnesses() {
	s.Witnesses = nil
	demand := func(name string) {
		if w, ok := invariants.WitnessByName(name); ok && !slices.Contains(s.Witnesses, w) {
			s.Witnesses = append(s.Witnesses, w)
		}
	}
	for _, i := range s.Invariants {
		demand(i.Witness)
	}
	for _, g := range s.Goals {
		demand(g.Witness)
	}
}

// PropertyNames lists the invariants and goals.
func PropertyNames() []string {
	var names []string
	for i := range invariants.All {
		names = append(names, invariants.All[i].Name)
	}
	for i := range invariants.Goals {
		names = append(names, invariants.Goals[i].Name)
	}
	return names
}
