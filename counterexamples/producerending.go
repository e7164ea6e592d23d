package counterexamples

import (
	"fmt"
	"strings"

	"fencecheck/model"
)

// producerEndings are the endings of the properties of transactions.
var producerEndings = map[string]func(t *teller, before, after *model.State) string{
	"no-torn-transaction": func(t *teller, before, after *model.State) string {
		if after.Last.Mixed {
			return fmt.Sprintf("one COMMIT marker at %s commits what %s wrote: it was meant for one transaction, and decides two",
				markedName(after.Last.Log), strings.Join(t.undecided(before, after.Last.Log, after.Last.PID), " and "))
		}
		for id, w := range t.eachWork(after) {
			if w.Torn() {
				return fmt.Sprintf("%s has two outcomes: committed in %s, and aborted in %s", t.work(id), bitNames(w.Committed), bitNames(w.Aborted))
			}
		}
		return "one transaction has two outcomes"
	},
	"truthful-outcome": func(t *teller, _, after *model.State) string {
		for id, w := range t.eachWork(after) {
			switch {
			case !w.Untrue():
			case w.Told == model.ToldCommitted:
				return fmt.Sprintf("%s was told that %s is committed, yet what it wrote to %s has been aborted: no reader will ever get that",
					t.client(model.WorkClient(id)), t.work(id), bitNames(w.Aborted))
			default:
				return fmt.Sprintf("%s was told that %s is aborted, yet readers have got what it wrote to %s",
					t.client(model.WorkClient(id)), t.work(id), bitNames(w.Committed))
			}
		}
		return "an application was told an outcome that its transaction does not have"
	},
	"no-stale-write": func(t *teller, _, _ *model.State) string {
		return fmt.Sprintf("readers have got %s after InitProducerId had answered NONE to the next owner of the transactional id: the fence came first, and did not hold",
			strings.Join(t.fenced, " and "))
	},
	"epoch-monotone": func(t *teller, before, after *model.State) string {
		for i := range t.g.cfg.TransactionalIDs() {
			a, b := &before.Txns.IDs[i].Txn, &after.Txns.IDs[i].Txn
			if a.PID != 0 && a.PID == b.PID && b.Epoch < a.Epoch {
				return fmt.Sprintf("at the coordinator the epoch of producer id %d (%s) went back from %d to %d: whoever had the larger one is not told from whoever will be given it again",
					t.pid(a.PID), idName(i), a.Epoch, b.Epoch)
			}
		}
		for p := range after.Txns.Logs {
			l := model.PartitionLeader{Entries: after.Txns.Logs[p].Entries[:]}
			for i := range before.Txns.Logs[p].Entries {
				a := &before.Txns.Logs[p].Entries[i]
				if b := l.Find(a.PID); b != nil && b.Epoch < a.Epoch {
					return fmt.Sprintf("at %s the epoch of producer id %d went back from %d to %d: requests of the smaller epoch, which was fenced, are taken again",
						markedName(uint8(p)), t.pid(a.PID), a.Epoch, b.Epoch)
				}
			}
		}
		return "a producer epoch went back"
	},
	"tokens-unique-durable": func(t *teller, _, after *model.State) string {
		for i := range t.g.cfg.Clients() {
			a := &after.Clients[i].Producer
			if !t.g.cfg.HasProducer(i) || a.PID == 0 {
				continue
			}
			if txn := &after.Txns.IDs[t.g.cfg.IDs[i]].Txn; !after.Txns.Loading && txn.PID == a.PID && txn.Epoch < a.Epoch {
				return fmt.Sprintf("%s was given %s, but the coordinator has %s at epoch %d: it has forgotten what it gave out, and will give it out again",
					t.client(i), t.pair(a.PID, a.Epoch), t.idOf(i), txn.Epoch)
			}
			for j := i + 1; j < t.g.cfg.Clients(); j++ {
				if b := &after.Clients[j].Producer; t.g.cfg.HasProducer(j) && b.PID == a.PID && b.Epoch == a.Epoch {
					return fmt.Sprintf("%s and %s both have %s: no broker can tell them apart", t.client(i), t.client(j), t.pair(a.PID, a.Epoch))
				}
			}
		}
		return "a producer id and epoch are not one producer's alone"
	},
	"replay-equals-live": func(t *teller, _, after *model.State) string {
		for i := range t.g.cfg.TransactionalIDs() {
			x := &after.Txns.IDs[i]
			if live := x.Txn.Durable(); !after.Txns.Loading && !x.Unsure && live != x.Log {
				return fmt.Sprintf("the coordinator answers from %s as %s, and its log has %s: another coordinator would answer otherwise",
					idName(i), t.durable(&live), t.durable(&x.Log))
			}
		}
		return "the coordinator's log does not hold what it answers from"
	},
	"fence-is-final": func(t *teller, _, after *model.State) string {
		client := int(after.Last.Client)
		id, epoch := after.Clients[client].App.NewPID, after.Clients[client].App.NewEpoch
		if id == 0 { // it has taken the answer already
			id, epoch = after.Clients[client].Producer.PID, after.Clients[client].Producer.Epoch
		}
		text := fmt.Sprintf("%s is given %s, although InitProducerId had answered NONE to another owner of %s since",
			t.client(client), t.pair(id, epoch), t.idOf(client))
		txn := &after.Txns.IDs[t.g.cfg.IDs[client]].Txn
		if txn.PID == id && txn.Epoch == epoch {
			return text + ": the pair is the newest one, so that now it fences its own successor"
		}
		return fmt.Sprintf("%s; %s is at %s", text, t.idOf(client), t.pair(txn.PID, txn.Epoch))
	},
	"no-duplicate-record": func(t *teller, _, after *model.State) string {
		log := &after.Txns.Logs[after.Last.Log]
		return fmt.Sprintf("%s has the record of %s twice, and so will readers", markedName(after.Last.Log), t.work(log.Log[log.Len()-1].Work))
	},
	"no-false-abort": func(t *teller, before, after *model.State) string {
		if ev := &after.Last; ev.Received == model.NoAPI { // the group refuses it, before its sender knows
			return fmt.Sprintf("the %s of %s is refused with %s, although it rests on an assignment that nobody has replaced", ev.API, t.client(int(ev.Client)), ev.Err)
		}
		client := t.receiver(before, after)
		return fmt.Sprintf("the %s of %s is refused with %s, although nobody replaced it and its transaction did not time out",
			after.Last.Received, t.work(before.Clients[client].Producer.Work), after.Last.ToldErr)
	},
	"timeout-is-no-fence": func(t *teller, before, after *model.State) string {
		client := t.receiver(before, after)
		return fmt.Sprintf("%s is told %s and gives up for good, although nobody else asked for %s: its transaction had merely timed out",
			t.client(client), after.Last.ToldErr, t.idOf(client))
	},
	"no-rewind-by-marker": func(t *teller, before, after *model.State) string {
		for p := range after.Offsets {
			if after.Last.Backward.Has(p) {
				return fmt.Sprintf("the COMMIT marker of producer id %d moved the committed offset of %s back from %d to %d: whoever reads on from it consumes %s again",
					t.pid(after.Last.PID), partitionName(p), before.Offsets[p], after.Offsets[p], count(int(before.Offsets[p]-after.Offsets[p]), "record"))
			}
		}
		return "a marker moved a committed offset back"
	},
}

