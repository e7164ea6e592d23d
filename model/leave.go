package model

// leaveGroup decides a LeaveGroup of one member. The generation is not
// checked: a member id of any generation can leave. Source:
// GMM.classicGroupLeaveToClassicGroup; groups.md 2.6.
func (c *Coordinator) leaveGroup(r *GroupRequest) Reply {
	id := r.MemberID
	a := Reply{To: id, API: LeaveGroup}
	if m := c.Find(id); m != nil && m.Is(Pending) {
		c.remove(id)
		c.regroup(false)
		return a
	}
	if a.Err = c.validateMember(id); a.Err == None {
		c.expel(id)
		c.regroup(false)
	}
	return a
}

// expel removes a member, and tells it if it waits to join. Its parked SyncGroup
// is never answered.
func (c *Coordinator) expel(id MemberID) {
	if m := c.Find(id); m.Is(JoinParked) {
		c.reply(Reply{To: id, API: JoinGroup, Err: UnknownMemberID, Generation: NoGeneration})
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
