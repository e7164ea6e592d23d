package counterexamples

import (
	"cmp"
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// transactionRequests has the words for the requests of producers, and for the
// markers of transaction coordinators.
var transactionRequests = map[model.API]requestWords{
	model.InitProducerID: {at: atTransactions, stale: staleProducer,
		presents: func(t *teller, r *cluster.Request) string {
			if r.PID == 0 {
				return t.idOf(r.Client)
			}
			return fmt.Sprintf("%s, in place of %s", t.idOf(r.Client), t.pair(r.PID, r.Epoch))
		},
		brings: func(t *teller, r *cluster.Request) string { return t.newPair("", r) }},
	model.AddPartitionsToTxn: {at: atTransactions, stale: staleProducer,
		presents: func(t *teller, r *cluster.Request) string {
			return t.idAndPair(r) + ", partition " + logName(int(r.Log))
		}},
	model.AddOffsetsToTxn: {at: atTransactions, stale: staleProducer,
		presents: func(t *teller, r *cluster.Request) string { return t.idAndPair(r) + ", the group" }},
	model.Produce: {at: atLog,
		presents: func(t *teller, r *cluster.Request) string {
			text := fmt.Sprintf("to %s, %s, sequence %d", logName(int(r.Log)), t.pair(r.PID, r.Epoch), r.Sequence)
			if r.Value > 0 {
				text += ", the output of " + inputName(r.Value)
			}
			return text
		},
		stale: staleBatch},
	model.TxnOffsetCommit: {at: atLog,
		presents: func(t *teller, r *cluster.Request) string {
			return fmt.Sprintf("%s, %s, %s", t.offsets(r, "nothing"), t.idAndPair(r), t.memberAndGeneration(r))
		},
		stale: func(t *teller, s *step) string {
			ev := &s.after.Last
			var all facts
			for _, text := range [...]string{staleBatch(t, s), t.staleMetadata(s)} {
				all.add(text != "", "%s", text)
			}
			all.add(ev.ID == 0 && ev.Stale != 0, "it rests on an assignment of %s that has been replaced", partitionNames(ev.Stale))
			return strings.Join(all, "; ")
		}},
	model.EndTxn: {at: atTransactions, stale: staleProducer,
		presents: func(t *teller, r *cluster.Request) string { return t.idAndPair(r) + ", " + outcomeWord(r.Commit) },
		brings:   func(t *teller, r *cluster.Request) string { return t.newPair("go on with ", r) }},
	model.WriteTxnMarkers: {at: atLog, stale: staleMarker,
		presents: func(t *teller, r *cluster.Request) string {
			text := fmt.Sprintf("%s for %s, coordinator epoch %d", markerKind(r.Commit), t.pair(r.PID, r.Epoch), r.Elected)
			if r.Log == cluster.OffsetsLog {
				text += ", in the group's offsets"
			}
			return text
		}},
}

func (t *teller) idAndPair(r *cluster.Request) string {
	return fmt.Sprintf("%s, %s", t.idOf(r.Client), t.pair(r.PID, r.Epoch))
}

// newPair is what an answer gives to a producer.
func (t *teller) newPair(what string, r *cluster.Request) string {
	if r.NewPID == 0 || r.Err != model.None {
		return ""
	}
	return ": " + what + t.pair(r.NewPID, r.NewEpoch)
}

func outcomeWord(commit bool) string {
	if commit {
		return "commit"
	}
	return "abort"
}

func markerKind(commit bool) string { return strings.ToUpper(outcomeWord(commit)) }

// staleProducer compares with the pair that the transactional id has, and where
// that is the same, with the transaction that is meant.
func staleProducer(t *teller, s *step) string {
	return cmp.Or(t.staleAtCoordinator(s.before, &s.request), t.otherWork(s))
}

// staleBatch compares with what the leader knows first.
func staleBatch(t *teller, s *step) string {
	return cmp.Or(t.staleAtLeader(s.before, &s.request), staleProducer(t, s))
}

func (t *teller) staleAtCoordinator(before *cluster.State, r *cluster.Request) string {
	id := t.idOf(r.Client)
	held := &before.Txns.IDs[t.g.cfg.IDs[r.Client]].Txn
	presents := t.pair(r.PID, r.Epoch)
	switch {
	case r.PID == 0, before.Txns.Loading:
		return ""
	case held.State == txn.NoTransaction:
		return fmt.Sprintf("stale: presents %s; the coordinator does not know %s", presents, id)
	case r.PID == held.PID && r.Epoch == held.Epoch:
		return ""
	case r.PID == held.PID && r.Epoch > held.Epoch:
		return fmt.Sprintf("too new: presents %s; the coordinator has %s at epoch %d", presents, id, held.Epoch)
	}
	current := t.pair(held.PID, held.Epoch)
	if t.g.cfg.Rules.Exhausted(held.Epoch) {
		current += ", the last one"
	}
	if r.API == model.Produce || r.API == model.TxnOffsetCommit {
		return fmt.Sprintf("stale: presents %s; the transaction coordinator has %s at %s, %s", presents, id, current, t.leaderKnows(before, r))
	}
	return fmt.Sprintf("stale: presents %s; %s is at %s", presents, id, current)
}

// leaderKnows says how a partition's leader has the producer id of a request.
func (t *teller) leaderKnows(before *cluster.State, r *cluster.Request) string {
	leader := t.lane(leaderLane(r.Log))
	if e := producerEntry(before, r.Log, r.PID); e != nil && e.Epoch != model.NoEpoch {
		return fmt.Sprintf("%s knows that producer id at epoch %d", leader, e.Epoch)
	}
	return leader + " does not know that producer id"
}

// producerEntry is what a partition's leader knows of a producer id; nil if
// nothing.
func producerEntry(s *cluster.State, p uint8, id model.ProducerID) *txn.ProducerEntry {
	l := txn.Leader{Entries: s.Txns.Logs[p].Entries[:]}
	return l.Find(id)
}

// staleAtLeader compares with what a partition's leader knows of the producer id.
func (t *teller) staleAtLeader(before *cluster.State, r *cluster.Request) string {
	e := producerEntry(before, r.Log, r.PID)
	if e == nil || r.Epoch >= e.Epoch {
		return ""
	}
	return fmt.Sprintf("stale: presents %s; %s knows that producer id at epoch %d", t.pair(r.PID, r.Epoch), leaderName(r.Log), e.Epoch)
}

// otherWork: the token is current, and the request is about something that is
// over, or that its sender gave up on.
func (t *teller) otherWork(s *step) string {
	r := &s.request
	pair, late := t.pair(r.PID, r.Epoch), s.after.Last.Late
	now := s.before.Clients[r.Client].Producer.Work
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

// staleMetadata is what is wrong with the member and generation in a
// TxnOffsetCommit. That it is late is said of its producer id.
func (t *teller) staleMetadata(s *step) string {
	if s.after.Last.ID == 0 {
		return fmt.Sprintf("no token of the group: presents no generation and no member; the group is %s at generation %d, %s", s.before.Group.State, s.before.Group.Generation, t.roster(s.before))
	}
	current, after := *s, *s.after
	current.after, after.Last.Late = &after, false
	return staleMember(t, &current)
}

// staleCoordinator: the request may be current, but who decides it is not.
func (t *teller) staleCoordinator(before *cluster.State, r *cluster.Request) string {
	id := t.g.cfg.IDs[r.Client]
	text := fmt.Sprintf("a stale coordinator, of epoch %d: it has %s as %s", before.Txns.Epoch-1, idName(int(id)), t.standingOf(&before.Txns.Old[id].Txn))
	if before.Txns.Loading {
		return text
	}
	return fmt.Sprintf("%s; its successor has it as %s", text, t.standingOf(&before.Txns.IDs[id].Txn))
}

// standingOf is a transactional id in a few words.
func (t *teller) standingOf(held *txn.Transaction) string {
	if held.State == txn.NoTransaction {
		return "unknown"
	}
	return fmt.Sprintf("%s at %s", held.State, t.pair(held.PID, held.Epoch))
}

// staleMarker compares a marker with what the partition knows.
func staleMarker(t *teller, s *step) string {
	r := &s.request
	e := producerEntry(s.before, r.Log, r.PID)
	if e == nil {
		return ""
	}
	switch text := t.staleAtLeader(s.before, r); {
	case text != "":
		return text
	case r.Elected < e.CoordinatorEpoch:
		return fmt.Sprintf("stale: presents coordinator epoch %d; %s has seen %d", r.Elected, leaderName(r.Log), e.CoordinatorEpoch)
	case s.after.Last.Late && e.Open:
		return fmt.Sprintf("late: presents %s, which is still current at %s, where %s is open", t.pair(r.PID, r.Epoch), leaderName(r.Log), t.undecided(s.before, r.Log, r.PID))
	}
	return ""
}

// undecided names the transactions whose records wait for a marker.
func (t *teller) undecided(s *cluster.State, p uint8, id model.ProducerID) string {
	log := s.Txns.Logs[p].Log[:s.Txns.Logs[p].Len()]
	var names []string
	var last cluster.WorkID
	for i, e := range log {
		if o, _ := txn.OutcomeOf(log, i); o == txn.Undecided && e.Rec.Kind == txn.TransactionalRecord && e.Rec.PID == id && e.Work != last {
			names = append(names, t.work(e.Work))
			last = e.Work
		}
	}
	return strings.Join(names, " and ")
}
