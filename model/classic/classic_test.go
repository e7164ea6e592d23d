package classic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
	"fencecheck/model/offsets"
)

// broker is a coordinator with its own memory, for tests that talk to it.
type broker struct {
	t       *testing.T
	rules   model.Rules
	group   Group
	members []Member
	offsets []model.Offset
	replies []Reply
	fresh   model.MemberID
	pick    int
}

func newBroker(t *testing.T, off ...model.Mutation) *broker {
	b := &broker{t: t, members: make([]Member, 8), offsets: []model.Offset{model.NoOffset, model.NoOffset}}
	for _, m := range off {
		b.rules.Off = b.rules.Off.With(m)
	}
	return b
}

// open starts a call; the answers to parked requests are those of this call.
func (b *broker) open() *Coordinator {
	b.replies = nil
	return &Coordinator{Rules: &b.rules, Group: &b.group, Members: b.members, Pick: b.pick}
}

func (b *broker) store() *offsets.Store {
	return &offsets.Store{Rules: &b.rules, Group: b.open(), Committed: b.offsets}
}

func (b *broker) deleteGroup() model.Error {
	return b.store().Decide(&offsets.Request{API: model.DeleteGroups})
}

func (b *broker) close(c *Coordinator) {
	b.replies = c.Replies
	require.False(b.t, c.Full)
}

func (b *broker) join(id model.MemberID, meta model.Meta) (Reply, bool) {
	return b.joinWith(Request{MemberID: id, Meta: meta, Protocols: model.ProtocolList(model.Range)})
}

func (b *broker) joinWith(r Request) (Reply, bool) {
	b.fresh++
	r.API, r.Fresh = model.JoinGroup, b.fresh
	c := b.open()
	answer, parked := c.Decide(&r)
	b.close(c)
	return answer, parked
}

// enter takes a new member to its parked JoinGroup.
func (b *broker) enter() model.MemberID {
	answer, parked := b.join(0, 1)
	require.Equal(b.t, model.MemberIDRequired, answer.Err)
	require.False(b.t, parked)
	_, parked = b.join(answer.MemberID, 1)
	require.True(b.t, parked)
	return answer.MemberID
}

func (b *broker) sync(id model.MemberID, g model.Generation, plan ...MemberAssignment) (Reply, bool) {
	c := b.open()
	answer, parked := c.Decide(&Request{API: model.SyncGroup, MemberID: id, Generation: g, Protocol: model.Range, Plan: plan})
	b.close(c)
	return answer, parked
}

func (b *broker) heartbeat(id model.MemberID, g model.Generation) model.Error {
	answer, _ := b.open().Decide(&Request{API: model.Heartbeat, MemberID: id, Generation: g})
	return answer.Err
}

func (b *broker) commit(id model.MemberID, g model.Generation, o model.Offset) model.Error {
	return b.store().Decide(&offsets.Request{API: model.OffsetCommit, MemberID: id, Generation: g, Offsets: []model.Offset{o, model.NoOffset}})
}

func (b *broker) leave(id model.MemberID) model.Error {
	c := b.open()
	answer, _ := c.Decide(&Request{API: model.LeaveGroup, MemberID: id})
	b.close(c)
	return answer.Err
}

func (b *broker) fire(timer func(c *Coordinator) bool) bool {
	c := b.open()
	fired := timer(c)
	b.close(c)
	return fired
}

func (b *broker) joinTimer() bool { return b.fire((*Coordinator).FireJoinTimer) }

// answerOf is the answer to a member's parked request in the latest call.
func (b *broker) answerOf(id model.MemberID) Reply {
	for _, r := range b.replies {
		if r.To == id {
			return r
		}
	}
	b.t.Fatalf("no answer for member %d", id)
	return Reply{}
}

