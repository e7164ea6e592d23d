package linearize

import (
	"fmt"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

type simRecord struct {
	txn.Record
	value string
}

type simTxn struct {
	name     string
	txn, log txn.Transaction
	outbox   txn.Marker
	began    int64
}

// simBatch is a batch as its leader and its client count it.
type simBatch struct {
	ordinal int32
	base    int64
}

type simBroker struct {
	rules   model.Rules
	txns    []*simTxn
	leaders [simPartitions + 1]txn.Leader
	logs    [simPartitions][]simRecord
	batches map[string][]simBatch
	offsets offsets.Store
	lives   int16
	pids    model.ProducerID
	guards  uint8
	version model.TransactionVersion
}

func newSimBroker(rules model.Rules) *simBroker {
	b := &simBroker{rules: rules, batches: map[string][]simBatch{}}
	b.txns = []*simTxn{{name: "x1"}, {name: "x2"}}
	for i := range b.leaders {
		b.leaders[i] = txn.Leader{Rules: &b.rules, Entries: make([]txn.ProducerEntry, simEntries)}
	}
	group := &classic.Coordinator{Rules: &b.rules, Group: &classic.Group{}, Members: make([]classic.Member, 2)}
	b.offsets = offsets.Store{Rules: &b.rules, Group: group, Committed: make([]model.Offset, 2), At: make([]uint32, 2), Pending: make([]offsets.Pending, 16)}
	for p := range b.offsets.Committed {
		b.offsets.Committed[p] = model.NoOffset
	}
	return b
}

func simPart(p int) int {
	if p == simPartitions {
		return txn.OffsetsPartition
	}
	return p
}

// at are the views that a request to a partition meets.
func (b *simBroker) at(t *simTxn, p int) *txn.Brokers {
	v := &txn.Brokers{Coordinator: b.coordinator(t), Leader: &b.leaders[p]}
	if p == simPartitions {
		v.Offsets = &b.offsets
	}
	return v
}

func (b *simBroker) mark(t *simTxn, p int) {
	m := t.outbox
	q := m.Request()
	err := b.at(t, p).Decide(&q).Err
	if err == model.None && p < simPartitions {
		kind := txn.AbortMarker
		if m.Commit {
			kind = txn.CommitMarker
		}
		b.logs[p] = append(b.logs[p], simRecord{Record: txn.Record{Kind: kind, PID: m.PID}})
	}
	b.coordinator(t).MarkerAnswered(simPart(p), err)
}

func (b *simBroker) coordinator(t *simTxn) *txn.Coordinator {
	return &txn.Coordinator{Rules: &b.rules, Txn: &t.txn, Log: &t.log, Outbox: &t.outbox, Epoch: b.lives, Fresh: b.pids + 1}
}

// decide decides a request; false if it needs another step.
func (b *simBroker) decide(m *simMessage, now int64) bool {
	m.outcome, m.out = kfh.OK, kfh.NoAnswer()
	switch m.f {
	case kfh.Fetch:
		b.read(m)
		return true
	case kfh.OffsetFetch:
		b.fetch(m)
		return true
	case kfh.Commit:
		m.refused(b.offsets.Decide(&offsets.Request{API: model.OffsetCommit, Generation: model.NoGeneration, Offsets: simOffsets(m.in.Offsets)}))
		return true
	case kfh.Produce, kfh.TxnCommit:
		return b.write(m, now)
	}
	t := b.txn(m.in.Txn)
	before := t.txn.State
	k := b.coordinator(t)
	pid, epoch := simPID(m.in.PID), model.Epoch(m.in.Epoch)
	q := txn.Request{API: model.InitProducerID, PID: pid, Epoch: epoch, Commit: m.in.Commit, Version: b.version}
	switch m.f {
	case kfh.EndTxn:
		q.API = model.EndTxn
	case kfh.AddParts:
		q.API, q.Version, q.Partitions = model.AddPartitionsToTxn, model.TV1, model.Part(partitionNumber(m.in.Partitions[0]))
	case kfh.AddOffsets:
		q.API, q.Version, q.Partitions = model.AddOffsetsToTxn, model.TV1, model.Part(txn.OffsetsPartition)
	}
	r := (&txn.Brokers{Coordinator: k}).Decide(&q)
	if k.Taken {
		b.pids++
	}
	t.begins(before, now)
	m.refused(r.Err)
	if r.Err == model.None && r.PID != 0 {
		m.out.PID, m.out.Epoch = int64(r.PID)+100, int64(r.Epoch)
	}
	return true
}

func (t *simTxn) begins(before txn.TransactionState, now int64) {
	if before != txn.Ongoing && t.txn.State == txn.Ongoing {
		t.began = now
	}
}

func simPID(pid int64) model.ProducerID { return model.ProducerID(max(0, pid-100)) }

func (b *simBroker) txn(name string) *simTxn {
	return b.txns[slices.IndexFunc(b.txns, func(t *simTxn) bool { return t.name == name })]
}

func (m *simMessage) refused(err model.Error) {
	if err != model.None {
		m.outcome, m.out.Err = kfh.Failed, err.String()
	}
}

func simOffsets(in map[string]int64) []model.Offset {
	all := []model.Offset{model.NoOffset, model.NoOffset}
	for tp, o := range in {
		all[partitionNumber(tp)] = model.Offset(o)
	}
	return all
}

// write admits a batch, and appends it in a later step.
func (b *simBroker) write(m *simMessage, now int64) bool {
	p := simPartitions
	if m.f == kfh.Produce {
		p = partitionNumber(m.in.Log)
	}
	l := &b.leaders[p]
	if m.stage == 0 {
		b.guards = b.guards%250 + 1
		l.Fresh = b.guards
		seq := txn.NoSequence
		if m.f == kfh.Produce {
			seq = m.ordinal
		}
		m.batch = txn.Request{API: model.Produce, PID: simPID(m.in.PID), Epoch: model.Epoch(m.in.Epoch), Sequence: seq, Transactional: true, Version: b.version,
			Partitions: model.Part(simPart(p))}
		if m.f == kfh.TxnCommit {
			m.batch.API, m.batch.Generation, m.batch.Offsets = model.TxnOffsetCommit, model.Generation(m.in.Generation), simOffsets(m.in.Offsets)
			if m.in.Member != "" {
				m.batch.MemberID = 9
			}
		}
		t := b.txn(m.in.Txn)
		before := t.txn.State
		if err := b.at(t, p).Admit(&m.batch); err != model.None {
			m.refused(err)
			return true
		}
		t.begins(before, now)
		m.stage = 1
		return false
	}
	if m.f == kfh.TxnCommit {
		m.refused(b.at(b.txn(m.in.Txn), p).Append(&m.batch).Err)
		return true
	}
	b.appendBatch(m, l, p)
	return true
}

func (b *simBroker) appendBatch(m *simMessage, l *txn.Leader, p int) {
	key := fmt.Sprint(p, m.in.PID, m.in.Epoch)
	a := (&txn.Brokers{Leader: l}).Append(&m.batch)
	m.refused(a.Err)
	if a.Err != model.None {
		return
	}
	if a.Duplicate {
		i := slices.IndexFunc(b.batches[key], func(x simBatch) bool { return x.ordinal == m.ordinal })
		m.out.Base = b.batches[key][i].base
		return
	}
	m.out.Base = int64(len(b.logs[p]))
	b.batches[key] = append(b.batches[key], simBatch{m.ordinal, m.out.Base})
	for _, v := range m.in.Values {
		b.logs[p] = append(b.logs[p], simRecord{txn.Record{Kind: txn.TransactionalRecord, PID: m.batch.PID}, v})
	}
}

func (b *simBroker) read(m *simMessage) {
	p := partitionNumber(m.in.Log)
	log := make([]readable, len(b.logs[p]))
	for i, r := range b.logs[p] {
		log[i] = readable(r.Record)
	}
	lso := txn.LastStableOffset(&b.rules, log, len(log))
	end := len(log)
	if m.in.Committed {
		end = lso
	}
	for i := range end {
		r := b.logs[p][i]
		if r.Kind != txn.TransactionalRecord || m.in.Committed && !txn.Reads(&b.rules, log, i) {
			continue
		}
		m.out.Records = append(m.out.Records, kfh.LogRecord{Offset: int64(i), Value: r.value})
	}
	m.out.HW, m.out.LSO, m.out.Next = int64(len(log)), int64(lso), int64(end)
}

type readable txn.Record

func (r readable) Record() txn.Record { return txn.Record(r) }

func (b *simBroker) fetch(m *simMessage) {
	m.out.Offsets, m.out.Errs = map[string]int64{}, map[string]string{}
	for _, tp := range m.in.Partitions {
		p := partitionNumber(tp)
		q := offsets.Request{API: model.OffsetFetch, Offsets: make([]model.Offset, len(b.offsets.Committed)), Partitions: model.Part(p), Stable: m.in.Stable}
		if err := b.offsets.Decide(&q); err != model.None {
			m.out.Errs[tp] = err.String()
			continue
		}
		m.out.Offsets[tp] = int64(q.Offsets[p])
	}
	if len(m.out.Errs) == len(m.in.Partitions) {
		m.outcome, m.out = kfh.Failed, kfh.NoAnswer()
		m.out.Err = kfh.UnstableOffsetCommit
	}
}
