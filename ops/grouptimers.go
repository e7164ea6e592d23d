package ops

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// reason spends what a timer needs to fire: nothing where it has a reason, an
// expiry where the clock is async. It is false where the timer must not fire.
func (x *Exec) reason(has bool) bool {
	if has {
		x.begin()
		return true
	}
	return x.cfg.Clock == cluster.Async && x.spend(cluster.Expiries)
}

// late tells whether the coordinator would wait in vain for a member: nobody
// acts under its id, or who does is not able to.
func (x *Exec) late(id model.MemberID) bool {
	cl := x.s.Holder(id)
	return cl == nil || !x.healthy(cl)
}

func (x *Exec) initialDelay(a Args) bool {
	if g := &x.s.Group; g.State != classic.PreparingRebalance || !g.InitialDelay {
		return false
	}
	x.begin()
	return x.open(a).FireJoinTimer() && x.settle()
}

// rebalanceTimeout has a reason when all that are missing are late.
func (x *Exec) rebalanceTimeout(a Args) bool {
	if g := &x.s.Group; g.State != classic.PreparingRebalance || g.InitialDelay {
		return false
	}
	noMembers := x.s.Size() == 0 // a timeout of zero
	if !x.reason(noMembers || x.allLate(classic.JoinParked, false)) {
		return false
	}
	return x.open(a).FireJoinTimer() && x.settle()
}

// allLate tells whether every member whose flag differs from the wanted value
// is late, and there is one.
func (x *Exec) allLate(f classic.MemberFlags, waitedFor bool) bool {
	any := false
	for i := range x.s.Members {
		m := &x.s.Members[i]
		if m.ID == 0 || m.Is(f) != waitedFor {
			continue
		}
		if !x.late(m.ID) {
			return false
		}
		any = true
	}
	return any
}

func (x *Exec) syncTimeout(a Args) bool {
	if s := x.s.Group.State; s != classic.CompletingRebalance && s != classic.Stable {
		return false
	}
	if !x.reason(x.allLate(classic.AwaitsSync, true)) {
		return false
	}
	return x.open(a).FireSyncTimer() && x.settle()
}

func (x *Exec) sessionTimeout(a Args) bool {
	id := model.MemberID(a.A)
	if x.cfg.Sessions[cluster.ClientOf(id)] == classic.SessionTooLong {
		return false
	}
	tooShort := x.cfg.Sessions[cluster.ClientOf(id)] == classic.SessionTooShort
	if !x.reason(tooShort || x.silent(id)) {
		return false
	}
	return x.open(a).ExpireSession(id) && x.settle()
}

// silent tells whether a member has a reason to send no heartbeat for a whole
// session: its process stands still, or it waits for a rebalance that others
// hold up.
func (x *Exec) silent(id model.MemberID) bool {
	cl := x.s.Holder(id)
	if cl == nil || cl.Process > cluster.Stalled || cl.Phase == cluster.Outside || cl.Phase == cluster.Failed {
		return true
	}
	if cl.Phase == cluster.Unjoined || cl.Phase == cluster.Joining {
		return cl.Process == cluster.Stalled || x.heldUp(id)
	}
	return cl.App.Status == cluster.Parked && cl.App.API == model.SyncGroup && x.heldUp(id)
}

// heldUp: the member waits in a parked request for others that are late. A new
// member's first timer is longer than any rebalance (five minutes, KAFKA-7610).
func (x *Exec) heldUp(id model.MemberID) bool {
	if m := x.s.Member(id); m.Flags&(classic.JoinParked|classic.SyncParked) == 0 || m.Is(classic.IsNew) {
		return false
	}
	for i := range x.s.Members {
		if m := &x.s.Members[i]; m.ID != 0 && m.ID != id && m.Flags&(classic.JoinParked|classic.SyncParked) == 0 && x.late(m.ID) {
			return true
		}
	}
	return false
}
