package ops

import "fencecheck/model"

// reason spends what a timer needs to fire: nothing where it has a reason, an
// expiry where the clock is async. It is false where the timer must not fire.
func (x *Exec) reason(has bool) bool {
	if has {
		x.begin()
		return true
	}
	return x.cfg.Clock == model.Async && x.spend(model.Expiries)
}

// late tells whether the coordinator would wait in vain for a member: nobody
// acts under its id, or who does is not able to.
func (x *Exec) late(id model.MemberID) bool {
	cl := x.s.Holder(id)
	return cl == nil || !x.healthy(cl)
}

func (x *Exec) initialDelay(a Args) bool {
	if g := &x.s.Group; g.State != model.PreparingRebalance || !g.InitialDelay {
		return false
	}
	x.begin()
	return x.open(a).FireJoinTimer() && x.settle()
}

// rebalanceTimeout has a reason when all that are missing are late.
func (x *Exec) rebalanceTimeout(a Args) bool {
	if g := &x.s.Group; g.State != model.PreparingRebalance || g.InitialDelay {
		return false
	}
	noMembers := x.s.Size() == 0 // a timeout of zero
	if !x.reason(noMembers || x.allLate(model.JoinParked, false)) {
		return false
	}
	return x.open(a).FireJoinTimer() && x.settle()
}

// allLate tells whether every member whose flag differs from the wanted value
// is late, and there is one.
func (x *Exec) allLate(f model.MemberFlags, waitedFor bool) bool {
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
	if s := x.s.Group.State; s != model.CompletingRebalance && s != model.Stable {
		return false
	}
	if !x.reason(x.allLate(model.AwaitsSync, true)) {
		return false
	}
	return x.open(a).FireSyncTimer() && x.settle()
}

func (x *Exec) sessionTimeout(a Args) bool {
	id := model.MemberID(a.A)
	if x.cfg.Sessions[model.ClientOf(id)] == model.SessionTooLong {
		return false
	}
	tooShort := x.cfg.Sessions[model.ClientOf(id)] == model.SessionTooShort
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
	if cl == nil || cl.Process > model.Stalled || cl.Phase == model.Outside || cl.Phase == model.Failed {
		return true
	}
	if cl.Phase == model.Unjoined || cl.Phase == model.Joining {
		return cl.Process == model.Stalled || x.heldUp(id)
	}
	return cl.App.Status == model.Parked && cl.App.API == model.SyncGroup && x.heldUp(id)
}

// heldUp: the member waits in a parked request for others that are late. A new
// member's first timer is longer than any rebalance (five minutes, KAFKA-7610).
func (x *Exec) heldUp(id model.MemberID) bool {
	if m := x.s.Member(id); m.Flags&(model.JoinParked|model.SyncParked) == 0 || m.Is(model.IsNew) {
		return false
	}
	for i := range x.s.Members {
		if m := &x.s.Members[i]; m.ID != 0 && m.ID != id && m.Flags&(model.JoinParked|model.SyncParked) == 0 && x.late(m.ID) {
			return true
		}
	}
	return false
}