// groups with one member m and one other, brought to a state. The member
// carries the current generation.
func inState(t *testing.T, s GroupState) (b *broker, m, other model.MemberID) {
	b = newBroker(t)
	m, other = b.enter(), b.enter()
	require.True(t, b.joinTimer())
	require.Equal(t, CompletingRebalance, b.group.State)
	if s == CompletingRebalance {
		return b, m, other
	}
	b.sync(m, 1, MemberAssignment{m, 1}, MemberAssignment{other, 2})
	b.sync(other, 1)
	require.Equal(t, Stable, b.group.State)
	switch s {
	case PreparingRebalance:
		_, parked := b.join(other, 2)
		require.True(t, parked)
	case Empty:
		require.Equal(t, model.None, b.leave(m))
		require.Equal(t, model.None, b.leave(other))
	}
	require.Equal(t, s, b.group.State)
	return b, m, other
}

// The matrix of groups.md 2.9, seen on a real broker: what a valid member that
// carries the current generation is answered.
func TestMatrixOfStates(t *testing.T) {
	const parked = model.Error(-1)
	outcome := func(r Reply, isParked bool) model.Error {
		if isParked {
			return parked
		}
		return r.Err
	}
	requests := []struct {
		name string
		send func(b *broker, m model.MemberID) model.Error
		want map[GroupState]model.Error
	}{
		{"Heartbeat", func(b *broker, m model.MemberID) model.Error { return b.heartbeat(m, b.group.Generation) },
			map[GroupState]model.Error{Empty: model.UnknownMemberID, PreparingRebalance: model.RebalanceInProgress, CompletingRebalance: model.None, Stable: model.None}},
		{"SyncGroup", func(b *broker, m model.MemberID) model.Error { return outcome(b.sync(m, b.group.Generation)) },
			map[GroupState]model.Error{Empty: model.UnknownMemberID, PreparingRebalance: model.RebalanceInProgress, CompletingRebalance: parked, Stable: model.None}},
		{"OffsetCommit", func(b *broker, m model.MemberID) model.Error { return b.commit(m, b.group.Generation, 5) },
			map[GroupState]model.Error{Empty: model.UnknownMemberID, PreparingRebalance: model.None, CompletingRebalance: model.RebalanceInProgress, Stable: model.None}},
		{"JoinGroup, same bytes", func(b *broker, m model.MemberID) model.Error { return outcome(b.join(m, 1)) },
			map[GroupState]model.Error{Empty: model.UnknownMemberID, PreparingRebalance: parked, CompletingRebalance: model.None, Stable: model.None}},
		{"LeaveGroup", func(b *broker, m model.MemberID) model.Error { return b.leave(m) },
			map[GroupState]model.Error{Empty: model.UnknownMemberID, PreparingRebalance: model.None, CompletingRebalance: model.None, Stable: model.None}},
	}
	for _, r := range requests {
		for state, want := range r.want {
			b, leader, follower := inState(t, state)
			sender := leader
			if state == Stable && r.name == "JoinGroup, same bytes" || r.name == "SyncGroup" {
				sender = follower // the leader's own effect is another test's
			}
			assert.Equal(t, want, r.send(b, sender), "%s in %s", r.name, state)
		}
	}
}

// The decision table of groups.md 4.2, rows O1 to O9.
func TestCommitTable(t *testing.T) {
	b := newBroker(t)
	assert.Equal(t, model.GroupIDNotFound, b.commit(1, 0, 5), "O2")
	assert.Equal(t, model.None, b.commit(7, -1, 5), "O1, whatever member")
	assert.Equal(t, Empty, b.group.State)
	assert.Equal(t, model.None, b.commit(7, -1, 6), "O4")
	assert.Equal(t, model.UnknownMemberID, b.commit(7, 0, 7), "O5 in an empty group")

	b, m, _ := inState(t, Stable)
	assert.Equal(t, model.UnknownMemberID, b.commit(99, 1, 5), "O5")
	assert.Equal(t, model.IllegalGeneration, b.commit(m, 0, 5), "O6, older")
	assert.Equal(t, model.IllegalGeneration, b.commit(m, 2, 5), "O6, newer")
	assert.Equal(t, model.IllegalGeneration, b.commit(m, -1, 5), "O6, none with a valid member")
	assert.Equal(t, model.UnknownMemberID, b.commit(0, -1, 5), "O7")
	assert.Equal(t, model.NoOffset, b.offsets[0], "nothing refused is stored")
	assert.Equal(t, model.None, b.commit(m, 1, 5), "O9")
	assert.Equal(t, model.None, b.commit(m, 1, 2), "nobody compares offsets")
	assert.Equal(t, []model.Offset{2, model.NoOffset}, b.offsets)
}

