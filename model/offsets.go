package model

// OffsetCommitRequest is OffsetCommit v9. Offsets has an entry a partition,
// NoOffset for those that the request does not name.
type OffsetCommitRequest struct {
	MemberID   MemberID
	Generation Generation
	Offsets    []Offset
}

// OffsetCommit decides a plain OffsetCommit and stores what it accepts. Source:
// OMM.validateOffsetCommit, CG.validateOffsetCommit; groups.md 4.2, rows O1 to
// O9. Nobody checks that an offset is not smaller than the one it replaces,
// nor that the member owns the partition.
func (c *Coordinator) OffsetCommit(r OffsetCommitRequest) Reply {
	a := Reply{To: r.MemberID, API: OffsetCommit, Err: c.checkCommit(r.MemberID, r.Generation, false)}
	if a.Err != None {
		return a
	}
	if c.Group.State == Absent { // O1: a simple group
		*c.Group = Group{State: Empty}
	}
	for p, o := range r.Offsets {
		if o != NoOffset {
			c.setOffset(p, o)
		}
	}
	return a
}

// checkCommit is the decision table of groups.md 4.2, for both kinds of commits
// (ClassicGroup.validateOffsetCommit).
func (c *Coordinator) checkCommit(id MemberID, generation Generation, transactional bool) Error {
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
	if err := c.validateMember(id); err != None && c.guard(memberCheck) { // O5
		return err
	}
	if generation != g.Generation && c.guard(generationCheck) { // O6
		return IllegalGeneration
	}
	if g.State == CompletingRebalance && !transactional && c.guard(OffsetCommitCompletingCheck) { // O8
		return RebalanceInProgress
	}
	return None // O9
}

// commitToNoGroup: row O2.
func (c *Coordinator) commitToNoGroup(transactional bool) Error {
	switch {
	case !transactional:
		return GroupIDNotFound
	case c.guard(TxnOffsetCommitAbsentGroup):
		return IllegalGeneration
	}
	return None
}

// commitOfNobody: row O7. In a transaction it is accepted in any state.
func (c *Coordinator) commitOfNobody(transactional bool) Error {
	refused := c.guard(OffsetCommitEmptyGroupOnly)
	if transactional {
		refused = !c.guard(TxnOffsetBareGroupAllowed)
	}
	if refused {
		return UnknownMemberID
	}
	return None
}

// OffsetFetch answers with the committed offset of a partition, NoOffset where
// there is none. A classic group does not look at the member (groups.md 4.6).
func (c *Coordinator) OffsetFetch(p int) Offset {
	if c.Group.State == Absent {
		return NoOffset
	}
	return c.Offsets[p]
}

// DeleteGroup decides DeleteGroups for this group: an administrator's request,
// or the sweep that deletes an empty group once no offset is left
// (CG.validateDeleteGroup; groups.md 4.7, 4.8).
func (c *Coordinator) DeleteGroup() Reply {
	a := Reply{API: DeleteGroups}
	switch c.Group.State {
	case Absent:
		a.Err = GroupIDNotFound
	case Empty:
		*c.Group = Group{}
		clear(c.Members) // ids that were handed out and have not come back
		for p := range c.Offsets {
			c.Offsets[p] = NoOffset
		}
		clear(c.OffsetsAt)
		clear(c.Pending)
	default:
		a.Err = NonEmptyGroup
	}
	return a
}
