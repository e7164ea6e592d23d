package ops

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// decide: the requests of one connection are decided in the order in which
// they were sent, and none while an earlier one is parked.
func (x *Exec) decide(a Args) bool {
	cl := &x.s.Clients[a.A]
	app, beat := &cl.App, &cl.Beat
	if a.B == 1 {
		if beat.API == model.NoAPI || beat.Status != cluster.InFlight || busy(app) && !cl.BeatFirst {
			return false
		}
		return x.decideGroup(&x.begin().Clients[a.A].Beat, a)
	}
	if app.API == model.NoAPI || app.Status != cluster.InFlight && app.Status != cluster.Admitted || busy(beat) && cl.BeatFirst && app.API.Part() != model.TransactionsPart {
		return false
	}
	r := &x.begin().Clients[a.A].App
	if !x.decideAny(r, a) {
		return false
	}
	if r.Status == cluster.Answered && !x.cfg.Travels[r.API] { // it was only admitted on the way
		x.receiveApp(&x.n.Clients[a.A])
	}
	return true
}

// decideAny lets whoever is responsible decide a request.
func (x *Exec) decideAny(r *cluster.Request, a Args) bool {
	switch r.API.Part() {
	case model.ClassicPart:
		return x.decideGroup(r, a)
	case model.OffsetsPart:
		return x.decideOffsets(r)
	}
	if r.API == model.WriteTxnMarkers {
		return x.decideMarker(r)
	}
	return x.decideProducer(r)
}

func (x *Exec) decideLate(a Args) bool {
	if x.s.Late[a.A].API == model.NoAPI {
		return false
	}
	n := x.begin()
	n.Last.Late = true
	r := n.TakeLate(int(a.A))
	if !x.decideAny(&r, a) {
		return false
	}
	if r.Status == cluster.Admitted { // and is to be appended; its place is free
		return n.AddLate(r)
	}
	if app := &n.Clients[r.Client].App; r.Status == cluster.Parked && app.Status == cluster.Parked && app.API == r.API && app.ID == r.ID {
		app.Status = cluster.Displaced
	}
	return true
}

// requestTimeout: a parked request is hopeless when the coordinator has removed
// its member without an answer, or holds another one in its place.
func (x *Exec) requestTimeout(a Args) bool {
	cl := &x.s.Clients[a.A]
	hopeless := cl.App.Status == cluster.Displaced || cl.App.Status == cluster.Parked && !x.holds(&cl.App)
	if !hopeless {
		return false
	}
	x.abandon(&x.begin().Clients[a.A])
	return true
}

// holds tells whether the coordinator still has a parked request.
func (x *Exec) holds(r *cluster.Request) bool {
	flag := classic.JoinParked
	if r.API == model.SyncGroup {
		flag = classic.SyncParked
	}
	for _, id := range [...]model.MemberID{r.ID, r.NewID} {
		if m := x.s.Member(id); m != nil && m.Is(flag) {
			return true
		}
	}
	return false
}

// giveUp: what has not been decided stays in flight; what has been decided
// loses its answer.
func (x *Exec) giveUp(a Args) bool {
	cl := &x.s.Clients[a.A]
	r := Awaited(cl, a.B)
	if r.API == model.NoAPI || !x.cfg.Travels[r.API] || cl.Process != cluster.Running {
		return false
	}
	if r.Status == cluster.InFlight || r.Status == cluster.Admitted {
		if !x.spend(cluster.LateRequests) {
			return false
		}
		n := x.n
		if !n.AddLate(*r) {
			x.seen.Late = true
			return false
		}
	} else if !x.spend(cluster.LostAnswers) {
		return false
	}
	cl = &x.n.Clients[a.A]
	if a.B == 1 {
		cl.Beat, cl.BeatFirst = cluster.Request{}, false
		x.n.Last.GaveUp = true
		return true
	}
	x.abandon(cl)
	return true
}

// abandon is the client's side of giving up: it does not know what became of
// its request. A heartbeat in flight is lost with the connection.
func (x *Exec) abandon(cl *cluster.Client) {
	r := cl.App
	x.n.Last.GaveUp = true
	cl.App, cl.Beat, cl.BeatFirst = cluster.Request{}, cluster.Request{}, false
	switch r.API {
	case model.JoinGroup, model.SyncGroup:
		cl.Phase = cluster.Unjoined
	case model.OffsetCommit:
		cl.Hand = 0 // at most once: what may not be committed is not processed
	case model.Produce: // it is sent again, or the batch has expired
		cl.Producer.Failing = true
	}
}
