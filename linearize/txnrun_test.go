package linearize

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"fencecheck/model"
)

// A simulated run of transactional producers: the brokers are package model,
// the network delays and loses, markers travel, transactions time out, and the
// broker is killed now and then. Its history is legal by construction.

type txnRun struct {
	seed     uint64
	style    int64 // transaction.version of the requests
	requests int
	unknown  int // percent of the requests without an answer
	kills    int
	slow     bool // markers take their time
	delayed  int  // percent of the requests that are held back on their way
	rules    model.Rules
}

const (
	simPartitions = 2 // of the output; one more for the offsets
	simTimeout    = 60_000_000
	simEntries    = 4
)

type simRecord struct {
	model.Record
	value string
}

type simTxn struct {
	name     string
	txn, log model.Transaction
	outbox   model.Marker
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
	leaders [simPartitions + 1]model.PartitionLeader
	logs    [simPartitions][]simRecord
	batches map[string][]simBatch
	offsets model.OffsetStore
	lives   int16
	pids    model.ProducerID
	guards  uint8
	version model.TransactionVersion
}

type simClient struct {
	p      int
	txn    *simTxn
	pid    int64 // what it was told; -1 for nothing
	epoch  int64
	seq    [simPartitions]int64
	count  [simPartitions]int32
	waits  *simMessage
	last   *simMessage // its latest Produce, to be repeated
	member string
}

type simMessage struct {
	from    *simClient
	op      int
	f       string
	in      Request
	ordinal int32
	batch   model.TxnRequest
	stage   int // Produce: 1 once it is admitted
	lost    bool
	held    int // ticks to wait before it may arrive
	outcome Outcome
	out     Answer
}

type txnSim struct {
	run     txnRun
	rng     *rand.Rand
	b       *Builder
	broker  *simBroker
	clients []*simClient
	network []*simMessage
	answers []*simMessage
	procs   int
	value   int64
	kills   int
}

func recordTxn(r txnRun) *History {
	s := &txnSim{run: r, rng: rand.New(rand.NewPCG(r.seed, 0x74786e)), kills: r.kills}
	clock := map[string]any{"unit": "ns", "kind": "monotonic", "domain": "one-host", "skew": 0}
	api := map[string]int64{fProduce: 10 + r.style, fEnd: 3 + r.style, fTxnCommit: 3 + r.style}
	s.b = NewBuilder(fmt.Sprintf("txn-run-%d-%d", r.style, r.seed), Field{"clock", mustJSON(clock)}, Field{"txn_version", mustJSON(r.style)}, Field{"api", mustJSON(api)})
	s.b.h.Header.API, s.b.h.Header.TxnVersion = api, r.style
	s.broker = newSimBroker(r.rules)
	s.broker.version = model.TransactionVersion(r.style)
	for i := range 5 {
		s.clients = append(s.clients, &simClient{p: s.process(), txn: s.broker.txns[i%2], pid: -1, member: []string{"", "nobody"}[i%2]})
	}
	for s.tick() {
	}
	return s.b.History()
}

func newSimBroker(rules model.Rules) *simBroker {
	b := &simBroker{rules: rules, batches: map[string][]simBatch{}}
	b.txns = []*simTxn{{name: "x1"}, {name: "x2"}}
	for i := range b.leaders {
		b.leaders[i] = model.PartitionLeader{Rules: &b.rules, Entries: make([]model.ProducerEntry, simEntries)}
	}
	group := &model.Coordinator{Rules: &b.rules, Group: &model.Group{}, Members: make([]model.Member, 2)}
	b.offsets = model.OffsetStore{Rules: &b.rules, Group: group, Committed: make([]model.Offset, 2), At: make([]uint32, 2), Pending: make([]model.PendingOffset, 16)}
	for p := range b.offsets.Committed {
		b.offsets.Committed[p] = model.NoOffset
	}
	return b
}

func (s *txnSim) process() int {
	s.procs++
	return s.procs - 1
}

func (s *txnSim) percent(n int) bool { return s.rng.IntN(100) < n }

