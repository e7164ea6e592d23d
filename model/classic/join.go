package classic

import "fencecheck/model"

// SessionTimeout says how a JoinGroup's session timeout lies to the bounds
// group.min.session.timeout.ms and group.max.session.timeout.ms.
type SessionTimeout uint8

const (
	// SessionWithinBounds is what the coordinator takes.
	SessionWithinBounds SessionTimeout = iota
	// SessionTooShort expires a healthy member between two heartbeats.
	SessionTooShort
	// SessionTooLong never expires within anybody's patience.
	SessionTooLong
)

// joinGroup decides a JoinGroup. Source: GCS.joinGroup, GMM.classicGroupJoin;
// groups.md 2.2, rows J1 to J20.
func (c *Coordinator) joinGroup(r *Request) (answer Reply, parked bool) {
	g := c.Group
	refuse := func(err model.Error) (Reply, bool) {
		return Reply{To: r.MemberID, API: model.JoinGroup, Err: err, MemberID: r.MemberID, Generation: model.NoGeneration}, false
	}
	if c.enforces(model.JoinSessionBounds) && r.Session != SessionWithinBounds { // J1
		return refuse(model.InvalidSessionTimeout)
	}
	created := g.State == Absent
	if created {
		if r.MemberID != 0 && c.enforces(model.JoinKnownIDAbsentGroup) { // J3
			return refuse(model.UnknownMemberID)
		}
		*g = Group{State: Empty} // J4
	}
	if c.overCapacity(r.MemberID) { // J5
		c.remove(r.MemberID)
		answer, _ := refuse(model.GroupMaxSizeReached)
		answer.MemberID = 0 // as seen on Apache Kafka 4.4.0
		return answer, false
	}
	if c.enforces(model.JoinProtocolCheck) && !c.supportsProtocols(r) { // J7
		return refuse(model.InconsistentGroupProtocol)
	}
	if r.MemberID == 0 {
		return c.joinNewMember(r)
	}
	m := c.Find(r.MemberID)
	switch {
	case m != nil && m.Is(Pending): // J12
		m.clear(Pending)
		c.addMember(m, r)
		return Reply{}, true
	case m == nil && created: // only a missing J3 leads here
		return c.joinRevived(r)
	case m == nil: // J13, J20
		return refuse(model.UnknownMemberID)
	}
	return c.rejoin(m, r)
}

// joinNewMember: rows J10 and J11.
func (c *Coordinator) joinNewMember(r *Request) (Reply, bool) {
	m := c.insert(r.Fresh)
	if m == nil {
		return Reply{}, false
	}
	if r.OldVersion || !c.enforces(model.JoinMemberIDRequired) {
		c.addMember(m, r)
		return Reply{}, true
	}
	m.set(Pending)
	return Reply{API: model.JoinGroup, Err: model.MemberIDRequired, MemberID: r.Fresh, Generation: model.NoGeneration}, false
}

// joinRevived takes a member under an id that this life of the group never
// handed out. No version of Kafka does so.
func (c *Coordinator) joinRevived(r *Request) (Reply, bool) {
	m := c.insert(r.MemberID)
	if m == nil {
		return Reply{}, false
	}
	c.addMember(m, r)
	return Reply{}, true
}

// rejoin: rows J14 to J19, the JoinGroup of a member.
func (c *Coordinator) rejoin(m *Member, r *Request) (Reply, bool) {
	g := c.Group
	same := m.Protocols == r.Protocols && m.Meta == r.Meta
	if !same && !c.enforces(model.JoinMetadataChangeRebalance) {
		same = true
	}
	leads := g.Leader == m.ID && c.enforces(model.JoinLeaderStableRebalance)
	switch {
	case g.State == PreparingRebalance: // J14
		c.parkJoin(m, r)
		c.maybeComplete()
	case g.State == CompletingRebalance && same, // J15
		g.State == Stable && same && !leads: // J18
		return Reply{To: m.ID, API: model.JoinGroup, MemberID: m.ID, Generation: g.Generation, Leader: g.Leader, Protocol: g.Protocol}, false
	default: // J16, J17, J19
		c.parkJoin(m, r)
		c.prepareRebalance()
	}
	return Reply{}, true
}

