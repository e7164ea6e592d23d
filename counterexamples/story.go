package counterexamples

import (
	"context"
	"fmt"
	"strings"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/scenarios"
)

// A Story is a counterexample as it is told, whatever it is written in.
type Story struct {
	Title     string
	Scenario  string
	Property  string
	Claim     string // what the property demands
	Mutations []string
	Bounds    string
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

// Message is a request or an answer on its way between a client and the
// coordinator.
type Message struct {
	From, To string
	API      string
	Text     string // what it carries, "" if nothing
	Request  bool
	// Delayed: it is only sent in this step, and arrives in a later one.
	Delayed bool
	// Held: it is no answer at all yet, for the coordinator holds the request.
	Held bool
}

// Change is how the state of an actor differs after a step.
type Change struct{ Who, What string }

// The actors that are no clients.
const (
	coordinator   = "coordinator"
	administrator = "administrator"
)

// Tell makes a story of a counterexample, which must replay.
func Tell(c *Counterexample) (*Story, error) {
	t, err := newTeller(c)
	if err != nil {
		return nil, err
	}
	s := &Story{Title: c.Title, Scenario: c.Scenario.ID, Property: c.Property, Claim: claim(c.Property), Bounds: Bounds(c.Scenario), Confirmed: c.Confirmed, Lanes: t.lanes(c)}
	for _, m := range c.Scenario.Config.Rules.Off.List() {
		s.Mutations = append(s.Mutations, fmt.Sprintf("%s: %s", m, model.Registry[m].Rule))
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
	return s, nil
}

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

// Bounds says in words how large a scenario is.
func Bounds(s *scenarios.Scenario) string {
	cfg := &s.Config
	words := []string{count(cfg.Members, "member"), count(cfg.Partitions, "partition"), count(cfg.Records, "record") + " each"}
	if cfg.Simple > 0 {
		words = append(words, count(cfg.Simple, "simple consumer"))
	}
	for b, n := range cfg.Budgets {
		name := strings.ReplaceAll(model.Budget(b).String(), "_", " ")
		switch {
		case cfg.Unbounded[b]:
			words = append(words, "any number of "+name)
		case n > 0:
			words = append(words, fmt.Sprintf("%s %d", name, n))
		}
	}
	var travels []string
	for api := model.NoAPI + 1; api < model.NumAPIs; api++ {
		if cfg.Travels[api] {
			travels = append(travels, api.String())
		}
	}
	if len(travels) > 0 {
		words = append(words, strings.Join(travels, " and ")+" may be late")
	}
	if cfg.AnyOrder {
		words = append(words, "members listed in any order")
	}
	if cfg.Clock == model.Async {
		words = append(words, "timers may fire early")
	}
	if cfg.Ranks {
		words = append(words, "any number of rebalances")
	}
	return strings.Join(words, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// A teller follows a counterexample and puts it into words.
type teller struct {
	g     *stage
	probe *ops.Exec // lets requests travel, so that what they carry can be seen
	back  []takenBack
	ids   map[model.MemberID]int // which of its client's ids one is, in this story
	given map[int]int            // how many ids a client has been given
}

// takenBack is the scenario with one of its mutations taken back.
type takenBack struct {
	mutation model.Mutation
	exec     *ops.Exec
}

func newTeller(c *Counterexample) (*teller, error) {
	g, err := newStage(context.Background(), c.Scenario, c.Property)
	if err != nil {
		return nil, err
	}
	t := &teller{g: g, ids: map[model.MemberID]int{}, given: map[int]int{}}
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
		t.back = append(t.back, takenBack{m, ops.NewExec(&cfg)})
	}
	return t, nil
}

// lanes lists who acts in the story, in a fixed order.
func (t *teller) lanes(c *Counterexample) []string {
	acts := map[int]bool{coordinatorLane: true}
	for _, st := range c.Steps {
		acts[laneOf(st)] = true
	}
	var names []string
	for lane := range administratorLane + 1 {
		if acts[lane] {
			names = append(names, t.lane(lane))
		}
	}
	return names
}

func (t *teller) lane(lane int) string {
	switch lane {
	case coordinatorLane:
		return coordinator
	case administratorLane:
		return administrator
	}
	return clientName(t.g.cfg, lane)
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
func (t *teller) learn(before, after *model.State) {
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
