package ops

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// Urgent takes a step that concerns nobody but its client, if there is one: see
// search.Reducer for what that promises. Which steps these are their rows in
// Table say, nothing else does.
func (x *Exec) Urgent(s, next *cluster.State) (t Taken, ok bool) {
	x.s, x.n = s, next
	for _, op := range x.urgent {
		for client := range x.cfg.Clients() {
			a := Args{A: uint8(client)}
			if Table[op].urgent(x, &s.Clients[client]) && x.calm(client) && x.take(&Table[op], a) {
				return Taken{op, x.outcome, a}, true
			}
		}
	}
	return Taken{}, false
}

// Tidy forgets which of two requests was sent first where that decides nothing
// any more, so that the order of two steps of a client's threads cannot be told
// from it.
func (x *Exec) Tidy(s *cluster.State) {
	for i := range x.cfg.Clients() {
		if cl := &s.Clients[i]; !busy(&cl.App) {
			cl.BeatFirst = false
		}
	}
}

// NeverUrgent says why no step can be urgent under a configuration, "" if some
// may be.
func (x *Exec) NeverUrgent() string {
	if x.cfg.Producing() {
		return "a producer's steps are seen by its coordinator, its partitions and the properties of transactions, so none concerns its client alone"
	}
	if c := x.cfg; !c.Travels[model.JoinGroup] && !c.Travels[model.OffsetCommit] && !c.Travels[model.OffsetFetch] {
		return "no client takes a step that is its alone, since neither JoinGroup, OffsetCommit nor OffsetFetch travels: each is decided and answered within the step that sends it"
	}
	for _, b := range disturbances {
		if x.cfg.Unbounded[b] {
			return "there is no limit on " + b.String() + ", so one may always come in between"
		}
	}
	return ""
}

// disturbances are the faults that may befall a client in the midst of a step
// of its application.
var disturbances = [...]cluster.Budget{cluster.Pauses, cluster.Stalls, cluster.Crashes, cluster.LostAnswers}

// calm tells whether nothing but the coordinator's answers can happen any more
// to a running client in the midst of a step of its application: no fault, no
// request of its own that it gave up on.
func (x *Exec) calm(client int) bool {
	for _, b := range disturbances {
		if x.s.Left(x.cfg, b) {
			return false
		}
	}
	for i := range x.s.Late {
		if r := &x.s.Late[i]; r.API != model.NoAPI && int(r.Client) == client {
			return false
		}
	}
	return true
}

// urgentJoin: an application that has nothing, and will do nothing but join,
// sends its JoinGroup. To everybody else a client that must join and one that
// waits for the answer are the same.
func (x *Exec) urgentJoin(cl *cluster.Client) bool {
	return x.cfg.Travels[model.JoinGroup] && cl.Phase == cluster.Unjoined && cl.App.API == model.NoAPI && cl.Beat.API == model.NoAPI &&
		cl.Owned|cl.Dirty == 0 && !x.s.Left(x.cfg, cluster.Leaves)
}

// urgentReceive: a client takes an answer that changes neither what it owns nor
// who it is taken for.
func (x *Exec) urgentReceive(cl *cluster.Client) bool {
	r := &cl.App
	if r.API == model.NoAPI || r.Status != cluster.Answered {
		return false
	}
	switch r.API {
	case model.OffsetCommit:
		return r.Err == model.None && cl.Dirty&^cl.Owned == 0
	case model.OffsetFetch:
		return true
	case model.JoinGroup:
		return x.urgentReceiveJoin(cl, r)
	}
	return false
}

// urgentReceiveJoin: the coordinator's timers go by who acts under an id, and
// whether that member waits for others.
func (x *Exec) urgentReceiveJoin(cl *cluster.Client, r *cluster.Request) bool {
	if cl.Owned != 0 || cl.Beat.API != model.NoAPI || cl.ID != r.ID || cl.Plan != [cluster.MaxPartitions]model.MemberID{} {
		return false
	}
	m := x.s.Member(r.NewID)
	if m != nil && m.Flags&(classic.JoinParked|classic.SyncParked) != 0 {
		return false
	}
	return r.Err == model.MemberIDRequired || r.Err == model.None && r.ID == r.NewID && cl.Generation == r.Generation
}
