package conform

import (
	"slices"

	"fencecheck/model"
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
	known   []Known // differences that plays avoid, or go on after
}

// initialDelays: the rebalance timeout of whoever is played outlasts the
// initial delay, and one extension is all that is ever needed.
const initialDelays = 1

func newGame(off model.Mutations, l limits) game {
	return game{rules: model.Rules{Off: off, MaxSize: l.maxSize, InitialDelays: initialDelays, PromptTimers: true}, instant: l.initialDelay == 0}
}

// decide lets package model decide one request or timer.
func (g *game) decide(s *state, r request) outcome {
	o := outcome{After: *s}
	after := &o.After
	c := after.coordinator(&g.rules)
	c.Pick, c.PreferProtocol = int(r.Step.Choice.Pick), r.Step.Choice.Prefer
	after.Given = max(after.Given, r.Fresh)
	reply, parked := g.ask(&c, r, &o)
	if g.instant && after.Group.InitialDelay && after.Group.State == model.PreparingRebalance {
		o.fire(&c)
	}
	o.Full, o.Candidates, o.Completed = c.Full, c.Candidates, c.Completed
	for _, a := range c.Replies {
		if parked && a.To == r.subject() && a.API == r.api() {
			reply, parked = a, false
			continue
		}
		o.Others = append(o.Others, delivery{a.To, a.API, after.answerOf(a)})
	}
	if !parked && !r.Step.Op.timer() {
		own := after.answerOf(reply)
		if r.Step.Op == offsetFetch {
			own.Offsets = fetched(after.offsets(&c))
		}
		o.Own = &own
	}
	after.remember(s, r, parked)
	return o
}

// ask is the one place where requests meet the rules.
func (g *game) ask(c *model.Coordinator, r request, o *outcome) (reply model.Reply, parked bool) {
	switch r.Step.Op {
	case joinNew, joinKnown, syncGroup, heartbeat, leaveGroup:
		return c.Decide(&model.GroupRequest{API: r.api(), MemberID: r.ID, Generation: r.Generation, Session: r.session(), Protocols: r.Protocols, Meta: r.Meta,
			OldVersion: r.Step.Variant == oldVersion, Fresh: r.Fresh, Protocol: r.Protocol, Plan: r.Plan})
	case offsetCommit, deleteGroup:
		q := model.OffsetsRequest{API: r.api(), MemberID: r.ID, Generation: r.Generation, Offsets: r.Offsets[:]}
		return model.Reply{To: r.ID, API: q.API, Err: o.After.offsets(c).Decide(&q)}, false
	case offsetFetch:
		return model.Reply{API: model.OffsetFetch}, false
	case sessionTimer:
		o.Ignored = !c.ExpireSession(r.ID)
	case joinTimer:
		o.fire(c)
	case syncTimer:
		o.Ignored = !c.FireSyncTimer()
	}
	return model.Reply{}, false
}

// fire lets the join timer fire until it comes to something: the initial delay
// is extended while new members come.
func (o *outcome) fire(c *model.Coordinator) {
	for !c.Completed && o.Fired <= initialDelays && c.FireJoinTimer() {
		o.Fired++
	}
	o.Ignored = o.Fired == 0
}

func (r *request) session() model.SessionTimeout {
	switch {
	case r.Step.Op == joinNew && r.Step.Variant == tooShort:
		return model.SessionTooShort
	case r.Step.Op == joinNew && r.Step.Variant == tooLong:
		return model.SessionTooLong
	}
	return model.SessionWithinBounds
}

// subject is the member that a request speaks for.
func (r *request) subject() model.MemberID {
	if r.ID == 0 {
		return r.Fresh
	}
	return r.ID
}

// api is the request that a step is, NoAPI for a timer.
func (r *request) api() model.API {
	return [numOps]model.API{model.JoinGroup, model.JoinGroup, model.SyncGroup, model.Heartbeat, model.LeaveGroup,
		model.OffsetCommit, model.OffsetFetch, model.DeleteGroups}[r.Step.Op]
}

// remember notes what the processes have learnt: which id is stale now, and
// who knows its own.
func (s *state) remember(before *state, r request, parked bool) {
	for i := range before.Members {
		if id := before.Members[i].ID; id != 0 && s.find(id) == nil {
			s.Gone = id
		}
	}
	if parked && r.Fresh != 0 {
		s.Untold = r.Fresh
	}
	if m := s.find(s.Untold); m == nil || !m.Is(model.JoinParked) {
		s.Untold = 0
	}
}

func fetched(s *model.OffsetStore) []model.Offset {
	all := make([]model.Offset, parts)
	s.Decide(&model.OffsetsRequest{API: model.OffsetFetch, Offsets: all})
	return all
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
