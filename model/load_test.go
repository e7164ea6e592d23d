package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLoadKeepsWhatTheRecordHolds(t *testing.T) { // groups.md 7.2
	g := Group{State: Stable, Generation: 4, Protocol: Range, Leader: 2, Typed: true, DelaysLeft: 1}
	members := []Member{{ID: 1, Flags: Pending}, {ID: 2, Flags: AwaitsSync, Protocols: ProtocolList(RoundRobin, Range), Assignment: 3}, {}}
	c := Coordinator{Rules: &Rules{}, Group: &g, Members: members}
	c.Load()
	assert.Equal(t, Group{State: Stable, Generation: 4, Protocol: Range, Leader: 2, Typed: true}, g)
	assert.Equal(t, []Member{{ID: 2, Protocols: ProtocolList(Range), Assignment: 3}, {}, {}}, members)
	assert.Equal(t, None, c.Heartbeat(HeartbeatRequest{MemberID: 2, Generation: 4}).Err)
	assert.Equal(t, UnknownMemberID, c.Heartbeat(HeartbeatRequest{MemberID: 1, Generation: 4}).Err, "a pending id is forgotten")

	members[0] = Member{}
	c.Load()
	assert.Equal(t, Empty, g.State)
	assert.Equal(t, Generation(4), g.Generation)
}