func (s *txnSim) tick() bool {
	s.b.Advance(int64(1 + s.rng.IntN(1_000_000)))
	inviting := len(s.b.h.Ops) < s.run.requests
	switch n := s.rng.IntN(100); {
	case n < 30 && s.arrive():
	case n < 60 && s.deliver():
	case n < 72 && s.marker():
	case n < 75 && s.timeout():
	case n < 76 && s.kills > 0 && inviting && s.percent(20):
		s.kill()
	case inviting && s.invite():
	case s.arrive(), s.deliver(), s.marker():
	default:
		return inviting
	}
	return true
}

// invite lets an idle client send its next request.
func (s *txnSim) invite() bool {
	c := s.clients[s.rng.IntN(len(s.clients))]
	if c.waits != nil {
		return false
	}
	m := s.next(c)
	m.from, m.op = c, s.b.Invoke(c.p, m.f, m.in)
	c.waits = m
	if s.run.delayed > 0 && s.percent(s.run.delayed) {
		m.held = 5 + s.rng.IntN(60)
	}
	s.network = append(s.network, m)
	if s.percent(s.run.unknown) {
		s.giveUp(m)
	}
	return true
}

func (s *txnSim) giveUp(m *simMessage) {
	m.lost = true
	s.b.Complete(m.op, Unknown, Answer{}, "timeout")
	m.from.waits, m.from.last, m.from.p = nil, nil, s.process()
	m.from.pid = -1
}

// next is what a client asks next.
func (s *txnSim) next(c *simClient) *simMessage {
	r := Request{PID: -1, Epoch: -1, Seq: -1, Acks: -1}
	n := s.rng.IntN(100)
	switch {
	case n < 10: // a reader
		r.Log, r.Committed = fmt.Sprintf("out-%d", s.rng.IntN(simPartitions)), s.percent(50)
		return &simMessage{f: fRead, in: r}
	case n < 20:
		r.Group, r.Partitions, r.Stable = "g", []string{"t-0", "t-1"}, s.percent(60)
		return &simMessage{f: fFetch, in: r}
	case n < 24:
		r.Group, r.Generation, r.Offsets = "g", -1, s.offsets()
		return &simMessage{f: fCommit, in: r}
	}
	r.Txn = c.txn.name
	if c.pid < 0 || n < 32 {
		r.Timeout = simTimeout
		if c.pid >= 0 && s.percent(50) {
			r.PID, r.Epoch = c.pid, c.epoch
		}
		return &simMessage{f: fInit, in: r}
	}
	r.PID, r.Epoch = c.pid, c.epoch
	switch {
	case n < 65:
		if s.run.style == 1 && s.percent(50) {
			r.Partitions = []string{fmt.Sprintf("out-%d", s.rng.IntN(simPartitions))}
			return &simMessage{f: fAddParts, in: r}
		}
		return s.produce(c, r)
	case n < 80:
		r.Group = "g"
		if s.run.style == 1 && s.percent(50) {
			return &simMessage{f: fAddOffsets, in: r}
		}
		r.Generation, r.Offsets = -1, s.offsets()
		if s.percent(20) {
			r.Member, r.Generation = c.member, int32(s.rng.IntN(2))
		}
		return &simMessage{f: fTxnCommit, in: r}
	}
	r.Commit = s.percent(60)
	return &simMessage{f: fEnd, in: r}
}

func (s *txnSim) offsets() map[string]int64 {
	s.value++
	return map[string]int64{fmt.Sprintf("t-%d", s.rng.IntN(2)): s.value}
}

func (s *txnSim) produce(c *simClient, r Request) *simMessage {
	if c.last != nil && c.last.in.Epoch == r.Epoch && s.percent(15) {
		return &simMessage{f: fProduce, in: c.last.in, ordinal: c.last.ordinal}
	}
	p := s.rng.IntN(simPartitions)
	r.Log, r.Seq = fmt.Sprintf("out-%d", p), c.seq[p]
	m := &simMessage{f: fProduce, ordinal: c.count[p]}
	if s.percent(4) {
		r.Seq, m.ordinal = r.Seq+7, m.ordinal+7
	}
	for range 1 + s.rng.IntN(3) {
		s.value++
		r.Values = append(r.Values, fmt.Sprintf("%d", s.value))
	}
	m.in = r
	return m
}

func takeOne(rng *rand.Rand, list *[]*simMessage) *simMessage {
	i := rng.IntN(len(*list))
	m := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return m
}

