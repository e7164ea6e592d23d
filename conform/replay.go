package conform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// Replayed is what came of a counterexample on a real broker.
type Replayed struct {
	Broker string `json:"broker"`
	// Confirmed: the broker answered every request as the story says.
	Confirmed bool `json:"confirmed"`
	// Step is the counterexample's step, counted from 1, at which the broker
	// differs; 0 if it does not. Where checks are missing that the broker has,
	// that alone confirms nothing: something must be Seen.
	Step   int            `json:"step"`
	Fields []Field        `json:"fields,omitempty"` // in which it differs
	Steps  []ReplayedStep `json:"steps"`
	// Seen is what clients of the broker saw that they should not see.
	Seen []string `json:"seen,omitempty"`
}

// ReplayedStep is one step in which the coordinator decided something.
type ReplayedStep struct {
	Step    int    `json:"step"` // of the counterexample
	Op      string `json:"op"`
	Request string `json:"request"`
	Broker  string `json:"broker"`
	Model   string `json:"model,omitempty"` // where it says something else
}

// WriteText tells the replay.
func (r *Replayed) WriteText(w io.Writer) error {
	for _, s := range r.Steps {
		if _, err := fmt.Fprintf(w, "%3d. %s\n     broker: %s\n", s.Step, s.Request, s.Broker); err != nil {
			return err
		}
		if s.Model != "" {
			if _, err := fmt.Fprintf(w, "     story:  %s\n", s.Model); err != nil {
				return err
			}
		}
	}
	for _, what := range r.Seen {
		if _, err := fmt.Fprintf(w, "     seen:   %s\n", what); err != nil {
			return err
		}
	}
	verdict := "confirmed: the broker answers every request as the story says"
	switch {
	case r.Confirmed:
	case r.Step == 0:
		verdict = "not confirmed: nothing differs, but nothing shows either of what the missing checks would allow"
	default:
		verdict = fmt.Sprintf("the broker differs at step %d", r.Step)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", r.Broker, verdict)
	return err
}

// replayTries is how often a story is played for the broker to choose the same
// leader, and for the machine to be fast enough.
const replayTries = 12

// Replay sends the requests of a counterexample to a broker, in the order in
// which its coordinator decides them, and compares the answers with the
// story's. Late requests are sent when they are decided. The error is an
// *Unplayable where a step is out of every client's reach.
func Replay(ctx context.Context, bootstrap string, c *counterexamples.Counterexample) (Replayed, error) {
	o := Options{Bootstrap: bootstrap, Mutations: c.Scenario.Config.Rules.Off, Known: []Known{}}.withDefaults()
	address, name, stop, err := o.broker()
	if err != nil {
		return Replayed{}, err
	}
	defer stop()
	var story *txnStory
	if c.Scenario.Config.Producing() {
		if story, err = tellTxns(c); err != nil {
			return Replayed{Broker: name}, err
		}
	}
	v, err := newVenue(ctx, address, o.Patience)
	if err != nil {
		return Replayed{Broker: name}, err
	}
	v.embedded = o.Bootstrap == ""
	defer func() {
		tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Patience)
		defer cancel()
		v.tidy(tidy)
	}()
	w := &worker{run: newRun(o, v, name), lines: map[string]*lines{}}
	defer w.close()
	w.run.game.rules.MaxSize = max(w.run.game.rules.MaxSize, c.Scenario.Config.Rules.MaxSize)
	if story != nil {
		out, err := w.replayTxns(ctx, story)
		out.Broker = name
		return out, err
	}
	told, err := tell(c)
	if err != nil {
		return Replayed{Broker: name}, err
	}
	out, err := w.replayStory(ctx, told)
	out.Broker = name
	return out, err
}

