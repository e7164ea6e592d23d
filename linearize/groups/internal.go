package groups

import (
	"context"
	"slices"

	"fencecheck/model"
)

// closure closes a config under the steps that no client sees: session timers,
// the join timer, and requests of unknown outcome. There is no clock, so a timer
// may fire at any time; but never for a member that later steps need, which is
// what keeps the set small.
//
// The sync timer is not fired: it removes the members that did not send
// SyncGroup, and the expiry of their sessions one by one does the same. They
// are in Completing or Stable and parked nowhere, so each of them can expire,
// and the others' parked requests are answered at the first of them.
func (s *spec) closure(ctx context.Context, c *config) {
	pending := slices.Clone(c.states)
	fresh := &config{needMember: c.needMember, needPending: c.needPending, needGeneration: c.needGeneration, oldest: c.oldest, sent: c.sent}
	for len(pending) > 0 && ctx.Err() == nil {
		t := turn{spec: s, config: fresh, before: &s.states.All[pending[len(pending)-1]]}
		pending = pending[:len(pending)-1]
		fresh.states = fresh.states[:0]
		t.internal()
		for _, n := range fresh.states {
			if c.states.Add(n) {
				pending = append(pending, n)
			}
		}
	}
}

// internal fires each timer that may fire.
func (t *turn) internal() {
	for i := range t.before.members {
		id := t.before.members[i].ID
		if id == 0 {
			break
		}
		if id != anonymous && t.config.needMember[id] > 0 {
			continue
		}
		t.choose(func(k *model.Coordinator, _ *state) bool { return k.ExpireSession(id) })
	}
	for _, i := range t.config.sent {
		t.late(int(i))
	}
	if t.before.group.State == model.PreparingRebalance {
		t.choose(func(k *model.Coordinator, _ *state) bool { return k.FireJoinTimer() })
	}
}

// late decides a request of unknown outcome, if that can make a difference.
func (t *turn) late(i int) {
	c, w := &t.Calls[i], t.before
	switch c.Api {
	case model.JoinGroup:
		bit := t.onceBit(i)
		once := bit != 0
		switch {
		case once && w.used&bit != 0, once && c.Member != 0 && !w.remembers(c.Member), !once && w.remembers(anonymous):
		default:
			t.park(i)
		}
	case model.SyncGroup:
		if w.group.State == model.CompletingRebalance && w.group.Leader == c.Member {
			t.park(i)
		}
	case model.LeaveGroup:
		if w.remembers(c.Member) {
			t.decide(i)
		}
	case model.TxnOffsetCommit: // it makes a group, or nothing
		if w.group.State == model.Absent {
			t.decide(i)
		}
	}
}
