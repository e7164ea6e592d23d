package classic

import "fencecheck/model"

// ExpireSession is the firing of the session timer of a member or pending id.
// It tells whether anything came of it: a member that waits in a parked
// request counts as alive, unless it is new. Source:
// GMM.expireClassicGroupMemberHeartbeat, CGM.hasSatisfiedHeartbeat; groups.md
// 2.7.
func (c *Coordinator) ExpireSession(id model.MemberID) bool {
	m := c.Find(id)
	switch {
	case m == nil || !c.enforces(model.SessionExpiry):
		return false
	case m.Is(Pending):
		c.remove(id)
		if c.Group.State == PreparingRebalance { // elsewhere nobody waited for it
			c.regroup(true)
		}
		return true
	case m.Flags&(JoinParked|SyncParked) != 0 && !m.Is(IsNew) && c.enforces(model.SessionSkipParked):
		return false
	default:
		c.expel(id)
	}
	c.regroup(true)
	return true
}

// FireJoinTimer is the end of the initial delay or of the rebalance timeout.
// It tells whether a timer was armed. Source:
// GMM.tryCompleteInitialRebalanceElseSchedule, GMM.completeClassicGroupJoin;
// groups.md 2.2.
func (c *Coordinator) FireJoinTimer() bool {
	g := c.Group
	if g.State != PreparingRebalance {
		return false
	}
	if g.InitialDelay && g.NewMemberAdded && g.DelaysLeft > 0 {
		g.NewMemberAdded = false
		g.DelaysLeft--
		return true
	}
	c.completeJoin()
	return true
}

// FireSyncTimer is the end of the time in which every member must have sent
// SyncGroup: all that have not are removed, the leader too (KAFKA-12890). It
// tells whether a timer was armed. Source: GMM.expirePendingSync; groups.md 2.7.
func (c *Coordinator) FireSyncTimer() bool {
	g := c.Group
	if g.State != CompletingRebalance && g.State != Stable || c.count(AwaitsSync) == 0 || !c.enforces(model.SyncTimeout) {
		return false
	}
	for i := 0; i < len(c.Members); {
		if m := &c.Members[i]; m.ID != 0 && m.Is(AwaitsSync) {
			c.remove(m.ID)
			continue
		}
		i++
	}
	c.prepareRebalance()
	return true
}
