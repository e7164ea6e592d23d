package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoadKeepsWhatTheRecordHolds(t *testing.T) { // groups.md 7.2
	g := Group{State: Stable, Generation: 4, Protocol: Range, Leader: 2, Typed: true, DelaysLeft: 1}
	members := []Member{{ID: 1, Flags: Pending}, {ID: 2, Flags: AwaitsSync, Protocols: ProtocolList(RoundRobin, Range), Assignment: 3}, {}}
	c := Coordinator{Rules: &Rules{}, Group: &g, Members: members}
	beat := func(id MemberID) Error {
		answer, _ := c.Decide(&GroupRequest{API: Heartbeat, MemberID: id, Generation: 4})
		return answer.Err
	}
	c.Load()
	assert.Equal(t, Group{State: Stable, Generation: 4, Protocol: Range, Leader: 2, Typed: true}, g)
	assert.Equal(t, []Member{{ID: 2, Protocols: ProtocolList(Range), Assignment: 3}, {}, {}}, members)
	assert.Equal(t, None, beat(2))
	assert.Equal(t, UnknownMemberID, beat(1), "a pending id is forgotten")

	members[0] = Member{}
	c.Load()
	assert.Equal(t, Empty, g.State)
	assert.Equal(t, Generation(4), g.Generation)
}
