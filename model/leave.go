package model

// LeaveGroup decides a LeaveGroup of one member. The generation is not
// checked: a member id of any generation can leave. Source:
// GMM.classicGroupLeaveToClassicGroup; groups.md 2.6.
func (c *Coordinator) LeaveGroup(id MemberID) Reply {
	a := Reply{To: id, API: LeaveGroup}
	if m := c.Find(id); m != nil && m.Is(Pending) {
		c.dismiss(id)
		return a
	}
	if a.Err = c.validateMember(id); a.Err == None {
		c.expel(id)
	}
	return a
}

// expel removes a member, tells it if it waits to join, and lets the others
// rebalance (GMM.removeMemberAndUpdateClassicGroup). A parked SyncGroup of the
// removed member is never answered.
func (c *Coordinator) expel(id MemberID) {
	if m := c.Find(id); m.Is(JoinParked) {
		c.reply(Reply{To: id, API: JoinGroup, Err: UnknownMemberID, Generation: NoGeneration})
	}
	c.dismiss(id)
}

// dismiss removes an id, be it a member's or one that was only handed out, and
// lets the others rebalance.
func (c *Coordinator) dismiss(id MemberID) {
	c.remove(id)
	switch c.Group.State {
	case Stable, CompletingRebalance:
		c.prepareRebalance()
	case PreparingRebalance:
		c.maybeComplete()
	}
}
