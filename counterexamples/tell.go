package counterexamples

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// A Story is a counterexample as it is told, whatever it is written in.
type Story struct {
	Title     string
	Scenario  string
	Property  string
	Claim     string // what the property demands
	Mutations []string
	Bounds    string
	Names     string   // what the names in it stand for, "" where they need no word
	Confirmed string   // the broker that gave these answers, "" if none was asked
	Lanes     []string // who takes part, the clients first
	Steps     []StoryStep
	Ending    string // what is violated, with numbers
	Outlook   []string
}

// StoryStep is one step of a story.
type StoryStep struct {
	Lane     string
	Does     string // what its actor does
	Messages []Message
	Changes  []Change
	Stale    string   // what is wrong with the token that the request carries
	Missing  []string // what the checks that were taken away would have done
}

// Message is a request or an answer on its way between two actors.
type Message struct {
	From, To string
	API      string
	Text     string // what it carries, "" if nothing
	Request  bool
	// Delayed: it is only sent in this step, and arrives in a later one.
	Delayed bool
	// Held: it is no answer at all yet, for the coordinator holds the request.
	Held bool
	// Inner: whoever decides a request asks somebody else first.
	Inner bool
}

// Change is how the state of an actor, or of something that the actor At has,
// differs after a step.
type Change struct{ Who, What, At string }

// Tell makes a story of a counterexample, which must replay.
func Tell(c *Counterexample) (*Story, error) {
	t, err := newTeller(c)
	if err != nil {
		return nil, err
	}
	s := &Story{Title: c.Title, Scenario: c.Scenario.ID, Property: c.Property, Claim: t.claim(), Bounds: c.Scenario.Within(), Names: t.legend(), Confirmed: c.Confirmed}
	for _, m := range c.Scenario.Config.Rules.Off.List() {
		s.Mutations = append(s.Mutations, fmt.Sprintf("%s: %s", missingRule(m), model.Registry[m].Rule))
	}
	before := t.g.start()
	for i, st := range c.Steps {
		var after cluster.State
		taken, ok := t.g.sys.Take(&before, &after, st)
		if !ok {
			return nil, fmt.Errorf("step %d: %s is not possible here", i+1, t.g.describe(st))
		}
		now := t.step(&before, &after, taken)
		s.Steps = append(s.Steps, t.tell(now))
		if i == len(c.Steps)-1 {
			s.Ending, s.Outlook = t.ending(now), t.outlook(&after)
		}
		before = after
	}
	s.Lanes = t.lanes(s.Steps)
	return s, nil
}

// missingRule names a rule that is gone. A defect is in the registry under its
// own name, with the rule that it breaks.
func missingRule(m model.Mutation) string {
	if isDefect(m) {
		return fmt.Sprintf("the rule that the defect %s breaks", m)
	}
	return m.String()
}

func isDefect(m model.Mutation) bool { return strings.HasSuffix(m.String(), "-bug") }

// claim is the property in words.
func (t *teller) claim() string {
	if t.g.goal != nil {
		return t.g.goal.Doc
	}
	return t.g.invariant.Doc
}

// A step is what a story tells, with the states before and after it.
type step struct {
	search.Step
	before, after *cluster.State
	op            *ops.Op
	args          ops.Args
	// request is what the step sends or is about; without an API there is none.
	// What is sent is so, on lane, in sent: the state in which it travels, as it
	// may do in truth or not.
	request cluster.Request
	lane    uint8
	sent    cluster.State
}

func (t *teller) step(before, after *cluster.State, st search.Step) *step {
	s := &step{Step: st, before: before, after: after, op: &ops.Table[st.Op], args: ops.Unpack(st.Arg)}
	client := s.args.A
	switch {
	case s.op.Request != nil:
		s.request = s.op.Request(before, s.args)
	case s.op.Sends:
		if _, ok := t.probe.Take(before, &s.sent, st.Op, ops.Args{A: client, B: s.args.B}); !ok {
			break
		}
		if s.sent.Clients[client].Beat != before.Clients[client].Beat {
			s.lane = 1
		}
		s.request = *ops.Awaited(&s.sent.Clients[client], s.lane)
	}
	return s
}

// A teller follows a counterexample and puts it into words.
type teller struct {
	g        *trial
	subjects []subject
	probe    *ops.Exec // lets requests travel, so that what they carry can be seen
	restored []restored
	numbers
	outputs map[uint8][]string // whose outputs of an input record readers have got
	fenced  []string           // what readers have got of fenced transactions in the latest step
}

// restored is the scenario with one of the missing rules in force again.
type restored struct {
	mutation model.Mutation
	rules    *model.Rules
	exec     *ops.Exec
}

