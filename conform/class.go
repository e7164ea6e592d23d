package conform

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/model"
)

// Triple is the unit of coverage: a class of requests, the state of the
// coordinator that decides, and its answer.
type Triple struct {
	Request string `json:"request"`
	State   string `json:"state"`
	Answer  string `json:"answer"`
}

// String is the triple in a line.
func (t Triple) String() string { return fmt.Sprintf("%s in %s: %s", t.Request, t.State, t.Answer) }

// triple classifies one step of the model.
func triple(before *state, r request, o *outcome) Triple {
	return Triple{before.requestClass(r), before.stateClass(r), o.class(r)}
}

// variantNames are what a request's class says of its variant.
var variantNames = [...]string{changed: "other bytes", reordered: "other order", foreign: "no common protocol",
	none: "no protocol", oldVersion: "v3", tooShort: "session too short", tooLong: "session too long"}

var syncVariants = [...]string{emptyPlan: "empty plan", usurpedPlan: "a plan", otherProtocol: "other protocol"}

var generationNames = [...]string{noGeneration: "none", current: "current", older: "older", newer: "newer"}

// requestClass says what kind of request it is, by its tokens.
func (s *state) requestClass(r request) string {
	words := []string{opTitle(r.Step.Op)}
	switch r.Step.Op {
	case joinNew:
		words = append(words, "without id")
	case joinKnown, syncGroup, heartbeat, leaveGroup, offsetCommit, sessionTimer:
		words = append(words, "of "+s.sender(r))
	}
	switch r.Step.Op {
	case syncGroup, heartbeat, offsetCommit:
		words = append(words, "generation "+generationNames[r.Step.When])
	}
	switch v := r.Step.Variant; {
	case v == plain && r.Step.Op == joinKnown && s.isMember(r.ID):
		words = append(words, "same bytes")
	case v == plain:
	case r.Step.Op == syncGroup:
		words = append(words, syncVariants[v])
	default:
		words = append(words, variantNames[v])
	}
	return strings.Join(words, ", ")
}

func opTitle(o op) string {
	if o.timer() {
		return [...]string{"session timeout", "join timer", "sync timer"}[o-sessionTimer]
	}
	r := request{Step: step{Op: o}}
	return r.api().String()
}

// sender says what the coordinator knows of the id in a request. Only where
// the rules ask who leads is the leader told from the other members.
func (s *state) sender(r request) string {
	m := s.find(r.ID)
	switch {
	case r.ID == 0:
		return "nobody"
	case r.ID == strangerID:
		return "a stranger"
	case m == nil:
		return "a removed id"
	case m.Is(model.Pending):
		return "a pending id"
	case (r.Step.Op == joinKnown || r.Step.Op == syncGroup) && s.Group.Leader == r.ID:
		return "the leader"
	}
	return "a member"
}

func (s *state) isMember(id model.MemberID) bool {
	m := s.find(id)
	return m != nil && !m.Is(model.Pending)
}

// stateClass is the state of the group, and whether the sender waits in it.
func (s *state) stateClass(r request) string {
	name := s.Group.State.String()
	if s.Group.InitialDelay {
		name += " (initial delay)"
	}
	if m := s.find(r.ID); m != nil {
		switch {
		case m.Is(model.JoinParked):
			name += ", its JoinGroup waits"
		case m.Is(model.SyncParked):
			name += ", its SyncGroup waits"
		}
	}
	return name
}

// class is the answer, and whom else it answers.
func (o *outcome) class(r request) string {
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

// ownClass is the error of an answer. The content of one that says NONE
// follows from the state, and is compared without being counted.
func ownClass(a *answer) string {
	if a == nil {
		return "waits"
	}
	return errorName(a.Err)
}

// othersClass has each kind of answer once that parked requests get.
func othersClass(others []delivery) []string {
	var all []string
	for _, d := range others {
		all = append(all, fmt.Sprintf("a waiting %s: %s", d.API, errorName(d.Answer.Err)))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
