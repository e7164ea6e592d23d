package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
)

// busy tells whether a request has its connection: the broker takes the next one
// of a connection when it has answered the one before.
func busy(r *cluster.Request) bool { return r.API != model.NoAPI && r.Status != cluster.Answered }

// mustCommitFirst: an application that commits on revoke does so before its
// partitions go, while it still is a member.
func (x *Exec) mustCommitFirst(cl *cluster.Client) bool {
	return x.cfg.Commit == cluster.CommitOnRevoke && cl.Phase == cluster.MemberPhase && cl.Dirty != 0 && !cl.Revoked
}

// send puts a request on a client's connection. Unless its kind travels, it is
// decided, answered and received in the same step.
func (x *Exec) send(client uint8, r cluster.Request, a Args) bool {
	cl := &x.n.Clients[client]
	r.Client = client
	cl.App = r
	if x.cfg.Travels[r.API] {
		cl.BeatFirst = cl.Beat.API != model.NoAPI
		return true
	}
	if !x.decideAny(&cl.App, a) {
		return false
	}
	if cl.App.Status == cluster.Answered {
		x.receiveApp(cl)
	}
	return true
}

func (x *Exec) receiveApp(cl *cluster.Client) { x.takeAnswer(cl, &cl.App) }

func (x *Exec) receiveBeat(cl *cluster.Client) { x.takeAnswer(cl, &cl.Beat) }

// takeAnswer lets a client take the answer to one of its requests.
func (x *Exec) takeAnswer(cl *cluster.Client, lane *cluster.Request) {
	r := *lane
	*lane, cl.BeatFirst = cluster.Request{}, false
	x.n.Last.Received = r.API
	if r.API.Part() == model.TransactionsPart {
		x.receiveProducer(cl, &r)
		return
	}
	cl.Receive(&r, &x.cfg.Rules.Off)
	if r.API == model.SyncGroup && x.cfg.Transactional && cl.Phase == cluster.MemberPhase {
		cl.MetaID, cl.MetaGeneration = cl.ID, cl.Generation
	}
}

func (x *Exec) join(a Args) bool {
	cl := &x.s.Clients[a.A]
	if !cl.NeedsJoin() || x.mustCommitFirst(cl) || !x.mayPoll(a.A) {
		return false
	}
	cl = &x.begin().Clients[a.A]
	cl.PrepareJoin(&x.cfg.Rules.Off)
	cl.Phase, cl.Rejoin, cl.Revoked, cl.Leads, cl.Seen = cluster.Joining, false, false, false, 0
	return x.send(a.A, cluster.Request{API: model.JoinGroup, ID: cl.ID, Meta: cl.Topics, Generation: cl.Generation}, a)
}

func (x *Exec) sync(a Args) bool {
	n := x.begin()
	cl := &n.Clients[a.A]
	if cl.Protocol == 0 { // no assignor can be looked up: the application gets an exception
		n.Last.Fenced |= 1 << a.A
		cl.Fail()
		return true
	}
	cl.Phase = cluster.Syncing
	r := cluster.Request{API: model.SyncGroup, ID: cl.ID, Generation: cl.Generation, Protocol: cl.Protocol, Leads: cl.Leads}
	if cl.Leads {
		r.Plan, r.Seen = cl.Plan, cl.Seen
	}
	cl.Plan = [cluster.MaxPartitions]model.MemberID{}
	return x.send(a.A, r, a)
}

func (x *Exec) fetch(a Args) bool {
	cl := &x.s.Clients[a.A]
	if cl.Unfetched == 0 || !x.mayPoll(a.A) {
		return false
	}
	x.begin()
	return x.send(a.A, cluster.Request{API: model.OffsetFetch, ID: cl.ID, Generation: cl.Generation}, a)
}

// mayRead tells whether an idle application has a next record of a partition. One
// that lost its membership does not know until its next poll.
func (x *Exec) mayRead(cl *cluster.Client, p int) bool {
	return !cl.Revoked && (cl.Phase == cluster.MemberPhase || cl.Phase == cluster.Unjoined) &&
		cl.Owned.Has(p) && !cl.Unfetched.Has(p) && int(cl.Position[p]) < x.cfg.Records
}

func (x *Exec) takeRecord(a Args) bool {
	cl, p := &x.s.Clients[a.A], int(a.B)
	if !x.mayRead(cl, p) || cl.Hand.Has(p) {
		return false
	}
	cl = &x.begin().Clients[a.A]
	cl.Position[p]++
	cl.Hand |= model.Part(p)
	cl.Cleared &^= model.Part(p)
	cl.Dirty |= model.Part(p)
	return true
}

func (x *Exec) process(a Args) bool {
	cl, p := &x.s.Clients[a.A], int(a.B)
	switch {
	case x.cfg.HasProducer(int(a.A)):
		return x.processInTransaction(a)
	case x.cfg.Commit == cluster.CommitBefore:
		return x.processTaken(a)
	}
	if !x.mayRead(cl, p) {
		return false
	}
	n := x.begin()
	cl = &n.Clients[a.A]
	n.Ghost.Output(p, cl.Position[p])
	cl.Position[p]++
	cl.Dirty |= model.Part(p)
	return true
}

// processTaken processes a record whose commit is confirmed.
func (x *Exec) processTaken(a Args) bool {
	cl, p := &x.s.Clients[a.A], int(a.B)
	if !(cl.Hand & cl.Cleared).Has(p) {
		return false
	}
	n := x.begin()
	cl = &n.Clients[a.A]
	n.Ghost.Output(p, cl.Position[p]-1)
	cl.Hand &^= model.Part(p)
	cl.Cleared &^= model.Part(p)
	return true
}

