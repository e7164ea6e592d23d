package classic

import "fencecheck/model"

// leaveGroup decides a LeaveGroup: of one member, or from version 3 on of several,
// as an administrator sends it (KIP-345). Each is answered for itself, and what
// follows for the group happens once. The generation is not checked: a member id
// of any generation can leave. Source: GMM.classicGroupLeaveToClassicGroup;
// groups.md 2.6.
func (c *Coordinator) leaveGroup(r *Request) Reply {
	a := Reply{To: r.MemberID, API: model.LeaveGroup}
	left := false
	if r.Leaving == nil {
		a.Err = c.leave(r.MemberID)
		left = a.Err == model.None
	}
	for _, id := range r.Leaving {
		err := c.leave(id)
		a.Each = append(a.Each, err)
		left = left || err == model.None
	}
	if left {
		c.regroup(false)
	}
	return a
}

// leave removes a member, or an id that was handed out and has not come back.
func (c *Coordinator) leave(id model.MemberID) model.Error {
	if m := c.Find(id); m != nil && m.Is(Pending) {
		c.remove(id)
		return model.None
	}
	err := c.validateMember(id)
	if err == model.None {
		c.expel(id)
	}
	return err
}

// expel removes a member, and tells it if it waits to join. Its parked SyncGroup
// is never answered.
func (c *Coordinator) expel(id model.MemberID) {
	if m := c.Find(id); m.Is(JoinParked) {
		c.reply(Reply{To: id, API: model.JoinGroup, Err: model.UnknownMemberID, Generation: model.NoGeneration})
	}
	c.remove(id)
}

// regroup is what follows when an id was removed, be it a member's or one that
// was only handed out. In PreparingRebalance nobody may be missing any more; a
// LeaveGroup then still respects the initial delay, while the end of a session
// does not (GMM.maybePrepareRebalanceOrCompleteJoin,
// GMM.removeMemberAndUpdateClassicGroup; seen on Apache Kafka 4.4.0).
func (c *Coordinator) regroup(sessionEnded bool) {
	g := c.Group
	switch g.State {
	case Stable, CompletingRebalance:
		c.prepareRebalance()
	case PreparingRebalance:
		if c.allJoined() && (sessionEnded || !g.InitialDelay) {
			c.completeJoin()
		}
	}
}