func newTeller(c *Counterexample) (*teller, error) {
	g, err := newTrial(context.Background(), c.Scenario, c.Property)
	if err != nil {
		return nil, err
	}
	t := &teller{g: g, numbers: newNumbers(), outputs: map[uint8][]string{}}
	t.subjects = t.findSubjects()
	open := *g.cfg
	for api := range open.Travels {
		if model.API(api) != model.LeaveGroup { // nobody waits for its answer
			open.Travels[api] = true
		}
	}
	t.probe = ops.NewExec(&open)
	for _, m := range g.cfg.Rules.Off.List() {
		cfg := *g.cfg
		cfg.Rules.Off = cfg.Rules.Off.Without(m)
		t.restored = append(t.restored, restored{m, &cfg.Rules, ops.NewExec(&cfg)})
	}
	return t, nil
}

// tell puts one step into words.
func (t *teller) tell(s *step) StoryStep {
	t.learn(s)
	out := StoryStep{
		Lane:     t.lane(laneOf(s.before, s.Step)),
		Does:     t.does(s),
		Messages: t.messages(s),
		Changes:  t.changes(s.before, s.after),
		Stale:    t.stale(s),
	}
	out.Changes = append(out.Changes, t.readerChanges(s)...)
	for i := range t.restored {
		if text := t.missing(&t.restored[i], s); text != "" {
			out.Missing = append(out.Missing, text)
		}
	}
	return out
}

// does is what the actor of a step does.
func (t *teller) does(s *step) string {
	return t.named(s, s.op.Tells(t.g.cfg, s.before, s.after, s.args))
}

// stale says what is wrong with the token of a request that is decided: what it
// presents, against what whoever decides it knows.
func (t *teller) stale(s *step) string {
	says := wordsOf(s.after.Last.API).stale
	if says == nil {
		return ""
	}
	if s.op.Actor == ops.ByOldCoordinator && s.request.API != model.WriteTxnMarkers {
		return t.staleCoordinator(s.before, &s.request)
	}
	return says(t, s)
}

// missing compares a step with the same one where a mutation is taken back.
func (t *teller) missing(b *restored, s *step) string {
	var other cluster.State
	taken, ok := b.exec.Take(s.before, &other, s.Op, s.args)
	switch {
	case !ok:
		return inForce(b.mutation) + ", this step would not have been possible"
	case taken.Outcome != s.Outcome:
		answer := wouldAnswer(answerOf(ops.Outcomes[taken.Outcome]))
		if isDefect(b.mutation) {
			return fmt.Sprintf("%s, the answer would have been %s", inForce(b.mutation), answer)
		}
		return fmt.Sprintf("the missing check %s would have answered %s", b.mutation, answer)
	}
	if changes := t.changes(s.after, &other); len(changes) > 0 {
		return fmt.Sprintf("%s: %s", inForce(b.mutation), joinChanges(changes))
	}
	return t.missingLater(b, s, &other)
}

// inForce is the condition that a rule were there.
func inForce(m model.Mutation) string {
	if isDefect(m) {
		return fmt.Sprintf("without the defect %s", m)
	}
	return fmt.Sprintf("with the rule %s in force", m)
}

func wouldAnswer(answer string) string {
	switch answer {
	case "parked":
		return "nothing yet"
	case "":
		return "nothing"
	}
	return answer
}

// joinChanges is how things would be, against how they are.
func joinChanges(changes []Change) string {
	return list(changes, "; ", func(c Change) string { return c.Who + " " + strings.ReplaceAll(c.What, "(was ", "(not ") })
}

// ending is what is violated, in one sentence.
func (t *teller) ending(s *step) string {
	if g := t.g.goal; g != nil {
		end := t.step(s.after, s.after, s.Step)
		return t.named(end, g.Ending(t.g.cfg, end.before, end.after))
	}
	return cmp.Or(t.named(s, t.g.invariant.Ending(t.g.cfg, s.before, s.after)), t.claim())
}

// outlook says, where a goal is out of reach, which steps the missing rules
// would have made possible now.
func (t *teller) outlook(s *cluster.State) []string {
	if t.g.goal == nil {
		return nil
	}
	var possible []search.Step
	var next cluster.State
	t.g.sys.Next(s, &next, func(st search.Step) { possible = append(possible, search.Step{Op: st.Op, Arg: st.Arg}) })
	var all []string
	for _, b := range t.restored {
		b.exec.Next(s, &next, func(taken ops.Taken) {
			st := search.Step{Op: taken.Op, Arg: taken.Args.Pack()}
			if !slices.Contains(possible, st) {
				all = append(all, fmt.Sprintf("%s, the next could be: %s: %s", inForce(b.mutation), t.lane(laneOf(s, st)), t.does(t.step(s, &next, st))))
			}
		})
	}
	return all
}