// replayStory plays a story until the broker takes the turns that it assumes.
func (w *worker) replayStory(ctx context.Context, story []told) (Replayed, error) {
	var last error
	for try := range replayTries {
		scale := 1 + try/3
		p, err := w.begin(ctx, storyTimeouts(story, w.run.venue.limits, scale))
		if err != nil {
			return Replayed{}, err
		}
		p.careful = true
		out, err := p.story(ctx, story)
		if err = errors.Join(err, p.end(ctx)); err == nil {
			return out, nil
		}
		if !errors.Is(err, errTiming) && !errors.Is(err, errImpossible) {
			return out, err
		}
		last = err
	}
	return Replayed{}, fmt.Errorf("the story could not be played in %d tries: %w", replayTries, last)
}

// told is one request of a counterexample.
type told struct {
	step    int // of the counterexample, from 1
	op      string
	request request
	after   model.State
}

// tell steps a counterexample through the model and lists what its coordinator
// decides.
func tell(c *counterexamples.Counterexample) ([]told, error) {
	sys := c.Scenario.System()
	cfg := sys.Config()
	if cfg.AllPartitions() > parts {
		return nil, fmt.Errorf("it has %d partitions, at most %d are played", cfg.AllPartitions(), parts)
	}
	var all []told
	var s, next model.State
	s.Initial(cfg)
	for i, st := range c.Steps {
		if _, ok := sys.Take(&s, &next, st); !ok {
			return nil, fmt.Errorf("step %d, %s, is not possible in today's model", i+1, counterexamples.OpName(st))
		}
		if r, ok := requestOf(cfg, st, &s, &next); ok {
			all = append(all, told{i + 1, counterexamples.OpName(st), r, next})
		}
		s = next
	}
	return all, nil
}

// requestOf is the request or timer that a step of a scenario decides, if it
// decides one.
func requestOf(cfg *model.Config, st search.Step, before, after *model.State) (request, bool) {
	args := ops.Unpack(st.Arg)
	r := request{Generation: model.NoGeneration, Offsets: start().Offsets}
	switch counterexamples.OpName(st) {
	case "initial-delay":
		r.Step.Op = joinTimer
		return r, after.Group.State != model.PreparingRebalance // else it was extended
	case "rebalance-timeout":
		r.Step.Op = joinTimer
		return r, true
	case "sync-timeout":
		r.Step.Op = syncTimer
		return r, true
	case "session-timeout":
		r.Step.Op, r.ID = sessionTimer, model.MemberID(args.A)
		return r, true
	case "delete-group":
		r.Step.Op = deleteGroup
		return r, true
	}
	e := &after.Last
	r.ID, r.Generation = e.ID, e.Generation
	sender := &before.Clients[e.Client]
	switch e.API {
	case model.JoinGroup:
		tellJoin(cfg, &r, sent(st, args, before), before, after)
	case model.SyncGroup:
		tellSync(&r, sent(st, args, before), sender)
	case model.Heartbeat:
		r.Step.Op = heartbeat
	case model.LeaveGroup:
		r.Step.Op = leaveGroup
	case model.OffsetCommit:
		r.Step.Op = offsetCommit
		tellCommit(cfg, &r, sent(st, args, before), after)
	case model.OffsetFetch:
		r.Step.Op = offsetFetch
	default:
		return r, false
	}
	return r, true
}

