package groups

import (
	"slices"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// outcome is what the rules make of one step in one state.
type outcome struct {
	Choice     choice
	After      state
	Own        *answer // nil: the request parks, or the step is a timer
	Others     []delivery
	Full       bool // the model has no room for what follows
	Candidates int  // how many leaders could be chosen
	Completed  bool // the join phase ended
	Fired      int  // how often the join timer fired: the initial delay can be extended
	Ignored    bool // a timer to which nothing happened
}

// delivery is the answer to a request that was parked.
type delivery struct {
	To     model.MemberID
	API    model.API
	Answer answer
}

// game is what a play does not change.
type game struct {
	rules model.Rules
	// instant: the broker has no initial delay, so that whoever joins an empty
	// group is answered before anybody else can ask.
	instant bool
	known   []frame.Known // differences that plays avoid, or go on after
}

// initialDelays: the rebalance timeout of whoever is played outlasts the
// initial delay, and one extension is all that is ever needed.
const initialDelays = 1

func newGame(off model.Mutations, known []frame.Known, l admin.Limits) game {
	return game{known: known, rules: model.Rules{Off: off, MaxSize: l.MaxSize, InitialDelays: initialDelays, PromptTimers: true, Subscriptions: true}, instant: l.InitialDelay == 0}
}

// decide lets package model decide one request or timer.
func (g *game) decide(s *state, r request) outcome {
	o := outcome{After: *s}
	after := &o.After
	c := after.coordinator(&g.rules)
	c.Pick, c.PreferProtocol = int(r.Step.Choice.Pick), r.Step.Choice.Prefer
	after.Given = max(after.Given, r.Fresh)
	reply, parked := o.ask(&c, &r)
	if g.instant && after.Group.InitialDelay && after.Group.State == classic.PreparingRebalance {
		o.fire(&c)
	}
	o.Full, o.Candidates, o.Completed = c.Full, c.Candidates, c.Completed
	for _, a := range c.Replies {
		if parked && a.To == r.subject() && a.API == r.API {
			reply, parked = a, false
			continue
		}
		o.Others = append(o.Others, delivery{a.To, a.API, after.answerOf(a)})
	}
	if !parked && !r.Step.Op.timer() {
		own := after.answerOf(reply)
		if r.API == model.OffsetFetch {
			own.Offsets = r.Offsets[:]
		}
		o.Own = &own
	}
	after.remember(s, &r, parked)
	return o
}

// ask lets a request meet the rules of its part, or fires a timer.
func (o *outcome) ask(c *classic.Coordinator, r *request) (reply classic.Reply, parked bool) {
	switch r.API.Part() {
	case model.ClassicPart:
		return c.Decide(&r.Request)
	case model.OffsetsPart:
		q := offsets.Request{API: r.API, MemberID: r.MemberID, Generation: r.Generation, Offsets: r.Offsets[:], Partitions: r.Partitions}
		return classic.Reply{API: r.API, Err: o.After.offsets(c).Decide(&q)}, false
	}
	r.Step.Op.row().fire(c, o, r)
	return reply, false
}

// fire lets the join timer fire until it comes to something: the initial delay
// is extended while new members come.
func (o *outcome) fire(c *classic.Coordinator) {
	for !c.Completed && o.Fired <= initialDelays && c.FireJoinTimer() {
		o.Fired++
	}
	o.Ignored = o.Fired == 0
}

// remember notes what the processes have learnt: which id is stale now, and
// who knows its own.
func (s *state) remember(before *state, r *request, parked bool) {
	for i := range before.Members {
		if id := before.Members[i].ID; id != 0 && s.find(id) == nil {
			s.Gone = id
		}
	}
	if parked && r.Fresh != 0 {
		s.Untold = r.Fresh
	}
	if m := s.find(s.Untold); m == nil || !m.Is(classic.JoinParked) {
		s.Untold = 0
	}
}

// outcomes are all that can come of a request, by the choices that Kafka
// leaves to the order of a hash map.
func (g *game) outcomes(s *state, r request) []outcome {
	var all []outcome
	for pick := 0; ; pick++ {
		o := g.choose(s, r, choice{Pick: uint8(pick)}, &all)
		if o.Completed {
			g.choose(s, r, choice{uint8(pick), model.RoundRobin}, &all)
		}
		if pick+1 >= o.Candidates {
			return all
		}
	}
}

// choose adds what comes of one choice, if no other choice comes to the same.
func (g *game) choose(s *state, r request, c choice, all *[]outcome) outcome {
	r.Step.Choice = c
	o := g.decide(s, r)
	o.Choice = c
	if !slices.ContainsFunc(*all, func(p outcome) bool { return p.After == o.After }) {
		*all = append(*all, o)
	}
	return o
}
