package ops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/model/cluster"
)

// drawTravelling draws a configuration in which steps are often urgent: requests
// travel, and most faults are soon used up.
func drawTravelling(t *rapid.T) *cluster.Config {
	c := drawConfig(t)
	for _, a := range memberAPIs() {
		c.Travels[a] = c.Travels[a] || rapid.IntRange(0, 2).Draw(t, "travels after all") > 0
	}
	for _, b := range [...]cluster.Budget{cluster.Pauses, cluster.Stalls, cluster.Crashes, cluster.LostAnswers, cluster.Leaves} {
		c.Unbounded[b] = false
		if rapid.IntRange(0, 3).Draw(t, "a fault") > 0 {
			c.Budgets[b] = 0
		}
	}
	// Where more is kept over a rebalance than should be, there is more to disturb.
	for _, m := range [...]model.Mutation{model.ClientLostOnReset, model.ClientCommitOnlyStable, model.SyncMemberCheck} {
		if rapid.IntRange(0, 2).Draw(t, "mutation") == 0 {
			c.Rules.Off = c.Rules.Off.With(m)
		}
	}
	if rapid.Bool().Draw(t, "async after all") {
		c.Clock, c.Unbounded[cluster.Expiries] = cluster.Async, true
	}
	return c
}

// judgement is what every property of states says, as words.
func judgement(c *cluster.Config, s *cluster.State) string {
	var all []string
	for i := range invariants.All {
		if inv := &invariants.All[i]; inv.State != nil {
			all = append(all, fmt.Sprint(inv.Name, " ", inv.State(c, s)))
		}
	}
	for i := range invariants.Goals {
		all = append(all, fmt.Sprint(invariants.Goals[i].Name, " ", invariants.Goals[i].State(c, s)))
	}
	return fmt.Sprint(all)
}

// stepJudgement is what every property of steps says.
func stepJudgement(c *cluster.Config, before, after *cluster.State) string {
	var all []string
	for i := range invariants.All {
		if inv := &invariants.All[i]; inv.Step != nil {
			all = append(all, fmt.Sprint(inv.Name, " ", inv.Step(c, before, after)))
		}
	}
	for i := range invariants.Witnesses {
		all = append(all, fmt.Sprint(invariants.Witnesses[i].Name, " ", invariants.Witnesses[i].Step(c, before, after)))
	}
	return fmt.Sprint(all)
}

// disturbed says how an urgent step and the others of a state get into each
// other's way, or what it lets be seen; "" if nothing is wrong.
func disturbed(x *Exec, s *cluster.State, urgent Taken) string {
	var behind, next cluster.State
	if taken, ok := x.Take(s, &behind, urgent.Op, urgent.Args); !ok || taken != urgent {
		return "it is not enabled any more, or has another outcome"
	}
	if Table[urgent.Op].Fault {
		return "it is a fault"
	}
	if a, b := judgement(x.cfg, s), judgement(x.cfg, &behind); a != b {
		return fmt.Sprintf("it is seen:\n%s\n%s", a, b)
	}
	if a, b := stepJudgement(x.cfg, s, s), stepJudgement(x.cfg, s, &behind); a != b && s.Last == (cluster.Event{}) {
		return fmt.Sprintf("its step is seen:\n%s\n%s", a, b)
	}
	var others []Taken
	x.Next(s, &next, func(u Taken) { others = append(others, u) })
	y := NewExec(x.cfg)
	for _, u := range others {
		if u.Op == urgent.Op && u.Args == urgent.Args {
			continue
		}
		name := fmt.Sprint(Table[u.Op].Name, u.Args)
		var one, other cluster.State
		x.Take(s, &one, u.Op, u.Args)
		seen := stepJudgement(x.cfg, s, &one)
		again, ok := y.Take(&behind, &other, u.Op, u.Args)
		if !ok || again != u {
			return name + " is not enabled behind it, or has another outcome"
		}
		if later := stepJudgement(x.cfg, &behind, &other); seen != later {
			return fmt.Sprintf("%s is seen differently:\n%s\n%s", name, seen, later)
		}
		var both cluster.State
		if taken, ok := y.Take(&one, &both, urgent.Op, urgent.Args); !ok || taken != urgent {
			return "it is not enabled after " + name
		}
		x.Tidy(&both)
		x.Tidy(&other)
		both.Last, other.Last = cluster.Event{}, cluster.Event{}
		if both != other {
			return fmt.Sprintf("%s and it do not commute:\n%+v\n%+v", name, both, other)
		}
	}
	return ""
}

// Whatever others do before an urgent step, it stays enabled, commutes, and is
// seen by no property.
func TestUrgentStepsConcernNobodyElse(t *testing.T) {
	met := map[string]int{}
	names := []string{"join ", "receive JoinGroup", "receive OffsetCommit", "receive OffsetFetch"}
	seen := func(name string) bool { return met[name] > 0 }
	check := func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawTravelling(t)
			walk(t, c, func(x *Exec, s *cluster.State, _ []Taken) {
				at, next := *s, cluster.State{}
				at.Last = cluster.Event{}
				urgent, ok := NewExec(c).Urgent(&at, &next)
				if !ok {
					return
				}
				met[Table[urgent.Op].Name+" "+at.Clients[urgent.Args.A].App.API.String()]++
				y := NewExec(c)
				for range rapid.IntRange(0, 8).Draw(t, "others first") {
					if problem := disturbed(y, &at, urgent); problem != "" {
						t.Fatalf("%s %v in\n%+v: %s", Table[urgent.Op].Name, urgent.Args, at, problem)
					}
					var others []Taken
					y.Next(&at, &next, func(u Taken) {
						if u.Op != urgent.Op || u.Args != urgent.Args {
							others = append(others, u)
						}
					})
					if len(others) == 0 {
						return
					}
					u := rapid.SampledFrom(others).Draw(t, "other")
					y.Take(&at, &next, u.Op, u.Args)
					at = next
					at.Last = cluster.Event{}
				}
			})
		})
	}
	for range 1000 { // random walks do not always come to everything, least of all where few are asked for
		if check(t); t.Failed() || all(names, seen) {
			break
		}
	}
	for _, name := range names {
		assert.NotZero(t, met[name], "%q was never urgent", name)
	}
}

func all(names []string, ok func(string) bool) bool {
	for _, name := range names {
		if !ok(name) {
			return false
		}
	}
	return true
}
