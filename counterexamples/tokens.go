package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/search"
)

// carriesGeneration has the requests that present a generation.
var carriesGeneration = [model.NumAPIs]bool{model.SyncGroup: true, model.Heartbeat: true, model.OffsetCommit: true, model.TxnOffsetCommit: true}

// stale says what is wrong with the token of a request that the coordinator
// decided: what it presents, against what the coordinator knows. It is empty
// where nothing is.
func (t *teller) stale(before *model.State, st search.Step, ev *model.Event) string {
	if ev.API.Part() == model.TransactionsPart {
		return t.staleProducer(before, st, ev)
	}
	if ev.API == model.NoAPI || ev.API == model.DeleteGroups || ev.API == model.OffsetFetch {
		return ""
	}
	return t.staleMember(before, ev)
}

// staleMember compares the member and the generation with the group's.
func (t *teller) staleMember(before *model.State, ev *model.Event) string {
	if ev.ID == 0 {
		return t.anonymous(before, ev)
	}
	m := memberOf(before, ev.ID)
	known := m != nil && (!m.Is(model.Pending) || ev.API == model.JoinGroup || ev.API == model.LeaveGroup)
	current := !carriesGeneration[ev.API] || ev.Generation == before.Group.Generation
	presents := "member " + t.member(ev.ID)
	if carriesGeneration[ev.API] {
		presents = fmt.Sprintf("generation %d, %s", ev.Generation, presents)
	}
	switch {
	case !known || !current:
		return fmt.Sprintf("stale: presents %s; %s", presents, t.truth(before, known))
	case ev.Stale != 0:
		return fmt.Sprintf("stale in substance: presents %s, which are current, but rests on an assignment of %s that has been replaced", presents, partitionNames(ev.Stale))
	case ev.Late:
		return fmt.Sprintf("late: presents %s, which are still current, so no token tells that its sender gave up on it", presents)
	}
	return ""
}

// truth is what the coordinator knows at that moment.
func (t *teller) truth(s *model.State, known bool) string {
	switch {
	case s.Group.State == model.Absent:
		return "there is no such group"
	case !known:
		return fmt.Sprintf("the group is at generation %d and has no such member", s.Group.Generation)
	}
	return fmt.Sprintf("the group is at generation %d", s.Group.Generation)
}

// anonymous: a commit without member and generation is fenced by nothing but
// the presence of members.
func (t *teller) anonymous(before *model.State, ev *model.Event) string {
	if ev.API != model.OffsetCommit && ev.API != model.TxnOffsetCommit {
		return ""
	}
	if ev.API == model.TxnOffsetCommit {
		return fmt.Sprintf("no token of the group: presents no generation and no member; the group is %s at generation %d, %s", before.Group.State, before.Group.Generation, t.roster(before))
	}
	return fmt.Sprintf("no token: presents no generation and no member; the group is %s, %s", before.Group.State, t.roster(before))
}
