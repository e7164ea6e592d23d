package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// staleProducer says what is wrong with the token of a producer's request, or of
// a marker, against what whoever decides it knows.
func (t *teller) staleProducer(before *model.State, st search.Step, ev *model.Event) string {
	if m, ok := t.marker(before, st); ok {
		return t.staleMarker(before, m)
	}
	r, ok := t.requested(before, st)
	if !ok {
		return ""
	}
	if OpName(st) == "decide-by-zombie" {
		return t.staleCoordinator(before, &r)
	}
	if ev.API == model.TxnOffsetCommit {
		return t.staleOffsets(before, &r, ev)
	}
	if ev.API == model.Produce {
		if text := t.staleAtLeader(before, &r); text != "" {
			return text
		}
	}
	if text := t.staleAtCoordinator(before, &r); text != "" {
		return text
	}
	return t.otherWork(before, &r, ev.Late)
}

// requested is the request that is decided in a step.
func (t *teller) requested(before *model.State, st search.Step) (model.Request, bool) {
	a, name := ops.Unpack(st.Arg), OpName(st)
	switch {
	case name == "decide-late":
		return before.Late[a.A], true
	case decisions[name]:
		return before.Clients[a.A].App, true
	case sends[name]:
		sent, lane, ok := t.sending(before, st)
		return *awaited(&sent.Clients[a.A], lane), ok
	}
	return model.Request{}, false
}

// staleAtCoordinator compares with the pair that the transactional id has.
func (t *teller) staleAtCoordinator(before *model.State, r *model.Request) string {
	id := t.g.cfg.IDs[r.Client]
	txn := &before.Txns.IDs[id].Txn
	presents := t.pair(r.PID, r.Epoch)
	switch {
	case r.PID == 0, before.Txns.Loading:
		return ""
	case txn.State == model.NoTransaction:
		return fmt.Sprintf("stale: presents %s; the coordinator does not know %s", presents, idName(int(id)))
	case r.PID == txn.PID && r.Epoch == txn.Epoch:
		return ""
	case r.PID == txn.PID && r.Epoch > txn.Epoch:
		return fmt.Sprintf("too new: presents %s; the coordinator has %s at epoch %d", presents, idName(int(id)), txn.Epoch)
	}
	current := t.pair(txn.PID, txn.Epoch)
	if t.g.cfg.Rules.Exhausted(txn.Epoch) {
		current += ", the last one"
	}
	if r.API == model.Produce || r.API == model.TxnOffsetCommit {
		return fmt.Sprintf("stale: presents %s; the transaction coordinator has %s at %s, %s", presents, idName(int(id)), current, t.leaderKnows(before, r))
	}
	return fmt.Sprintf("stale: presents %s; %s is at %s", presents, idName(int(id)), current)
}

// leaderKnows says how a partition's leader has the producer id of a request.
func (t *teller) leaderKnows(before *model.State, r *model.Request) string {
	l := model.PartitionLeader{Entries: before.Txns.Logs[r.Log].Entries[:]}
	if e := l.Find(r.PID); e != nil && e.Epoch != model.NoEpoch {
		return fmt.Sprintf("%s knows that producer id at epoch %d", t.lane(logLane(r.Log)), e.Epoch)
	}
	return fmt.Sprintf("%s does not know that producer id", t.lane(logLane(r.Log)))
}

// staleAtLeader compares with what a partition's leader knows of the producer id.
func (t *teller) staleAtLeader(before *model.State, r *model.Request) string {
	l := model.PartitionLeader{Entries: before.Txns.Logs[r.Log].Entries[:]}
	e := l.Find(r.PID)
	if e == nil || r.Epoch >= e.Epoch {
		return ""
	}
	return fmt.Sprintf("stale: presents %s; %s knows that producer id at epoch %d", t.pair(r.PID, r.Epoch), markedName(r.Log), e.Epoch)
}

// otherWork: the token is current, and the request is about something that is
// over, or that its sender gave up on.
func (t *teller) otherWork(before *model.State, r *model.Request, late bool) string {
	pair := t.pair(r.PID, r.Epoch)
	now := before.Clients[r.Client].Producer.Work
	switch {
	case r.PID == 0:
		return ""
	case r.Work != 0 && now != 0 && r.Work != now:
		return fmt.Sprintf("stale in substance: it is of %s, but presents %s, as %s does too: no token tells them apart", t.work(r.Work), pair, t.work(now))
	case r.Work != 0 && now == 0 && late:
		return fmt.Sprintf("stale in substance: it is of %s, which is over for its sender, but presents %s, which is still current", t.work(r.Work), pair)
	case late:
		return fmt.Sprintf("late: presents %s, which is still current, so no token tells that its sender gave up on it", pair)
	}
	return ""
}

// staleOffsets: a TxnOffsetCommit has the tokens of a producer and of a member.
func (t *teller) staleOffsets(before *model.State, r *model.Request, ev *model.Event) string {
	var words []string
	producer := t.staleAtLeader(before, r)
	if producer == "" {
		producer = t.staleAtCoordinator(before, r)
	}
	if producer == "" {
		producer = t.otherWork(before, r, ev.Late)
	}
	if producer != "" {
		words = append(words, producer)
	}
	member := *ev
	member.Late = false
	if text := t.staleMember(before, &member); text != "" {
		words = append(words, text)
	}
	if ev.ID == 0 && ev.Stale != 0 {
		words = append(words, fmt.Sprintf("it rests on an assignment of %s that has been replaced", partitionNames(ev.Stale)))
	}
	return strings.Join(words, "; ")
}

// staleCoordinator: the request may be current, but who decides it is not.
func (t *teller) staleCoordinator(before *model.State, r *model.Request) string {
	id := t.g.cfg.IDs[r.Client]
	old, now := &before.Txns.Old[id].Txn, &before.Txns.IDs[id].Txn
	text := fmt.Sprintf("a stale coordinator, of epoch %d: it has %s as %s", before.Txns.Epoch-1, idName(int(id)), t.standingOf(old))
	if before.Txns.Loading {
		return text
	}
	return fmt.Sprintf("%s; its successor has it as %s", text, t.standingOf(now))
}

// standingOf is a transactional id in a few words.
func (t *teller) standingOf(txn *model.Transaction) string {
	if txn.State == model.NoTransaction {
		return "unknown"
	}
	return fmt.Sprintf("%s at %s", txn.State, t.pair(txn.PID, txn.Epoch))
}

// staleMarker compares a marker with what the partition knows.
func (t *teller) staleMarker(before *model.State, m sentMarker) string {
	l := model.PartitionLeader{Entries: before.Txns.Logs[m.log].Entries[:]}
	e := l.Find(m.PID)
	where := markedName(m.log)
	switch {
	case e == nil:
	case m.Epoch < e.Epoch:
		return fmt.Sprintf("stale: presents %s; %s knows that producer id at epoch %d", t.pair(m.PID, m.Epoch), where, e.Epoch)
	case m.CoordinatorEpoch < e.CoordinatorEpoch:
		return fmt.Sprintf("stale: presents coordinator epoch %d; %s has seen %d", m.CoordinatorEpoch, where, e.CoordinatorEpoch)
	case m.late && e.Open:
		return fmt.Sprintf("late: presents %s, which is still current at %s, where %s is open", t.pair(m.PID, m.Epoch), where, strings.Join(t.undecided(before, m.log, m.PID), " and "))
	}
	return ""
}
