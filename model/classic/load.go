package classic

import "fencecheck/model"

// Load turns what the last GroupMetadata record of a group holds into the memory
// of the coordinator that reads it. Group and Members are as they were when the
// record was written: at the leader's SyncGroup, or at the step to Empty. Lost
// are pending ids, parked requests, and all protocols of a member but the chosen
// one. Source: OMM.replay, GroupMetadataManager.onLoaded; groups.md 7.2.
func (c *Coordinator) Load() {
	n := 0
	for _, m := range c.Members {
		if m.ID == 0 || m.Is(Pending) {
			continue
		}
		m.Flags, m.Protocols = 0, model.ProtocolList(c.Group.Protocol)
		c.Members[n] = m
		n++
	}
	clear(c.Members[n:])
	g := c.Group
	*g = Group{State: Stable, Generation: g.Generation, Protocol: g.Protocol, Leader: g.Leader, Typed: g.Typed, Subscribed: g.Subscribed}
	if n == 0 {
		g.State = Empty
	}
}
