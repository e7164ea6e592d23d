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
	a := Reply{To: r.MemberID, API: OffsetCommit, Err: c.checkCommit(r)}
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

// checkCommit is the decision table of groups.md 4.2.
func (c *Coordinator) checkCommit(r OffsetCommitRequest) Error {
	g := c.Group
	simple := r.Generation < 0 && r.MemberID == 0
	switch {
	case g.State == Absent && r.Generation < 0: // O1
		return None
	case g.State == Absent: // O2
		return GroupIDNotFound
	case g.State == Empty && r.Generation < 0: // O4
		return None
	case simple: // O7
		if c.guard(OffsetCommitEmptyGroupOnly) {
			return UnknownMemberID
		}
		return None
	}
	if err := c.validateMember(r.MemberID); err != None && c.guard(OffsetCommitMemberCheck) { // O5
		return err
	}
	if r.Generation != g.Generation && c.guard(OffsetCommitGenerationCheck) { // O6
		return IllegalGeneration
	}
	if g.State == CompletingRebalance && c.guard(OffsetCommitCompletingCheck) { // O8
		return RebalanceInProgress
	}
	return None // O9
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