func (x *Exec) commit(a Args) bool {
	cl := &x.s.Clients[a.A]
	if x.cfg.HasProducer(int(a.A)) || cl.Dirty == 0 || !cl.MayCommit(&x.cfg.Rules.Off) {
		return false
	}
	if x.cfg.Commit == cluster.CommitOnRevoke && !(cl.Rejoin || x.s.Left(x.cfg, cluster.Leaves)) {
		return false
	}
	n := x.begin()
	cl = &n.Clients[a.A]
	r := cluster.Request{API: model.OffsetCommit, ID: cl.ID, Generation: cl.Generation}
	for p := range x.parts {
		r.Offsets[p] = model.NoOffset
		if (cl.Owned&^cl.Unfetched | cl.Dirty).Has(p) {
			r.Offsets[p] = x.toCommit(cl, p)
			r.Stale |= model.Part(p) & cl.Stale
		}
	}
	cl.Revoked = x.cfg.Commit == cluster.CommitOnRevoke
	return x.send(a.A, r, a)
}

// toCommit is the offset that a client commits for a partition: its position,
// which without client-commit-processed counts a record that was polled and is
// not processed.
func (x *Exec) toCommit(cl *cluster.Client, p int) model.Offset {
	o := cl.Position[p]
	if x.cfg.Rules.Off.Has(model.ClientCommitProcessed) && int(o) < x.cfg.Records {
		o++
	}
	return o
}

func (x *Exec) heartbeat(a Args) bool {
	cl := &x.s.Clients[a.A]
	if cl.Beat.API != model.NoAPI {
		return false
	}
	behind := busy(&cl.App)
	if behind && !x.cfg.Travels[model.Heartbeat] {
		return false // the connection answers in order
	}
	cl = &x.begin().Clients[a.A]
	cl.Beat = cluster.Request{API: model.Heartbeat, Client: a.A, ID: cl.ID, Generation: cl.Generation}
	cl.BeatFirst = !behind
	if x.cfg.Travels[model.Heartbeat] {
		return true
	}
	if !x.decideGroup(&cl.Beat, a) {
		return false
	}
	x.receiveBeat(cl)
	return true
}

func (x *Exec) receive(a Args) bool {
	cl := &x.s.Clients[a.A]
	if a.B == 1 {
		if cl.Beat.API == model.NoAPI || cl.Beat.Status != cluster.Answered {
			return false
		}
		x.receiveBeat(&x.begin().Clients[a.A])
		return true
	}
	if !waiting(cl) || cl.App.Status != cluster.Answered {
		return false
	}
	x.receiveApp(&x.begin().Clients[a.A])
	return true
}

func (x *Exec) assign(a Args) bool {
	n := x.begin()
	cl := &n.Clients[a.A]
	cl.Phase = cluster.MemberPhase
	cl.Owned = model.Part(n.Partitions(x.cfg)) - 1
	cl.Unfetched = cl.Owned
	return true
}

func (x *Exec) noticePartitions(a Args) bool {
	cl := &x.s.Clients[a.A]
	if !cl.Leads || cl.Rejoin || int(cl.Seen) >= x.s.Partitions(x.cfg) {
		return false
	}
	x.begin().Clients[a.A].Rejoin = true
	return true
}

func (x *Exec) subscribe(a Args) bool {
	cl := &x.s.Clients[a.A]
	if cl.Topics == model.Meta(a.B) || !x.spend(cluster.Subscriptions) {
		return false
	}
	n := x.n
	cl = &n.Clients[a.A]
	cl.Topics, cl.Rejoin = model.Meta(a.B), true
	return true
}

func (x *Exec) leave(a Args) bool {
	cl := &x.s.Clients[a.A]
	if cl.Phase == cluster.Outside || cl.Phase == cluster.Failed || x.mustCommitFirst(cl) || !x.mayPoll(a.A) || !x.spend(cluster.Leaves) {
		return false
	}
	n := x.n
	id := cl.ID
	n.Clients[a.A].Reset(x.cfg)
	return id == 0 || x.sendLeave(a.A, id, a)
}

// sendLeave sends a LeaveGroup that nobody waits for. If it travels it is late
// while the budget lasts.
func (x *Exec) sendLeave(client uint8, id model.MemberID, a Args) bool {
	n := x.n
	r := cluster.Request{API: model.LeaveGroup, Client: client, ID: id, Generation: model.NoGeneration}
	if x.cfg.Travels[model.LeaveGroup] && n.Left(x.cfg, cluster.LateRequests) && n.AddLate(r) {
		n.Spend(x.cfg, cluster.LateRequests)
		return true
	}
	return x.decideGroup(&r, a)
}

// pollTimeout: the LeaveGroup must wait while an earlier request has the
// connection.
func (x *Exec) pollTimeout(a Args) bool {
	cl := &x.s.Clients[a.A]
	if busy(&cl.App) || cl.ID == 0 || x.cfg.Rules.Off.Has(model.ClientPollTimeout) {
		return false
	}
	n := x.begin()
	cl = &n.Clients[a.A]
	id := cl.ID
	cl.LeaveByPollTimeout(&x.cfg.Rules.Off)
	return x.sendLeave(a.A, id, a)
}