// staleByMarker says whose offsets a marker has committed that rest on an
// assignment that had been replaced.
func (t *teller) staleByMarker(before, after *model.State) string {
	offsets := &before.Txns.Logs[model.OffsetsLog]
	for _, e := range offsets.Log[:offsets.Len()] {
		if e.Rec.PID == after.Last.PID && e.Stale&after.Last.Committed != 0 {
			return fmt.Sprintf("the COMMIT marker made %s take effect, which %s had brought into %s on an assignment that had been replaced: the group was at generation %d with %s",
				t.committed(after), t.client(model.WorkClient(e.Work)), t.work(e.Work), before.Group.Generation, t.roster(before))
		}
	}
	return "a marker committed offsets that rest on an assignment that had been replaced"
}

// twice says of which input record readers have got two outputs.
func (t *teller) twice(after *model.State) string {
	for p := range t.g.cfg.AllPartitions() {
		for record := range model.MaxRecords {
			if after.Ghost.Twice[p]>>record&1 == 1 {
				value := uint8(p*model.MaxRecords+record) + 1
				return fmt.Sprintf("readers have got the output of %s twice, from %s: it was not processed exactly once",
					inputName(value), strings.Join(t.outputs[value], " and from "))
			}
		}
	}
	return "readers have got the output of one record twice"
}

// falselyFenced says whose producer has failed without a reason; "" if none has.
func (t *teller) falselyFenced(before, after *model.State) string {
	for i := range t.g.cfg.Clients() {
		failed := after.Clients[i].Producer.Phase == model.FatalError && before.Clients[i].Producer.Phase != model.FatalError
		if after.Last.Fenced>>i&1 == 1 && failed {
			return fmt.Sprintf("%s is told %s, which is fatal to its producer, although nobody else asked for %s and no transaction of its timed out",
				t.client(i), after.Last.ToldErr, t.idOf(i))
		}
	}
	return ""
}

