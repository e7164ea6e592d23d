package groups

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// answer is what the answer to a request says, in the model's terms. Fields
// that the request's answer does not have, or that an error leaves without a
// meaning, are zero.
type answer struct {
	Err        model.Error
	Member     model.MemberID // JoinGroup
	Generation model.Generation
	Leader     model.MemberID
	Protocol   model.Protocol // JoinGroup, SyncGroup
	Members    []listed       // JoinGroup of a leader, by id
	Assignment model.PartSet
	Offsets    []model.Offset
	Each       []model.Error // LeaveGroup of several, in the order of the request
	// Odd is what the broker said that the model has no words for.
	Odd frame.Oddity
}

// listed is one row of the member list that a leader gets.
type listed struct {
	ID   model.MemberID
	Meta model.Meta
}

// answerOf completes a reply of the rules by what the answer says of the group
// itself.
func (s *state) answerOf(r classic.Reply) answer {
	a := answer{Err: r.Err, Each: r.Each}
	if r.API != model.NoAPI {
		if f := rowOf(r.API).answer; f != nil {
			f(s, r, &a)
		}
	}
	return a
}

func (s *state) joined(r classic.Reply, a *answer) {
	a.Member, a.Generation = r.MemberID, r.Generation
	if r.Err != model.None {
		return
	}
	a.Leader, a.Protocol = r.Leader, r.Protocol
	if r.Leader == r.MemberID {
		a.Members = s.list()
	}
}

func (s *state) synced(r classic.Reply, a *answer) {
	if r.Err == model.None {
		a.Assignment, a.Protocol = r.Assignment, s.Group.Protocol
	}
}

// list is the member list of the group.
func (s *state) list() []listed {
	var all []listed
	for _, m := range s.Members[:s.size()] {
		if !m.Is(classic.Pending) {
			all = append(all, listed{m.ID, m.Meta})
		}
	}
	return sortList(all)
}

func sortList(all []listed) []listed {
	slices.SortFunc(all, func(a, b listed) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// said is an answer field by field, in the order of comparison.
func (a *answer) said() frame.Said {
	var ms []string
	for _, m := range a.Members {
		ms = append(ms, fmt.Sprintf("%s:%d", Name(m.ID), m.Meta))
	}
	return frame.Said{
		{"error", a.Err.String()}, {"member", Name(a.Member)}, {"generation", fmt.Sprint(a.Generation)},
		{"leader", Name(a.Leader)}, {"protocol", wire.ProtocolName(a.Protocol)}, {"members", strings.Join(ms, " ")},
		{"assignment", partsText(a.Assignment)}, {"offsets", strings.Trim(fmt.Sprint(a.Offsets), "[]")},
		{"each", strings.Join(errorNames(a.Each), " ")}, {"beside", string(a.Odd)},
	}
}

func errorNames(errs []model.Error) (names []string) {
	for _, e := range errs {
		names = append(names, frame.ErrorName(e))
	}
	return names
}

// compare lists the fields in which the model's answer and the broker's
// differ. An answer that did not come is nil.
func compare(m, b *answer) []frame.Field {
	switch {
	case m == nil && b == nil:
		return nil
	case m == nil:
		return []frame.Field{{Name: "answered", Model: "no, the request waits", Broker: "yes: " + b.text()}}
	case b == nil:
		return []frame.Field{{Name: "answered", Model: "yes: " + m.text(), Broker: "no, the request waits"}}
	}
	return frame.Compare(m.said(), b.said())
}

// text is an answer in a line.
func (a *answer) text() string {
	if a == nil {
		return "waits"
	}
	return a.said().Text(a.Err, (&answer{}).said())
}

func (a *answer) equal(b *answer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.said(), b.said())
}
