package classic

import "fencecheck/model"

// MemberAssignment is one row of the plan that a leader sends with SyncGroup.
type MemberAssignment struct {
	ID    model.MemberID
	Parts model.PartSet
}

// syncGroup decides a SyncGroup. The leader's append is taken as acknowledged at
// once: failing and late appends enter with failover (groups.md Y8 to Y11).
// Source: GMM.classicGroupSyncToClassicGroup, GMM.validateSyncGroup; groups.md
// 2.4, rows Y1 to Y12.
func (c *Coordinator) syncGroup(r *Request) (answer Reply, parked bool) {
	g := c.Group
	refuse := func(err model.Error) (Reply, bool) {
		return Reply{To: r.MemberID, API: model.SyncGroup, Err: err}, false
	}
	if g.State == Absent || g.State == Empty { // Y1
		return refuse(model.UnknownMemberID)
	}
	m := c.Find(r.MemberID)
	if err := c.validateMember(r.MemberID); err != model.None { // Y3
		if c.enforces(model.SyncMemberCheck) {
			return refuse(err)
		}
		m = nil
	}
	if c.enforces(model.SyncGenerationCheck) && r.Generation != g.Generation { // Y4
		return refuse(model.IllegalGeneration)
	}
	if r.Protocol != 0 && g.Protocol != 0 && r.Protocol != g.Protocol { // Y5
		return refuse(model.InconsistentGroupProtocol)
	}
	if g.State == PreparingRebalance { // Y6
		return refuse(model.RebalanceInProgress)
	}
	if m != nil {
		m.clear(AwaitsSync)
	}
	if g.State == Stable { // Y12
		a := Reply{To: r.MemberID, API: model.SyncGroup}
		if m != nil {
			a.Assignment = m.Assignment
		}
		return a, false
	}
	if m != nil {
		m.set(SyncParked)
	}
	if r.MemberID == g.Leader || !c.enforces(model.SyncLeaderOnlyAssign) || m == nil { // Y8, Y9
		c.install(r.Plan)
	}
	if m == nil {
		return Reply{To: r.MemberID, API: model.SyncGroup}, false
	}
	return Reply{}, true // Y7
}

// install takes the leader's plan and answers everybody who waits for it.
// Members that the plan does not name get nothing.
func (c *Coordinator) install(plan []MemberAssignment) {
	c.Group.State = Stable
	for i := range c.Members {
		m := &c.Members[i]
		if m.ID == 0 || m.Is(Pending) {
			continue
		}
		m.Assignment = 0
		for _, a := range plan {
			if a.ID == m.ID {
				m.Assignment = a.Parts
			}
		}
		if m.Is(SyncParked) {
			m.clear(SyncParked)
			c.reply(Reply{To: m.ID, API: model.SyncGroup, Assignment: m.Assignment})
		}
	}
}
