package model

// This file has what a classic group says to commits of its offsets.

// Exists tells whether the coordinator has the group.
func (c *Coordinator) Exists() bool { return c.Group.State != Absent }

// Touch makes an absent group a simple one: Empty, and without a protocol type
// (groups.md O1).
func (c *Coordinator) Touch() {
	if c.Group.State == Absent {
		*c.Group = Group{State: Empty}
	}
}

// Delete deletes an empty group, with the ids that were handed out and have not
// come back (CG.validateDeleteGroup; groups.md 4.7).
func (c *Coordinator) Delete() Error {
	switch c.Group.State {
	case Absent:
		return GroupIDNotFound
	case Empty:
		*c.Group = Group{}
		clear(c.Members)
		return None
	}
	return NonEmptyGroup
}

// Subscribes tells whether the group subscribes to a topic: as its generation
// began. Before the first one nobody knows, so that it may be any
// (ClassicGroup.isSubscribedToTopic; groups.md 4.7).
func (c *Coordinator) Subscribes(topic uint8) bool {
	if c.Group.Generation == 0 {
		return c.Group.Typed
	}
	return c.Group.Subscribed>>topic&1 == 1
}

// CheckCommit is the decision table of groups.md 4.2, for both kinds of commits
// (ClassicGroup.validateOffsetCommit).
func (c *Coordinator) CheckCommit(id MemberID, generation Generation, transactional bool) Error {
	g := c.Group
	memberCheck, generationCheck := OffsetCommitMemberCheck, OffsetCommitGenerationCheck
	if transactional {
		memberCheck, generationCheck = TxnOffsetCommitMemberCheck, TxnOffsetCommitGenerationCheck
	}
	switch {
	case generation < 0 && (g.State == Absent || g.State == Empty): // O1, O4
		return None
	case g.State == Absent: // O2
		return c.commitToNoGroup(transactional)
	case generation < 0 && id == 0: // O7
		return c.commitOfNobody(transactional)
	}
	if err := c.validateMember(id); err != None && c.enforces(memberCheck) { // O5
		return err
	}
	if generation != g.Generation && c.enforces(generationCheck) { // O6
		return IllegalGeneration
	}
	if g.State == CompletingRebalance && !transactional && c.enforces(OffsetCommitCompletingCheck) { // O8
		return RebalanceInProgress
	}
	return None // O9
}

// commitToNoGroup: row O2.
func (c *Coordinator) commitToNoGroup(transactional bool) Error {
	switch {
	case !transactional:
		return GroupIDNotFound
	case c.enforces(TxnOffsetCommitAbsentGroup):
		return IllegalGeneration
	}
	return None
}

// commitOfNobody: row O7. In a transaction it is accepted in any state.
func (c *Coordinator) commitOfNobody(transactional bool) Error {
	refused := c.enforces(OffsetCommitEmptyGroupOnly)
	if transactional {
		refused = !c.enforces(TxnOffsetBareGroupAllowed)
	}
	if refused {
		return UnknownMemberID
	}
	return None
}
