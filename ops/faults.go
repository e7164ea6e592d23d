package ops

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
)

// goOn lets a client's process run.
func (x *Exec) goOn(a Args) bool {
	x.begin().Clients[a.A].Process = cluster.Running
	return true
}

// spend begins the successor, and takes from a budget what the step costs; false where
// nothing is left.
func (x *Exec) spend(b cluster.Budget) bool {
	if !x.s.Left(x.cfg, b) {
		return false
	}
	x.begin().Spend(x.cfg, b)
	return true
}

func (x *Exec) pause(a Args) bool { return x.stop(a.A, cluster.Paused, cluster.Pauses) }

// stop stops a process, or its application alone.
func (x *Exec) stop(client uint8, how cluster.Process, b cluster.Budget) bool {
	if !x.active(client) || !x.spend(b) {
		return false
	}
	x.n.Clients[client].Process = how
	return true
}

// active: a process that has not begun, or is done, need not stop.
func (x *Exec) active(client uint8) bool {
	cl := &x.s.Clients[client]
	if x.cfg.IsWriter(int(client)) {
		return cl.App.API != model.NoAPI || cl.Producer.PID != 0 && cl.Producer.Phase != cluster.FatalError
	}
	return cl.Phase != cluster.Outside && cl.Phase != cluster.Failed
}

func (x *Exec) stall(a Args) bool { return x.stop(a.A, cluster.Stalled, cluster.Stalls) }

func (x *Exec) crash(a Args) bool {
	cl := &x.s.Clients[a.A]
	if !x.active(a.A) || !x.spend(cluster.Crashes) {
		return false
	}
	n := x.n
	if r := cl.App; r.API != model.NoAPI && r.Status == cluster.InFlight && n.Left(x.cfg, cluster.LateRequests) && n.AddLate(r) {
		n.Spend(x.cfg, cluster.LateRequests)
	}
	n.Clients[a.A].Reset(x.cfg)
	n.Clients[a.A].Process = cluster.Down
	return true
}

func (x *Exec) addPartition(Args) bool { return x.spend(cluster.AddedPartitions) }

func (x *Exec) deleteGroup(a Args) bool {
	if x.s.Group.State != classic.Empty || !x.spend(cluster.Deletions) {
		return false
	}
	n := x.n
	err := x.openOffsets().Decide(&offsets.Request{API: model.DeleteGroups})
	n.Last.API, n.Last.Err = model.DeleteGroups, err
	x.outcome = outcomeOf(model.DeleteGroups, err, false)
	return true
}
