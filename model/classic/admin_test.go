package classic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
	"fencecheck/model/offsets"
)

// An administrator removes several members at once: each is answered for itself,
// and one rebalance follows.
func TestRemovalOfSeveralMembers(t *testing.T) {
	b, m, other := inState(t, Stable)
	pending, _ := b.join(0, 1)
	before := b.group.Generation
	c := b.open()
	answer, parked := c.Decide(&Request{API: model.LeaveGroup, Leaving: []model.MemberID{m, 77, pending.MemberID, m}})
	b.close(c)
	assert.False(t, parked)
	assert.Equal(t, []model.Error{model.None, model.UnknownMemberID, model.None, model.UnknownMemberID}, answer.Each)
	assert.Equal(t, PreparingRebalance, b.group.State)
	assert.Equal(t, before, b.group.Generation)
	assert.NotNil(t, c.Find(other))

	c = b.open()
	answer, _ = c.Decide(&Request{API: model.LeaveGroup, Leaving: []model.MemberID{77}})
	assert.Equal(t, []model.Error{model.UnknownMemberID}, answer.Each)
	c = b.open()
	answer, _ = c.Decide(&Request{API: model.LeaveGroup, Leaving: []model.MemberID{other}})
	assert.Equal(t, []model.Error{model.None}, answer.Each)
	assert.Equal(t, Empty, b.group.State, "nobody is left, and the rebalance is over")
}

// Offsets of a topic can be deleted while no member of the generation subscribes
// to it.
func TestOffsetDelete(t *testing.T) {
	const topic, otherTopic = 0, 1 // members subscribe to the first, a bit
	b := newBroker(t)
	b.rules.Subscriptions = true
	deletes := func(topic uint8, parts model.PartSet) model.Error {
		return b.store().Decide(&offsets.Request{API: model.OffsetDelete, Topic: topic, Partitions: parts})
	}
	assert.Equal(t, model.GroupIDNotFound, deletes(topic, 1))
	assert.Equal(t, model.None, b.commit(0, model.NoGeneration, 5), "a simple group")
	assert.Equal(t, model.None, deletes(topic, 2))
	assert.Equal(t, model.Offset(5), b.offsets[0], "another partition was named")
	assert.Equal(t, model.None, deletes(topic, 1))
	assert.Equal(t, model.NoOffset, b.offsets[0])

	m := b.enter()
	assert.Equal(t, model.GroupSubscribedToTopic, deletes(otherTopic, 1), "before the first generation nobody knows")
	require.True(t, b.joinTimer())
	assert.Equal(t, model.GroupSubscribedToTopic, deletes(topic, 1))
	assert.Equal(t, model.None, deletes(otherTopic, 1))
	assert.Equal(t, model.None, b.leave(m))
	require.Equal(t, Empty, b.group.State)
	assert.Equal(t, model.None, deletes(topic, 1), "an empty group subscribes to nothing")
}