// parkJoin is updateMember: what the request says replaces what was known.
func (c *Coordinator) parkJoin(m *Member, r *Request) {
	m.Protocols, m.Meta = r.Protocols, r.Meta
	m.set(JoinParked)
}

// addMember takes m into the group and begins or joins a rebalance
// (GMM.addMemberThenRebalanceOrCompleteJoin, CG.add).
func (c *Coordinator) addMember(m *Member, r *Request) {
	g := c.Group
	c.parkJoin(m, r)
	m.set(IsNew)
	g.Typed = true
	if g.Leader == 0 {
		g.Leader = m.ID
	}
	if g.State != PreparingRebalance {
		c.prepareRebalance()
		return
	}
	if g.InitialDelay && c.Rules.InitialDelays > 0 { // else nobody asks
		g.NewMemberAdded = true
	}
	c.maybeComplete()
}

// overCapacity is J5.
func (c *Coordinator) overCapacity(id model.MemberID) bool {
	limit := c.Rules.MaxSize
	if limit == 0 {
		return false
	}
	m := c.Find(id)
	switch c.Group.State {
	case PreparingRebalance:
		return (m == nil || !m.Is(JoinParked)) && c.count(JoinParked) >= limit
	case CompletingRebalance, Stable:
		return (m == nil || m.Is(Pending)) && c.Size() >= limit
	}
	return false
}

// supportsProtocols is J7: one of the offered names is supported by every
// member.
func (c *Coordinator) supportsProtocols(r *Request) bool {
	for l := r.Protocols; l != 0; l = l.Rest() {
		if c.allSupport(l.First()) {
			return true
		}
	}
	return false
}

func (c *Coordinator) allSupport(p model.Protocol) bool {
	for i := range c.Members {
		if m := &c.Members[i]; m.ID != 0 && !m.Is(Pending) && !m.Protocols.Has(p) {
			return false
		}
	}
	return true
}

// count is the number of members that have every flag of f.
func (c *Coordinator) count(f MemberFlags) int {
	n := 0
	for i := range c.Members {
		if m := &c.Members[i]; m.ID != 0 && m.Is(f) {
			n++
		}
	}
	return n
}

// prepareRebalance begins a rebalance (GMM.prepareRebalance; groups.md 2.2).
func (c *Coordinator) prepareRebalance() {
	g := c.Group
	if g.State == CompletingRebalance && c.enforces(model.PrepareFailParkedSyncs) {
		c.failParkedSyncs()
	}
	for i := range c.Members {
		c.Members[i].clear(AwaitsSync)
	}
	g.InitialDelay = g.State == Empty
	g.State = PreparingRebalance
	if g.InitialDelay {
		g.DelaysLeft = c.Rules.InitialDelays
		return
	}
	c.maybeComplete()
	if c.Rules.PromptTimers && c.JoinTimerIsZero() {
		c.completeJoin()
	}
}

// JoinTimerIsZero tells that the join timer has just been armed with no time to
// run: it is the largest rebalance timeout of the members, and there are none,
// though an id that was handed out has not come back. Seen on Apache Kafka
// 4.4.0.
func (c *Coordinator) JoinTimerIsZero() bool {
	return c.Group.State == PreparingRebalance && !c.Group.InitialDelay && c.Size() == 0
}

// failParkedSyncs tells those who wait for a plan that none will come.
func (c *Coordinator) failParkedSyncs() {
	for i := range c.Members {
		m := &c.Members[i]
		m.Assignment = 0
		if m.ID != 0 && m.Is(SyncParked) {
			m.clear(SyncParked)
			c.reply(Reply{To: m.ID, API: model.SyncGroup, Err: model.RebalanceInProgress})
		}
	}
}

