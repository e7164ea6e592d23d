package conform

import (
	"cmp"
	"slices"

	"fencecheck/model"
)

// The largest group that is played.
const (
	seats = 4 // member ids that the coordinator remembers at once
	parts = 4 // partitions of the topic, as many as a scenario can have
)

// state is one group as its coordinator sees it, and what the processes around
// it need to know to send every kind of request.
type state struct {
	Group   model.Group
	Members [seats]model.Member
	Offsets [parts]model.Offset
	// Gone is the latest id that the coordinator has forgotten: the token of
	// stale requests. 0: there is none yet.
	Gone model.MemberID
	// Untold is a member that joined without an id and has not been answered,
	// so that nobody can send a request in its name yet.
	Untold model.MemberID
	// Given is the largest id that was given so far. Ids rise in a play; the
	// canonical form forgets how far.
	Given model.MemberID
}

// start is a group that does not exist.
func start() state {
	var s state
	for p := range s.Offsets {
		s.Offsets[p] = model.NoOffset
	}
	return s
}

// coordinator is the view through which the rules read and write s.
func (s *state) coordinator(rules *model.Rules) model.Coordinator {
	return model.Coordinator{Rules: rules, Group: &s.Group, Members: s.Members[:]}
}

// offsets is the view on what the group has committed.
func (s *state) offsets(c *model.Coordinator) *model.OffsetStore {
	return &model.OffsetStore{Rules: c.Rules, Group: c, Committed: s.Offsets[:]}
}

// size is the number of ids that the coordinator remembers.
func (s *state) size() int {
	n := 0
	for n < seats && s.Members[n].ID != 0 {
		n++
	}
	return n
}

func (s *state) find(id model.MemberID) *model.Member {
	for i := range s.Members {
		if id != 0 && s.Members[i].ID == id {
			return &s.Members[i]
		}
	}
	return nil
}

// ordered lists the members in an order that their ids have no part in: the
// leader, the other members, the pending ids. Tokens count in it, so that they
// mean the same wherever the same situation occurs.
func (s *state) ordered() []model.Member {
	ms := slices.Clone(s.Members[:s.size()])
	slices.SortFunc(ms, func(a, b model.Member) int {
		return cmp.Or(cmp.Compare(s.rank(&a), s.rank(&b)), compareMembers(&a, &b))
	})
	return ms
}

func (s *state) rank(m *model.Member) int {
	switch {
	case m.ID == s.Group.Leader:
		return 0
	case m.ID == s.Untold:
		return 3
	case m.Is(model.Pending):
		return 2
	}
	return 1
}

func compareMembers(a, b *model.Member) int {
	return cmp.Or(cmp.Compare(a.Flags, b.Flags), cmp.Compare(a.Protocols, b.Protocols),
		cmp.Compare(a.Meta, b.Meta), cmp.Compare(a.Assignment, b.Assignment), cmp.Compare(a.ID, b.ID))
}

// gone is the id that stands for a forgotten one in the canonical form.
const gone = seats + 1

// canonical renames the ids by their order, and forgets how often things have
// happened: two states with one canonical form answer all requests alike.
func (s *state) canonical() state {
	c := *s
	ms := s.ordered()
	c.Members, c.Untold, c.Given, c.Group.Leader = [seats]model.Member{}, 0, gone, 0
	for i := range ms {
		id := ms[i].ID
		ms[i].ID = model.MemberID(i + 1)
		c.Members[i] = ms[i]
		if id == s.Group.Leader {
			c.Group.Leader = ms[i].ID
		}
		if id == s.Untold {
			c.Untold = ms[i].ID
		}
	}
	if s.Gone != 0 {
		c.Gone = gone
	}
	c.Group.Generation = min(s.Group.Generation, 2) // none, the first, a later one
	for p := range c.Offsets {
		c.Offsets[p] = min(s.Offsets[p], 1)
	}
	return c
}

// append writes the encoding of a canonical state.
func (s *state) append(dst []byte) []byte {
	g := &s.Group
	dst = append(dst, byte(g.State), byte(g.Generation), byte(g.Leader), byte(g.Protocol), g.DelaysLeft,
		bit(g.Typed)|bit(g.InitialDelay)<<1|bit(g.NewMemberAdded)<<2, byte(s.Gone), byte(s.Untold), byte(s.Given))
	for _, m := range s.Members {
		dst = append(dst, byte(m.ID), byte(m.Flags), byte(m.Protocols), byte(m.Protocols>>8), byte(m.Meta), byte(m.Assignment))
	}
	for _, o := range s.Offsets {
		dst = append(dst, byte(o+1))
	}
	return dst
}

// decode is the inverse of append.
func (s *state) decode(src []byte) {
	*s = state{Group: model.Group{
		State: model.GroupState(src[0]), Generation: model.Generation(src[1]), Leader: model.MemberID(src[2]),
		Protocol: model.Protocol(src[3]), DelaysLeft: src[4],
		Typed: src[5]&1 != 0, InitialDelay: src[5]&2 != 0, NewMemberAdded: src[5]&4 != 0,
	}, Gone: model.MemberID(src[6]), Untold: model.MemberID(src[7]), Given: model.MemberID(src[8])}
	src = src[9:]
	for i := range s.Members {
		s.Members[i] = model.Member{ID: model.MemberID(src[0]), Flags: model.MemberFlags(src[1]),
			Protocols: model.Protocols(src[2]) | model.Protocols(src[3])<<8, Meta: model.Meta(src[4]), Assignment: model.PartSet(src[5])}
		src = src[6:]
	}
	for p := range s.Offsets {
		s.Offsets[p] = model.Offset(src[p]) - 1
	}
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
