package classic

import "fencecheck/model"

// GroupState is the state of a classic group (classic/ClassicGroupState).
// Dead is not kept: a client sees NOT_COORDINATOR instead (groups.md 2.1).
type GroupState uint8

const (
	// Absent: the coordinator has no such group.
	Absent GroupState = iota
	// Empty: no members; committed offsets may remain.
	Empty
	// PreparingRebalance: waiting for the members to join.
	PreparingRebalance
	// CompletingRebalance: a generation began; waiting for the leader's plan.
	CompletingRebalance
	// Stable: every member can fetch its assignment.
	Stable
)

// String is Kafka's name of the state.
func (s GroupState) String() string {
	return [...]string{"Absent", "Empty", "PreparingRebalance", "CompletingRebalance", "Stable"}[s]
}

// Group is what the coordinator remembers of a classic group besides its
// members (classic/ClassicGroup). The zero value is an absent group.
type Group struct {
	State      GroupState
	Generation model.Generation // 0 until the first rebalance completes
	Protocol   model.Protocol   // the assignor chosen for this generation, 0 none
	Leader     model.MemberID
	Typed      bool // a protocol type is set: the group once had a member
	// InitialDelay: PreparingRebalance was entered from Empty, so joins and
	// leaves never complete it, only the timer does (KIP-134).
	InitialDelay bool
	// NewMemberAdded: somebody joined during an initial delay since one was
	// last extended.
	NewMemberAdded bool
	// Subscribed has the topics of the members with which the generation began, if
	// Rules.Subscriptions asks for them.
	Subscribed model.Meta
	// DelaysLeft counts how often the initial delay can still be extended.
	DelaysLeft uint8
}

// MemberFlags are the yes-or-no facts about a member.
type MemberFlags uint8

const (
	// Pending: the id was handed out with MEMBER_ID_REQUIRED and has not come
	// back; it is not a member yet (KIP-394).
	Pending MemberFlags = 1 << iota
	// JoinParked: its JoinGroup waits for the rebalance to complete.
	JoinParked
	// SyncParked: its SyncGroup waits for the leader's plan.
	SyncParked
	// IsNew: it has not been part of a completed rebalance yet.
	IsNew
	// AwaitsSync: it has not sent SyncGroup in this generation (pendingSync).
	AwaitsSync
)

// Member is what the coordinator remembers of one member, or of one pending id
// (classic/ClassicGroupMember). The zero value is a free place.
type Member struct {
	ID         model.MemberID
	Flags      MemberFlags
	Protocols  model.Protocols
	Meta       model.Meta
	Assignment model.PartSet
}

// Is tells whether every flag of f is set.
func (m *Member) Is(f MemberFlags) bool { return m.Flags&f == f }

func (m *Member) set(f MemberFlags)   { m.Flags |= f }
func (m *Member) clear(f MemberFlags) { m.Flags &^= f }

// Reply is the coordinator's answer to one request. Fields that the request's
// answer does not have are zero.
type Reply struct {
	To         model.MemberID // the member whose request is answered
	API        model.API
	Err        model.Error
	MemberID   model.MemberID // JoinGroup: the id given or confirmed
	Generation model.Generation
	Leader     model.MemberID
	Protocol   model.Protocol
	Assignment model.PartSet // SyncGroup
	Each       []model.Error // LeaveGroup of several: by member, in the order of the request
}

// GroupRequest is a request of a member of a classic group. Fields that a
// request does not have are not looked at.
type Request struct {
	API        model.API
	MemberID   model.MemberID
	Generation model.Generation

	// JoinGroup v0 to v9, as far as fencing uses it.
	Session   SessionTimeout
	Protocols model.Protocols
	Meta      model.Meta
	// OldVersion is v0 to v3: no MEMBER_ID_REQUIRED round (KIP-394).
	OldVersion bool
	// Fresh is the id that the coordinator makes up if it has to: Kafka's is
	// random, so it is a parameter.
	Fresh model.MemberID

	// SyncGroup v0 to v5.
	Protocol model.Protocol     // 0: not given (before v5)
	Plan     []MemberAssignment // empty but for the leader

	// Leaving has the members of a LeaveGroup v3 to v5 that names several; nil: it
	// is MemberID that leaves.
	Leaving []model.MemberID
}