func TestHeartbeatChecksGenerationBeforeState(t *testing.T) {
	b, m, _ := inState(t, PreparingRebalance)
	assert.Equal(t, model.IllegalGeneration, b.heartbeat(m, 0))
	assert.Equal(t, model.RebalanceInProgress, b.heartbeat(m, 1))
}

func TestPendingIDIsNoMember(t *testing.T) {
	b, _, _ := inState(t, Stable)
	answer, _ := b.join(0, 1)
	id := answer.MemberID
	assert.Equal(t, Stable, b.group.State, "MEMBER_ID_REQUIRED changes no state")
	assert.Equal(t, model.UnknownMemberID, b.heartbeat(id, 1))
	assert.Equal(t, model.UnknownMemberID, b.commit(id, 1, 5))
	assert.Equal(t, model.None, b.leave(id), "it can leave")
	assert.Equal(t, model.UnknownMemberID, b.leave(id), "once")
}

func TestPendingIDDelaysTheOthers(t *testing.T) {
	b, m, other := inState(t, Stable)
	answer, _ := b.join(0, 1)
	b.join(m, 2)
	b.join(other, 2)
	assert.Equal(t, PreparingRebalance, b.group.State)
	assert.True(t, b.fire(func(c *Coordinator) bool { return c.ExpireSession(answer.MemberID) }))
	assert.Equal(t, CompletingRebalance, b.group.State)
	assert.Equal(t, model.Generation(2), b.answerOf(m).Generation)
}

func TestInitialDelay(t *testing.T) {
	b := newBroker(t)
	b.rules.InitialDelays = 1
	first := b.enter()
	second := b.enter()
	assert.Equal(t, PreparingRebalance, b.group.State, "joins never complete it early")
	assert.True(t, b.joinTimer())
	assert.Equal(t, PreparingRebalance, b.group.State, "somebody joined: it is extended")
	assert.True(t, b.joinTimer())
	assert.Equal(t, CompletingRebalance, b.group.State)
	assert.Equal(t, first, b.answerOf(second).Leader, "the first to join leads")
}

func TestStableLeaderRejoinsAndFollowerDoesNot(t *testing.T) {
	b, leader, follower := inState(t, Stable)
	answer, parked := b.join(follower, 1)
	assert.False(t, parked, "J18")
	assert.Equal(t, model.Generation(1), answer.Generation)
	_, parked = b.join(leader, 1)
	assert.True(t, parked, "J17")
	assert.Equal(t, PreparingRebalance, b.group.State)
	b, _, follower = inState(t, Stable)
	_, parked = b.join(follower, 2)
	assert.True(t, parked, "J19")
}

func TestCompletingIsInterrupted(t *testing.T) {
	b, leader, follower := inState(t, CompletingRebalance)
	_, parked := b.sync(follower, 1)
	assert.True(t, parked, "Y7")
	_, parked = b.join(leader, 2)
	assert.True(t, parked, "J16")
	assert.Equal(t, model.RebalanceInProgress, b.answerOf(follower).Err)
	answer, _ := b.sync(follower, 0)
	assert.Equal(t, model.IllegalGeneration, answer.Err, "Y4 comes before Y6")
	answer, _ = b.sync(follower, 1)
	assert.Equal(t, model.RebalanceInProgress, answer.Err, "Y6")
}

