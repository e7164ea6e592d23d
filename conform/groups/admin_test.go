package groups

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/model"
)

func leaveAnswer(whole model.Error, each ...model.Error) *kmsg.LeaveGroupResponse {
	m := kmsg.NewPtrLeaveGroupResponse()
	m.ErrorCode = int16(whole)
	for _, e := range each {
		m.Members = append(m.Members, kmsg.LeaveGroupResponseMember{ErrorCode: int16(e)})
	}
	return m
}

func TestAnswersOfLeaveGroup(t *testing.T) {
	x := &sending{ids: newBinding()}
	read := func(m *kmsg.LeaveGroupResponse) answer { return x.read(model.LeaveGroup, m, 0) }
	assert.Equal(t, answer{Err: model.UnknownMemberID}, read(leaveAnswer(model.None, model.UnknownMemberID)))
	several := read(leaveAnswer(model.None, model.None, model.UnknownMemberID))
	assert.Equal(t, answer{Each: []model.Error{model.None, model.UnknownMemberID}}, several)
	assert.NotEmpty(t, read(leaveAnswer(model.None)).Odd)
	assert.NotEmpty(t, read(leaveAnswer(model.GroupIDNotFound)).Odd)
	assert.NotEmpty(t, read(leaveAnswer(model.UnknownMemberID, model.None, model.None)).Odd)

	swapped := answer{Each: []model.Error{model.UnknownMemberID, model.None}}
	assert.False(t, several.equal(&swapped))
	assert.Equal(t, []frame.Field{{Name: "each", Model: "NONE UNKNOWN_MEMBER_ID", Broker: "UNKNOWN_MEMBER_ID NONE"}}, compare(&several, &swapped))
	assert.Equal(t, "NONE, UNKNOWN_MEMBER_ID", ownClass(&several))
}

func TestAnswersOfOffsetDelete(t *testing.T) {
	read := func(whole model.Error, partitions ...model.Error) answer {
		m := kmsg.NewPtrOffsetDeleteResponse()
		m.ErrorCode = int16(whole)
		if len(partitions) > 0 {
			m.Topics = append(m.Topics, kmsg.NewOffsetDeleteResponseTopic())
		}
		for i, e := range partitions {
			m.Topics[0].Partitions = append(m.Topics[0].Partitions, kmsg.OffsetDeleteResponseTopicPartition{Partition: int32(i), ErrorCode: int16(e)})
		}
		return (&sending{}).read(model.OffsetDelete, m, 0)
	}
	assert.Equal(t, answer{}, read(model.None, model.None, model.None))
	assert.Equal(t, answer{Err: model.GroupIDNotFound}, read(model.GroupIDNotFound))
	assert.Equal(t, answer{Err: model.GroupSubscribedToTopic}, read(model.None, model.GroupSubscribedToTopic, model.GroupSubscribedToTopic))
	assert.NotEmpty(t, read(model.None).Odd)
	assert.NotEmpty(t, read(model.GroupSubscribedToTopic).Odd)
	assert.NotEmpty(t, read(model.GroupIDNotFound, model.None).Odd)
	assert.NotEmpty(t, read(model.None, model.GroupSubscribedToTopic, model.None).Odd)
}

// What an administrator asks for is planned in each form, with every answer that
// the group has for it.
func TestPlanHasWhatAdministratorsAskFor(t *testing.T) {
	p := theSite(t).plan
	has := func(request, state, answer string) bool {
		return p.Reachable[frame.Triple{Request: request, State: state, Answer: answer}]
	}
	assert.True(t, has("OffsetDelete", "Absent", "GROUP_ID_NOT_FOUND"))
	for _, state := range []string{"PreparingRebalance", "CompletingRebalance", "Stable"} {
		assert.True(t, has("OffsetDelete", state, "NONE"), state)
		assert.True(t, has("OffsetDelete", state, "GROUP_SUBSCRIBED_TO_TOPIC"), state)
		assert.True(t, has("LeaveGroup, of a stranger, twice", state, "UNKNOWN_MEMBER_ID"), state)
	}
	assert.True(t, has("LeaveGroup, of a member, twice", "Stable", "NONE, UNKNOWN_MEMBER_ID"))
	assert.True(t, has("LeaveGroup, of a member, and a stranger", "Stable", "NONE, UNKNOWN_MEMBER_ID"))
	assert.True(t, has("LeaveGroup, of a member, and all others", "Stable", "NONE"))
	assert.True(t, has("LeaveGroup, of a member, and all others", "CompletingRebalance", "NONE"))
}
