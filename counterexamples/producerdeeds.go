package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// A producerDeed says in words what the actor of a step of transactions does.
type producerDeed func(t *teller, before, after *model.State, a ops.Args) string

// producerDeeds has the words for the operations of producers, transaction
// coordinators and partitions' leaders.
var producerDeeds = map[string]producerDeed{
	"init-producer": func(t *teller, before, _ *model.State, a ops.Args) string {
		if before.Clients[a.A].Producer.Renew {
			return "raises its own epoch after the abort"
		}
		return "initialises its transactional producer (initTransactions)"
	},
	"add-partition-to-txn": func(t *teller, before, after *model.State, a ops.Args) string {
		if a.B == model.OffsetsLog {
			return t.within(before, after, a, "adds the group's offsets to %s")
		}
		return t.within(before, after, a, "adds "+logName(int(a.B))+" to %s")
	},
	"produce": func(t *teller, before, after *model.State, a ops.Args) string {
		return t.within(before, after, a, "writes the record of %s to "+logName(int(a.B)))
	},
	"process": func(t *teller, before, after *model.State, a ops.Args) string {
		cl := &before.Clients[a.A]
		input := fmt.Sprintf("%s@%d", partitionName(int(a.B)), cl.Position[a.B])
		out := logName(int(a.B) % t.g.cfg.Outputs)
		return t.within(before, after, a, fmt.Sprintf("reads %s and writes its output to %s, in %%s", input, out))
	},
	"resend": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("sends the batch of %s to %s again", t.work(before.Clients[a.A].Producer.Work), logName(int(a.B)))
	},
	"send-offsets": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("brings its position into %s (sendOffsetsToTransaction)", t.work(before.Clients[a.A].Producer.Work))
	},
	"commit-transaction": func(t *teller, before, _ *model.State, a ops.Args) string {
		return t.ends(&before.Clients[a.A].Producer, "commit")
	},
	"abort-transaction": func(t *teller, before, _ *model.State, a ops.Args) string {
		p := &before.Clients[a.A].Producer
		switch {
		case p.Added|p.Written|p.Sending == 0:
			return fmt.Sprintf("aborts %s, of which the brokers know nothing", t.work(p.Work))
		case p.Failing && p.Phase == model.InTransaction:
			return fmt.Sprintf("aborts %s, whose batch has expired", t.work(p.Work))
		}
		return t.ends(p, "abort")
	},
	"abort-anyway": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("aborts %s, because the application wants to", t.work(before.Clients[a.A].Producer.Work))
	},
	"deliver-marker": func(t *teller, before, after *model.State, a ops.Args) string {
		text := fmt.Sprintf("writes the %s marker of %s to %s", markerKind(&before.Txns.IDs[a.A].Outbox), idName(int(a.A)), markedName(a.B))
		if was, is := &before.Txns.IDs[a.A].Txn, &after.Txns.IDs[a.A].Txn; was.State != is.State {
			text += ", the last one"
		}
		return text
	},
	"lose-marker-answer": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("writes the %s marker of %s to %s, and does not get the answer: it will write it again", markerKind(&before.Txns.IDs[a.A].Outbox), idName(int(a.A)), markedName(a.B))
	},
	"delay-marker": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("gives up on the %s marker of %s for %s, which stays in flight; it will send it again", markerKind(&before.Txns.IDs[a.A].Outbox), idName(int(a.A)), markedName(a.B))
	},
	"zombie-marker": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("writes the %s marker of %s to %s, as it had set out to do", markerKind(&before.Txns.Old[a.A].Outbox), idName(int(a.A)), markedName(a.B))
	},
	"transaction-timeout": func(t *teller, _, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("transaction.timeout.ms is over: it aborts the transaction of %s", idName(int(a.A)))
	},
	"load": func(t *teller, _, after *model.State, _ ops.Args) string {
		return fmt.Sprintf("has read its log to the end, as coordinator epoch %d", after.Txns.Epoch)
	},
	"elect-leaders": func(*teller, *model.State, *model.State, ops.Args) string {
		return "learns the leaders of the partitions"
	},
	"lose-append": func(t *teller, before, _ *model.State, a ops.Args) string {
		fate := "was written"
		if a.B == 1 {
			fate = "was not written"
		}
		return fmt.Sprintf("decides %s's %s; its log does not answer in time, and the record %s", t.client(int(a.A)), t.named(&before.Clients[a.A].App), fate)
	},
	"fail-over": func(t *teller, _, after *model.State, a ops.Args) string {
		text := fmt.Sprintf("another broker takes over as coordinator epoch %d", after.Txns.Epoch)
		if a.A == 1 {
			text += "; the one before does not notice, and goes on with what it has in memory"
		}
		if after.Txns.Leaderless && t.g.cfg.Rules.Off.Has(model.MarkerSkipBug) {
			text += "; the partitions have no leaders yet"
		}
		return text
	},
	"decide-by-zombie": func(t *teller, before, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("decides %s's %s, not knowing that it was replaced", t.client(int(a.A)), t.named(&before.Clients[a.A].App))
	},
	"fail-over-leader": func(*teller, *model.State, *model.State, ops.Args) string {
		return "another broker becomes the leader, and knows of producers what the log holds"
	},
	"expire-producers": func(*teller, *model.State, *model.State, ops.Args) string {
		return "forgets producers without an open transaction (producer.id.expiration.ms)"
	},
	"expire-transactional-id": func(t *teller, _, _ *model.State, a ops.Args) string {
		return fmt.Sprintf("forgets %s, which was idle (transactional.id.expiration.ms)", idName(int(a.A)))
	},
}

