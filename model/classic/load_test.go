package classic

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"fencecheck/model"
)

func TestLoadKeepsWhatTheRecordHolds(t *testing.T) { // groups.md 7.2
	g := Group{State: Stable, Generation: 4, Protocol: model.Range, Leader: 2, Typed: true, DelaysLeft: 1}
	members := []Member{{ID: 1, Flags: Pending}, {ID: 2, Flags: AwaitsSync, Protocols: model.ProtocolList(model.RoundRobin, model.Range), Assignment: 3}, {}}
	c := Coordinator{Rules: &model.Rules{}, Group: &g, Members: members}
	beat := func(id model.MemberID) model.Error {
		answer, _ := c.Decide(&Request{API: model.Heartbeat, MemberID: id, Generation: 4})
		return answer.Err
	}
	c.Load()
	assert.Equal(t, Group{State: Stable, Generation: 4, Protocol: model.Range, Leader: 2, Typed: true}, g)
	assert.Equal(t, []Member{{ID: 2, Protocols: model.ProtocolList(model.Range), Assignment: 3}, {}, {}}, members)
	assert.Equal(t, model.None, beat(2))
	assert.Equal(t, model.UnknownMemberID, beat(1), "a pending id is forgotten")

	members[0] = Member{}
	c.Load()
	assert.Equal(t, Empty, g.State)
	assert.Equal(t, model.Generation(4), g.Generation)
}
