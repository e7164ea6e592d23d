package classic

import "fencecheck/model"

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
func (c *Coordinator) Delete() model.Error {
	switch c.Group.State {
	case Absent:
		return model.GroupIDNotFound
	case Empty:
		*c.Group = Group{}
		clear(c.Members)
		return model.None
	}
	return model.NonEmptyGroup
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
func (c *Coordinator) CheckCommit(id model.MemberID, generation model.Generation, transactional bool) model.Error {
	g := c.Group
	memberCheck, generationCheck := model.OffsetCommitMemberCheck, model.OffsetCommitGenerationCheck
	if transactional {
		memberCheck, generationCheck = model.TxnOffsetCommitMemberCheck, model.TxnOffsetCommitGenerationCheck
	}
	switch {
	case generation < 0 && (g.State == Absent || g.State == Empty): // O1, O4
		return model.None
	case g.State == Absent: // O2
		return c.commitToNoGroup(transactional)
	case generation < 0 && id == 0: // O7
		return c.commitOfNobody(transactional)
	}
	if err := c.validateMember(id); err != model.None && c.enforces(memberCheck) { // O5
		return err
	}
	if generation != g.Generation && c.enforces(generationCheck) { // O6
		return model.IllegalGeneration
	}
	if g.State == CompletingRebalance && !transactional && c.enforces(model.OffsetCommitCompletingCheck) { // O8
		return model.RebalanceInProgress
	}
	return model.None // O9
}

// commitToNoGroup: row O2.
func (c *Coordinator) commitToNoGroup(transactional bool) model.Error {
	switch {
	case !transactional:
		return model.GroupIDNotFound
	case c.enforces(model.TxnOffsetCommitAbsentGroup):
		return model.IllegalGeneration
	}
	return model.None
}

// commitOfNobody: row O7. In a transaction it is accepted in any state.
func (c *Coordinator) commitOfNobody(transactional bool) model.Error {
	refused := c.enforces(model.OffsetCommitEmptyGroupOnly)
	if transactional {
		refused = !c.enforces(model.TxnOffsetBareGroupAllowed)
	}
	if refused {
		return model.UnknownMemberID
	}
	return model.None
}
