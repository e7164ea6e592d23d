package cluster

import "fencecheck/model"

// This file has the client's rules: what the Java consumer does with each
// answer (AbstractCoordinator, ConsumerCoordinator; groups.md 8.1).

// NeedsJoin tells whether the application's next poll sends JoinGroup.
func (c *Client) NeedsJoin() bool {
	return c.Phase == Outside || c.Phase == Unjoined || c.Phase == MemberPhase && c.Rejoin
}

// PrepareJoin is onJoinPrepare of an eager client: all partitions are taken
// from the application, revoked or, after a reset, lost.
func (c *Client) PrepareJoin(off *model.Mutations) {
	reset := c.Generation == model.NoGeneration || c.ID == 0
	if reset && c.Owned != 0 && off.Has(model.ClientLostOnReset) {
		return
	}
	kept := Client{}
	if off.Has(model.ClientCommitOnlyStable) {
		// The application has kept the positions of its own accord.
		kept.Dirty, kept.Position, kept.Stale = c.Dirty, c.Position, c.Stale
	}
	c.Owned, c.Unfetched, c.Hand, c.Cleared = 0, 0, 0, 0
	c.Dirty, c.Position, c.Stale = kept.Dirty, kept.Position, kept.Stale
}

// MayCommit is the guard of sendOffsetCommitRequest: with subscribe(), a commit
// is sent only by a stable member. A client that assigns partitions itself is
// always in that phase.
func (c *Client) MayCommit(off *model.Mutations) bool {
	return c.Phase == MemberPhase || off.Has(model.ClientCommitOnlyStable)
}

// Receive applies an answer to the client that awaited it.
func (c *Client) Receive(r *Request, off *model.Mutations) {
	switch r.API {
	case model.JoinGroup:
		c.receiveJoin(r, off)
	case model.SyncGroup:
		c.receiveSync(r, off)
	case model.Heartbeat:
		c.receiveHeartbeat(r, off)
	case model.OffsetCommit:
		c.receiveCommit(r, off)
	case model.OffsetFetch:
		c.receiveFetch(r)
	}
}

func (c *Client) receiveJoin(r *Request, off *model.Mutations) {
	switch {
	case r.Err == model.None && !c.unchanged(r): // reset by the heartbeat thread meanwhile
		c.Phase = Unjoined
	case r.Err == model.None:
		c.Phase, c.Rejoin = Joined, false
		c.ID, c.Generation, c.Protocol = r.NewID, r.NewGen, r.Protocol
		c.Leads, c.Plan, c.Seen = r.Leads, r.Plan, r.Seen
		c.Life = r.Life
	case r.Err == model.MemberIDRequired:
		c.Phase = Unjoined
		c.ID, c.Generation = r.NewID, model.NoGeneration
	case r.Err == model.UnknownMemberID:
		c.Phase = Unjoined
		if c.unchanged(r) {
			c.reset(true, off)
		}
	default:
		c.Fail()
	}
}

func (c *Client) receiveSync(r *Request, off *model.Mutations) {
	c.Plan = [MaxPartitions]model.MemberID{}
	switch {
	case r.Err == model.None && !c.unchanged(r): // reset by the heartbeat thread meanwhile
		c.Phase = Unjoined
	case r.Err == model.None:
		c.Phase, c.Rejoin, c.Revoked = MemberPhase, false, false
		added := r.Assignment &^ c.Owned
		if !off.Has(model.ClientLostOnReset) {
			added, c.Owned, c.Unfetched, c.Stale = r.Assignment, 0, 0, 0
		}
		c.Owned |= added
		c.Unfetched |= added
		c.Dirty &= c.Owned &^ added
		c.Stale = c.Stale&^added | added&r.Stale
		c.Position = keepPositions(c.Position, c.Owned&^added)
	case r.Err == model.IllegalGeneration || r.Err == model.UnknownMemberID:
		c.Phase = Unjoined
		if c.unchanged(r) {
			c.reset(r.Err == model.UnknownMemberID, off)
		}
	case r.Err == model.RebalanceInProgress:
		c.Phase = Unjoined
	default:
		c.Fail()
	}
}

func keepPositions(old [MaxPartitions]model.Offset, kept model.PartSet) [MaxPartitions]model.Offset {
	for p := range old {
		if !kept.Has(p) {
			old[p] = 0
		}
	}
	return old
}

// receiveHeartbeat: a refusal of its membership is ignored when the client has
// moved on since, but not a call to rebalance.
func (c *Client) receiveHeartbeat(r *Request, off *model.Mutations) {
	switch {
	case r.Err == model.RebalanceInProgress:
		c.Rejoin = c.Rejoin || c.Phase == MemberPhase
	case r.Err != model.None && c.unchanged(r):
		c.lose(r.Err == model.UnknownMemberID, off)
	}
}

func (c *Client) receiveCommit(r *Request, off *model.Mutations) {
	switch {
	case r.Err == model.None:
		c.confirm(r)
		return
	case r.ID == 0: // a simple consumer has no membership to lose
	case r.Err == model.RebalanceInProgress:
		c.Rejoin = c.Rejoin || c.Phase == MemberPhase
	case c.unchanged(r) || c.Phase != Joining:
		c.lose(r.Err == model.UnknownMemberID, off)
	}
	for p, o := range r.Offsets {
		if o != model.NoOffset { // a record whose commit failed is dropped, not processed
			c.Hand &^= model.Part(p)
		}
	}
}

// confirm notes which positions are committed.
func (c *Client) confirm(r *Request) {
	for p, o := range r.Offsets {
		if o == model.NoOffset {
			continue
		}
		if o >= c.Position[p] {
			c.Dirty &^= model.Part(p)
		}
		c.Cleared |= model.Part(p) & c.Hand
	}
}

func (c *Client) receiveFetch(r *Request) {
	if r.Err != model.None { // UNSTABLE_OFFSET_COMMIT: it asks again
		return
	}
	for p := range r.Offsets {
		if c.Unfetched.Has(p) {
			c.Position[p] = max(r.Offsets[p], 0) // auto.offset.reset=earliest
		}
	}
	c.Unfetched = 0
}

// unchanged tells whether the client still is who it was when it sent r.
func (c *Client) unchanged(r *Request) bool {
	return r.ID == c.ID && r.Generation == c.Generation
}

// lose is a reset by an answer of a member's request: the application learns of
// it in its next poll.
func (c *Client) lose(forgetID bool, off *model.Mutations) {
	if c.Phase == MemberPhase || c.Phase == Joined {
		c.Phase = Unjoined
	}
	c.reset(forgetID, off)
}

func (c *Client) reset(forgetID bool, off *model.Mutations) {
	c.Generation, c.Rejoin = model.NoGeneration, false
	if forgetID && !off.Has(model.ClientResetOnUnknownMember) {
		c.ID = 0
	}
}

// Fail is an error that the application is told of, and after which it does not
// poll again.
func (c *Client) Fail() {
	topics := c.Topics
	*c = Client{ClientState: ClientState{Phase: Failed, Generation: model.NoGeneration, Topics: topics}}
}

// LeaveByPollTimeout: the heartbeat thread leaves the group for an application
// that did not poll in time (groups.md 8.1: both are reset, LeaveGroup first).
func (c *Client) LeaveByPollTimeout(off *model.Mutations) { c.lose(true, off) }
