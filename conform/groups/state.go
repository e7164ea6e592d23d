package groups

import (
	"cmp"
	"slices"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// seats is how many member ids a coordinator remembers at once in a play.
const seats = 4

// state is one group as its coordinator sees it, and what the processes around
// it need to know to send every kind of request.
type state struct {
	Group   classic.Group
	Members [seats]classic.Member
	Offsets [wire.Partitions]model.Offset
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
func (s *state) coordinator(rules *model.Rules) classic.Coordinator {
	return classic.Coordinator{Rules: rules, Group: &s.Group, Members: s.Members[:]}
}

// offsets is the view on what the group has committed.
func (s *state) offsets(c *classic.Coordinator) *offsets.Store {
	return &offsets.Store{Rules: c.Rules, Group: c, Committed: s.Offsets[:]}
}

// size is the number of ids that the coordinator remembers.
func (s *state) size() int {
	n := 0
	for n < seats && s.Members[n].ID != 0 {
		n++
	}
	return n
}

func (s *state) find(id model.MemberID) *classic.Member {
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
func (s *state) ordered() []classic.Member {
	ms := slices.Clone(s.Members[:s.size()])
	slices.SortFunc(ms, func(a, b classic.Member) int {
		return cmp.Or(cmp.Compare(s.rank(&a), s.rank(&b)), compareMembers(&a, &b))
	})
	return ms
}

func (s *state) rank(m *classic.Member) int {
	switch {
	case m.ID == s.Group.Leader:
		return 0
	case m.ID == s.Untold:
		return 3
	case m.Is(classic.Pending):
		return 2
	}
	return 1
}

func compareMembers(a, b *classic.Member) int {
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
	c.Members, c.Untold, c.Given, c.Group.Leader = [seats]classic.Member{}, 0, gone, 0
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
	c.Group.Subscribed &= 1                         // the play's topic; nobody asks for another
	for p := range c.Offsets {
		c.Offsets[p] = min(s.Offsets[p], 1)
	}
	return c
}

// code lists the fields of a canonical state.
func (s *state) code(c *frame.Coder) {
	g := &s.Group
	frame.Byte(c, &g.State)
	frame.Byte(c, &g.Generation)
	frame.Byte(c, &g.Leader)
	frame.Byte(c, &g.Protocol)
	frame.Byte(c, &g.DelaysLeft)
	frame.Byte(c, &g.Subscribed)
	flags := frame.Bit(g.Typed) | frame.Bit(g.InitialDelay)<<1 | frame.Bit(g.NewMemberAdded)<<2
	frame.Byte(c, &flags)
	g.Typed, g.InitialDelay, g.NewMemberAdded = flags&1 != 0, flags&2 != 0, flags&4 != 0
	frame.Byte(c, &s.Gone)
	frame.Byte(c, &s.Untold)
	frame.Byte(c, &s.Given)
	for i := range s.Members {
		m := &s.Members[i]
		frame.Byte(c, &m.ID)
		frame.Byte(c, &m.Flags)
		high := m.Protocols >> 8
		frame.Byte(c, &m.Protocols)
		frame.Byte(c, &high)
		m.Protocols = m.Protocols&0xff | high<<8
		frame.Byte(c, &m.Meta)
		frame.Byte(c, &m.Assignment)
	}
	for p := range s.Offsets {
		o := s.Offsets[p] + 1 // NoOffset is 0
		frame.Byte(c, &o)
		s.Offsets[p] = o - 1
	}
}
