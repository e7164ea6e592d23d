package conform

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"fencecheck/search"
)

// plannedSeats bounds the groups whose triples are enumerated: with a third id
// a few triples are added, and ten times the states.
const plannedSeats = 2

// plan is what the model says can happen, and how to make it happen.
type plan struct {
	sequences []sequence
	reachable map[Triple]bool
	unreal    map[Triple]string // cannot be provoked, and why
}

// explorer notes what a breadth-first search passes.
type explorer struct {
	trail[state, step]
	game   game
	limits limits
}

// observe is called for every transition, in the order of the search. A state
// is found first by a shortest path.
func (e *explorer) observe(before *state, st search.Step, after *state) bool {
	s := unpack(op(st.Op), st.Arg)
	r, _ := before.resolve(s)
	o := e.game.decide(before, r)
	t := triple(before, r, &o)
	if reason := e.unprovokable(before, r, t); reason != "" {
		e.unreal[t] = reason
		return true
	}
	e.pass(*before, *after, s, t, *before == *after && o.Own != nil && len(o.Others) == 0)
	return true
}

// unprovokable says why a step cannot be made on this broker, "" if it can.
func (e *explorer) unprovokable(before *state, r request, t Triple) string {
	switch reason := e.game.avoided(t.Request, t.State); {
	case reason != "":
		return reason
	case unreal(before, r):
		return newMemberTimer
	case r.Step.Op == sessionTimer && before.Group.InitialDelay && e.limits.withinDelay() == 0:
		return shortDelay
	}
	return ""
}

// The reasons for which a triple cannot be provoked over the wire.
const (
	shortDelay     = "it needs a session that ends within the initial delay, and the broker's shortest session does not"
	newMemberTimer = "a member that has not completed a join has a timer of five minutes, whatever session it asks for"
	noInitialDelay = "the broker has no initial delay (group.initial.rebalance.delay.ms=0), so nothing can happen during it"
	noWalk         = "the sequences that lead there ended early, with a difference or because the broker chose otherwise"
)

// explore enumerates what a group can go through under g.
func explore(ctx context.Context, g game, l limits) (*explorer, error) {
	e := &explorer{newTrail[state, step](start()), g, l}
	y := system{g, plannedSeats}
	search.BreadthFirst(ctx, y, search.Options[state]{Workers: 1,
		Invariants: []search.Property[state]{{Name: "observed", Step: e.observe}}})
	return e, ctx.Err()
}

// makePlan enumerates every triple, and the shortest sequences to each.
func makePlan(ctx context.Context, g game, l limits) (*plan, error) {
	e, err := explore(ctx, g, l)
	if err != nil {
		return nil, err
	}
	p := &plan{reachable: map[Triple]bool{}, unreal: e.unreal}
	for t := range e.first {
		p.reachable[t] = true
		delete(p.unreal, t)
	}
	p.sequences = e.routes()
	if g.instant {
		err = p.addDelayed(ctx, g, l)
	}
	for t := range p.unreal {
		p.reachable[t] = true
	}
	return p, err
}

// addDelayed notes what could be reached if only the broker had an initial
// delay.
func (p *plan) addDelayed(ctx context.Context, g game, l limits) error {
	g.instant = false
	e, err := explore(ctx, g, l)
	for t := range e.first {
		if !p.reachable[t] {
			p.unreal[t] = noInitialDelay
		}
	}
	return err
}

// sortedTriples makes a plan the same for every run.
func sortedTriples[V any](all map[Triple]V) []Triple {
	return slices.SortedFunc(maps.Keys(all), compareTriples)
}

func compareTriples(a, b Triple) int {
	return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.State, b.State), cmp.Compare(a.Answer, b.Answer))
}
