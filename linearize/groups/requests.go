package groups

import (
	"fmt"
	"math"

	"fencecheck/linearize/kfh"
)

// Requests are the requests of a group, as kfh/1 has them. What the rules of this
// package make of each is in rows.
var Requests = kfh.Table{
	{
		Name: kfh.Join,
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
	{
		Name: kfh.Sync, InGeneration: true,
		In: func(o *kfh.Object, r *kfh.Request) {
			memberInGeneration(o, r)
			r.Assign = o.Plan("assign")
		},
		Out:  func(o *kfh.Object, a *kfh.Answer) { a.Partitions = o.Partitions("tps", true) },
		Told: func(o *kfh.Op) string { return fmt.Sprintf("%v", o.Out.Partitions) },
	},
	{Name: kfh.Heartbeat, InGeneration: true, In: memberInGeneration},
	{Name: kfh.Leave, In: member},
	{
		Name: kfh.Commit, InGeneration: true,
		In: func(o *kfh.Object, r *kfh.Request) {
			memberInGeneration(o, r)
			r.Offsets = o.Offsets("off", true, 0)
		},
		Out: func(o *kfh.Object, a *kfh.Answer) { a.Errs = o.StringMap("errs") },
	},
	{
		Name: kfh.OffsetFetch,
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
