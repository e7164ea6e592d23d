package conform

import "fencecheck/model"

// Rule is a rule of the protocol pages by its id there.
type Rule struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// ruleRow says which rule an answer of the model stands for. The first row
// whose conditions hold is taken; "" and 0 hold always. It labels what the
// model has decided, and decides nothing.
type ruleRow struct {
	api    model.API
	state  model.GroupState // Absent: any, unless absent is set
	absent bool
	sender string
	class  string // the model's own answer
	rule   Rule
}

var ruleRows = []ruleRow{
	{api: model.JoinGroup, class: "INVALID_SESSION_TIMEOUT", rule: Rule{"J1", "the session timeout must be within the broker's bounds"}},
	{api: model.JoinGroup, class: "GROUP_MAX_SIZE_REACHED", rule: Rule{"J5", "a group has at most group.max.size members"}},
	{api: model.JoinGroup, class: "INCONSISTENT_GROUP_PROTOCOL", rule: Rule{"J7", "a joiner must offer a protocol that every member supports"}},
	{api: model.JoinGroup, class: "MEMBER_ID_REQUIRED", rule: Rule{"J10", "a new dynamic member gets an id first, and joins with it"}},
	{api: model.JoinGroup, absent: true, class: "UNKNOWN_MEMBER_ID", rule: Rule{"J3", "a group is not created for a request that names a member id"}},
	{api: model.JoinGroup, class: "UNKNOWN_MEMBER_ID", rule: Rule{"J13", "a member id that the group does not have is refused"}},
	{api: model.JoinGroup, sender: "nobody", rule: Rule{"J11", "before v4 a member without an id is added at once"}},
	{api: model.JoinGroup, sender: "a pending id", rule: Rule{"J12", "an id that was handed out joins"}},
	{api: model.JoinGroup, state: model.PreparingRebalance, rule: Rule{"J14", "a member joins the rebalance under way, which completes when all have joined"}},
	{api: model.JoinGroup, state: model.CompletingRebalance, class: "NONE", rule: Rule{"J15", "a member that repeats its bytes while the plan is awaited is answered at once"}},
	{api: model.JoinGroup, state: model.CompletingRebalance, rule: Rule{"J16", "a member that joins with other bytes begins a rebalance"}},
	{api: model.JoinGroup, state: model.Stable, sender: "the leader", rule: Rule{"J17", "a leader that joins again begins a rebalance, even with the same bytes"}},
	{api: model.JoinGroup, state: model.Stable, class: "NONE", rule: Rule{"J18", "a follower that repeats its bytes is answered at once"}},
	{api: model.JoinGroup, state: model.Stable, rule: Rule{"J19", "a follower that joins with other bytes begins a rebalance"}},
	{api: model.SyncGroup, absent: true, rule: Rule{"Y1", "SyncGroup of a group that is absent is refused"}},
	{api: model.SyncGroup, state: model.Empty, rule: Rule{"Y1", "SyncGroup of an empty group is refused"}},
	{api: model.SyncGroup, class: "UNKNOWN_MEMBER_ID", rule: Rule{"Y3", "SyncGroup of a stranger is refused"}},
	{api: model.SyncGroup, class: "ILLEGAL_GENERATION", rule: Rule{"Y4", "SyncGroup of another generation is refused"}},
	{api: model.SyncGroup, class: "INCONSISTENT_GROUP_PROTOCOL", rule: Rule{"Y5", "SyncGroup must name the group's protocol"}},
	{api: model.SyncGroup, class: "REBALANCE_IN_PROGRESS", rule: Rule{"Y6", "SyncGroup during the join phase is refused"}},
	{api: model.SyncGroup, class: "waits", rule: Rule{"Y7", "a follower waits for the leader's plan, whatever plan it sends"}},
	{api: model.SyncGroup, state: model.CompletingRebalance, rule: Rule{"Y9", "the leader's plan answers everybody who waits for it"}},
	{api: model.SyncGroup, state: model.Stable, rule: Rule{"Y12", "in Stable each member gets its assignment, and a new plan is ignored"}},
	{api: model.Heartbeat, rule: Rule{"2.5", "Heartbeat: member, then generation, then REBALANCE_IN_PROGRESS during the join phase"}},
	{api: model.LeaveGroup, rule: Rule{"2.6", "LeaveGroup removes a member or a pending id of any generation, and the others rebalance"}},
	{api: model.OffsetCommit, absent: true, class: "NONE", rule: Rule{"O1", "a commit without a generation creates a simple group"}},
	{api: model.OffsetCommit, absent: true, rule: Rule{"O2", "a commit with a generation to an absent group is refused"}},
	{api: model.OffsetCommit, state: model.Empty, class: "NONE", rule: Rule{"O4", "an empty group takes a commit without a generation, whatever its member id"}},
	{api: model.OffsetCommit, sender: "nobody", rule: Rule{"O7", "a commit without member and generation is refused while the group has members"}},
	{api: model.OffsetCommit, class: "UNKNOWN_MEMBER_ID", rule: Rule{"O5", "a commit of a stranger is refused"}},
	{api: model.OffsetCommit, class: "ILLEGAL_GENERATION", rule: Rule{"O6", "a commit of another generation is refused"}},
	{api: model.OffsetCommit, class: "REBALANCE_IN_PROGRESS", rule: Rule{"O8", "a commit while the plan is awaited is refused"}},
	{api: model.OffsetCommit, rule: Rule{"O9", "a member's commit of the current generation is taken"}},
	{api: model.OffsetFetch, rule: Rule{"4.6", "OffsetFetch answers the committed offsets, -1 where there is none"}},
	{api: model.DeleteGroups, rule: Rule{"4.7", "an empty group is deleted with its offsets, another is not"}},
}

// timerRules are by timer.
var timerRules = [...]Rule{
	{"2.7", "a silent member is removed when its session ends, unless it waits in a parked request"},
	{"2.3", "the join timer completes the join phase with those who have joined"},
	{"2.7", "the sync timer removes everybody who has not sent SyncGroup"},
}

// ruleOf finds the rule that an expected answer stands for.
func ruleOf(x *expectation) Rule {
	op := x.request.Step.Op
	if op.timer() {
		return timerRules[op-sessionTimer]
	}
	state, sender, class := x.before.Group.State, x.before.sender(x.request), ownClass(x.Own)
	for _, r := range ruleRows {
		if r.api == x.request.api() && (!r.absent || state == model.Absent) && (r.state == 0 || r.state == state) &&
			(r.sender == "" || r.sender == sender) && (r.class == "" || r.class == class) {
			return r.rule
		}
	}
	return Rule{}
}