func TestLeaderInstallsThePlanOnce(t *testing.T) {
	b, leader, follower := inState(t, CompletingRebalance)
	b.sync(follower, 1)
	b.sync(leader, 1, MemberAssignment{leader, 1})
	assert.Equal(t, model.PartSet(1), b.answerOf(leader).Assignment)
	assert.Equal(t, model.PartSet(0), b.answerOf(follower).Assignment, "who is not named gets nothing")
	answer, _ := b.sync(leader, 1, MemberAssignment{leader, 2})
	assert.Equal(t, model.PartSet(1), answer.Assignment, "Y12: a second plan is ignored")
}

func TestUnjoinedAreDroppedAndTheGenerationRises(t *testing.T) {
	b, m, other := inState(t, PreparingRebalance)
	assert.True(t, b.joinTimer())
	assert.Equal(t, model.Generation(2), b.answerOf(other).Generation)
	assert.Equal(t, other, b.answerOf(other).Leader, "the leader did not join: another leads")
	assert.Equal(t, model.UnknownMemberID, b.heartbeat(m, 1))
	assert.Equal(t, model.None, b.leave(other))
	assert.Equal(t, Empty, b.group.State)
	assert.Equal(t, model.Generation(3), b.group.Generation, "2.8: the step to Empty counts")
}

func TestExpiryAnswersAParkedJoinAndSkipsTheParked(t *testing.T) {
	b, m, other := inState(t, PreparingRebalance)
	expire := func(id model.MemberID) bool {
		return b.fire(func(c *Coordinator) bool { return c.ExpireSession(id) })
	}
	assert.False(t, expire(other), "parked and not new")
	newcomer := b.enter()
	assert.True(t, expire(newcomer), "new members have a timer of their own")
	assert.Equal(t, model.UnknownMemberID, b.answerOf(newcomer).Err)
	assert.True(t, expire(m))
	assert.Equal(t, CompletingRebalance, b.group.State, "nobody is missing now")
}

func TestSyncTimerRemovesAllThatAreMissing(t *testing.T) {
	b, leader, follower := inState(t, CompletingRebalance)
	b.sync(follower, 1)
	assert.True(t, b.fire((*Coordinator).FireSyncTimer))
	assert.Equal(t, model.RebalanceInProgress, b.answerOf(follower).Err)
	assert.Equal(t, model.UnknownMemberID, b.heartbeat(leader, 1))
	assert.Equal(t, PreparingRebalance, b.group.State)
	b, _, _ = inState(t, Stable)
	assert.False(t, b.fire((*Coordinator).FireSyncTimer), "nobody is missing")
}

func TestJoinShapes(t *testing.T) {
	b := newBroker(t)
	answer, _ := b.joinWith(Request{Session: SessionTooShort, Protocols: model.ProtocolList(model.Range)})
	assert.Equal(t, model.InvalidSessionTimeout, answer.Err, "J1")
	answer, _ = b.join(5, 1)
	assert.Equal(t, model.UnknownMemberID, answer.Err, "J3")
	assert.Equal(t, Absent, b.group.State)
	answer, _ = b.joinWith(Request{})
	assert.Equal(t, model.InconsistentGroupProtocol, answer.Err, "J7: no protocol")
	_, parked := b.joinWith(Request{Protocols: model.ProtocolList(model.Range), OldVersion: true})
	assert.True(t, parked, "J11")
	answer, _ = b.joinWith(Request{Protocols: model.ProtocolList(model.RoundRobin)})
	assert.Equal(t, model.InconsistentGroupProtocol, answer.Err, "J7: none in common")
}

func TestGroupMaxSize(t *testing.T) {
	b, _, _ := inState(t, Stable)
	b.rules.MaxSize = 2
	answer, _ := b.join(0, 1)
	assert.Equal(t, model.GroupMaxSizeReached, answer.Err, "J5")
	assert.Zero(t, answer.MemberID)
}

