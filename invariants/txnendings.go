package invariants

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// The endings of the properties of transactions.

func tornTransaction(c *cluster.Config, _, after *cluster.State) (text string) {
	if after.Last.Mixed {
		return fmt.Sprintf("one COMMIT marker at {log %d} commits what {undecided %d %d} wrote: it was meant for one transaction, and decides two",
			after.Last.Log, after.Last.Log, after.Last.PID)
	}
	findWork(c, after, (*cluster.Work).Torn, func(_ int, id cluster.WorkID, w *cluster.Work) {
		text = fmt.Sprintf("{transaction %d} has two outcomes: committed in {logs %d}, and aborted in {logs %d}", id, w.Committed, w.Aborted)
	})
	return text
}

func untrueOutcome(c *cluster.Config, _, after *cluster.State) (text string) {
	findWork(c, after, (*cluster.Work).Untrue, func(client int, id cluster.WorkID, w *cluster.Work) {
		text = fmt.Sprintf("{client %d} was told that {transaction %d} is aborted, yet readers have got what it wrote to {logs %d}", client, id, w.Committed)
		if w.Told == cluster.ToldCommitted {
			text = fmt.Sprintf("{client %d} was told that {transaction %d} is committed, yet what it wrote to {logs %d} has been aborted: no reader will ever get that", client, id, w.Aborted)
		}
	})
	return text
}

// findWork shows the first transaction that is of a kind.
func findWork(c *cluster.Config, s *cluster.State, is func(*cluster.Work) bool, show func(client int, id cluster.WorkID, w *cluster.Work)) {
	for i := range c.Clients() {
		for place := range s.Txns.Works[i] {
			if w := &s.Txns.Works[i][place]; is(w) {
				show(i, cluster.NewWorkID(i, place), w)
				return
			}
		}
	}
}

// epochWentBack looks at whoever enforces epochs: the coordinator, and each
// partition's leader.
func epochWentBack(c *cluster.Config, before, after *cluster.State) string {
	for i := range c.TransactionalIDs() {
		a, b := &before.Txns.IDs[i].Txn, &after.Txns.IDs[i].Txn
		if a.PID != 0 && a.PID == b.PID && b.Epoch < a.Epoch {
			return fmt.Sprintf("at the coordinator the epoch of {producer %d} ({transactional_id %d}) went back from %d to %d: whoever had the larger one is not told from whoever will be given it again",
				a.PID, i, a.Epoch, b.Epoch)
		}
	}
	for p := range after.Txns.Logs {
		l := txn.Leader{Entries: after.Txns.Logs[p].Entries[:]}
		for _, a := range before.Txns.Logs[p].Entries {
			if b := l.Find(a.PID); b != nil && b.Epoch < a.Epoch {
				return fmt.Sprintf("at {log %d} the epoch of {producer %d} went back from %d to %d: requests of the smaller epoch, which was fenced, are taken again",
					p, a.PID, a.Epoch, b.Epoch)
			}
		}
	}
	return ""
}

// tokenNotUnique looks at what producers have, and whether the coordinator has
// forgotten what it gave out.
func tokenNotUnique(c *cluster.Config, _, after *cluster.State) string {
	for i := range c.Clients() {
		a := &after.Clients[i].Producer
		if !c.HasProducer(i) || a.PID == 0 {
			continue
		}
		if txn := &after.Txns.IDs[c.IDs[i]].Txn; !after.Txns.Loading && txn.PID == a.PID && txn.Epoch < a.Epoch {
			return fmt.Sprintf("{client %d} was given {pair %d %d}, but the coordinator has {transactional_id %d} at epoch %d: it has forgotten what it gave out, and will give it out again",
				i, a.PID, a.Epoch, c.IDs[i], txn.Epoch)
		}
		for j := i + 1; j < c.Clients(); j++ {
			if b := &after.Clients[j].Producer; c.HasProducer(j) && b.PID == a.PID && b.Epoch == a.Epoch {
				return fmt.Sprintf("{client %d} and {client %d} both have {pair %d %d}: no broker can tell them apart", i, j, a.PID, a.Epoch)
			}
		}
	}
	return ""
}

func replayDiffers(c *cluster.Config, _, after *cluster.State) string {
	if after.Txns.Loading {
		return ""
	}
	for i := range c.TransactionalIDs() {
		x := &after.Txns.IDs[i]
		if live := x.Txn.Durable(); !x.Unsure && live != x.Log {
			return fmt.Sprintf("the coordinator answers from {transactional_id %d} as %s, and its log has %s: another coordinator would answer otherwise",
				i, inWords(&live), inWords(&x.Log))
		}
	}
	return ""
}

func inWords(t *txn.Transaction) string {
	text := "unknown"
	if t.State != txn.NoTransaction {
		text = fmt.Sprintf("%s at {pair %d %d}", t.State, t.PID, t.Epoch)
	}
	if t.Partitions != 0 {
		text += fmt.Sprintf(", partitions {added %d}", t.Partitions)
	}
	return text
}