// maybeComplete completes the join phase when nobody is missing
// (GMM.maybeCompleteJoinPhase).
func (c *Coordinator) maybeComplete() {
	if c.Group.State == PreparingRebalance && !c.Group.InitialDelay && c.allJoined() {
		c.completeJoin()
	}
}

// allJoined is CG.hasAllMembersJoined.
func (c *Coordinator) allJoined() bool {
	for i := range c.Members {
		m := &c.Members[i]
		switch {
		case m.ID == 0:
		case m.Is(Pending):
			if c.enforces(model.JoinPendingBlocksCompletion) {
				return false
			}
		case !m.Is(JoinParked) && c.enforces(model.JoinWaitAllMembers):
			return false
		}
	}
	return true
}

// completeJoin ends the join phase and begins a generation, or empties the
// group (GMM.completeClassicGroupJoin; groups.md 2.3).
func (c *Coordinator) completeJoin() {
	g := c.Group
	if c.enforces(model.JoinDropUnjoinedDynamic) {
		c.dropUnjoined()
	}
	members := c.Size()
	if members > 0 && c.count(JoinParked) == 0 {
		return // only absent members that may stay: wait on
	}
	c.Completed = true
	if m := c.Find(g.Leader); members > 0 && (m == nil || !m.Is(JoinParked)) {
		g.Leader = c.elect(JoinParked)
	}
	g.InitialDelay, g.DelaysLeft = false, 0
	if c.enforces(model.JoinGenerationIncrement) && (members > 0 || c.enforces(model.EmptyGenerationIncrement)) {
		g.Generation++
	}
	if c.Rules.Subscriptions {
		g.Subscribed = c.subscribed()
	}
	if members == 0 {
		g.State, g.Protocol, g.Leader = Empty, 0, 0
		return
	}
	g.Protocol = c.selectProtocol()
	g.State = CompletingRebalance
	for i := range c.Members {
		if m := &c.Members[i]; m.ID != 0 && !m.Is(Pending) {
			c.beginGeneration(m)
		}
	}
}

// subscribed has the topics that some member subscribes to
// (ClassicGroup.computeSubscribedTopics).
func (c *Coordinator) subscribed() (topics model.Meta) {
	for i := range c.Members {
		if m := &c.Members[i]; !m.Is(Pending) {
			topics |= m.Meta
		}
	}
	return topics
}

// beginGeneration counts m in and answers its parked JoinGroup.
func (c *Coordinator) beginGeneration(m *Member) {
	if m.Is(JoinParked) {
		g := c.Group
		c.reply(Reply{To: m.ID, API: model.JoinGroup, MemberID: m.ID, Generation: g.Generation, Leader: g.Leader, Protocol: g.Protocol})
	}
	m.clear(JoinParked | IsNew)
	m.set(AwaitsSync)
}

// dropUnjoined removes the members that did not join in time. Static members
// will stay (groups.md 2.3 step 2).
func (c *Coordinator) dropUnjoined() {
	for i := 0; i < len(c.Members); {
		if m := &c.Members[i]; m.ID != 0 && !m.Is(Pending) && !m.Is(JoinParked) {
			c.remove(m.ID)
			continue
		}
		i++
	}
}

// selectProtocol: every member votes for the first of its names that all
// support; most votes win (CG.selectProtocol).
func (c *Coordinator) selectProtocol() model.Protocol {
	var votes [model.MaxProtocol + 1]int
	for i := range c.Members {
		if m := &c.Members[i]; m.ID != 0 && !m.Is(Pending) {
			votes[c.vote(m)]++
		}
	}
	best := model.Protocol(0)
	for p := model.Protocol(1); p <= model.MaxProtocol; p++ {
		if votes[p] > votes[best] && votes[p] > 0 || votes[p] == votes[best] && votes[p] > 0 && p == c.PreferProtocol {
			best = p
		}
	}
	return best
}

// vote is m's favourite among the protocols that all support, 0 if none is.
func (c *Coordinator) vote(m *Member) model.Protocol {
	for l := m.Protocols; l != 0; l = l.Rest() {
		if c.allSupport(l.First()) {
			return l.First()
		}
	}
	return 0
}