// arrive lets a request reach the broker.
func (s *txnSim) arrive() bool {
	if len(s.network) == 0 {
		return false
	}
	m := takeOne(s.rng, &s.network)
	if m.held > 0 {
		m.held--
		s.network = append(s.network, m)
		return true
	}
	if m.lost && m.stage == 0 && s.percent(40) {
		return true
	}
	if s.broker.decide(m, s.b.t) {
		s.answers = append(s.answers, m)
	} else {
		s.network = append(s.network, m)
	}
	return true
}

func (s *txnSim) deliver() bool {
	if len(s.answers) == 0 {
		return false
	}
	m := takeOne(s.rng, &s.answers)
	if m.lost {
		return true
	}
	s.b.Complete(m.op, m.outcome, m.out, "")
	m.from.waits = nil
	m.from.learn(m)
	return true
}

// learn is what a client makes of an answer.
func (c *simClient) learn(m *simMessage) {
	switch {
	case m.out.Err == "PRODUCER_FENCED" || m.out.Err == "INVALID_PRODUCER_EPOCH":
		if m.op%2 == 0 { // every other one is a zombie that goes on
			c.pid = -1
		}
	case m.outcome == OK && m.out.PID >= 0:
		c.pid, c.epoch = m.out.PID, m.out.Epoch
		c.seq, c.count, c.last = [simPartitions]int64{}, [simPartitions]int32{}, nil
	case m.outcome == OK && m.f == fProduce:
		p := partitionNumber(m.in.Log)
		if m.in.Seq == c.seq[p] {
			c.seq[p] += int64(len(m.in.Values))
			c.count[p]++
		}
		c.last = m
	}
}

// marker lets one marker arrive.
func (s *txnSim) marker() bool {
	for _, t := range s.broker.txns {
		for p := range s.broker.leaders {
			if t.outbox.To.Has(simPart(p)) && s.percent(60) && (!s.run.slow || s.percent(15)) {
				s.broker.mark(t, p)
				return true
			}
		}
	}
	return false
}

func simPart(p int) int {
	if p == simPartitions {
		return model.OffsetsPartition
	}
	return p
}

// at are the views that a request to a partition meets.
func (b *simBroker) at(t *simTxn, p int) *model.Brokers {
	v := &model.Brokers{Coordinator: b.coordinator(t), Leader: &b.leaders[p]}
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
		kind := model.AbortMarker
		if m.Commit {
			kind = model.CommitMarker
		}
		b.logs[p] = append(b.logs[p], simRecord{Record: model.Record{Kind: kind, PID: m.PID}})
	}
	b.coordinator(t).MarkerAnswered(simPart(p), err)
}

func (s *txnSim) timeout() bool {
	for _, t := range s.broker.txns {
		if t.txn.State == model.Ongoing && s.b.t-t.began > simTimeout && s.broker.coordinator(t).Overdue() {
			return true
		}
	}
	return false
}

// kill ends a life of the broker; requests on the way are lost.
func (s *txnSim) kill() {
	s.kills--
	s.b.Note("kill", "broker")
	for _, c := range s.clients {
		if c.waits != nil {
			s.giveUp(c.waits)
		}
	}
	s.network, s.answers = nil, nil
	s.b.Note("start", "broker")
	b := s.broker
	b.lives++
	for _, t := range b.txns {
		b.coordinator(t).Load()
	}
	for i := range b.leaders {
		b.leaders[i].Elect()
	}
}

func (b *simBroker) coordinator(t *simTxn) *model.TransactionCoordinator {
	return &model.TransactionCoordinator{Rules: &b.rules, Txn: &t.txn, Log: &t.log, Outbox: &t.outbox, Epoch: b.lives, Fresh: b.pids + 1}
}

