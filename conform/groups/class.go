package groups

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// triple classifies one step of the model.
func triple(before *state, r *request, o *outcome) frame.Triple {
	return frame.Triple{Request: before.requestClass(r), State: before.stateClass(r), Answer: o.class(r)}
}

// What reports say of the variants of a request.
var (
	joinWords = []string{changed: "other bytes", reordered: "other order", foreign: "no common protocol",
		none: "no protocol", oldVersion: "v3", tooShort: "session too short", tooLong: "session too long"}
	leaveWords = []string{andStranger: "and a stranger", twice: "twice", andAll: "and all others"}
	syncWords  = []string{emptyPlan: "empty plan", usurpedPlan: "a plan", otherProtocol: "other protocol"}
)

var generationNames = [...]string{noGeneration: "none", current: "current", older: "older", newer: "newer"}

// requestClass says what kind of request it is, by its tokens.
func (s *state) requestClass(r *request) string {
	row := r.Step.Op.row()
	words := []string{r.Step.Op.title()}
	switch row.tokens {
	case ofNewcomer:
		words = append(words, "without id")
	case ofMember, ofKnown:
		words = append(words, "of "+s.sender(r))
	case ofGeneration:
		words = append(words, "of "+s.sender(r), "generation "+generationNames[r.Step.When])
	}
	switch v := r.Step.Variant; {
	case v != plain:
		words = append(words, row.words[v])
	case row.repeats && s.isMember(r.MemberID):
		words = append(words, "same bytes")
	}
	return strings.Join(words, ", ")
}

// sender says what the coordinator knows of the id in a request. Only where
// the rules ask who leads is the leader told from the other members.
func (s *state) sender(r *request) string {
	m := s.find(r.MemberID)
	switch {
	case r.MemberID == 0:
		return "nobody"
	case r.MemberID == strangerID:
		return "a stranger"
	case m == nil:
		return "a removed id"
	case m.Is(classic.Pending):
		return "a pending id"
	case r.Step.Op.row().leads && s.Group.Leader == r.MemberID:
		return "the leader"
	}
	return "a member"
}

func (s *state) isMember(id model.MemberID) bool {
	m := s.find(id)
	return m != nil && !m.Is(classic.Pending)
}

// stateClass is the state of the group, and whether the sender waits in it.
func (s *state) stateClass(r *request) string {
	name := s.Group.State.String()
	if s.Group.InitialDelay {
		name += " (initial delay)"
	}
	if m := s.find(r.MemberID); m != nil {
		switch {
		case m.Is(classic.JoinParked):
			name += ", its JoinGroup waits"
		case m.Is(classic.SyncParked):
			name += ", its SyncGroup waits"
		}
	}
	return name
}

// class is the answer, and whom else it answers.
func (o *outcome) class(r *request) string {
	var words []string
	switch {
	case o.Ignored:
		words = append(words, "nothing")
	case r.Step.Op.timer():
		words = append(words, "fires")
	default:
		words = append(words, ownClass(o.Own))
	}
	return strings.Join(append(words, othersClass(o.Others)...), "; ")
}

// ownClass is the error of an answer; of several errors in their order, each is
// named once where it follows itself. The content of one that says NONE follows
// from the state, and is compared without being counted.
func ownClass(a *answer) string {
	if a == nil {
		return "waits"
	}
	if a.Err == model.None && len(a.Each) > 0 {
		return strings.Join(slices.Compact(errorNames(a.Each)), ", ")
	}
	return frame.ErrorName(a.Err)
}

// othersClass has each kind of answer once that parked requests get.
func othersClass(others []delivery) []string {
	var all []string
	for _, d := range others {
		all = append(all, fmt.Sprintf("a waiting %s: %s", d.API, frame.ErrorName(d.Answer.Err)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
