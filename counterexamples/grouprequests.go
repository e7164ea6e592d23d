package counterexamples

import (
	"cmp"
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// groupRequests has the words for the requests of members and administrators.
var groupRequests = map[model.API]requestWords{
	model.JoinGroup: {at: atGroup, stale: staleJoin, held: "the join phase ends",
		presents: func(t *teller, r *cluster.Request) string {
			text := t.presented(r.ID)
			if t.g.cfg.Topics > 1 {
				text += ", topics " + topicNames(r.Meta)
			}
			return text + t.offered(int(r.Client))
		},
		brings: func(t *teller, r *cluster.Request) string {
			switch r.Err {
			case model.MemberIDRequired:
				return ": join again as " + t.member(r.NewID)
			case model.None:
			default:
				return ""
			}
			text := fmt.Sprintf(": member %s, generation %d", t.member(r.NewID), r.NewGen)
			if r.Protocol == 0 {
				text += ", no assignor"
			}
			if r.Leads {
				text += ", leads the group"
			}
			return text
		}},
	model.SyncGroup: {at: atGroup, stale: staleMember, held: "the leader's plan is there",
		presents: func(t *teller, r *cluster.Request) string {
			if r.Leads {
				return t.memberAndGeneration(r) + ", the plan " + t.plan(r)
			}
			return t.memberAndGeneration(r)
		},
		brings: func(_ *teller, r *cluster.Request) string {
			if r.Err != model.None {
				return ""
			}
			return ": the assignment is " + orNothing(r.Assignment)
		}},
	model.Heartbeat: {at: atGroup, stale: staleMember, presents: (*teller).memberAndGeneration},
	model.LeaveGroup: {at: atGroup, stale: staleJoin,
		presents: func(t *teller, r *cluster.Request) string { return t.presented(r.ID) }},
	model.OffsetFetch: {at: atGroup,
		brings: func(t *teller, r *cluster.Request) string {
			if r.Err != model.None {
				return ""
			}
			return ": " + t.offsets(r, "nothing is committed")
		}},
	model.OffsetCommit: {at: atGroup, stale: staleCommit,
		presents: func(t *teller, r *cluster.Request) string {
			return fmt.Sprintf("%s, %s", t.memberAndGeneration(r), t.offsets(r, "nothing"))
		}},
	model.OffsetDelete: {at: atGroup},
	model.DeleteGroups: {at: atGroup},
}

func (t *teller) memberAndGeneration(r *cluster.Request) string {
	return fmt.Sprintf("%s, %s", t.presented(r.ID), presentedGeneration(r.Generation))
}

func (t *teller) presented(id model.MemberID) string {
	if id == 0 {
		return "no member id"
	}
	return "member " + t.member(id)
}

func presentedGeneration(g model.Generation) string {
	if g < 0 {
		return "no generation"
	}
	return fmt.Sprintf("generation %d", g)
}

// offered names the assignors where the members differ in them.
func (t *teller) offered(client int) string {
	for i := range t.g.cfg.Members {
		if t.g.cfg.Protocols[i] != t.g.cfg.Protocols[0] {
			var names []string
			for l := t.g.cfg.Protocols[client]; l != 0; l = l.Rest() {
				names = append(names, [...]string{model.Range: "range", model.RoundRobin: "roundrobin"}[l.First()])
			}
			return ", assignors " + strings.Join(names, ", ")
		}
	}
	return ""
}

// plan is what a leader sends: the owner of each partition.
func (t *teller) plan(r *cluster.Request) string {
	var all facts
	for p, id := range r.Plan[:r.Seen] {
		all.add(id != 0, "%s to %s", partitionName(p), t.member(id))
	}
	return cmp.Or(strings.Join(all, ", "), "without assignments")
}

// offsets lists those that a request or an answer names.
func (t *teller) offsets(r *cluster.Request, none string) string {
	var all facts
	for p, o := range r.Offsets[:t.g.cfg.AllPartitions()] {
		all.add(o != model.NoOffset, "%s = %d", partitionName(p), o)
	}
	return cmp.Or(strings.Join(all, ", "), none)
}

// staleMember compares the member and the generation with the group's.
func staleMember(t *teller, s *step) string {
	ev := &s.after.Last
	m := s.before.Member(ev.ID)
	known := m != nil && !m.Is(classic.Pending)
	return t.staleToken(s, known, ev.Generation == s.before.Group.Generation, fmt.Sprintf("generation %d, member %s", ev.Generation, t.member(ev.ID)))
}

// staleJoin: who joins or leaves presents no generation, and may have an id that
// was only handed out.
func staleJoin(t *teller, s *step) string {
	id := s.after.Last.ID
	if id == 0 {
		return ""
	}
	return t.staleToken(s, s.before.Member(id) != nil, true, "member "+t.member(id))
}

// staleCommit: a commit without member and generation is fenced by nothing but
// the presence of members.
func staleCommit(t *teller, s *step) string {
	if s.after.Last.ID == 0 {
		return fmt.Sprintf("no token: presents no generation and no member; the group is %s, %s", s.before.Group.State, t.roster(s.before))
	}
	return staleMember(t, s)
}

func (t *teller) staleToken(s *step, known, current bool, presents string) string {
	ev := &s.after.Last
	switch {
	case !known || !current:
		return fmt.Sprintf("stale: presents %s; %s", presents, groupHas(s.before, known))
	case ev.Stale != 0:
		return fmt.Sprintf("stale in substance: presents %s, which are current, but rests on an assignment of %s that has been replaced", presents, partitionNames(ev.Stale))
	case ev.Late:
		return fmt.Sprintf("late: presents %s, which are still current, so no token tells that its sender gave up on it", presents)
	}
	return ""
}

// groupHas is what the coordinator knows at that moment.
func groupHas(s *cluster.State, known bool) string {
	switch {
	case s.Group.State == classic.Absent:
		return "there is no such group"
	case !known:
		return fmt.Sprintf("the group is at generation %d and has no such member", s.Group.Generation)
	}
	return fmt.Sprintf("the group is at generation %d", s.Group.Generation)
}
