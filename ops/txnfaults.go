package ops

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// This file has what befalls the transaction coordinator and the leaders: their
// timers, and others in their place.

// transactionTimeout has a reason when nobody is about to end the transaction.
func (x *Exec) transactionTimeout(a Args) bool {
	t := &x.s.Txns.IDs[a.A].Txn
	if t.State != txn.Ongoing || t.Pending != txn.NoTransaction || !x.reason(!x.tended(a.A)) {
		return false
	}
	if !x.coordinator(a.A).Overdue() {
		return false
	}
	x.noteAppend(a.A)
	x.overdue(a.A)
	x.n.Last.TimedOut = true
	return x.fits()
}

// tended tells whether a running producer owns the open transaction of a
// transactional id.
func (x *Exec) tended(id uint8) bool {
	t := &x.s.Txns.IDs[id].Txn
	for i := range x.cfg.Clients() {
		cl := &x.s.Clients[i]
		p := &cl.Producer
		busy := p.Phase >= cluster.InTransaction && p.Phase < cluster.FatalError
		if x.cfg.Produces(i, id) && cl.Process == cluster.Running && busy && p.PID == t.PID && p.Epoch == t.Epoch {
			return true
		}
	}
	return false
}

// failOver: another broker becomes the coordinator of all transactional ids.
// With 1 the one before does not notice.
func (x *Exec) failOver(a Args) bool {
	s := &x.s.Txns
	if s.Loading || s.Zombie || a.A == 1 && !x.s.Left(x.cfg, cluster.Zombies) || !x.spend(cluster.Failovers) {
		return false
	}
	n := x.n
	t := &n.Txns
	if a.A == 1 {
		n.Spend(x.cfg, cluster.Zombies)
	}
	model.FailOver(&t.Incarnation, t.IDs[:], t.Old[:], a.A == 1, (*cluster.Transactional).Forget)
	t.Leaderless = !x.skipsNoMarkers()
	n.Last.FailedOver = true
	return true
}

// skipsNoMarkers: that partitions have no leaders matters to marker-skip-bug
// alone.
func (x *Exec) skipsNoMarkers() bool { return !x.cfg.Rules.Off.Has(model.MarkerSkipBug) }

// load: the new coordinator has read its log.
func (x *Exec) load(Args) bool {
	if !x.s.Txns.Loading {
		return false
	}
	n := x.begin()
	n.Txns.Load()
	for id := range x.cfg.TransactionalIDs() {
		c := x.coordinator(uint8(id))
		if !x.cfg.Rules.Off.Has(model.TCLoadGate) || c.Txn.State == txn.NoTransaction {
			c.Load()
		}
		n.Txns.IDs[id].Unsure = false
	}
	return x.fits()
}

// electLeaders: after a restart of everything the partitions have leaders again.
func (x *Exec) electLeaders(Args) bool {
	if !x.s.Txns.Leaderless || x.s.Txns.Loading {
		return false
	}
	x.begin().Txns.Leaderless = false
	return true
}

// travelling: a producer's request is on its way.
func (x *Exec) travelling(r *cluster.Request) bool {
	return r.API.Part() == model.TransactionsPart && r.Status == cluster.InFlight && x.cfg.Travels[r.API]
}

// loseAppend: a request is decided, and the log does not answer in time.
func (x *Exec) loseAppend(a Args) bool {
	r := &x.s.Clients[a.A].App
	if !x.travelling(r) || !x.spend(cluster.LostAppends) {
		return false
	}
	n := x.n
	x.appends = txn.AppendUnknown + txn.Appending(a.B)
	ok := x.decideProducer(&n.Clients[a.A].App)
	x.appends = txn.Appended
	return ok && n.Clients[a.A].App.Err == model.CoordinatorNotAvailable
}

// decideByZombie: a request reaches the coordinator before, which does not know
// that it is deposed.
func (x *Exec) decideByZombie(a Args) bool {
	r := &x.s.Clients[a.A].App
	if !x.s.Txns.Zombie || !x.travelling(r) {
		return false
	}
	x.byZombie = true
	n := x.begin()
	ok := x.decideProducer(&n.Clients[a.A].App)
	x.byZombie = false
	x.takeOver(x.cfg.IDs[a.A])
	return ok
}

// takeOver: without tc-append-ce-check, the transition of an old incarnation is
// completed in the memory that the new one uses.
func (x *Exec) takeOver(id uint8) {
	if t := &x.n.Txns.IDs[id]; t.Log != x.s.Txns.IDs[id].Log {
		t.Txn, t.Outbox = x.n.Txns.Old[id].Txn, x.n.Txns.Old[id].Outbox
	}
}

// failOverLeader: a partition gets another leader, which knows what the log
// holds, and nothing of verifications under way.
func (x *Exec) failOverLeader(a Args) bool {
	if !x.cfg.HasLog(int(a.A)) || !x.spend(cluster.LeaderFailovers) {
		return false
	}
	n := x.n
	x.leader(a.A).Elect()
	for i := range x.cfg.Clients() {
		if r := &n.Clients[i].App; r.Status == cluster.Admitted && r.Log == a.A {
			x.answerBatch(r, model.NotLeaderOrFollower)
		}
	}
	for i := cluster.MaxLate - 1; i >= 0; i-- {
		if r := &n.Late[i]; r.Status == cluster.Admitted && r.Log == a.A {
			n.TakeLate(i)
		}
	}
	return true
}

// expireProducers: a leader forgets producers that have no open transaction.
func (x *Exec) expireProducers(a Args) bool {
	if !x.cfg.HasLog(int(a.A)) || !x.spend(cluster.ProducerExpiries) {
		return false
	}
	n := x.n
	x.leader(a.A).ExpireProducers()
	return n.Txns.Logs[a.A].Entries != x.s.Txns.Logs[a.A].Entries
}

// expireID: the coordinator forgets a transactional id.
func (x *Exec) expireID(a Args) bool {
	if !x.spend(cluster.IDExpiries) {
		return false
	}
	if !x.coordinator(a.A).Expire() {
		return false
	}
	x.overdue(a.A)
	return true
}