// Decide decides a request. If it parks, the answer comes with Replies, perhaps
// of this very call. It is the one place where a group's requests meet its
// rules.
func (c *Coordinator) Decide(r *Request) (answer Reply, parked bool) {
	switch r.API {
	case model.JoinGroup:
		return c.joinGroup(r)
	case model.SyncGroup:
		return c.syncGroup(r)
	case model.Heartbeat:
		return c.heartbeat(r), false
	case model.LeaveGroup:
		return c.leaveGroup(r), false
	}
	panic("classic: " + r.API.String() + " is not a classic group's")
}

// Coordinator is a view on the memory of one group's coordinator, through
// which the rules read and write it. The storage is the caller's, so that
// exploration can keep it in a fixed-size state and a history checker in
// slices of any length.
//
// One request or one timer is one call (groups.md E2). A call that answers
// parked requests appends their answers to Replies; the caller empties it.
type Coordinator struct {
	Rules   *model.Rules
	Group   *Group
	Members []Member // sorted by id, free places last; a call that finds no free place sets Full and is void
	Replies []Reply

	// Where Kafka takes the first entry of a hash map, any entry may be first
	// (groups.md E8): Prefer is taken if it is a candidate, else the one with
	// index Pick. Candidates is the largest number that a choice of this call
	// had; a Pick beyond it repeats another choice.
	Prefer     model.MemberID
	Pick       int
	Candidates int
	// PreferProtocol wins a tie between the protocols that members vote for.
	PreferProtocol model.Protocol
	// Full: a member had to be remembered and Members had no free place.
	Full bool
	// Completed: the call completed the join phase.
	Completed bool
}

// Find returns the member or pending id, nil if there is none.
func (c *Coordinator) Find(id model.MemberID) *Member { return FindMember(c.Members, id) }

// FindMember finds a member or pending id among those that a coordinator
// remembers; nil if it is not there.
func FindMember(members []Member, id model.MemberID) *Member {
	if id == 0 {
		return nil
	}
	for i := range members {
		switch m := &members[i]; {
		case m.ID == id:
			return m
		case m.ID == 0:
			return nil
		}
	}
	return nil
}

// Size is the number of members, pending ids not counted.
func (c *Coordinator) Size() int { return CountMembers(c.Members) }

// CountMembers counts the members, pending ids left out.
func CountMembers(members []Member) int {
	n := 0
	for i := range members {
		if m := &members[i]; m.ID != 0 && !m.Is(Pending) {
			n++
		}
	}
	return n
}

// insert makes a place for id, in order; nil and Full if there is none.
func (c *Coordinator) insert(id model.MemberID) *Member {
	n := 0
	for n < len(c.Members) && c.Members[n].ID != 0 {
		n++
	}
	if n == len(c.Members) {
		c.Full = true
		return nil
	}
	for n > 0 && c.Members[n-1].ID > id {
		c.Members[n] = c.Members[n-1]
		n--
	}
	c.Members[n] = Member{ID: id}
	return &c.Members[n]
}

// remove forgets a member or pending id. A leader that goes is replaced by any
// other member (CG.remove).
func (c *Coordinator) remove(id model.MemberID) {
	n := len(c.Members)
	for i := range c.Members {
		if c.Members[i].ID == id {
			copy(c.Members[i:], c.Members[i+1:])
			c.Members[n-1] = Member{}
			break
		}
	}
	if c.Group.Leader == id {
		c.Group.Leader = c.elect(0)
	}
}

// elect chooses among the members that have every flag of f.
func (c *Coordinator) elect(f MemberFlags) model.MemberID {
	var picked model.MemberID
	n := 0
	for i := range c.Members {
		m := &c.Members[i]
		if m.ID == 0 || m.Is(Pending) || !m.Is(f) {
			continue
		}
		if n <= c.Pick {
			picked = m.ID
		}
		n++
		if m.ID == c.Prefer {
			return m.ID
		}
	}
	c.Candidates = max(c.Candidates, n)
	return picked
}

// enforces tells whether a check is in force.
func (c *Coordinator) enforces(id model.Mutation) bool { return !c.Rules.Off.Has(id) }

func (c *Coordinator) reply(r Reply) { c.Replies = append(c.Replies, r) }

// validateMember is the check that all member requests share
// (CG.validateMember; groups.md 2.1). Static members will add the checks of
// the instance id here, before this one.
func (c *Coordinator) validateMember(id model.MemberID) model.Error {
	if m := c.Find(id); m == nil || m.Is(Pending) {
		return model.UnknownMemberID
	}
	return model.None
}
