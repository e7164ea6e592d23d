package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// A report is what --json prints for one scenario. Its fields are a promise to
// whoever parses them.
type report struct {
	Scenario             string         `json:"scenario"`
	Iteration            int            `json:"iteration,omitempty"` // with --within
	Verdict              string         `json:"verdict"`
	Complete             bool           `json:"complete"`
	States               int64          `json:"states"`
	Transitions          int64          `json:"transitions"`
	Depth                int            `json:"depth"`
	Seconds              float64        `json:"seconds"`
	StatesPerSecond      float64        `json:"states_per_second"`
	BytesPerState        float64        `json:"bytes_per_state"`
	CollisionProbability float64        `json:"collision_probability"`
	Bounds               map[string]any `json:"bounds"`
	Coverage             coverage       `json:"coverage"`
	Reductions           []string       `json:"reductions,omitempty"`
	Mutations            []string       `json:"mutations"`
	Violation            *violation     `json:"violation,omitempty"`
	Profile              *profileReport `json:"profile,omitempty"` // with --profile
}

// coverage tells how often each operation that the scenario asks for, and each
// answer, occurred, and which witnesses were seen.
type coverage struct {
	Operations map[string]int64 `json:"operations"`
	Answers    map[string]int64 `json:"answers"`
	Witnesses  map[string]bool  `json:"witnesses"`
}

// A violation is a minimal counterexample for programs.
type violation struct {
	Invariant string `json:"invariant"`
	Length    int    `json:"length"`
	Steps     []step `json:"steps"`
	Trap      *trap  `json:"trap,omitempty"` // of a goal
}

// A trap is all states of the search from which a goal is out of reach.
type trap struct {
	States int64    `json:"states"`
	First  []string `json:"first"` // a few that look different
}

const (
	// trapStates is how many states of a trap are looked at for some that differ.
	trapStates = 200
	trapsShown = 3
)

// newTrap is nil unless a goal was violated.
func newTrap(s *scenarios.Scenario, v *search.Violation[cluster.State]) *trap {
	if v.Kind != search.Unreachable {
		return nil
	}
	return &trap{v.Trap, counterexamples.Summaries(s, v.TrapStates, trapsShown)}
}

type step struct {
	Op     string            `json:"op"`
	Params map[string]string `json:"params"`
	Answer string            `json:"answer,omitempty"`
}

func newReport(s *scenarios.Scenario, r *search.Result[cluster.State], reached []string, delivered []int64) *report {
	rep := &report{
		Scenario: s.ID, Verdict: r.Verdict.String(), Complete: r.Complete && len(reached) == 0,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth,
		Seconds: rounded(r.Elapsed.Seconds()), BytesPerState: rounded(r.BytesPerState),
		CollisionProbability: r.CollisionProbability,
		Bounds:               boundsOf(s, reached), Coverage: newCoverage(s, r.OpCounts, r.OutcomeCounts, delivered, r.Seen),
		Mutations: mutationNames(s), Profile: newProfile(r.Profile),
	}
	if seconds := r.Elapsed.Seconds(); seconds > 0 {
		rep.StatesPerSecond = math.Round(float64(r.States) / seconds)
	}
	return rep
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// boundsOf has all that the scenario assumes, and under "reached" what kept the
// search from going on.
func boundsOf(s *scenarios.Scenario, reached []string) map[string]any {
	all := s.Bounds()
	if len(reached) > 0 {
		all["reached"] = reached
	}
	return all
}

// modelBounds names the limits of the model that kept steps from being taken.
func modelBounds(sys *scenarios.System) []string {
	var names []string
	b := sys.Bounds()
	for _, limit := range []struct {
		reached bool
		name    string
	}{
		{b.Generations, "the bound on generations"},
		{b.Members, fmt.Sprintf("the limit of %d member ids", cluster.MaxMembers)},
		{b.Late, fmt.Sprintf("the limit of %d requests whose senders gave up", cluster.MaxLate)},
		{b.Producers, fmt.Sprintf("the limit of %d producer ids, or of %d pending offsets", cluster.MaxProducerIDs, cluster.MaxPending)},
		{b.Epochs, "the bound on producer epochs"},
		{b.Log, fmt.Sprintf("the limit of %d records that a reader waits for", cluster.MaxLog)},
		{b.Works, fmt.Sprintf("the limit of %d undecided transactions of one producer", cluster.MaxWorks)},
	} {
		if limit.reached {
			names = append(names, limit.name)
		}
	}
	return names
}

// newCoverage counts as answers also those that parked requests were given later.
func newCoverage(s *scenarios.Scenario, opCounts, outcomeCounts, delivered []int64, seen []bool) coverage {
	c := coverage{map[string]int64{}, map[string]int64{}, map[string]bool{}}
	for i := range ops.Table {
		if ops.Table[i].Asked(&s.Config) {
			c.Operations[ops.Table[i].Name] = opCounts[i]
		}
	}
	for i, n := range outcomeCounts {
		if n += delivered[i]; n > 0 && ops.Outcomes[i] != "" {
			c.Answers[ops.Outcomes[i]] = n
		}
	}
	for i, w := range s.Witnesses {
		c.Witnesses[w.Name] = seen[i]
	}
	return c
}

// never lists the operations that the scenario asks for and that never
// occurred, in the order of the table.
func (c *coverage) never() []string {
	var names []string
	for i := range ops.Table {
		if n, asked := c.Operations[ops.Table[i].Name]; asked && n == 0 && !ops.Table[i].Rare {
			names = append(names, ops.Table[i].Name)
		}
	}
	return names
}

// unseen lists the witnesses that were never seen.
func (c *coverage) unseen(s *scenarios.Scenario) []string {
	var names []string
	for _, w := range s.Witnesses {
		if !c.Witnesses[w.Name] {
			names = append(names, w.Name)
		}
	}
	return names
}

func mutationNames(s *scenarios.Scenario) []string {
	return mapped(s.Config.Rules.Off.List(), model.Mutation.String)
}

func newViolation(c *counterexamples.Counterexample) *violation {
	v := &violation{Invariant: c.Property, Length: len(c.Steps)}
	for _, st := range c.Steps {
		s := step{Op: counterexamples.OpName(st), Params: map[string]string{}, Answer: counterexamples.Answer(st)}
		for _, p := range counterexamples.Params(&c.Scenario.Config, st) {
			s.Params[p.Name] = p.Value
		}
		v.Steps = append(v.Steps, s)
	}
	return v
}

// properties lists what a scenario checks.
func properties(s *scenarios.Scenario) string {
	return strings.Join(slices.Concat(s.Definition.Invariants, s.Definition.Goals), ", ")
}