// decide decides a request; false if it needs another step.
func (b *simBroker) decide(m *simMessage, now int64) bool {
	m.outcome, m.out = OK, noAnswer()
	switch m.f {
	case fRead:
		b.read(m)
		return true
	case fFetch:
		b.fetch(m)
		return true
	case fCommit:
		m.refused(b.offsets.Decide(&model.OffsetsRequest{API: model.OffsetCommit, Generation: model.NoGeneration, Offsets: simOffsets(m.in.Offsets)}))
		return true
	case fProduce, fTxnCommit:
		return b.write(m, now)
	}
	t := b.txn(m.in.Txn)
	before := t.txn.State
	k := b.coordinator(t)
	pid, epoch := simPID(m.in.PID), model.Epoch(m.in.Epoch)
	q := model.TxnRequest{API: model.InitProducerID, PID: pid, Epoch: epoch, Commit: m.in.Commit, Version: b.version}
	switch m.f {
	case fEnd:
		q.API = model.EndTxn
	case fAddParts:
		q.API, q.Version, q.Partitions = model.AddPartitionsToTxn, model.TV1, model.Part(partitionNumber(m.in.Partitions[0]))
	case fAddOffsets:
		q.API, q.Version, q.Partitions = model.AddOffsetsToTxn, model.TV1, model.Part(model.OffsetsPartition)
	}
	r := (&model.Brokers{Coordinator: k}).Decide(&q)
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

func (t *simTxn) begins(before model.TransactionState, now int64) {
	if before != model.Ongoing && t.txn.State == model.Ongoing {
		t.began = now
	}
}

func simPID(pid int64) model.ProducerID { return model.ProducerID(max(0, pid-100)) }

func (b *simBroker) txn(name string) *simTxn {
	return b.txns[slices.IndexFunc(b.txns, func(t *simTxn) bool { return t.name == name })]
}

func (m *simMessage) refused(err model.Error) {
	if err != model.None {
		m.outcome, m.out.Err = Failed, err.String()
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
	if m.f == fProduce {
		p = partitionNumber(m.in.Log)
	}
	l := &b.leaders[p]
	if m.stage == 0 {
		b.guards = b.guards%250 + 1
		l.Fresh = b.guards
		seq := model.NoSequence
		if m.f == fProduce {
			seq = m.ordinal
		}
		m.batch = model.TxnRequest{API: model.Produce, PID: simPID(m.in.PID), Epoch: model.Epoch(m.in.Epoch), Sequence: seq, Transactional: true, Version: b.version,
			Partitions: model.Part(simPart(p))}
		if m.f == fTxnCommit {
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
	if m.f == fTxnCommit {
		m.refused(b.at(b.txn(m.in.Txn), p).Append(&m.batch).Err)
		return true
	}
	b.appendBatch(m, l, p)
	return true
}

func (b *simBroker) appendBatch(m *simMessage, l *model.PartitionLeader, p int) {
	key := fmt.Sprint(p, m.in.PID, m.in.Epoch)
	a := (&model.Brokers{Leader: l}).Append(&m.batch)
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
		b.logs[p] = append(b.logs[p], simRecord{model.Record{Kind: model.TransactionalRecord, PID: m.batch.PID}, v})
	}
}

func (b *simBroker) read(m *simMessage) {
	p := partitionNumber(m.in.Log)
	log := make([]readable, len(b.logs[p]))
	for i, r := range b.logs[p] {
		log[i] = readable(r.Record)
	}
	lso := model.LastStableOffset(&b.rules, log, len(log))
	end := len(log)
	if m.in.Committed {
		end = lso
	}
	for i := range end {
		r := b.logs[p][i]
		if r.Kind != model.TransactionalRecord || m.in.Committed && !model.Reads(&b.rules, log, i) {
			continue
		}
		m.out.Records = append(m.out.Records, LogRecord{int64(i), r.value})
	}
	m.out.HW, m.out.LSO, m.out.Next = int64(len(log)), int64(lso), int64(end)
}

type readable model.Record

func (r readable) Record() model.Record { return model.Record(r) }

func (b *simBroker) fetch(m *simMessage) {
	m.out.Offsets, m.out.Errs = map[string]int64{}, map[string]string{}
	for _, tp := range m.in.Partitions {
		p := partitionNumber(tp)
		q := model.OffsetsRequest{API: model.OffsetFetch, Offsets: make([]model.Offset, len(b.offsets.Committed)), Partitions: model.Part(p), Stable: m.in.Stable}
		if err := b.offsets.Decide(&q); err != model.None {
			m.out.Errs[tp] = err.String()
			continue
		}
		m.out.Offsets[tp] = int64(q.Offsets[p])
	}
	if len(m.out.Errs) == len(m.in.Partitions) {
		m.outcome, m.out = Failed, noAnswer()
		m.out.Err = unstable
	}
}
