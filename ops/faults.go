package ops

import "fencecheck/model"

// change moves a client's process from one state to another.
func (x *Exec) change(client uint8, from, to model.Process) bool {
	if x.s.Clients[client].Process != from {
		return false
	}
	x.begin().Clients[client].Process = to
	return true
}

// spend counts a fault; false where the scenario has no more of them.
func (x *Exec) spend(b model.Budget) bool {
	if !x.s.Left(x.cfg, b) {
		return false
	}
	x.n.Spend(x.cfg, b)
	return true
}

func (x *Exec) pause(a Args) bool {
	return x.active(a.A) && x.change(a.A, model.Running, model.Paused) && x.spend(model.Pauses)
}

// active: a process that has not begun, or is done, need not stop.
func (x *Exec) active(client uint8) bool {
	cl := &x.s.Clients[client]
	if x.cfg.IsWriter(int(client)) {
		return cl.App.API != model.NoAPI || cl.Producer.PID != 0 && cl.Producer.Phase != model.FatalError
	}
	return cl.Phase != model.Outside && cl.Phase != model.Failed
}

func (x *Exec) resume(a Args) bool { return x.change(a.A, model.Paused, model.Running) }

func (x *Exec) stall(a Args) bool {
	return x.active(a.A) && x.change(a.A, model.Running, model.Stalled) && x.spend(model.Stalls)
}

func (x *Exec) unstall(a Args) bool { return x.change(a.A, model.Stalled, model.Running) }

func (x *Exec) crash(a Args) bool {
	cl := &x.s.Clients[a.A]
	if cl.Process == model.Down || !x.active(a.A) || !x.s.Left(x.cfg, model.Crashes) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.Crashes)
	if r := cl.App; r.API != model.NoAPI && r.Status == model.InFlight && n.Left(x.cfg, model.LateRequests) && n.AddLate(r) {
		n.Spend(x.cfg, model.LateRequests)
	}
	n.Clients[a.A].Reset(x.cfg)
	n.Clients[a.A].Process = model.Down
	return true
}

func (x *Exec) restart(a Args) bool { return x.change(a.A, model.Down, model.Running) }

func (x *Exec) addPartition(Args) bool {
	if !x.s.Left(x.cfg, model.AddedPartitions) {
		return false
	}
	x.begin().Spend(x.cfg, model.AddedPartitions)
	return true
}

func (x *Exec) deleteGroup(a Args) bool {
	if x.s.Group.State != model.Empty || !x.s.Left(x.cfg, model.Deletions) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.Deletions)
	answer := x.open(a).DeleteGroup()
	n.Last.API, n.Last.Err = model.DeleteGroups, answer.Err
	x.outcome = outcomeOf(model.DeleteGroups, answer.Err, false)
	return true
}
