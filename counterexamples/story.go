package counterexamples

import (
	"context"
	"fmt"
	"strings"

	"fencecheck/invariants"
	"fencecheck/model"
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
	Steps     []Told
	Ending    string // what is violated, with numbers
	Outlook   []string
}

// Told is one step of a story.
type Told struct {
	Lane     string
	Deed     string
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
	s := &Story{Title: c.Title, Scenario: c.Scenario.ID, Property: c.Property, Claim: claim(c.Property), Bounds: c.Scenario.Within(), Names: t.names(), Confirmed: c.Confirmed}
	for _, m := range c.Scenario.Config.Rules.Off.List() {
		s.Mutations = append(s.Mutations, fmt.Sprintf("%s: %s", taken(m), model.Registry[m].Rule))
	}
	before := t.g.start()
	for i, st := range c.Steps {
		var after model.State
		taken, ok := t.g.sys.Take(&before, &after, st)
		if !ok {
			return nil, fmt.Errorf("step %d: %s is not possible here", i+1, t.g.describe(st))
		}
		s.Steps = append(s.Steps, t.tell(&before, &after, taken))
		if i == len(c.Steps)-1 {
			s.Ending = t.ending(&before, &after)
			s.Outlook = t.outlook(&after)
		}
		before = after
	}
	s.Lanes = t.lanes(s.Steps)
	return s, nil
}

// taken names a rule that is gone. A defect is in the registry under its own
// name, with the rule that it breaks.
func taken(m model.Mutation) string {
	if isDefect(m) {
		return fmt.Sprintf("the rule that the defect %s breaks", m)
	}
	return m.String()
}

func isDefect(m model.Mutation) bool { return strings.HasSuffix(m.String(), "-bug") }

// claim is the property in words.
func claim(property string) string {
	if inv, ok := invariants.ByName(property); ok {
		return inv.Doc
	}
	if g, ok := invariants.GoalByName(property); ok {
		return g.Doc
	}
	return ""
}

// A teller follows a counterexample and puts it into words.
type teller struct {
	g       *stage
	probe   *ops.Exec // lets requests travel, so that what they carry can be seen
	back    []takenBack
	ids     map[model.MemberID]int          // which of its client's ids one is, in this story
	given   map[int]int                     // how many ids a client has been given
	pids    map[model.ProducerID]int        // its number in this story
	issued  int                             // producer ids so far
	works   map[model.WorkID]int            // which of its client's transactions one is
	begun   [model.MaxClients]int           // transactions of each client so far
	outputs map[uint8][]string              // whose outputs of an input record readers have got
	givenUp [model.MaxClients]model.Request // the last request that each client gave up on
	op      string                          // of the step that is being told
	fenced  []string                        // what readers have got of fenced transactions in the latest step
}

// takenBack is the scenario with one of its mutations taken back.
type takenBack struct {
	mutation model.Mutation
	rules    *model.Rules
	exec     *ops.Exec
}

func newTeller(c *Counterexample) (*teller, error) {
	g, err := newStage(context.Background(), c.Scenario, c.Property)
	if err != nil {
		return nil, err
	}
	t := &teller{g: g, ids: map[model.MemberID]int{}, given: map[int]int{}, pids: map[model.ProducerID]int{}, works: map[model.WorkID]int{}, outputs: map[uint8][]string{}}
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
		t.back = append(t.back, takenBack{m, &cfg.Rules, ops.NewExec(&cfg)})
	}
	return t, nil
}

func (t *teller) client(i int) string { return clientName(t.g.cfg, i) }

// member names an id. Ids that nobody knows any more are used again in the
// model; the story numbers them on, as if they were never used again.
func (t *teller) member(id model.MemberID) string {
	n, ok := t.ids[id]
	if !ok {
		n = model.LifeOf(id) + 1
	}
	return t.client(model.ClientOf(id)) + "." + number(n)
}

// learn numbers the ids that a step has made up.
func (t *teller) learn(before, after *model.State, st search.Step) {
	t.learnProducers(before, after, st)
	for i := range after.Members {
		id := after.Members[i].ID
		if id == 0 || remembers(before, id) || after.Last.ID == id {
			continue
		}
		client := model.ClientOf(id)
		t.given[client]++
		t.ids[id] = t.given[client]
	}
}

func remembers(s *model.State, id model.MemberID) bool { return memberOf(s, id) != nil }

// memberOf finds what the coordinator remembers under an id.
func memberOf(s *model.State, id model.MemberID) *model.Member {
	for i := range s.Members {
		if s.Members[i].ID == id && id != 0 {
			return &s.Members[i]
		}
	}
	return nil
}
