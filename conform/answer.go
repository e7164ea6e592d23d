package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
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
	// Odd is what the broker said that the model has no words for.
	Odd string
}

// listed is one row of the member list that a leader gets.
type listed struct {
	ID   model.MemberID
	Meta model.Meta
}

// answerOf completes a reply of the rules by what the answer says of the group
// itself.
func (s *state) answerOf(r model.Reply) answer {
	a := answer{Err: r.Err}
	switch {
	case r.API == model.JoinGroup && r.Err == model.None:
		a.Member, a.Generation, a.Leader, a.Protocol = r.MemberID, r.Generation, r.Leader, r.Protocol
		if r.Leader == r.MemberID {
			a.Members = s.list()
		}
	case r.API == model.JoinGroup:
		a.Member, a.Generation = r.MemberID, r.Generation
	case r.API == model.SyncGroup && r.Err == model.None:
		a.Assignment, a.Protocol = r.Assignment, s.Group.Protocol
	}
	return a
}

// list is the member list of the group.
func (s *state) list() []listed {
	var all []listed
	for _, m := range s.Members[:s.size()] {
		if !m.Is(model.Pending) {
			all = append(all, listed{m.ID, m.Meta})
		}
	}
	return sortList(all)
}

func sortList(all []listed) []listed {
	slices.SortFunc(all, func(a, b listed) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Field is one field in which two answers differ.
type Field struct {
	Name   string `json:"field"`
	Model  string `json:"model"`
	Broker string `json:"broker"`
}

// names writes member ids for a reader.
type names func(model.MemberID) string

// fields writes an answer field by field, in the order of comparison.
func (a *answer) fields(n names) [][2]string {
	var ms []string
	for _, m := range a.Members {
		ms = append(ms, fmt.Sprintf("%s:%d", n(m.ID), m.Meta))
	}
	return [][2]string{
		{"error", a.Err.String()}, {"member", n(a.Member)}, {"generation", fmt.Sprint(a.Generation)},
		{"leader", n(a.Leader)}, {"protocol", protocolName(a.Protocol)}, {"members", strings.Join(ms, " ")},
		{"assignment", partsText(a.Assignment)}, {"offsets", strings.Trim(fmt.Sprint(a.Offsets), "[]")}, {"beside", a.Odd},
	}
}

// compare lists the fields in which the model's answer and the broker's
// differ. An answer that did not come is nil.
func compare(m, b *answer, n names) []Field {
	switch {
	case m == nil && b == nil:
		return nil
	case m == nil:
		return []Field{{"answered", "no, the request waits", "yes: " + b.text(n)}}
	case b == nil:
		return []Field{{"answered", "yes: " + m.text(n), "no, the request waits"}}
	}
	var all []Field
	of := b.fields(n)
	for i, f := range m.fields(n) {
		if f[1] != of[i][1] {
			all = append(all, Field{f[0], f[1], of[i][1]})
		}
	}
	return all
}

// text is an answer in a line: its error, and whatever else it says.
func (a *answer) text(n names) string {
	if a == nil {
		return "waits"
	}
	empty := (&answer{}).fields(n)
	words := []string{errorName(a.Err)}
	for i, f := range a.fields(n) {
		if i > 0 && f[1] != empty[i][1] {
			words = append(words, f[0]+"="+f[1])
		}
	}
	return strings.Join(words, " ")
}

// errorName also names the errors that the model does not have, by number.
func errorName(e model.Error) string {
	if name := e.String(); name != "UNKNOWN_ERROR" {
		return name
	}
	return fmt.Sprintf("error %d", e)
}

func (a *answer) equal(b *answer) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Err == b.Err && a.Member == b.Member && a.Generation == b.Generation && a.Leader == b.Leader &&
		a.Protocol == b.Protocol && slices.Equal(a.Members, b.Members) && a.Assignment == b.Assignment &&
		slices.Equal(a.Offsets, b.Offsets) && a.Odd == b.Odd
}

func partsText(s model.PartSet) string {
	var ps []string
	for p := range parts {
		if s.Has(p) {
			ps = append(ps, fmt.Sprintf("p%d", p))
		}
	}
	return strings.Join(ps, ",")
}
