package counterexamples

import (
	"fmt"

	"fencecheck/model"
)

// transactionChanges is what the transaction coordinator knows of a transactional
// id.
func (t *teller) transactionChanges(before, after *model.State, id int) []string {
	if before.Txns.Loading != after.Txns.Loading && after.Txns.Loading {
		return []string{"not known until the log has been read"}
	}
	b, a := &before.Txns.IDs[id].Txn, &after.Txns.IDs[id].Txn
	if after.Txns.Zombie && before.Txns.Zombie && before.Txns.Old[id].Txn != after.Txns.Old[id].Txn && *b == *a {
		b, a = &before.Txns.Old[id].Txn, &after.Txns.Old[id].Txn
	}
	var words []string
	switch {
	case b.State != a.State && a.Pending != model.NoTransaction:
		words = append(words, fmt.Sprintf("%s, pending %s", a.State, a.Pending))
	case b.State != a.State && a.State == model.NoTransaction:
		return []string{"unknown"}
	case b.State != a.State:
		words = append(words, a.State.String())
	case b.Pending != a.Pending && a.Pending != model.NoTransaction:
		words = append(words, fmt.Sprintf("pending %s", a.Pending))
	case b.Pending != a.Pending:
		words = append(words, "nothing pending")
	}
	if b.PID != a.PID || b.Epoch != a.Epoch {
		words = append(words, t.pairWas(b.PID, b.Epoch, a.PID, a.Epoch))
	}
	if a.Next != b.Next && a.Next != 0 {
		words = append(words, fmt.Sprintf("then %s", t.producer(a.Next)))
	}
	if b.Partitions != a.Partitions && a.Partitions != 0 {
		words = append(words, "partitions "+logNames(a.Partitions))
	}
	return words
}

// pairWas is a producer id and epoch that have changed.
func (t *teller) pairWas(b model.ProducerID, be model.Epoch, a model.ProducerID, ae model.Epoch) string {
	if b == a {
		return fmt.Sprintf("%s, epoch %d (was %d)", t.producer(a), ae, be)
	}
	return t.pair(a, ae)
}

// leaderChanges is what a partition's leader knows of producers.
func (t *teller) leaderChanges(before, after *model.State, p int) []string {
	var words []string
	for i := range after.Txns.Logs[p].Entries {
		a := &after.Txns.Logs[p].Entries[i]
		if a.PID == 0 {
			continue
		}
		b := producerEntry(before, uint8(p), a.PID)
		if b == nil {
			b = &model.ProducerEntry{PID: a.PID, Epoch: model.NoEpoch, CoordinatorEpoch: -1}
		}
		words = append(words, t.entryChanges(b, a)...)
	}
	for i := range before.Txns.Logs[p].Entries {
		if id := before.Txns.Logs[p].Entries[i].PID; id != 0 && producerEntry(after, uint8(p), id) == nil {
			words = append(words, fmt.Sprintf("knows nothing of %s any more", t.producer(id)))
		}
	}
	return words
}

func (t *teller) entryChanges(b, a *model.ProducerEntry) []string {
	var words []string
	was := ""
	if b.Epoch != a.Epoch && b.Epoch != model.NoEpoch {
		was = fmt.Sprintf(" (was %d)", b.Epoch)
	}
	switch id := t.producer(a.PID); {
	case a.Open && !b.Open:
		words = append(words, fmt.Sprintf("a transaction is open for %s at epoch %d%s", id, a.Epoch, was))
	case b.Open && !a.Open:
		words = append(words, fmt.Sprintf("no transaction is open for %s any more, epoch %d%s", id, a.Epoch, was))
	case a.Open && b.Epoch != a.Epoch:
		words = append(words, fmt.Sprintf("the open transaction of %s goes on at epoch %d%s", id, a.Epoch, was))
	case b.Epoch != a.Epoch:
		words = append(words, fmt.Sprintf("knows %s at epoch %d%s", id, a.Epoch, was))
	}
	if b.CoordinatorEpoch != a.CoordinatorEpoch && (b.CoordinatorEpoch >= 0 || a.CoordinatorEpoch > 0) {
		words = append(words, fmt.Sprintf("coordinator epoch %d", a.CoordinatorEpoch))
	}
	switch {
	case b.Guard == 0 && a.Guard != 0:
		words = append(words, fmt.Sprintf("a batch of %s is admitted", t.producer(a.PID)))
	case b.Guard != 0 && a.Guard == 0 && !a.Open:
		words = append(words, fmt.Sprintf("no batch of %s is admitted any more", t.producer(a.PID)))
	}
	return words
}

// pendingChanges are the offsets of open transactions.
func (t *teller) pendingChanges(before, after *model.State) []string {
	find := func(s *model.State, o model.PendingOffset) model.Offset {
		for _, p := range s.Txns.Pending {
			if p.PID == o.PID && p.Partition == o.Partition {
				return p.Offset
			}
		}
		return model.NoOffset
	}
	var words []string
	for _, o := range after.Txns.Pending {
		was, text := find(before, o), fmt.Sprintf("%s = %d of %s", partitionName(int(o.Partition)), o.Offset, t.producer(o.PID))
		switch {
		case o.PID == 0 || was == o.Offset:
		case was == model.NoOffset:
			words = append(words, text+", until its marker")
		default:
			words = append(words, fmt.Sprintf("%s (was %d), until its marker", text, was))
		}
	}
	for _, o := range before.Txns.Pending {
		if p := int(o.Partition); o.PID != 0 && find(after, o) == model.NoOffset && !after.Last.Committed.Has(p) {
			words = append(words, fmt.Sprintf("%s = %d of %s is dropped", partitionName(p), o.Offset, t.producer(o.PID)))
		}
	}
	return words
}

// producerChanges is how a client's producer differs.
func (t *teller) producerChanges(before, after *model.State, client int) []string {
	b, a := &before.Clients[client].Producer, &after.Clients[client].Producer
	var words []string
	if b.PID != a.PID && a.PID != 0 || b.PID == a.PID && b.Epoch != a.Epoch && a.PID != 0 {
		words = append(words, t.pairWas(b.PID, b.Epoch, a.PID, a.Epoch))
	}
	switch {
	case a.Phase == model.FatalError && b.Phase != model.FatalError:
		words = append(words, "its producer has failed for good")
	case a.Phase == model.AbortableError && b.Phase != model.AbortableError:
		words = append(words, "must abort "+t.work(a.Work))
	case a.Failing && !b.Failing:
		words = append(words, fmt.Sprintf("must send the batch of %s again, or abort", t.work(a.Work)))
	case b.Work == 0 && a.Work != 0:
		words = append(words, "in transaction "+t.work(a.Work))
	case b.Work == 0 || a.Work != 0 || after.Last.Received != model.EndTxn:
	case after.Last.ToldCommit:
		words = append(words, fmt.Sprintf("has been told that %s is committed", t.work(b.Work)))
	default:
		words = append(words, fmt.Sprintf("has been told that %s is aborted", t.work(b.Work)))
	}
	if a.Renew && !b.Renew {
		words = append(words, "must raise its epoch before the next transaction")
	}
	cl, was := &after.Clients[client], &before.Clients[client]
	if t.g.cfg.HasProducer(client) && cl.Owned == was.Owned && cl.Unfetched&^was.Unfetched != 0 {
		words = append(words, "must read on from the committed offsets")
	}
	return words
}
