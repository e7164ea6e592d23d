// Package groups judges what the coordinator of a classic group answered: who is a
// member of which generation, who owns what, and, as long as no transaction takes
// part, which offsets are committed.
//
// A request is a row of rows (requests.go). What says something about a group's
// members goes into membership.go (a member is in the group from its first to its
// last proof), generations.go (a group never comes back to a generation) or
// agreement.go (one generation, one leader, one plan); the rest of the files are the
// sequential specification.
package groups

import (
	"fmt"
	"math"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
)

// row is a request as a group's coordinator decides it: how a file has it, what
// its answer proves, and how the model decides it. It is all that has to be known
// of a request; rows is the only list of them.
type row struct {
	kfh.Row // only its name, where another part has the request
	api     model.API
	// in tells of answers that prove the member in the group, and not only pending.
	in func(*kfh.Op) bool
	// accepted and rebalancing are where in its generation the group is when the
	// request is accepted, or refused with REBALANCE_IN_PROGRESS; nil: anywhere.
	accepted, rebalancing *stretch
	// unseen tells of requests without answer whose effect nobody can see, and mute
	// of those that say nothing about the members.
	unseen func(*kfh.Op, mentions) bool
	mute   func(*kfh.Op) bool
	// compile fills in what is the request's own.
	compile func(*Problem, *Call, *kfh.Op)
	// needs tells of answers that prove the member, or pending id, to be known.
	needs func(*Call) bool
	// decide lets the model decide it; late does so for one without an answer, where
	// that can make a difference.
	decide, late func(*turn, int)
}

