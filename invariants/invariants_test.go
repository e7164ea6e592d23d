package invariants

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/ops"
)

var cfg = &cluster.Config{Members: 2, Simple: 1, Partitions: 2, Topics: 1, Records: 3}

// stable is a state in which m1 owns p0, m2 owns p1, and nothing is wrong.
func stable() *cluster.State {
	var s cluster.State
	s.Initial(cfg)
	s.Group = classic.Group{State: classic.Stable, Generation: 3}
	for i, id := range []model.MemberID{cluster.NewMemberID(0, 0), cluster.NewMemberID(1, 0)} {
		s.Members[i] = classic.Member{ID: id, Assignment: model.Part(i)}
		cl := &s.Clients[i]
		cl.Phase, cl.ID, cl.Generation, cl.Owned = cluster.MemberPhase, id, 3, model.Part(i)
	}
	return &s
}

// Each property can say how it is violated, or what keeps it out of reach.
func TestEveryPropertyHasAnEnding(t *testing.T) {
	for _, i := range All {
		assert.NotNil(t, i.Ending, i.Name)
	}
	for _, g := range Goals {
		assert.NotNil(t, g.Ending, g.Name)
	}
}

// Each property accepts a sound state and notices a hand-made fault, however
// that came about.
func TestStatePredicates(t *testing.T) {
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(s *cluster.State)
	}{
		{"single-owner", "two owners in one generation", func(s *cluster.State) { s.Clients[0].Owned = 3 }},
		{"single-owner", "two owners in one generation, one of them stale", func(s *cluster.State) { s.Clients[0].Owned, s.Clients[0].Stale = 3, 3 }},
		{"single-owner", "two owners whose assignments both stand", func(s *cluster.State) { s.Clients[0].Owned, s.Clients[0].Generation = 3, 2 }},
		{"no-lost-input", "an offset behind a record without output", func(s *cluster.State) { s.Offsets[0], s.Ghost.Done[0] = 2, 0b01 }},
		{"no-duplicate-output", "output twice", func(s *cluster.State) { s.Ghost.Output(1, 0); s.Ghost.Output(1, 0) }},
		{"no-ghost-member", "a member that nobody is", func(s *cluster.State) { s.Clients[1].ID = cluster.NewMemberID(1, 1) }},
	} {
		i, ok := ByName(c.property)
		assert.True(t, ok)
		assert.True(t, i.State(cfg, stable()), "%s in a sound state", c.property)
		s := stable()
		c.spoil(s)
		assert.False(t, i.State(cfg, s), "%s: %s", c.property, c.fault)
		assert.NotEmpty(t, i.Ending(cfg, stable(), s), "%s: %s", c.property, c.fault)
	}
}

func TestStatePredicatesAreNotTooStrict(t *testing.T) {
	s := stable()
	s.Clients[0].Owned, s.Clients[0].Stale, s.Clients[0].Generation = 3, 3, 2
	assert.True(t, singleOwner(cfg, s), "a zombie of an older generation owns nothing")
	s.Clients[0].Generation, s.Clients[0].Life, s.Clients[1].Life = 3, 0, 1
	assert.True(t, singleOwner(cfg, s), "nor does one of an earlier life of the group")
	s = stable()
	s.Offsets[0], s.Ghost.Done[0] = 2, 0b11
	assert.True(t, noLostInput(cfg, s))
	s.Clients[1].ID = 0
	s.Clients[1].App = cluster.Request{API: model.JoinGroup, NewID: cluster.NewMemberID(1, 0)}
	assert.True(t, noGhostMember(cfg, s), "its answer is on the way")
}

func TestStepPredicates(t *testing.T) {
	commit := cluster.Event{API: model.OffsetCommit, Client: 0, Committed: 1}
	for _, c := range []struct {
		property string
		fault    string
		spoil    func(after *cluster.State)
	}{
		{"no-stale-commit", "a replaced assignment is committed", func(s *cluster.State) { s.Last = commit; s.Last.Stale = 1 }},
		{"offset-monotone", "an offset moves back", func(s *cluster.State) { s.Last = commit; s.Offsets[0] = 0 }},
		{"no-stranger-commit", "a simple consumer commits into a group", func(s *cluster.State) { s.Last = commit; s.Last.Client = 2 }},
		{"generation-monotone", "a rebalance without a new generation", func(s *cluster.State) { s.Last.Completed = true }},
		{"generation-monotone", "a generation goes back", func(s *cluster.State) { s.Group.Generation = 2 }},
		{"no-false-fence", "a healthy member is removed", func(s *cluster.State) { s.Last.Fenced = 1 }},
	} {
		i, ok := ByName(c.property)
		assert.True(t, ok)
		before, after := stable(), stable()
		before.Offsets[0], after.Offsets[0] = 1, 1
		after.Last = commit
		assert.True(t, i.Step(cfg, before, after), "%s in a sound step", c.property)
		after.Last = cluster.Event{}
		c.spoil(after)
		assert.False(t, i.Step(cfg, before, after), "%s: %s", c.property, c.fault)
		assert.NotEmpty(t, i.Ending(cfg, before, after), "%s: %s", c.property, c.fault)
	}
}

func TestGoals(t *testing.T) {
	recovers, _ := GoalByName("group-recovers")
	settles, _ := GoalByName("group-settles")
	assert.True(t, recovers.State(cfg, stable()))
	assert.True(t, settles.State(cfg, stable()))

	s := stable()
	s.Clients[1].Process = cluster.Stalled
	assert.False(t, recovers.State(cfg, s), "p1 has no owner that runs")
	assert.True(t, settles.State(cfg, s), "but all that run are members")

	s = stable()
	s.Clients[1].Generation = 2
	assert.False(t, settles.State(cfg, s), "m2 is not in the generation")

	s = stable()
	s.Clients[0].Process, s.Clients[1].Process = cluster.Down, cluster.Paused
	assert.True(t, recovers.State(cfg, s), "nobody is left who could")
}

// A member that another one's LeaveGroup pushes out is fenced all the same.
func TestFenceByAnothersLeaving(t *testing.T) {
	c := *cfg
	c.Rules.Off = c.Rules.Off.With(model.JoinWaitAllMembers)
	c.Budgets[cluster.Leaves] = 1
	for i := range c.Protocols {
		c.Protocols[i] = model.ProtocolList(model.Range)
	}
	s := stable()
	for i := range s.Members[:2] {
		s.Members[i].Protocols = model.ProtocolList(model.Range)
	}
	var after cluster.State
	leave, _ := ops.ByName("leave")
	_, ok := ops.NewExec(&c).Take(s, &after, uint16(leave), ops.Args{A: 0})
	assert.True(t, ok)
	assert.False(t, noFalseFence(&c, s, &after))
	assert.True(t, removed(s, &after))
}
