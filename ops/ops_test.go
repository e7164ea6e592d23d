package ops

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

var kebab = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// memberAPIs are the requests that a group's members send.
func memberAPIs() []model.API {
	return slices.DeleteFunc(model.EveryAPI(), func(a model.API) bool {
		return model.APIs[a].Admin || a.Part() == model.TransactionsPart
	})
}

func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for i, o := range Table {
		assert.Regexp(t, kebab, o.Name)
		assert.False(t, seen[o.Name], "%s is there twice", o.Name)
		seen[o.Name] = true
		assert.NotEmpty(t, o.Doc, o.Name)
		assert.NotEmpty(t, o.Source, o.Name)
		assert.NotNil(t, o.Asked, o.Name)
		assert.NotNil(t, o.Tells, o.Name)
		assert.NotNil(t, o.step, o.Name)
		at, ok := ByName(o.Name)
		assert.True(t, ok)
		assert.Equal(t, i, at)
	}
}

func TestArgsPack(t *testing.T) {
	for _, a := range []Args{{A: 3, B: 200, Pick: 7}, {A: 1, Pick: 2, Order: MaxOrders - 1}} {
		assert.Equal(t, a, Unpack(a.Pack()))
	}
}

func TestOutcomeNames(t *testing.T) {
	assert.Equal(t, "OffsetCommit ILLEGAL_GENERATION", Outcomes[outcomeOf(model.OffsetCommit, model.IllegalGeneration, false)])
	assert.Equal(t, "SyncGroup parked", Outcomes[outcomeOf(model.SyncGroup, model.None, true)])
	assert.Equal(t, "DeleteGroups NONE", Outcomes[outcomeOf(model.DeleteGroups, model.None, false)])
}

// drawConfig draws any configuration that a scenario could have.
func drawConfig(t *rapid.T) *cluster.Config {
	small := func(label string, most int) int { return rapid.IntRange(0, most).Draw(t, label) }
	c := &cluster.Config{
		Members: 1 + small("members", 3), Simple: small("simple", 1), Partitions: 1 + small("partitions", 2),
		Records: small("records", 3), Commit: cluster.CommitMode(small("commit", 2)), Clock: cluster.Clock(small("clock", 1)),
		OldJoin: small("old join", 4) == 0, AnyOrder: small("any order", 2) == 0,
	}
	c.Topics = 1 + small("topics", c.Partitions-1)
	c.Rules.InitialDelays = uint8(small("delays", 1))
	c.Rules.MaxSize = max(0, small("max size", 6)-3)
	for i := range c.Sessions {
		c.Sessions[i] = classic.SessionTimeout(max(0, small("session", 9)-7))
	}
	for b := range c.Budgets {
		c.Budgets[b] = uint8(small(cluster.Budget(b).String(), 2))
		c.Unbounded[b] = cluster.Budget(b) != cluster.AddedPartitions && cluster.Budget(b) != cluster.Deletions && small("unbounded "+cluster.Budget(b).String(), 9) == 0
	}
	c.Budgets[cluster.AddedPartitions] = min(c.Budgets[cluster.AddedPartitions], uint8(cluster.MaxPartitions-c.Partitions))
	for _, a := range memberAPIs() {
		c.Travels[a] = rapid.Bool().Draw(t, a.String()+" travels")
	}
	for i := range c.Protocols {
		c.Protocols[i] = rapid.SampledFrom([]model.Protocols{
			model.ProtocolList(model.Range), model.ProtocolList(model.Range, model.RoundRobin), model.ProtocolList(model.RoundRobin, model.Range),
		}).Draw(t, "assignors")
	}
	for m := range model.NumMutations {
		if small(m.String(), 9) == 0 {
			c.Rules.Off = c.Rules.Off.With(m)
		}
	}
	return c
}

// walk takes random steps under a configuration and shows every state on the
// way to look.
func walk(t *rapid.T, c *cluster.Config, look func(x *Exec, s *cluster.State, steps []Taken)) {
	x := NewExec(c)
	var s, next cluster.State
	s.Initial(c)
	for range rapid.IntRange(1, 60).Draw(t, "length") {
		var steps []Taken
		x.Next(&s, &next, func(step Taken) { steps = append(steps, step) })
		look(x, &s, steps)
		if len(steps) == 0 {
			return
		}
		step := rapid.SampledFrom(steps).Draw(t, "step")
		if _, ok := x.Take(&s, &next, step.Op, step.Args); !ok {
			t.Fatalf("%s %v was enabled and cannot be taken", Table[step.Op].Name, step.Args)
		}
		s = next
	}
}

func TestEncodingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		walk(t, c, func(_ *Exec, s *cluster.State, _ []Taken) {
			var back cluster.State
			cluster.NewLayout(c).Decode(encoded(s, c), &back)
			want := *s
			want.Last = cluster.Event{}
			if back != want {
				t.Fatalf("decoded\n%+v\nencoded\n%+v", back, want)
			}
		})
	})
}

