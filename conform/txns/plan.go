package txns

import (
	"context"

	"fencecheck/conform/frame"
	"fencecheck/search"
)

// system is one transactional id as package search explores it: every request
// that anybody could send, and every timeout, in every state.
type system struct {
	frame.Coded[state]
	game  game
	scope scope
	steps *frame.Index[Step]
}

func newSystem(g *game, c scope) system {
	return system{frame.Coded[state]{Fields: (*state).code, Names: opNames()}, *g, c, frame.NewIndex[Step]()}
}

// Init yields the id that nobody has used.
func (y system) Init(yield func(*state)) {
	s := start()
	yield(&s)
}

// Next calls emit for every step.
func (y system) Next(s, next *state, emit func(search.Step)) {
	if y.scope.spent && s.unused(nil, nil) {
		y.step(s, next, Step{Op: exhaust}, emit)
		return
	}
	y.scope.steps(func(st Step) { y.step(s, next, st, emit) })
}

// step emits one step, if it is possible.
func (y system) step(s, next *state, st Step, emit func(search.Step)) {
	r, ok := s.resolve(st, &y.game)
	if !ok {
		return
	}
	after, a := y.game.decide(s, r)
	*next = after.canonical(y.game.coordinator)
	if y.game.unprovokable(&r, y.game.triple(s, &r, &a)) != "" {
		*next = *s // so that it leads nowhere
	}
	emit(search.Step{Op: uint16(st.Op), Arg: y.steps.Number(st)})
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
	r, _ := before.resolve(s, &y.game)
	_, a := y.game.decide(before, r)
	t := y.game.triple(before, &r, &a)
	return frame.Transition[Step]{Step: s, Triple: t, Unprovokable: y.game.unprovokable(&r, t), Answered: true}
}

const noOffsetsPartition = "the broker has no partition __consumer_offsets to send a marker to"

// unprovokable says why a step cannot be made on this broker, "" if it can.
func (g *game) unprovokable(r *request, t frame.Triple) string {
	if g.noOffsets && r.Step.Op == writeMarker && r.Step.Log == offsetsLog {
		return noOffsetsPartition
	}
	return frame.Avoided(g.known, t.Request, t.State)
}

// scopes are the explorations of a plan: outputs and offsets know nothing of each
// other but the transaction that they share.
var scopes = []scope{{outputs: 1, plain: true}, {offsets: true}}

// A plan's depth bounds the sequences that are enumerated; walks go on beyond it.
// The embedded broker differs in so much that a deeper plan shows nothing more.
const (
	planDepth     = 5
	embeddedDepth = 4
	// spentDepth is that of a play that uses up all epochs first.
	spentDepth = 3
)

// spentScope begins where no epoch is left, which takes a broker seconds.
var spentScope = scope{outputs: 1, spent: true}

// manyGoals are worth the way of 32,766 epochs.
const manyGoals = 12

// makePlan enumerates the triples, and the shortest sequences to each.
func makePlan(ctx context.Context, g *game, depth int) (*frame.Plan[Step], error) {
	p := frame.NewPlan[Step](vectorNames()...)
	for _, c := range scopes {
		e, err := frame.Explore(ctx, newSystem(g, c), depth)
		if err != nil {
			return nil, err
		}
		p.Add(e, 1)
	}
	if depth < planDepth { // the vectors have what a broker in this process can bear
		return p, nil
	}
	// Each sequence takes tens of thousands of requests, so that only those are
	// played that have many goals.
	e, err := frame.Explore(ctx, newSystem(g, spentScope), spentDepth)
	if err == nil {
		p.Add(e, manyGoals)
	}
	return p, err
}