func TestProtocolChoice(t *testing.T) {
	b := newBroker(t)
	both := func(list model.Protocols) model.MemberID {
		answer, _ := b.joinWith(Request{Protocols: list})
		b.joinWith(Request{MemberID: answer.MemberID, Protocols: list})
		return answer.MemberID
	}
	both(model.ProtocolList(model.Range, model.RoundRobin))
	both(model.ProtocolList(model.RoundRobin, model.Range))
	both(model.ProtocolList(model.RoundRobin))
	b.joinTimer()
	assert.Equal(t, model.RoundRobin, b.group.Protocol, "all support it")
}

func TestDeleteGroup(t *testing.T) {
	b, _, _ := inState(t, Stable)
	assert.Equal(t, model.NonEmptyGroup, b.deleteGroup())
	b, m, _ := inState(t, Empty)
	b.join(0, 1)
	assert.Equal(t, model.None, b.deleteGroup())
	assert.Equal(t, model.GroupIDNotFound, b.deleteGroup())
	assert.Equal(t, make([]Member, 8), b.members, "handed out ids go too")
	assert.Equal(t, model.UnknownMemberID, b.heartbeat(m, 1))
	assert.Equal(t, model.Generation(0), b.group.Generation)
}

// Kafka takes the first entry of a hash map where it needs a new leader.
func TestLeaderIsAnyMember(t *testing.T) {
	leaders := map[model.MemberID]bool{}
	for pick := range 2 {
		b, leader, other := inState(t, Stable)
		third := b.enter()
		b.join(leader, 2)
		b.join(other, 2)
		b.pick = pick
		require.Equal(t, CompletingRebalance, b.group.State)
		b.leave(leader)
		leaders[b.group.Leader] = true
		assert.NotZero(t, third)
	}
	assert.Len(t, leaders, 2)
}

func TestNoPlaceForAnotherMember(t *testing.T) {
	c := &Coordinator{Rules: &model.Rules{}, Group: &Group{}, Members: make([]Member, 1)}
	c.Decide(&Request{API: model.JoinGroup, Fresh: 1, Protocols: model.ProtocolList(model.Range)})
	assert.False(t, c.Full)
	c.Decide(&Request{API: model.JoinGroup, Fresh: 2, Protocols: model.ProtocolList(model.Range)})
	assert.True(t, c.Full)
}

// Facts that Apache Kafka 4.4.0 taught over the wire.
func TestPendingIDsAsSeenOnABroker(t *testing.T) {
	b, m, _ := inState(t, Stable)
	answer, _ := b.join(0, 1)
	assert.Equal(t, model.None, b.leave(answer.MemberID))
	assert.Equal(t, model.RebalanceInProgress, b.heartbeat(m, 1), "a pending id that leaves begins a rebalance")

	b = newBroker(t)
	m = b.enter()
	b.joinTimer()
	b.join(0, 1)
	b.leave(m)
	require.Equal(t, PreparingRebalance, b.group.State)
	assert.True(t, b.open().JoinTimerIsZero())
	b.joinTimer()
	assert.Equal(t, Empty, b.group.State, "a pending id does not hold up a rebalance without members")
	assert.Equal(t, model.Generation(2), b.group.Generation)

	b = newBroker(t)
	m = b.enter()
	answer, _ = b.join(0, 1)
	assert.True(t, b.fire(func(c *Coordinator) bool { return c.ExpireSession(answer.MemberID) }))
	assert.Equal(t, model.Generation(1), b.answerOf(m).Generation, "its expiry ends the initial delay")

	b, m, _ = inState(t, Stable)
	answer, _ = b.join(0, 1)
	assert.True(t, b.fire(func(c *Coordinator) bool { return c.ExpireSession(answer.MemberID) }))
	assert.Equal(t, model.None, b.heartbeat(m, 1), "one that expires begins no rebalance")
}