func markerKind(m *model.Marker) string { return (&sentMarker{Marker: *m}).kind() }

// markedName is a partition that a marker goes to.
func markedName(p uint8) string {
	if p == model.OffsetsLog {
		return "the group's offsets"
	}
	return logName(int(p))
}

// within says what is done in a transaction, which may begin with it.
func (t *teller) within(before, after *model.State, a ops.Args, what string) string {
	b := &before.Clients[a.A].Producer
	if b.Phase == model.InTransaction {
		return fmt.Sprintf(what, t.work(b.Work))
	}
	w := t.newest(int(a.A))
	return fmt.Sprintf("begins its %s transaction: "+what, ordinal(t.begun[a.A]), w)
}

// newest names the transaction that a client began last.
func (t *teller) newest(client int) string {
	return fmt.Sprintf("%s:t%d", t.client(client), t.begun[client])
}

func ordinal(n int) string {
	words := [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}
	if n >= 1 && n <= len(words) {
		return words[n-1]
	}
	return number(n) + "th"
}

// ends is how a producer asks for an outcome.
func (t *teller) ends(p *model.Producer, what string) string {
	if p.Phase == model.Committing || p.Phase == model.Aborting {
		return fmt.Sprintf("asks again to %s %s", what, t.work(p.Work))
	}
	return fmt.Sprintf("%ss %s", what, t.work(p.Work))
}

// producerDeed is what is done in a step of transactions; false for others.
func (t *teller) producerDeed(before, after *model.State, st search.Step) (string, bool) {
	a, name := ops.Unpack(st.Arg), OpName(st)
	if name == "process" && !t.g.cfg.HasProducer(int(a.A)) {
		return "", false
	}
	if m, ok := t.marker(before, st); ok && m.late {
		return fmt.Sprintf("receives the %s marker that the coordinator had given up on", m.kind()), true
	}
	if name == "decide" {
		if r := &before.Clients[a.A].App; r.Status == model.Admitted && r.API.Part() == model.TransactionsPart {
			return fmt.Sprintf("appends the batch of %s that it has admitted", t.work(r.Work)), true
		}
	}
	d, ok := producerDeeds[name]
	if !ok {
		return "", false
	}
	return d(t, before, after, a) + t.onceMore(before, st), true
}

// onceMore: a request is sent again after its sender has given up on it.
func (t *teller) onceMore(before *model.State, st search.Step) string {
	switch OpName(st) {
	case "init-producer", "add-partition-to-txn", "send-offsets":
	default:
		return ""
	}
	r, ok := t.requested(before, st)
	last := &t.givenUp[r.Client]
	if ok && last.API == r.API && last.Log == r.Log && last.PID == r.PID && last.Epoch == r.Epoch && last.Work == r.Work {
		return ", once more"
	}
	return ""
}
