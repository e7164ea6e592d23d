package groups

import (
	"context"
	"slices"

	"fencecheck/model/classic"
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
	fresh := &config{needs: c.needs, sent: c.sent}
	for len(pending) > 0 && ctx.Err() == nil {
		t := s.turn(fresh, &s.states.All[pending[len(pending)-1]])
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
		t.choose(func(k *classic.Coordinator, _ *state) bool { return k.ExpireSession(id) })
	}
	for _, i := range t.config.sent {
		t.Calls[i].row.late(t, int(i))
	}
	if t.before.group.State == classic.PreparingRebalance {
		t.choose(func(k *classic.Coordinator, _ *state) bool { return k.FireJoinTimer() })
	}
}

// lateJoin, lateSync, lateLeave and lateTxnCommit decide a request of unknown
// outcome, if that can make a difference.
func (t *turn) lateJoin(i int) {
	c, w, bit := &t.Calls[i], t.before, t.onceBit(i)
	switch {
	case bit == 0 && w.remembers(anonymous), w.used&bit != 0, bit != 0 && c.Member != 0 && !w.remembers(c.Member):
	default:
		t.park(i)
	}
}

func (t *turn) lateSync(i int) {
	if g := &t.before.group; g.State == classic.CompletingRebalance && g.Leader == t.Calls[i].Member {
		t.park(i)
	}
}

func (t *turn) lateLeave(i int) {
	if t.before.remembers(t.Calls[i].Member) {
		t.leave(i)
	}
}

// lateTxnCommit makes a group, or nothing.
func (t *turn) lateTxnCommit(i int) {
	if t.before.group.State == classic.Absent {
		t.txnCommit(i)
	}
}
