package groups

import (
	"context"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model/classic"
	"fencecheck/search"
)

// system is one group as package search explores it: every request that any
// process could send, and every timer, in every state.
type system struct {
	frame.Coded[state]
	game   game
	limits admin.Limits
	steps  *frame.Index[Step]
}

func newSystem(g game, l admin.Limits) system {
	return system{frame.Coded[state]{Fields: (*state).code, Names: opNames()}, g, l, frame.NewIndex[Step]()}
}

// plannedSeats bounds the groups whose triples are enumerated: with a third id
// a few triples are added, and ten times the states.
const plannedSeats = 2

// Init yields the group that does not exist.
func (y system) Init(yield func(*state)) {
	s := start()
	yield(&s)
}

// Next calls emit for every step and every choice in it.
func (y system) Next(s, next *state, emit func(search.Step)) {
	s.steps(plannedSeats, func(st Step) {
		r, ok := s.resolve(st)
		if !ok {
			return
		}
		for _, o := range y.game.outcomes(s, r) {
			if o.Full {
				continue
			}
			st.Choice = o.Choice
			*next = o.After.canonical()
			if unreal(s, &r) {
				*next = *s
			}
			emit(search.Step{Op: uint16(st.Op), Arg: y.steps.Number(st)})
		}
	})
}

// unreal: the timer of a member that has not been part of a completed
// rebalance is five minutes long, whatever the member asks for
// (GroupCoordinatorConfig.CLASSIC_GROUP_NEW_MEMBER_JOIN_TIMEOUT_MS).
func unreal(s *state, r *request) bool {
	m := s.find(r.MemberID)
	return r.Step.Op == sessionTimer && m != nil && m.Is(classic.IsNew)
}

// opNames are the names of the rows.
func opNames() []string {
	names := make([]string, numOps)
	for o := range names {
		names[o] = rows[o].name
	}
	return names
}

// Look says what a transition shows.
func (y system) Look(before *state, st search.Step) frame.Transition[Step] {
	s := y.steps.Step(st.Arg)
	r, _ := before.resolve(s)
	o := y.game.decide(before, r)
	t := triple(before, &r, &o)
	return frame.Transition[Step]{Step: s, Triple: t, Unprovokable: y.unprovokable(before, &r, t), Answered: o.Own != nil && len(o.Others) == 0}
}

// unprovokable says why a step cannot be made on this broker, "" if it can.
func (y system) unprovokable(before *state, r *request, t frame.Triple) string {
	switch reason := frame.Avoided(y.game.known, t.Request, t.State); {
	case reason != "":
		return reason
	case unreal(before, r):
		return NewMemberTimer
	case r.Step.Op == sessionTimer && before.Group.InitialDelay && withinDelay(y.limits) == 0:
		return shortDelay
	}
	return ""
}

// The reasons for which a triple cannot be provoked over the wire.
const (
	NewMemberTimer = "a member that has not completed a join has a timer of five minutes, whatever session it asks for"

	shortDelay     = "it needs a session that ends within the initial delay, and the broker's shortest session does not"
	noInitialDelay = "the broker has no initial delay (group.initial.rebalance.delay.ms=0), so nothing can happen during it"
)

// makePlan enumerates every triple, and the shortest sequences to each.
func makePlan(ctx context.Context, g game, l admin.Limits) (*frame.Plan[Step], error) {
	e, err := frame.Explore(ctx, newSystem(g, l), 0)
	if err != nil {
		return nil, err
	}
	p := frame.NewPlan[Step]()
	p.Add(e, 1)
	if g.instant { // what could be reached if only the broker had an initial delay
		g.instant = false
		if e, err = frame.Explore(ctx, newSystem(g, l), 0); err != nil {
			return nil, err
		}
		p.AddUnreal(e, noInitialDelay)
	}
	return p, nil
}