// trapped says what stays open, or who cannot go on, where a goal of transactions
// is out of reach; "" for other goals.
func (t *teller) trapped(s *model.State) string {
	var words []string
	switch t.g.property() {
	case "no-hanging-transaction":
		for p := range s.Txns.Logs {
			for i := range s.Txns.Logs[p].Entries {
				if e := &s.Txns.Logs[p].Entries[i]; e.Open {
					words = append(words, fmt.Sprintf("%s has a transaction open for %s that no marker is to end, and readers wait in front of %s for ever",
						markedName(uint8(p)), t.pair(e.PID, e.Epoch), strings.Join(t.undecided(s, uint8(p), e.PID), " and ")))
				}
			}
		}
		for _, o := range s.Txns.Pending {
			if o.PID != 0 {
				words = append(words, fmt.Sprintf("%s = %d of producer id %d stays pending", partitionName(int(o.Partition)), o.Offset, t.pid(o.PID)))
			}
		}
	case "producer-recovers":
		for i := range t.g.cfg.Clients() {
			p := &s.Clients[i].Producer
			switch txn := &s.Txns.IDs[t.g.cfg.IDs[i]].Txn; {
			case !t.g.cfg.HasProducer(i), p.Replaced, p.Phase == model.FatalError, s.Clients[i].Process != model.Running:
			case txn.Pending != model.NoTransaction:
				words = append(words, fmt.Sprintf("%s stays %s, pending %s, for ever, so that %s can begin no further transaction", t.idOf(i), txn.State, txn.Pending, t.client(i)))
				continue
			case p.Phase != model.Ready:
				words = append(words, fmt.Sprintf("%s, which nobody replaced, will never be ready for another transaction: it %s with %s", t.client(i), t.producerStanding(p), t.pair(p.PID, p.Epoch)))
			case p.PID != txn.PID || p.Epoch != txn.Epoch:
				words = append(words, fmt.Sprintf("%s, which nobody replaced, takes itself to be ready with %s, which is not what %s has", t.client(i), t.pair(p.PID, p.Epoch), t.idOf(i)))
			}
		}
	default:
		return ""
	}
	return strings.Join(append(words, "the coordinator has "+t.transactionGlance(s)), "; ")
}

// transactionGlance is where the transactional ids are.
func (t *teller) transactionGlance(s *model.State) string {
	if s.Txns.Loading {
		return "not read its log"
	}
	var words []string
	for id := range t.g.cfg.TransactionalIDs() {
		words = append(words, idName(id)+" "+t.standingOf(&s.Txns.IDs[id].Txn))
	}
	return strings.Join(words, ", ")
}

// producerStanding is how far a producer is.
func (t *teller) producerStanding(p *model.Producer) string {
	switch p.Phase {
	case model.Ready:
		return "is ready for a transaction"
	case model.InTransaction:
		return "is in " + t.work(p.Work)
	case model.Committing:
		return "is committing " + t.work(p.Work)
	case model.Aborting:
		return "is aborting " + t.work(p.Work)
	case model.AbortableError:
		return "must abort " + t.work(p.Work)
	case model.FatalError:
		return "has failed for good"
	}
	if p.Renew {
		return "must raise its epoch"
	}
	return "is not initialised"
}

func (t *teller) durable(x *model.Transaction) string {
	text := t.standingOf(x)
	if x.Partitions != 0 {
		text += ", partitions " + logNames(x.Partitions)
	}
	return text
}

// eachWork yields the transactions that can still come to something.
func (t *teller) eachWork(s *model.State) func(yield func(model.WorkID, *model.Work) bool) {
	return func(yield func(model.WorkID, *model.Work) bool) {
		for i := range t.g.cfg.Clients() {
			for place := range s.Txns.Works[i] {
				if w := &s.Txns.Works[i][place]; w.Told != model.NoWork && !yield(model.NewWorkID(i, place), w) {
					return
				}
			}
		}
	}
}

// undecided names the transactions whose records wait for a marker.
func (t *teller) undecided(s *model.State, p uint8, id model.ProducerID) []string {
	log := s.Txns.Logs[p].Log[:s.Txns.Logs[p].Len()]
	var names []string
	var last model.WorkID
	for i, e := range log {
		if o, _ := model.OutcomeOf(log, i); o == model.Undecided && e.Rec.Kind == model.TransactionalRecord && e.Rec.PID == id && e.Work != last {
			names = append(names, t.work(e.Work))
			last = e.Work
		}
	}
	return names
}

// receiver is the client that has taken an answer in a step.
func (t *teller) receiver(before, after *model.State) int {
	for i := range t.g.cfg.Clients() {
		if r := &before.Clients[i].App; r.API == after.Last.Received && r.API != model.NoAPI && after.Clients[i].App.API == model.NoAPI {
			return i
		}
	}
	return int(after.Last.Client)
}

// bitNames lists logs that are given by a bit each.
func bitNames(set uint8) string {
	var names []string
	for p := range model.NumLogs {
		if set>>p&1 == 1 {
			names = append(names, markedName(uint8(p)))
		}
	}
	return strings.Join(names, " and ")
}
