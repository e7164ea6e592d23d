package linearize

import (
	"context"
	"slices"

	"fencecheck/model"
)

// settle closes a config under the steps that no client sees: session timers,
// the join timer, and requests of unknown outcome. There is no clock, so a timer
// may fire at any time; but never for a member that later steps need, which is
// what keeps the set small.
//
// The sync timer is not fired: it removes the members that did not send
// SyncGroup, and the expiry of their sessions one by one does the same. They
// are in Completing or Stable and parked nowhere, so each of them can expire,
// and the others' parked requests are answered at the first of them.
func (s *spec) settle(ctx context.Context, c *config) {
	pending := slices.Clone(c.worlds)
	fresh := &config{owed: c.owed, asked: c.asked, lived: c.lived, horizon: c.horizon, armed: c.armed}
	for len(pending) > 0 && ctx.Err() == nil {
		t := turn{spec: s, config: fresh, before: &s.atlas.all[pending[len(pending)-1]]}
		pending = pending[:len(pending)-1]
		fresh.worlds = fresh.worlds[:0]
		t.fire()
		for _, n := range fresh.worlds {
			if c.worlds.add(n) {
				pending = append(pending, n)
			}
		}
	}
}

// fire fires each timer that may fire.
func (t *turn) fire() {
	for i := range t.before.members {
		id := t.before.members[i].ID
		if id == 0 {
			break
		}
		if id != anonymous && t.config.owed[id] > 0 {
			continue
		}
		t.choose(func(k *model.Coordinator, _ *world) bool { return k.ExpireSession(id) })
	}
	for _, i := range t.config.armed {
		t.late(int(i))
	}
	if t.before.group.State == model.PreparingRebalance {
		t.choose(func(k *model.Coordinator, _ *world) bool { return k.FireJoinTimer() })
	}
}

// late decides a request of unknown outcome, if that can make a difference.
func (t *turn) late(i int) {
	c, w := &t.calls[i], t.before
	switch c.api {
	case model.JoinGroup:
		bit := t.onceBit(i)
		once := bit != 0
		switch {
		case once && w.used&bit != 0, once && c.member != 0 && !w.remembers(c.member), !once && w.remembers(anonymous):
		default:
			t.park(i)
		}
	case model.SyncGroup:
		if w.group.State == model.CompletingRebalance && w.group.Leader == c.member {
			t.park(i)
		}
	case model.LeaveGroup:
		if w.remembers(c.member) {
			t.decide(i)
		}
	case model.TxnOffsetCommit: // it makes a group, or nothing
		if w.group.State == model.Absent {
			t.decide(i)
		}
	}
}
