package groups

import (
	"fencecheck/conform/frame"
	"fencecheck/model/classic"
)

// A rule says which rule of the protocol pages an answer of the model stands for.
// The first one of a request's whose conditions hold is taken; "" and 0 hold
// always. It labels what the model has decided, and decides nothing.
type rule struct {
	state  classic.GroupState // Absent: any, unless absent is set
	absent bool
	sender string
	class  string // the model's own answer
	rule   frame.Rule
}

var joinRules = []rule{
	{class: "INVALID_SESSION_TIMEOUT", rule: frame.Rule{ID: "J1", Text: "the session timeout must be within the broker's bounds"}},
	{class: "GROUP_MAX_SIZE_REACHED", rule: frame.Rule{ID: "J5", Text: "a group has at most group.max.size members"}},
	{class: "INCONSISTENT_GROUP_PROTOCOL", rule: frame.Rule{ID: "J7", Text: "a joiner must offer a protocol that every member supports"}},
	{class: "MEMBER_ID_REQUIRED", rule: frame.Rule{ID: "J10", Text: "a new dynamic member gets an id first, and joins with it"}},
	{absent: true, class: "UNKNOWN_MEMBER_ID", rule: frame.Rule{ID: "J3", Text: "a group is not created for a request that names a member id"}},
	{class: "UNKNOWN_MEMBER_ID", rule: frame.Rule{ID: "J13", Text: "a member id that the group does not have is refused"}},
	{sender: "nobody", rule: frame.Rule{ID: "J11", Text: "before v4 a member without an id is added at once"}},
	{sender: "a pending id", rule: frame.Rule{ID: "J12", Text: "an id that was handed out joins"}},
	{state: classic.PreparingRebalance, rule: frame.Rule{ID: "J14", Text: "a member joins the rebalance under way, which completes when all have joined"}},
	{state: classic.CompletingRebalance, class: "NONE", rule: frame.Rule{ID: "J15", Text: "a member that repeats its bytes while the plan is awaited is answered at once"}},
	{state: classic.CompletingRebalance, rule: frame.Rule{ID: "J16", Text: "a member that joins with other bytes begins a rebalance"}},
	{state: classic.Stable, sender: "the leader", rule: frame.Rule{ID: "J17", Text: "a leader that joins again begins a rebalance, even with the same bytes"}},
	{state: classic.Stable, class: "NONE", rule: frame.Rule{ID: "J18", Text: "a follower that repeats its bytes is answered at once"}},
	{state: classic.Stable, rule: frame.Rule{ID: "J19", Text: "a follower that joins with other bytes begins a rebalance"}},
}

var syncRules = []rule{
	{absent: true, rule: frame.Rule{ID: "Y1", Text: "SyncGroup of a group that is absent is refused"}},
	{state: classic.Empty, rule: frame.Rule{ID: "Y1", Text: "SyncGroup of an empty group is refused"}},
	{class: "UNKNOWN_MEMBER_ID", rule: frame.Rule{ID: "Y3", Text: "SyncGroup of a stranger is refused"}},
	{class: "ILLEGAL_GENERATION", rule: frame.Rule{ID: "Y4", Text: "SyncGroup of another generation is refused"}},
	{class: "INCONSISTENT_GROUP_PROTOCOL", rule: frame.Rule{ID: "Y5", Text: "SyncGroup must name the group's protocol"}},
	{class: "REBALANCE_IN_PROGRESS", rule: frame.Rule{ID: "Y6", Text: "SyncGroup during the join phase is refused"}},
	{class: "waits", rule: frame.Rule{ID: "Y7", Text: "a follower waits for the leader's plan, whatever plan it sends"}},
	{state: classic.CompletingRebalance, rule: frame.Rule{ID: "Y9", Text: "the leader's plan answers everybody who waits for it"}},
	{state: classic.Stable, rule: frame.Rule{ID: "Y12", Text: "in Stable each member gets its assignment, and a new plan is ignored"}},
}

var commitRules = []rule{
	{absent: true, class: "NONE", rule: frame.Rule{ID: "O1", Text: "a commit without a generation creates a simple group"}},
	{absent: true, rule: frame.Rule{ID: "O2", Text: "a commit with a generation to an absent group is refused"}},
	{state: classic.Empty, class: "NONE", rule: frame.Rule{ID: "O4", Text: "an empty group takes a commit without a generation, whatever its member id"}},
	{sender: "nobody", rule: frame.Rule{ID: "O7", Text: "a commit without member and generation is refused while the group has members"}},
	{class: "UNKNOWN_MEMBER_ID", rule: frame.Rule{ID: "O5", Text: "a commit of a stranger is refused"}},
	{class: "ILLEGAL_GENERATION", rule: frame.Rule{ID: "O6", Text: "a commit of another generation is refused"}},
	{class: "REBALANCE_IN_PROGRESS", rule: frame.Rule{ID: "O8", Text: "a commit while the plan is awaited is refused"}},
	{rule: frame.Rule{ID: "O9", Text: "a member's commit of the current generation is taken"}},
}

// ruleOf finds the rule that an expected answer stands for.
func ruleOf(x *expectation) frame.Rule {
	state, sender, class := x.before.Group.State, x.before.sender(&x.request), ownClass(x.Own)
	for _, r := range x.request.Step.Op.row().rules {
		if (!r.absent || state == classic.Absent) && (r.state == 0 || r.state == state) &&
			(r.sender == "" || r.sender == sender) && (r.class == "" || r.class == class) {
			return r.rule
		}
	}
	return frame.Rule{}
}