// sent is the request that was in flight before the step, nil if the step made
// it.
func sent(st search.Step, args ops.Args, before *model.State) *model.Request {
	switch counterexamples.OpName(st) {
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

func tellJoin(cfg *model.Config, r *request, q *model.Request, before, after *model.State) {
	client := after.Last.Client
	r.Step.Op, r.Protocols, r.Meta = joinKnown, cfg.Protocols[client], before.Clients[client].Topics
	if q != nil {
		r.Meta = q.Meta
	}
	if r.ID == 0 {
		r.Step.Op, r.Fresh = joinNew, before.FreshID(cfg, int(client))
	}
	if cfg.OldJoin {
		r.Step.Variant = oldVersion
	}
	switch cfg.Sessions[client] {
	case model.SessionTooShort:
		r.Step.Variant = tooShort
	case model.SessionTooLong:
		r.Step.Variant = tooLong
	}
}

func tellSync(r *request, q *model.Request, sender *model.Client) {
	r.Step.Op, r.Protocol = syncGroup, sender.Protocol
	plan, seen := &sender.Plan, int(sender.Seen)
	if q != nil {
		r.Protocol, plan, seen = q.Protocol, &q.Plan, int(q.Seen)
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
	r.Plan = append(r.Plan, model.MemberAssignment{ID: id, Parts: set})
}

// tellCommit: of a commit that travels the offsets are known; of another those
// that it stored, and where it stored none it does not matter which they were.
func tellCommit(cfg *model.Config, r *request, q *model.Request, after *model.State) {
	if q != nil {
		copy(r.Offsets[:], q.Offsets[:cfg.AllPartitions()])
		return
	}
	for p := range r.Offsets {
		if after.Last.Committed.Has(p) {
			r.Offsets[p] = after.Offsets[p]
		}
	}
	if after.Last.Committed == 0 {
		r.Offsets[0] = 0
	}
}

// storyTimeouts are those of a story's members.
func storyTimeouts(story []told, l limits, scale int) timeouts {
	t := timeouts{session: map[model.MemberID]time.Duration{}, delay: l.initialDelay}
	next := l.shortest(scale)
	for _, x := range story {
		switch {
		case x.request.Step.Op == sessionTimer:
			t.session[x.request.ID] = next
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

// story plays a story and stops where the broker differs.
func (p *play) story(ctx context.Context, all []told) (Replayed, error) {
	out := Replayed{Confirmed: true, Steps: []ReplayedStep{}}
	for _, x := range all {
		if on, err := p.tellOne(ctx, x, &out); !on {
			return out, err
		}
	}
	return p.ending(ctx, out, len(p.events))
}

// tellOne plays one step of a story. It tells whether the story goes on.
func (p *play) tellOne(ctx context.Context, x told, out *Replayed) (bool, error) {
	if x.request.Step.Op == joinTimer && p.state().Group.State != model.PreparingRebalance {
		return true, nil // it had no time to run, and fired in the step before
	}
	p.send.ids.forget(x.request.Fresh)
	if !p.bound(x.request) {
		return false, errImpossible
	}
	on, err := p.take(ctx, x.request)
	if err != nil {
		return false, err
	}
	e := &p.events[len(p.events)-1]
	step := ReplayedStep{Step: x.step, Op: x.op, Request: e.Request.describe(), Broker: answers(e.Own, e.Others, e.Request)}
	if !on {
		w := &p.wrong.expected[0]
		step.Model = answers(w.Own, w.Others, w.request)
		out.Confirmed, out.Step, out.Fields = false, x.step, e.fields(w)
	}
	out.Steps = append(out.Steps, step)
	if on && !p.leads(x.after.Group.Leader) {
		return false, errImpossible
	}
	return on, nil
}

// ending asks what the story has left behind: who still is a member, and the
// committed offsets.
func (p *play) ending(ctx context.Context, out Replayed, from int) (Replayed, error) {
	on, err := p.probe(ctx)
	if err != nil {
		return out, err
	}
	last := out.Steps[len(out.Steps)-1].Step
	for i := from; i < len(p.events); i++ {
		e := &p.events[i]
		step := ReplayedStep{Step: last, Op: "afterwards", Request: e.Request.describe(), Broker: answers(e.Own, e.Others, e.Request)}
		if !on && i == len(p.events)-1 {
			w := &p.wrong.expected[0]
			step.Model = answers(w.Own, w.Others, w.request)
			out.Confirmed, out.Step, out.Fields = false, last, e.fields(w)
		}
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}

// leads keeps the states in which the group's leader is the story's; it is
// false where the broker has chosen another.
func (p *play) leads(leader model.MemberID) bool {
	var some []state
	for _, s := range p.track.states {
		if s.Group.Leader == leader {
			some = append(some, s)
		}
	}
	if len(some) > 0 {
		p.track.states = some
	}
	return len(some) > 0
}
