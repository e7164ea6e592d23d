package conform

import "fencecheck/model"

// op is a kind of step: a request, or a timer that fires.
type op uint8

// The steps. Timers are steps like requests; on the wire they are made by
// waiting.
const (
	joinNew op = iota // JoinGroup without a member id
	joinKnown
	syncGroup
	heartbeat
	leaveGroup
	offsetCommit
	offsetFetch
	deleteGroup
	sessionTimer
	joinTimer
	syncTimer
	numOps
)

// opNames is by op.
var opNames = [numOps]string{"join-new", "join", "sync", "heartbeat", "leave", "commit", "fetch", "delete", "session-timeout", "join-timeout", "sync-timeout"}

func (o op) timer() bool { return o >= sessionTimer }

// who is the member id that a request carries: a place in state.ordered,
// counted from 1, or one of the ids below.
type who uint8

const (
	nobody   who = 0  // the empty id
	removed  who = 14 // an id that the coordinator has forgotten
	stranger who = 15 // an id that it never gave
)

// when is the generation that a request carries.
type when uint8

const (
	noGeneration when = iota // -1
	current
	older
	newer
)

// variant is what else a request can have in it, by op.
type variant uint8

const (
	plain variant = iota
	// JoinGroup.
	changed    // other subscription bytes than before, or than others have
	reordered  // the protocols in another order
	foreign    // a protocol that nobody else offers
	none       // no protocol
	oldVersion // v3, which has no MEMBER_ID_REQUIRED
	tooShort   // a session below the broker's bounds
	tooLong    // a session above them
)

const (
	// SyncGroup.
	emptyPlan     variant = 1 // of a leader: no assignment in it
	usurpedPlan   variant = 2 // of a follower, who has no right to make one
	otherProtocol variant = 3 // the name of another protocol than the group's
)

// step is a request or timer by its tokens, and the choice that the
// coordinator has in it.
type step struct {
	Op      op
	Who     who
	When    when
	Variant variant
	Choice  choice
}

// choice is what Kafka leaves to the order of a hash map.
type choice struct {
	Pick   uint8 // the next leader, by its place among the candidates
	Prefer model.Protocol
}

// pack is the step without its op as one number.
func (s step) pack() uint32 {
	return uint32(s.Who) | uint32(s.When)<<4 | uint32(s.Variant)<<8 | uint32(s.Choice.Pick)<<12 | uint32(s.Choice.Prefer)<<16
}

func unpack(o op, n uint32) step {
	return step{o, who(n & 15), when(n >> 4 & 15), variant(n >> 8 & 15), choice{uint8(n >> 12 & 15), model.Protocol(n >> 16)}}
}

// request is a step whose tokens have been replaced by what they stand for.
type request struct {
	Step       step
	ID         model.MemberID
	Fresh      model.MemberID // the id that is made up for a JoinGroup without one
	Generation model.Generation
	Protocols  model.Protocols
	Meta       model.Meta
	Protocol   model.Protocol // SyncGroup
	Plan       []model.MemberAssignment
	Offsets    [parts]model.Offset // OffsetCommit; NoOffset: not named
}

// sticky is a protocol that nobody but a foreign joiner offers.
const sticky model.Protocol = 3

var (
	usual     = model.ProtocolList(model.Range, model.RoundRobin)
	backwards = model.ProtocolList(model.RoundRobin, model.Range)
	alone     = model.ProtocolList(sticky)
)

// strangerID is an id that no broker gives.
const strangerID model.MemberID = 1<<16 - 1

// resolve replaces a step's tokens in a state; false where they stand for
// nothing there.
func (s *state) resolve(st step) (request, bool) {
	r := request{Step: st, Generation: model.NoGeneration, Offsets: start().Offsets}
	var ok bool
	if r.ID, ok = s.id(st.Who); !ok {
		return r, false
	}
	if r.Generation, ok = s.generation(st.When); !ok {
		return r, false
	}
	switch st.Op {
	case joinNew:
		if s.size() == seats || st.Variant == oldVersion && s.Untold != 0 {
			return r, false
		}
		r.Fresh = s.Given + 1
		r.Protocols, r.Meta = s.offer(nil, st.Variant)
	case joinKnown:
		r.Protocols, r.Meta = s.offer(s.find(r.ID), st.Variant)
	case syncGroup:
		return s.resolveSync(r)
	case offsetCommit:
		r.Offsets[0] = 1
	case sessionTimer:
		return r, s.find(r.ID) != nil
	}
	return r, true
}

func (s *state) id(w who) (model.MemberID, bool) {
	switch w {
	case nobody:
		return 0, true
	case stranger:
		return strangerID, true
	case removed:
		return s.Gone, s.Gone != 0
	}
	ms := s.ordered()
	if int(w) > len(ms) || ms[w-1].ID == s.Untold {
		return 0, false
	}
	return ms[w-1].ID, true
}

func (s *state) generation(w when) (model.Generation, bool) {
	g := s.Group.Generation
	switch w {
	case current:
		return g, true
	case older:
		return g - 1, g > 0
	case newer:
		return g + 1, true
	}
	return model.NoGeneration, true
}

// offer is what a joiner supports. A member repeats what it said, unless the
// variant says otherwise.
func (s *state) offer(m *model.Member, v variant) (model.Protocols, model.Meta) {
	protocols, meta := usual, model.Meta(1)
	if m != nil && !m.Is(model.Pending) {
		protocols, meta = m.Protocols, m.Meta
	}
	switch v {
	case changed:
		meta = 3 - meta
	case reordered:
		if protocols = backwards; m != nil && m.Protocols == backwards {
			protocols = usual
		}
	case foreign:
		protocols = alone
	case none:
		protocols = 0
	}
	return protocols, meta
}

// resolveSync: the leader's plan gives the first partition to itself, the
// second to the first of the others.
func (s *state) resolveSync(r request) (request, bool) {
	leads := r.ID != 0 && r.ID == s.Group.Leader
	if r.Protocol = s.Group.Protocol; r.Protocol == 0 {
		r.Protocol = model.Range
	}
	switch v := r.Step.Variant; {
	case v == otherProtocol:
		r.Protocol = sticky
	case v == emptyPlan:
		return r, leads
	case v == usurpedPlan && leads:
		return r, false
	case v == plain && !leads:
		return r, true
	}
	for i, m := range s.ordered() {
		if i < 2 && !m.Is(model.Pending) && m.ID != s.Untold {
			r.Plan = append(r.Plan, model.MemberAssignment{ID: m.ID, Parts: model.Part(i)})
		}
	}
	return r, true
}
