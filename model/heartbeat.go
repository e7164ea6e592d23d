package model

// heartbeat decides a Heartbeat v0 to v4. Source: GMM.classicGroupHeartbeat; groups.md
// 2.5: the generation is checked before the state, and a correct heartbeat in
// CompletingRebalance is NONE.
func (c *Coordinator) heartbeat(r *GroupRequest) Reply {
	g := c.Group
	a := Reply{To: r.MemberID, API: Heartbeat}
	err := c.validateMember(r.MemberID)
	switch {
	case g.State == Absent:
		a.Err = UnknownMemberID
	case err != None && c.enforces(HeartbeatMemberCheck):
		a.Err = err
	case r.Generation != g.Generation && c.enforces(HeartbeatGenerationCheck):
		a.Err = IllegalGeneration
	case g.State == PreparingRebalance && c.enforces(HeartbeatRebalanceSignal):
		a.Err = RebalanceInProgress
	}
	return a
}
