package groups

import (
	"fmt"
	"slices"
	"time"

	"fencecheck/conform/admin"
	"fencecheck/conform/wire"
	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// A Story is a counterexample as the coordinator of a group sees it.
type Story struct {
	cfg   *cluster.Config
	lines []Line
}

// A Line is one request of a counterexample, or a timer that fires.
type Line struct {
	step    int // of the counterexample, from 1
	op      string
	request request
	after   cluster.State
}

// Tell steps a counterexample through the model and lists what its coordinator
// decides.
func Tell(c *counterexamples.Counterexample) (*Story, error) {
	sys := c.Scenario.System()
	cfg := sys.Config()
	if cfg.AllPartitions() > wire.Partitions {
		return nil, fmt.Errorf("it has %d partitions, at most %d are played", cfg.AllPartitions(), wire.Partitions)
	}
	y := &Story{cfg: cfg}
	var s, next cluster.State
	s.Initial(cfg)
	for i, st := range c.Steps {
		if _, ok := sys.Take(&s, &next, st); !ok {
			return nil, fmt.Errorf("step %d, %s, is not possible in today's model", i+1, counterexamples.OpName(st))
		}
		if l, ok := LineOf(cfg, i+1, st, &s, &next); ok {
			y.lines = append(y.lines, l)
		}
		s = next
	}
	return y, nil
}

// LineOf is the request or timer that a step of a scenario decides; false if it
// decides none.
func LineOf(cfg *cluster.Config, number int, st search.Step, before, after *cluster.State) (Line, bool) {
	name, args, e := counterexamples.OpName(st), ops.Unpack(st.Arg), &after.Last
	o := op(slices.IndexFunc(rows[:], func(r row) bool { return slices.Contains(r.story, name) }))
	switch {
	case o < numOps:
		if name == "initial-delay" && after.Group.State == classic.PreparingRebalance {
			return Line{}, false // it was extended
		}
	case e.API == model.NoAPI:
		return Line{}, false
	default:
		o = opOf(e.API, e.ID)
	}
	if o >= numOps {
		return Line{}, false
	}
	l := Line{number, name, newRequest(o), *after}
	switch r := &l.request; {
	case o.row().tokens == ofKnown:
		r.MemberID = model.MemberID(args.A)
	case o.row().story == nil:
		r.MemberID, r.Generation = e.ID, e.Generation
	}
	if fill := o.row().fromStory; fill != nil {
		fill(&storyStep{cfg, sent(name, args, before), before, after}, &l.request)
	}
	return l, true
}

// storyStep is what a step of a counterexample knows of a request.
type storyStep struct {
	cfg           *cluster.Config
	sent          *cluster.Request // that was in flight before the step, nil if the step made it
	before, after *cluster.State
}

// sent is the request that was in flight before the step, nil if the step made
// it.
func sent(name string, args ops.Args, before *cluster.State) *cluster.Request {
	switch name {
	case "decide":
		if args.B == 1 {
			return &before.Clients[args.A].Beat
		}
		return &before.Clients[args.A].App
	case "decide-late":
		return &before.Late[args.A]
	}
	return nil
}

func (t *storyStep) join(r *request) {
	client := t.after.Last.Client
	r.Protocols, r.Meta, r.OldVersion = t.cfg.Protocols[client], t.before.Clients[client].Topics, t.cfg.OldJoin
	if t.sent != nil {
		r.Meta = t.sent.Meta
	}
	if r.OldVersion {
		r.Step.Variant = oldVersion
	}
	switch t.cfg.Sessions[client] {
	case classic.SessionTooShort:
		r.Step.Variant = tooShort
	case classic.SessionTooLong:
		r.Step.Variant = tooLong
	}
	if r.MemberID == 0 {
		r.Fresh, r.Session = t.before.FreshID(t.cfg, int(client)), t.cfg.Sessions[client]
	}
}

func (t *storyStep) sync(r *request) {
	sender := &t.before.Clients[t.after.Last.Client]
	r.Protocol = sender.Protocol
	plan, seen := &sender.Plan, int(sender.Seen)
	if t.sent != nil {
		r.Protocol, plan, seen = t.sent.Protocol, &t.sent.Plan, int(t.sent.Seen)
	} else if !sender.Leads {
		return
	}
	for p := range seen {
		if plan[p] != 0 {
			r.assign(plan[p], model.Part(p))
		}
	}
}

// assign adds partitions to a member's row of the plan.
func (r *request) assign(id model.MemberID, set model.PartSet) {
	for i := range r.Plan {
		if r.Plan[i].ID == id {
			r.Plan[i].Parts |= set
			return
		}
	}
	r.Plan = append(r.Plan, classic.MemberAssignment{ID: id, Parts: set})
}

// commit: of a commit that travels the offsets are known; of another those that
// it stored, and where it stored none it does not matter which they were.
func (t *storyStep) commit(r *request) {
	if t.sent != nil {
		copy(r.Offsets[:], t.sent.Offsets[:t.cfg.AllPartitions()])
		return
	}
	for p := range r.Offsets {
		if t.after.Last.Committed.Has(p) {
			r.Offsets[p] = t.after.Offsets[p]
		}
	}
	if t.after.Last.Committed == 0 {
		r.Offsets[0] = 0
	}
}

// timeoutsIn are those of a story's members.
func timeoutsIn(lines []Line, l admin.Limits, scale int) timeouts {
	t := timeouts{session: map[model.MemberID]time.Duration{}, delay: l.InitialDelay}
	next := l.Shortest(scale)
	for i := range lines {
		x := &lines[i]
		switch {
		case x.request.Step.Op == sessionTimer:
			t.session[x.request.MemberID] = next
		case x.request.Step.Op == syncTimer, x.op == "rebalance-timeout":
			if t.rebalance != 0 {
				continue
			}
			t.rebalance = next
		default:
			continue
		}
		next = time.Duration(float64(next) * growth)
	}
	return t
}
