package groups

import (
	"fmt"
	"strings"

	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// tokens say what stands in a step for a value of the moment.
type tokens uint8

const (
	ofGroup      tokens = iota // nothing
	ofNewcomer                 // a member without an id
	ofMember                   // a member id
	ofGeneration               // a member id, which may be empty, and a generation
	ofKnown                    // a member that the coordinator has
	ofPhase                    // nothing; the timer is armed in one phase only
)

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

const (
	// LeaveGroup of several, as an administrator removes members.
	andStranger variant = 1 // and an id that was never given
	twice       variant = 2 // the same id again
	andAll      variant = 3 // and everybody else whose id is known
)

// Step is a request or timer by its tokens, and the choice that the
// coordinator has in it.
type Step struct {
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

// request is a step whose tokens have been replaced by what they stand for.
type request struct {
	Step Step
	classic.Request
	Offsets    [wire.Partitions]model.Offset // OffsetCommit; NoOffset: not named
	Partitions model.PartSet                 // OffsetDelete
}

// newRequest is a request without member and generation.
func newRequest(o op) request {
	r := request{Step: Step{Op: o}, Offsets: start().Offsets}
	r.API, r.Generation = o.row().api, model.NoGeneration
	return r
}

// subject is the member that a request speaks for.
func (r *request) subject() model.MemberID {
	if r.MemberID == 0 {
		return r.Fresh
	}
	return r.MemberID
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
func (s *state) resolve(st Step) (request, bool) {
	r := newRequest(st.Op)
	r.Step = st
	var ok bool
	if r.MemberID, ok = s.id(st.Who); !ok {
		return r, false
	}
	if r.Generation, ok = s.generation(st.When); !ok {
		return r, false
	}
	if f := st.Op.row().resolve; f != nil {
		return r, f(s, &r)
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

func (s *state) resolveNewcomer(r *request) bool {
	v := r.Step.Variant
	r.Fresh, r.OldVersion = s.Given+1, v == oldVersion
	r.Protocols, r.Meta = s.offer(nil, v)
	switch v {
	case tooShort:
		r.Session = classic.SessionTooShort
	case tooLong:
		r.Session = classic.SessionTooLong
	}
	return s.size() < seats && !(r.OldVersion && s.Untold != 0)
}

func (s *state) resolveJoin(r *request) bool {
	r.Protocols, r.Meta = s.offer(s.find(r.MemberID), r.Step.Variant)
	return true
}

func (s *state) resolveCommit(r *request) bool {
	r.Offsets[0] = 1
	return true
}

// resolveOffsetDelete: a partition that may have an offset, and one that has none.
func (s *state) resolveOffsetDelete(r *request) bool {
	r.Partitions = model.Part(0) | model.Part(1)
	return true
}

// offer is what a joiner supports. A member repeats what it said, unless the
// variant says otherwise.
func (s *state) offer(m *classic.Member, v variant) (model.Protocols, model.Meta) {
	protocols, meta := usual, model.Meta(1)
	if m != nil && !m.Is(classic.Pending) {
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

// resolveLeave: the member that the tokens name comes first.
func (s *state) resolveLeave(r *request) bool {
	switch r.Step.Variant {
	case andStranger:
		r.Leaving = []model.MemberID{r.MemberID, strangerID}
	case twice:
		r.Leaving = []model.MemberID{r.MemberID, r.MemberID}
	case andAll:
		r.Leaving = []model.MemberID{r.MemberID}
		for _, m := range s.ordered() {
			if m.ID != r.MemberID && m.ID != s.Untold {
				r.Leaving = append(r.Leaving, m.ID)
			}
		}
		return len(r.Leaving) > 1
	}
	return true
}

// resolveSync: the leader's plan gives the first partition to itself, the
// second to the first of the others.
func (s *state) resolveSync(r *request) bool {
	leads := r.MemberID != 0 && r.MemberID == s.Group.Leader
	if r.Protocol = s.Group.Protocol; r.Protocol == 0 {
		r.Protocol = model.Range
	}
	switch v := r.Step.Variant; {
	case v == otherProtocol:
		r.Protocol = sticky
	case v == emptyPlan:
		return leads
	case v == usurpedPlan && leads:
		return false
	case v == plain && !leads:
		return true
	}
	for i, m := range s.ordered() {
		if i < 2 && !m.Is(classic.Pending) && m.ID != s.Untold {
			r.Plan = append(r.Plan, classic.MemberAssignment{ID: m.ID, Parts: model.Part(i)})
		}
	}
	return true
}

// describe writes a request for a reader, with its values.
func (r *request) describe() string {
	row := r.Step.Op.row()
	words := []string{r.Step.Op.title()}
	if row.tokens != ofGroup && row.tokens != ofPhase {
		words = append(words, "member="+Name(r.MemberID))
	}
	if row.tokens == ofGeneration {
		words = append(words, fmt.Sprintf("generation=%d", r.Generation))
	}
	if row.values != nil {
		words = append(words, row.values(r)...)
	}
	return strings.Join(words, " ")
}

func (r *request) joinValues() []string {
	words := []string{"protocols=[" + protocolList(r.Protocols) + "]", fmt.Sprintf("subscription=%d", r.Meta)}
	if v := r.Step.Variant; r.Step.Op == joinNew && v >= oldVersion {
		words = append(words, "("+joinWords[v]+")")
	}
	return words
}

func (r *request) syncValues() []string {
	words := []string{"protocol=" + wire.ProtocolName(r.Protocol)}
	for _, a := range r.Plan {
		words = append(words, Name(a.ID)+"="+partsText(a.Parts))
	}
	return words
}

func (r *request) leaveValues() (words []string) {
	if len(r.Leaving) > 0 {
		for _, id := range r.Leaving[1:] {
			words = append(words, "and "+Name(id))
		}
	}
	return words
}

func (r *request) commitValues() (words []string) {
	for p, o := range r.Offsets {
		if o != model.NoOffset {
			words = append(words, fmt.Sprintf("p%d=%d", p, o))
		}
	}
	return words
}

func (r *request) offsetDeleteValues() []string { return []string{partsText(r.Partitions)} }

func protocolList(l model.Protocols) string {
	var all []string
	for ; l != 0; l = l.Rest() {
		all = append(all, wire.ProtocolName(l.First()))
	}
	return strings.Join(all, " ")
}

func partsText(s model.PartSet) string {
	var ps []string
	for p := range wire.Partitions {
		if s.Has(p) {
			ps = append(ps, fmt.Sprintf("p%d", p))
		}
	}
	return strings.Join(ps, ",")
}
