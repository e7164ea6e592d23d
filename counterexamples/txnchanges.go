package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

// transactionChanges is what the transaction coordinator knows of a transactional
// id.
func (t *teller) transactionChanges(before, after *cluster.State, id int) facts {
	if before.Txns.Loading != after.Txns.Loading && after.Txns.Loading {
		return facts{"not known until the log has been read"}
	}
	b, a := &before.Txns.IDs[id].Txn, &after.Txns.IDs[id].Txn
	if after.Txns.Zombie && before.Txns.Zombie && before.Txns.Old[id].Txn != after.Txns.Old[id].Txn && *b == *a {
		b, a = &before.Txns.Old[id].Txn, &after.Txns.Old[id].Txn
	}
	became, pends := b.State != a.State, a.Pending != txn.NoTransaction
	if became && !pends && a.State == txn.NoTransaction {
		return facts{"unknown"}
	}
	var all facts
	all.add(became && pends, "%s, pending %s", a.State, a.Pending)
	all.add(became && !pends, "%s", a.State)
	all.add(!became && b.Pending != a.Pending && pends, "pending %s", a.Pending)
	all.add(!became && b.Pending != a.Pending && !pends, "nothing pending")
	all.add(b.PID != a.PID || b.Epoch != a.Epoch, "%s", t.pairWas(b.PID, b.Epoch, a.PID, a.Epoch))
	all.add(a.Next != b.Next && a.Next != 0, "then %s", t.producer(a.Next))
	all.add(b.Partitions != a.Partitions && a.Partitions != 0, "partitions %s", logNames(a.Partitions))
	return all
}

// pairWas is a producer id and epoch that have changed.
func (t *teller) pairWas(b model.ProducerID, be model.Epoch, a model.ProducerID, ae model.Epoch) string {
	if b == a {
		return fmt.Sprintf("%s, epoch %d (was %d)", t.producer(a), ae, be)
	}
	return t.pair(a, ae)
}

// leaderChanges is what a partition's leader knows of producers.
func (t *teller) leaderChanges(before, after *cluster.State, p uint8) facts {
	var all facts
	for _, a := range after.Txns.Logs[p].Entries {
		b := producerEntry(before, p, a.PID)
		if b == nil {
			b = &txn.ProducerEntry{PID: a.PID, Epoch: model.NoEpoch, CoordinatorEpoch: -1}
		}
		if a.PID != 0 {
			all = append(all, t.entryChanges(b, &a)...)
		}
	}
	for _, b := range before.Txns.Logs[p].Entries {
		all.add(b.PID != 0 && producerEntry(after, p, b.PID) == nil, "knows nothing of %s any more", t.producer(b.PID))
	}
	return all
}

func (t *teller) entryChanges(b, a *txn.ProducerEntry) facts {
	id, was, raised := t.producer(a.PID), "", b.Epoch != a.Epoch
	if raised && b.Epoch != model.NoEpoch {
		was = fmt.Sprintf(" (was %d)", b.Epoch)
	}
	var all facts
	all.add(a.Open && !b.Open, "a transaction is open for %s at epoch %d%s", id, a.Epoch, was)
	all.add(b.Open && !a.Open, "no transaction is open for %s any more, epoch %d%s", id, a.Epoch, was)
	all.add(a.Open && b.Open && raised, "the open transaction of %s goes on at epoch %d%s", id, a.Epoch, was)
	all.add(!a.Open && !b.Open && raised, "knows %s at epoch %d%s", id, a.Epoch, was)
	all.add(b.CoordinatorEpoch != a.CoordinatorEpoch && (b.CoordinatorEpoch >= 0 || a.CoordinatorEpoch > 0), "coordinator epoch %d", a.CoordinatorEpoch)
	all.add(b.Guard == 0 && a.Guard != 0, "a batch of %s is admitted", id)
	all.add(b.Guard != 0 && a.Guard == 0 && !a.Open, "no batch of %s is admitted any more", id)
	return all
}

// pendingChanges are the offsets of open transactions.
func (t *teller) pendingChanges(before, after *cluster.State) facts {
	find := func(s *cluster.State, o offsets.Pending) model.Offset {
		for _, p := range s.Txns.Pending {
			if p.PID == o.PID && p.Partition == o.Partition {
				return p.Offset
			}
		}
		return model.NoOffset
	}
	text := func(o offsets.Pending) string {
		return fmt.Sprintf("%s = %d of %s", partitionName(int(o.Partition)), o.Offset, t.producer(o.PID))
	}
	var all facts
	for _, o := range after.Txns.Pending {
		was := find(before, o)
		all.add(o.PID != 0 && was == model.NoOffset, "%s, until its marker", text(o))
		all.add(o.PID != 0 && was != model.NoOffset && was != o.Offset, "%s (was %d), until its marker", text(o), was)
	}
	for _, o := range before.Txns.Pending {
		all.add(o.PID != 0 && find(after, o) == model.NoOffset && !after.Last.Committed.Has(int(o.Partition)), "%s is dropped", text(o))
	}
	return all
}

// producerChanges is how a client's producer differs.
func (t *teller) producerChanges(before, after *cluster.State, client int) facts {
	was, cl := &before.Clients[client], &after.Clients[client]
	b, a := &was.Producer, &cl.Producer
	var all facts
	all.add(a.PID != 0 && (b.PID != a.PID || b.Epoch != a.Epoch), "%s", t.pairWas(b.PID, b.Epoch, a.PID, a.Epoch))
	switch {
	case a.Phase == cluster.FatalError && b.Phase != cluster.FatalError:
		all.add(true, "its producer has failed for good")
	case a.Phase == cluster.AbortableError && b.Phase != cluster.AbortableError:
		all.add(true, "must abort %s", t.work(a.Work))
	case a.Failing && !b.Failing:
		all.add(true, "must send the batch of %s again, or abort", t.work(a.Work))
	default:
		ended := b.Work != 0 && a.Work == 0 && after.Last.Received == model.EndTxn
		all.add(b.Work == 0 && a.Work != 0, "in transaction %s", t.work(a.Work))
		all.add(ended && after.Last.ToldCommit, "has been told that %s is committed", t.work(b.Work))
		all.add(ended && !after.Last.ToldCommit, "has been told that %s is aborted", t.work(b.Work))
	}
	all.add(a.Renew && !b.Renew, "must raise its epoch before the next transaction")
	all.add(t.g.cfg.HasProducer(client) && cl.Owned == was.Owned && cl.Unfetched&^was.Unfetched != 0, "must read on from the committed offsets")
	return all
}