// Forgetting the absolute values of generations commutes with stepping.
func TestRanksCommuteWithSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		c.Budgets[cluster.Deletions], c.Unbounded[cluster.Deletions] = 0, false
		c.Ranks = true
		walk(t, c, func(x *Exec, s *cluster.State, _ []Taken) {
			var small, next cluster.State
			cluster.NewLayout(c).Decode(encoded(s, c), &small)
			var want, got []string
			x.Next(s, &next, func(step Taken) { want = append(want, after(step, &next, c)) })
			x.Next(&small, &next, func(step Taken) { got = append(got, after(step, &next, c)) })
			if !slices.Equal(want, got) {
				t.Fatalf("the state has successors\n%q\nand with ranks\n%q", want, got)
			}
		})
	})
}

func after(step Taken, s *cluster.State, c *cluster.Config) string {
	return fmt.Sprintf("%s %v %s %x", Table[step.Op].Name, step.Args, Outcomes[step.Outcome], encoded(s, c))
}

func TestStepsArePure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, drawConfig(t), func(x *Exec, s *cluster.State, steps []Taken) {
			before := *s
			seen := map[Taken]bool{}
			var again, next cluster.State
			x.Next(s, &next, func(step Taken) {
				key := Taken{Op: step.Op, Args: step.Args}
				if seen[key] {
					t.Fatalf("%s %v has two successors", Table[step.Op].Name, step.Args)
				}
				seen[key] = true
				if *s != before {
					t.Fatalf("%s changed the state that it starts from", Table[step.Op].Name)
				}
			})
			for _, step := range steps {
				y := NewExec(x.cfg)
				taken, ok := y.Take(s, &again, step.Op, step.Args)
				if !ok || taken != step {
					t.Fatalf("%s %v: taken again it is %v, %v", Table[step.Op].Name, step.Args, taken, ok)
				}
			}
		})
	})
}

// Ghost truth is written and never read: without it the same steps are enabled
// and have the same outcomes.
func TestGhostIsNotRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, drawConfig(t), func(x *Exec, s *cluster.State, steps []Taken) {
			blind := *s
			forget(&blind)
			var got []Taken
			var next cluster.State
			x.Next(&blind, &next, func(step Taken) { got = append(got, step) })
			// The place of a late request in its bag may depend on ghost
			// fields when two differ in nothing else, so steps are counted.
			if !slices.Equal(count(got), count(steps)) {
				t.Fatalf("with ghost %v\nwithout %v", steps, got)
			}
		})
	})
}

func forget(s *cluster.State) {
	s.Ghost, s.Last = cluster.Ghost{}, cluster.Event{}
	for i := range s.Clients {
		cl := &s.Clients[i]
		cl.Stale, cl.Life = 0, 0
		cl.App.Stale, cl.App.Life = 0, 0
		cl.Beat.Stale, cl.Beat.Life = 0, 0
	}
	for i := range s.Late {
		s.Late[i].Stale, s.Late[i].Life = 0, 0
	}
}

func count(steps []Taken) []int {
	n := make([]int, len(Table))
	for _, s := range steps {
		n[s.Op]++
	}
	return n
}

// By operation the steps are the same, in the same order, and each stands before
// the end of its operation.
func TestItemizedIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walk(t, drawConfig(t), func(x *Exec, s *cluster.State, steps []Taken) {
			var got []Taken
			var next cluster.State
			done := -1
			x.NextItemized(s, &next, func(step Taken) { got = append(got, step) }, func(op uint16) {
				if int(op) <= done {
					t.Fatalf("%s is through after %s", Table[op].Name, Table[done].Name)
				}
				if len(got) > 0 && got[len(got)-1].Op > op {
					t.Fatalf("%s is through only after steps of %s", Table[op].Name, Table[got[len(got)-1].Op].Name)
				}
				done = int(op)
			})
			if !slices.Equal(got, steps) {
				t.Fatalf("by operation %v\nelse %v", got, steps)
			}
		})
	})
}

func encoded(s *cluster.State, c *cluster.Config) []byte { return cluster.NewLayout(c).Append(nil, s) }

// TestMoments: moments are of the client that the first parameter names.
func TestMoments(t *testing.T) {
	guarded := 0
	for _, o := range Table {
		if o.when == 0 && o.who == nil {
			continue
		}
		guarded++
		assert.Equal(t, Client, o.Params[0], o.Name)
		assert.NotEqual(t, ^moments(0), o.when, "%s: that rules out nothing", o.Name)
	}
	assert.Greater(t, guarded, 20)

	running := cluster.Client{App: cluster.Request{API: model.JoinGroup}}
	assert.True(t, (&Op{when: when(waiting)}).at(momentOf(&running)))
	assert.False(t, (&Op{when: when(idle)}).at(momentOf(&running)))
	assert.True(t, new(Op).at(momentOf(&running)))
}