var rows = []row{
	{
		Row: kfh.Row{
			Name: kfh.Join, Wrong: "generation-regression", Right: "another generation", BorneOut: true,
			In: func(o *kfh.Object, r *kfh.Request) {
				member(o, r)
				r.Protocols = o.Strings("proto", false)
				r.Meta = o.Scalar("meta")
			},
			Out: func(o *kfh.Object, a *kfh.Answer) {
				a.Generation = int32(o.Integer("gen", true, 0, math.MaxInt32, -1))
				a.Member = o.Str("m", true)
				a.Leader = o.OptionalStr("leader")
				a.Protocol = o.OptionalStr("proto")
				a.Members = o.Strings("members", false)
				a.Skip = o.Boolean("skip", false)
			},
			Refusal: func(o *kfh.Object, a *kfh.Answer) { a.Member = o.Str("m", a.Err == "MEMBER_ID_REQUIRED") },
			Told: func(o *kfh.Op) string {
				s := fmt.Sprintf("generation %d", o.Out.Generation)
				if o.Out.Members != nil {
					s += fmt.Sprintf(" and members %v", o.Out.Members)
				}
				return s
			},
		},
		api:      model.JoinGroup,
		in:       func(o *kfh.Op) bool { return o.Outcome == kfh.OK },
		accepted: &stretch{completing, stable},
		compile:  (*Problem).joinCall,
		needs:    func(c *Call) bool { return c.Err == model.None },
		decide:   (*turn).park,
		late:     (*turn).lateJoin,
	},
	{
		Row: kfh.Row{
			Name: kfh.Sync, InGeneration: true, Wrong: "dual-owner", Right: "another assignment", BorneOut: true,
			In: func(o *kfh.Object, r *kfh.Request) {
				memberInGeneration(o, r)
				r.Assign = o.Plan("assign")
			},
			Out:  func(o *kfh.Object, a *kfh.Answer) { a.Partitions = o.Partitions("tps", true) },
			Told: func(o *kfh.Op) string { return fmt.Sprintf("%v", o.Out.Partitions) },
		},
		api:         model.SyncGroup,
		in:          knowsMember,
		accepted:    &stretch{stable, stable},
		rebalancing: &stretch{preparing, preparing},
		unseen: func(o *kfh.Op, m mentions) bool { // a follower's only keeps its own session alive
			leader, known := m.leaders[o.In.Generation]
			return known && leader != o.In.Member
		},
		compile: (*Problem).syncCall,
		needs:   func(c *Call) bool { return c.Err != model.UnknownMemberID },
		decide:  (*turn).park,
		late:    (*turn).lateSync,
	},
	{
		Row:         kfh.Row{Name: kfh.Heartbeat, InGeneration: true, In: memberInGeneration},
		api:         model.Heartbeat,
		in:          knowsMember,
		accepted:    &stretch{completing, stable},
		rebalancing: &stretch{preparing, preparing},
		unseen:      func(*kfh.Op, mentions) bool { return true }, // the timer that it resets has no clock here
		needs:       func(c *Call) bool { return c.Err != model.UnknownMemberID },
		decide:      (*turn).ask,
	},
	{
		Row:    kfh.Row{Name: kfh.Leave, In: member},
		api:    model.LeaveGroup,
		needs:  func(c *Call) bool { return c.Err == model.None },
		decide: (*turn).leave,
		late:   (*turn).lateLeave,
	},
	{
		Row: kfh.Row{
			Name: kfh.Commit, InGeneration: true,
			In: func(o *kfh.Object, r *kfh.Request) {
				memberInGeneration(o, r)
				r.Offsets = o.Offsets("off", true, 0)
			},
			Out: func(o *kfh.Object, a *kfh.Answer) { a.Errs = o.StringMap("errs") },
		},
		api: model.OffsetCommit,
		in: func(o *kfh.Op) bool {
			return o.RefusedAs("ILLEGAL_GENERATION") || o.In.Generation >= 0 && knowsMember(o)
		},
		accepted:    &stretch{stable, preparing},
		rebalancing: &stretch{completing, completing},
		unseen:      func(o *kfh.Op, m mentions) bool { return m.unread(o) && o.In.Generation >= 0 },
		mute:        func(o *kfh.Op) bool { return o.Open() && o.In.Generation >= 0 },
		compile:     (*Problem).commitCall,
		needs:       func(c *Call) bool { return c.Err == model.IllegalGeneration || c.livesIn() },
		decide:      (*turn).commit,
	},
	{ // its producer's side is another part's
		Row: kfh.Row{Name: kfh.TxnCommit, InGeneration: true},
		api: model.TxnOffsetCommit,
		in: func(o *kfh.Op) bool { // ILLEGAL_GENERATION may also mean that there is no group
			return o.Outcome == kfh.OK && o.In.Generation >= 0 || o.RefusedAs("ILLEGAL_GENERATION") && o.In.Generation < 0
		},
		accepted: &stretch{completing, preparing},
		mute: func(o *kfh.Op) bool { // refused by the producer's side
			return !o.Open() && o.Outcome == kfh.Failed && o.Out.Err != "ILLEGAL_GENERATION" && o.Out.Err != "UNKNOWN_MEMBER_ID"
		},
		needs:  (*Call).livesIn,
		decide: (*turn).txnCommit,
		late:   (*turn).lateTxnCommit,
	},
	{
		Row: kfh.Row{
			Name: kfh.OffsetFetch, Wrong: "offset-regression", Right: "another offset",
			In: func(o *kfh.Object, r *kfh.Request) {
				group(o, r)
				r.Partitions = o.Partitions("tps", true)
				r.Stable = o.Boolean("stable", false)
			},
			Out: func(o *kfh.Object, a *kfh.Answer) {
				a.Errs = o.StringMap("errs")
				a.Offsets = o.Offsets("off", len(a.Errs) == 0, -1)
			},
		},
		api:     model.OffsetFetch,
		unseen:  func(*kfh.Op, mentions) bool { return true },
		mute:    func(*kfh.Op) bool { return true },
		compile: (*Problem).fetchCall,
		decide:  (*turn).fetch,
	},
}

// The rows by what a file and what the model calls the request.
var (
	byName = map[string]*row{}
	byAPI  = map[model.API]*row{}
)

// Requests are the requests of a group, as kfh/1 has them.
var Requests = formats()

func formats() (t kfh.Table) {
	for i := range rows {
		r := &rows[i]
		byName[r.Name], byAPI[r.api] = r, r
		if r.In != nil {
			t = append(t, r.Row)
		}
	}
	return t
}

// knowsMember tells of an answer that a coordinator gives only to a member.
func knowsMember(o *kfh.Op) bool {
	return o.Outcome == kfh.OK || o.Rebalancing() || o.RefusedAs("ILLEGAL_GENERATION")
}

func group(o *kfh.Object, r *kfh.Request) {
	r.Group = o.Str("g", true)
	r.Instance = o.OptionalStr("inst")
}

func member(o *kfh.Object, r *kfh.Request) {
	group(o, r)
	r.Member = o.Str("m", true)
}

func memberInGeneration(o *kfh.Object, r *kfh.Request) {
	member(o, r)
	r.Generation = o.Generation("gen")
}
