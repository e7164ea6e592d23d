package counterexamples

import (
	"context"
	"fmt"

	"fencecheck/invariants"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// trapStates bounds the search that tells whether a goal is out of reach.
const trapStates = 200_000

// A trial is a scenario with one property, on which step sequences are tried.
// It belongs to one goroutine.
type trial struct {
	ctx       context.Context // ends the searches for goals
	scenario  *scenarios.Scenario
	sys       *scenarios.System
	cfg       *cluster.Config
	invariant *invariants.Invariant // nil for a goal
	goal      *invariants.Goal      // nil for an invariant
	trapped   map[string]bool       // by encoded state, what is known already
	key       []byte
}

// newTrial tries a scenario with one property.
func newTrial(ctx context.Context, s *scenarios.Scenario, property string) (*trial, error) {
	only, err := s.Only(property)
	if err != nil {
		return nil, err
	}
	g := &trial{ctx: ctx, scenario: only, sys: only.System(), trapped: map[string]bool{}}
	g.cfg = g.sys.Config()
	if len(only.Goals) > 0 {
		g.goal = only.Goals[0]
	} else {
		g.invariant = only.Invariants[0]
	}
	return g, nil
}

// kind is the kind of violation that the property can have.
func (g *trial) kind() string {
	if g.goal != nil {
		return Goal
	}
	return Invariant
}

// start is the initial state.
func (g *trial) start() cluster.State {
	var s cluster.State
	s.Initial(g.cfg)
	return s
}

// broken tells whether a step breaks the invariant.
func (g *trial) broken(before, after *cluster.State) bool {
	switch {
	case g.invariant == nil:
		return false
	case g.invariant.State != nil:
		return !g.invariant.State(g.cfg, after)
	}
	return !g.invariant.Step(g.cfg, before, after)
}

// try takes steps one after the other and leaves out those that are not
// enabled. It returns those that were taken, to the first that breaks the
// invariant, and whether they violate the property.
func (g *trial) try(steps []search.Step) (taken []search.Step, violated bool) {
	s := g.start()
	var next cluster.State
	for _, st := range steps {
		t, ok := g.sys.Take(&s, &next, st)
		if !ok {
			continue
		}
		taken = append(taken, t)
		if g.broken(&s, &next) {
			return taken, true
		}
		s = next
	}
	return taken, g.goal != nil && g.isTrap(&s)
}

// isTrap tells whether the goal cannot be reached from a state by steps that
// help.
func (g *trial) isTrap(s *cluster.State) bool {
	g.key = g.sys.Append(g.key[:0], s)
	if known, ok := g.trapped[string(g.key)]; ok {
		return known
	}
	r := search.BreadthFirst(g.ctx, search.System[cluster.State](helpFrom{g.sys, s}), search.Options[cluster.State]{
		Workers: 1, MaxStates: trapStates,
		Invariants: []search.Property[cluster.State]{{Name: "out of reach",
			State: func(st *cluster.State) bool { return !g.goal.State(g.cfg, st) }}},
	})
	is := r.Verdict == search.Holds
	if r.Verdict == search.Incomplete {
		return false // unknown, and not to be remembered
	}
	g.trapped[string(g.key)] = is
	return is
}

// helpFrom is a system that starts in a given state and takes no faults.
type helpFrom struct {
	*scenarios.System
	from *cluster.State
}

// Init yields the state to start from.
func (h helpFrom) Init(yield func(*cluster.State)) {
	s := *h.from
	yield(&s)
}

// Next leaves out the faults.
func (h helpFrom) Next(s, next *cluster.State, emit func(search.Step)) {
	h.System.Next(s, next, func(st search.Step) {
		if !ops.Table[st.Op].Fault {
			emit(st)
		}
	})
}

// Fork keeps the start.
func (h helpFrom) Fork() search.System[cluster.State] {
	return helpFrom{h.System.Fork().(*scenarios.System), h.from}
}

// describe names a step for errors: its operation and parameters.
func (g *trial) describe(st search.Step) string {
	text := OpName(st)
	for _, p := range Params(g.cfg, st) {
		text += fmt.Sprintf(" %s=%s", p.Name, p.Value)
	}
	return text
}
