package classic

import "fencecheck/model"

// heartbeat decides a Heartbeat v0 to v4. Source: GMM.classicGroupHeartbeat; groups.md
// 2.5: the generation is checked before the state, and a correct heartbeat in
// CompletingRebalance is NONE.
func (c *Coordinator) heartbeat(r *Request) Reply {
	g := c.Group
	a := Reply{To: r.MemberID, API: model.Heartbeat}
	err := c.validateMember(r.MemberID)
	switch {
	case g.State == Absent:
		a.Err = model.UnknownMemberID
	case err != model.None && c.enforces(model.HeartbeatMemberCheck):
		a.Err = err
	case r.Generation != g.Generation && c.enforces(model.HeartbeatGenerationCheck):
		a.Err = model.IllegalGeneration
	case g.State == PreparingRebalance && c.enforces(model.HeartbeatRebalanceSignal):
		a.Err = model.RebalanceInProgress
	}
	return a
}
