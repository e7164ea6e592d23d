package linearize

import (
	"fmt"
	"math/rand/v2"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/txn"
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
	in      kfh.Request
	ordinal int32
	batch   txn.Request
	stage   int // Produce: 1 once it is admitted
	lost    bool
	held    int // ticks to wait before it may arrive
	outcome kfh.Outcome
	out     kfh.Answer
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

func recordTxn(r txnRun) *kfh.History {
	s := &txnSim{run: r, rng: rand.New(rand.NewPCG(r.seed, 0x74786e)), kills: r.kills}
	clock := map[string]any{"unit": "ns", "kind": "monotonic", "domain": "one-host", "skew": 0}
	api := map[string]int64{kfh.Produce: 10 + r.style, kfh.EndTxn: 3 + r.style, kfh.TxnCommit: 3 + r.style}
	s.b = NewBuilder(fmt.Sprintf("txn-run-%d-%d", r.style, r.seed), field("clock", clock), field("txn_version", r.style), field("api", api))
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
	s.b.Complete(m.op, kfh.Unknown, kfh.Answer{}, "timeout")
	m.from.waits, m.from.last, m.from.p = nil, nil, s.process()
	m.from.pid = -1
}

// next is what a client asks next.
func (s *txnSim) next(c *simClient) *simMessage {
	r := kfh.Request{PID: -1, Epoch: -1, Seq: -1, Acks: -1}
	n := s.rng.IntN(100)
	switch {
	case n < 10: // a reader
		r.Log, r.Committed = fmt.Sprintf("out-%d", s.rng.IntN(simPartitions)), s.percent(50)
		return &simMessage{f: kfh.Fetch, in: r}
	case n < 20:
		r.Group, r.Partitions, r.Stable = "g", []string{"t-0", "t-1"}, s.percent(60)
		return &simMessage{f: kfh.OffsetFetch, in: r}
	case n < 24:
		r.Group, r.Generation, r.Offsets = "g", -1, s.offsets()
		return &simMessage{f: kfh.Commit, in: r}
	}
	r.Txn = c.txn.name
	if c.pid < 0 || n < 32 {
		r.Timeout = simTimeout
		if c.pid >= 0 && s.percent(50) {
			r.PID, r.Epoch = c.pid, c.epoch
		}
		return &simMessage{f: kfh.InitPID, in: r}
	}
	r.PID, r.Epoch = c.pid, c.epoch
	switch {
	case n < 65:
		if s.run.style == 1 && s.percent(50) {
			r.Partitions = []string{fmt.Sprintf("out-%d", s.rng.IntN(simPartitions))}
			return &simMessage{f: kfh.AddParts, in: r}
		}
		return s.produce(c, r)
	case n < 80:
		r.Group = "g"
		if s.run.style == 1 && s.percent(50) {
			return &simMessage{f: kfh.AddOffsets, in: r}
		}
		r.Generation, r.Offsets = -1, s.offsets()
		if s.percent(20) {
			r.Member, r.Generation = c.member, int32(s.rng.IntN(2))
		}
		return &simMessage{f: kfh.TxnCommit, in: r}
	}
	r.Commit = s.percent(60)
	return &simMessage{f: kfh.EndTxn, in: r}
}

func (s *txnSim) offsets() map[string]int64 {
	s.value++
	return map[string]int64{fmt.Sprintf("t-%d", s.rng.IntN(2)): s.value}
}

func (s *txnSim) produce(c *simClient, r kfh.Request) *simMessage {
	if c.last != nil && c.last.in.Epoch == r.Epoch && s.percent(15) {
		return &simMessage{f: kfh.Produce, in: c.last.in, ordinal: c.last.ordinal}
	}
	p := s.rng.IntN(simPartitions)
	r.Log, r.Seq = fmt.Sprintf("out-%d", p), c.seq[p]
	m := &simMessage{f: kfh.Produce, ordinal: c.count[p]}
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

// arrive lets a request reach the broker.
func (s *txnSim) arrive() bool {
	if len(s.network) == 0 {
		return false
	}
	m := take(s.rng, &s.network)
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
	m := take(s.rng, &s.answers)
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
	case m.outcome == kfh.OK && m.out.PID >= 0:
		c.pid, c.epoch = m.out.PID, m.out.Epoch
		c.seq, c.count, c.last = [simPartitions]int64{}, [simPartitions]int32{}, nil
	case m.outcome == kfh.OK && m.f == kfh.Produce:
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

func (s *txnSim) timeout() bool {
	for _, t := range s.broker.txns {
		if t.txn.State == txn.Ongoing && s.b.t-t.began > simTimeout && s.broker.coordinator(t).Overdue() {
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