func fenceLifted(c *cluster.Config, _, after *cluster.State) string {
	client := after.Last.Client
	cl, id := &after.Clients[client], c.IDs[client]
	pid, epoch := cl.App.NewPID, cl.App.NewEpoch
	if pid == 0 { // it has taken the answer already
		pid, epoch = cl.Producer.PID, cl.Producer.Epoch
	}
	text := fmt.Sprintf("{client %d} is given {pair %d %d}, although InitProducerId had answered NONE to another owner of {transactional_id %d} since",
		client, pid, epoch, id)
	if txn := &after.Txns.IDs[id].Txn; txn.PID != pid || txn.Epoch != epoch {
		return fmt.Sprintf("%s; {transactional_id %d} is at {pair %d %d}", text, id, txn.PID, txn.Epoch)
	}
	return text + ": the pair is the newest one, so that now it fences its own successor"
}

func duplicateRecord(_ *cluster.Config, _, after *cluster.State) string {
	log := &after.Txns.Logs[after.Last.Log]
	if log.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("{log %d} has the record of {transaction %d} twice, and so will readers", after.Last.Log, log.Log[log.Len()-1].Work)
}

func falseAbort(c *cluster.Config, before, after *cluster.State) string {
	ev := &after.Last
	if ev.Received == model.NoAPI { // the group refuses it, before its sender knows
		return fmt.Sprintf("the %s of {client %d} is refused with %s, although it rests on an assignment that nobody has replaced", ev.API, ev.Client, ev.Err)
	}
	return fmt.Sprintf("the %s of {transaction %d} is refused with %s, although nobody replaced it and its transaction did not time out",
		ev.Received, before.Clients[receiver(c, before, after)].Producer.Work, ev.ToldErr)
}

func takenForFenced(c *cluster.Config, before, after *cluster.State) string {
	client := receiver(c, before, after)
	return fmt.Sprintf("{client %d} is told %s and gives up for good, although nobody else asked for {transactional_id %d}: its transaction had merely timed out",
		client, after.Last.ToldErr, c.IDs[client])
}

// receiver is the client that has taken an answer in a step.
func receiver(c *cluster.Config, before, after *cluster.State) int {
	for i := range c.Clients() {
		if r := &before.Clients[i].App; r.API == after.Last.Received && r.API != model.NoAPI && after.Clients[i].App.API == model.NoAPI {
			return i
		}
	}
	return int(after.Last.Client)
}

func markerMovedBack(_ *cluster.Config, before, after *cluster.State) string {
	return backward(fmt.Sprintf("the COMMIT marker of {producer %d}", after.Last.PID), before, after)
}

// staleByMarker says whose offsets a marker has committed that rest on an
// assignment that had been replaced.
func staleByMarker(before, after *cluster.State) string {
	for _, e := range before.Txns.Logs[cluster.OffsetsLog].Log {
		if e.Rec.Kind != txn.NoRecord && e.Rec.PID == after.Last.PID && e.Stale&after.Last.Committed != 0 {
			return fmt.Sprintf("the COMMIT marker made %s take effect, which {client %d} had brought into {transaction %d} on an assignment that had been replaced: the group was at generation %d with {roster}",
				committed(after), cluster.WorkClient(e.Work), e.Work, before.Group.Generation)
		}
	}
	return ""
}

// never begins what is out of reach.
const never = "from here this cannot be mended any more, whatever the actors do within the bounds above and even without further faults: "

func hangingTransaction(_ *cluster.Config, s, _ *cluster.State) string {
	var words []string
	for p := range s.Txns.Logs {
		for _, e := range s.Txns.Logs[p].Entries {
			if e.Open {
				words = append(words, fmt.Sprintf("{log %d} has a transaction open for {pair %d %d} that no marker is to end, and readers wait in front of {undecided %d %d} for ever",
					p, e.PID, e.Epoch, p, e.PID))
			}
		}
	}
	for _, o := range s.Txns.Pending {
		if o.PID != 0 {
			words = append(words, fmt.Sprintf("{partition %d} = %d of {producer %d} stays pending", o.Partition, o.Offset, o.PID))
		}
	}
	return never + strings.Join(append(words, "the coordinator has {transactions}"), "; ")
}

func producerStuck(c *cluster.Config, s, _ *cluster.State) string {
	var words []string
	for i := range c.Clients() {
		id, p := c.IDs[i], &s.Clients[i].Producer
		switch t := &s.Txns.IDs[id].Txn; {
		case !c.HasProducer(i), p.Replaced, p.Phase == cluster.FatalError, s.Clients[i].Process != cluster.Running:
		case t.Pending != txn.NoTransaction:
			words = append(words, fmt.Sprintf("{transactional_id %d} stays %s, pending %s, for ever, so that {client %d} can begin no further transaction", id, t.State, t.Pending, i))
		case p.Phase != cluster.Ready:
			words = append(words, fmt.Sprintf("{client %d}, which nobody replaced, will never be ready for another transaction: it {standing %d} with {pair %d %d}", i, i, p.PID, p.Epoch))
		case p.PID != t.PID || p.Epoch != t.Epoch:
			words = append(words, fmt.Sprintf("{client %d}, which nobody replaced, takes itself to be ready with {pair %d %d}, which is not what {transactional_id %d} has", i, p.PID, p.Epoch, id))
		}
	}
	return never + strings.Join(append(words, "the coordinator has {transactions}"), "; ")
}
