package groups

import (
	"cmp"
	"slices"

	"fencecheck/conform/frame"
	"fencecheck/model"
)

// event is one step as it went: what was sent, and what came back before the
// next was sent.
type event struct {
	Request request
	Own     *answer // nil: none came
	Others  []delivery
}

// tracker follows a play in the model. Where Kafka's choice does not show at
// once it keeps every state that the group may be in, until an answer tells.
type tracker struct {
	game   *game
	states []state
}

// expectation is what may come of a step in one of the possible states.
type expectation struct {
	before  state
	request request
	outcome
}

// expect lists what may come of a step, the likeliest first.
func (k *tracker) expect(r request) []expectation {
	var all []expectation
	for _, s := range k.states {
		for _, o := range k.game.outcomes(&s, r) {
			all = append(all, expectation{s, r, o})
		}
	}
	return all
}

// accept keeps the states that explain what was seen; it returns nil if none
// does, and else the first explanation.
func (k *tracker) accept(all []expectation, e *event) *expectation {
	var why *expectation
	var states []state
	for i := range all {
		x := &all[i]
		if x.Full || !x.Own.equal(e.Own) || !sameDeliveries(x.Others, e.Others) {
			continue
		}
		if why == nil {
			why = x
		}
		if !slices.Contains(states, x.After) {
			states = append(states, x.After)
		}
	}
	if why != nil {
		k.states = states
	}
	return why
}

// follow goes on as the rules are with one mutation switched, if they explain
// what was seen.
func (k *tracker) follow(m model.Mutation, e *event) bool {
	other := tracker{k.game.with(frame.Switched(k.game.rules.Off, m)), k.states}
	if other.accept(other.expect(e.Request), e) == nil {
		return false
	}
	k.states = other.states
	return true
}

// sameDeliveries compares them in any order: several connections have none.
func sameDeliveries(a, b []delivery) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	sortDeliveries(a)
	sortDeliveries(b)
	return slices.EqualFunc(a, b, func(x, y delivery) bool {
		return x.To == y.To && x.API == y.API && x.Answer.equal(&y.Answer)
	})
}

func sortDeliveries(ds []delivery) {
	slices.SortFunc(ds, func(x, y delivery) int { return cmp.Or(cmp.Compare(x.To, y.To), cmp.Compare(x.API, y.API)) })
}

// explains tells whether other rules explain all that was seen.
func (g *game) explains(events []event) bool {
	k := tracker{g, []state{start()}}
	for i := range events {
		if k.accept(k.expect(events[i].Request), &events[i]) == nil {
			return false
		}
	}
	return true
}

// with is the game under other mutations.
func (g game) with(off model.Mutations) *game {
	g.rules.Off = off
	return &g
}
