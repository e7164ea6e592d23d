package conform

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// txnVenue is what plays of transactions need of a venue: partitions that one
// play after the other uses, and what the broker says of its coordinators.
type txnVenue struct {
	*venue
	offsetsPartitions int     // of the group coordinators' log; 0: it has none
	coordinators      []int16 // epochs of the transaction coordinators, by partition of their log

	asking sync.RWMutex // held alone by whoever must not share a question to the coordinator

	mu     sync.Mutex
	topics []string
	free   []slot
	ids    int
}

// slot is one output partition.
type slot struct {
	topic     string
	partition int32
	leader    string
}

// slots is how many partitions a topic of ours has.
const slots = 48

const transactionsTopic = "__transaction_state"

// newTxnVenue waits until the broker can coordinate transactions.
func newTxnVenue(ctx context.Context, v *venue) (*txnVenue, error) {
	t := &txnVenue{venue: v}
	c, err := dial(ctx, v.address, v.patience)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.offers(ctx, allTxnVersions()); err != nil {
		return nil, err
	}
	wait, cancel := context.WithTimeout(ctx, v.patience)
	defer cancel()
	if err := c.awaitTransactions(wait, t.tid()); err != nil {
		return nil, err
	}
	offsets, err := c.leaders(ctx, offsetsTopic)
	if err != nil {
		return nil, err
	}
	t.offsetsPartitions = len(offsets)
	transactions, err := c.leaders(ctx, transactionsTopic)
	for _, l := range transactions {
		t.coordinators = append(t.coordinators, l.epoch)
	}
	return t, err
}

// awaitTransactions returns when a transactional id can be initialised: its
// coordinator's log is made when the first one is asked for.
func (c *conn) awaitTransactions(ctx context.Context, tid string) error {
	for {
		_, err := c.coordinatorsOf(ctx, ofTransactions, []string{tid})
		if err == nil {
			m := kmsg.NewPtrInitProducerIDRequest()
			m.SetVersion(4)
			m.TransactionalID, m.TransactionTimeoutMillis, m.ProducerID, m.ProducerEpoch = &tid, 10_000, -1, -1
			a, failure := c.call(ctx, m)
			if failure != nil {
				return failure
			}
			if code := a.(*kmsg.InitProducerIDResponse).ErrorCode; code == 0 || !temporary(code) {
				return nil // another error is for the plays to meet
			}
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// led is who leads a partition, and since which epoch.
type led struct {
	address string
	epoch   int16
}

// leaders lists the leaders of a topic's partitions, none if the topic is not
// there.
func (c *conn) leaders(ctx context.Context, topic string) ([]led, error) {
	t := kmsg.NewMetadataRequestTopic()
	t.Topic = &topic
	m := speak(kmsg.NewPtrMetadataRequest())
	m.Topics = append(m.Topics, t)
	a, err := c.call(ctx, m)
	if err != nil {
		return nil, err
	}
	meta := a.(*kmsg.MetadataResponse)
	at := map[int32]string{}
	for _, b := range meta.Brokers {
		at[b.NodeID] = joinAddress(b.Host, b.Port)
	}
	if len(meta.Topics) != 1 || meta.Topics[0].ErrorCode != 0 {
		return nil, nil
	}
	all := make([]led, len(meta.Topics[0].Partitions))
	for _, p := range meta.Topics[0].Partitions {
		if int(p.Partition) < len(all) {
			all[p.Partition] = led{at[p.Leader], int16(p.LeaderEpoch)}
		}
	}
	return all, nil
}

// tid is a transactional id that nobody has used. The broker forgets it after
// transactional.id.expiration.ms, there is no request that removes it.
func (v *txnVenue) tid() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ids++
	return fmt.Sprintf("%s%s-txn-%d", Prefix, v.id, v.ids)
}

// take returns partitions that nobody else uses now.
func (v *txnVenue) take(ctx context.Context, c *conn) ([]slot, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.free) < outs {
		if err := v.more(ctx, c); err != nil {
			return nil, err
		}
	}
	some := v.free[:outs:outs]
	v.free = v.free[outs:]
	return some, nil
}

// more makes another topic.
func (v *txnVenue) more(ctx context.Context, c *conn) error {
	name := fmt.Sprintf("%s%s-out-%d", Prefix, v.id, len(v.topics)+1)
	v.topics = append(v.topics, name)
	if err := c.createTopic(ctx, name, slots); err != nil {
		return err
	}
	leaders, err := c.leaders(ctx, name)
	for p, l := range leaders {
		v.free = append(v.free, slot{name, int32(p), l.address})
	}
	if err == nil && len(v.free) < outs {
		err = c.rubbish("a topic without partitions")
	}
	return err
}

func (v *txnVenue) giveBack(some []slot) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.free = append(v.free, some...)
}

// alone keeps apart what the broker throws together: questions of several
// writers to a transaction coordinator travel in one request, and all of them
// are then told errors as the version of the first one knows them (seen on
// 4.4.0: TransactionDataAndCallbacks of AddPartitionsToTxnManager has one
// supported operation). It returns what ends the exclusion.
func (v *txnVenue) alone(r txnRequest) (end func()) {
	switch {
	case r.Step.Op != produce && r.Step.Op != txnCommit:
		return func() {}
	case model.TransactionAbortable.Told(txnAPIs[r.Step.Op], r.spoken().version) != model.TransactionAbortable:
		v.asking.Lock()
		return v.asking.Unlock
	}
	v.asking.RLock()
	return v.asking.RUnlock
}

// tidy deletes the topics.
func (v *txnVenue) tidy(ctx context.Context) {
	c, err := dial(ctx, v.address, v.patience)
	if err != nil {
		return
	}
	defer c.close()
	for _, name := range v.topics {
		_ = c.deleteTopic(ctx, name)
	}
}

// partitionOf is where a coordinator's log has a key: Java's String.hashCode.
func partitionOf(key string, partitions int) int {
	if partitions == 0 {
		return 0
	}
	var h int32
	for _, b := range []byte(key) {
		h = 31*h + int32(b)
	}
	return int(h&0x7fffffff) % partitions
}

// txnStage is where one worker plays: its connections, and a group with one
// member.
type txnStage struct {
	venue *txnVenue
	conns map[string]*conn
	slots []slot // of the play under way

	group       string
	memberID    string
	generation  int32
	coordinator string
	again       restarter
}

func newTxnStage(v *txnVenue) *txnStage { return &txnStage{venue: v, conns: map[string]*conn{}} }

// cleanup is how long the broker may take to notice that a transaction is
// overdue.
func (s *txnStage) cleanup() time.Duration {
	if s.venue.embedded {
		return 0
	}
	return s.venue.limits.txnCleanup
}

// completion is how long the markers of a transaction may take.
func (s *txnStage) completion() time.Duration {
	if s.venue.embedded {
		return atOnce
	}
	return completion
}

// ask sends a request that is answered at once.
func (s *txnStage) ask(ctx context.Context, address string, m kmsg.Request) (kmsg.Response, error) {
	c, err := s.conn(ctx, address)
	if err != nil {
		return nil, err
	}
	return c.call(ctx, m)
}

func (s *txnStage) conn(ctx context.Context, address string) (*conn, error) {
	if c := s.conns[address]; c != nil {
		return c, nil
	}
	c, err := dial(ctx, address, s.venue.patience)
	if err == nil {
		s.conns[address] = c
	}
	return c, err
}

// address is whom a request goes to.
func (s *txnStage) address(r txnRequest, x *cue) string {
	switch r.Step.Op {
	case produce, readRecords, lastOffset:
		return x.leaders[r.Step.Place]
	case writeMarker:
		if r.Step.Place != offsetsPlace {
			return x.leaders[r.Step.Place]
		}
		return s.coordinator
	case txnCommit, memberCommit, readOffset:
		return s.coordinator
	}
	return x.coordinator
}

// close ends the connections. The group is left to tidy.
func (s *txnStage) close() {
	for a, c := range s.conns {
		c.close()
		delete(s.conns, a)
	}
}

// begin prepares a play: an id that nobody has used, partitions, and the group.
func (s *txnStage) begin(ctx context.Context, g *txnGame, short time.Duration) (*txnPlay, error) {
	c, err := s.conn(ctx, s.venue.address)
	if err != nil {
		return nil, err
	}
	if err := s.assemble(ctx, c); err != nil {
		return nil, err
	}
	p := &txnPlay{stage: s, state: txnStart(), short: short}
	x := &p.cue
	*x = cue{tid: s.venue.tid(), group: s.group, generation: s.generation, memberID: s.memberID, pids: map[model.ProducerID]int64{}, names: map[int64]model.ProducerID{},
		timeout: s.venue.limits.longestTxn(), offsets: int32(partitionOf(s.group, s.venue.offsetsPartitions))}
	if short > 0 {
		x.timeout = short
	}
	x.bind(0, -1)
	x.bind(strangerPID, 1<<48+rand.Int64N(1<<48))
	at, err := c.coordinatorsOf(ctx, ofTransactions, []string{x.tid})
	if err != nil {
		return nil, err
	}
	x.coordinator = at[x.tid]
	mine := *g
	if n := len(s.venue.coordinators); n > 0 {
		mine.coordinator = s.venue.coordinators[partitionOf(x.tid, n)]
	}
	mine.noOffsets = s.venue.offsetsPartitions == 0
	p.game = &mine
	if err := s.settleIn(ctx, c, x); err != nil {
		return nil, err
	}
	committed, err := s.committed(ctx, x)
	if committed >= 0 {
		p.state.Offset, x.commitOffset = 0, committed
	}
	p.start = p.state
	return p, err
}

// settleIn takes partitions whose readers nothing holds back.
func (s *txnStage) settleIn(ctx context.Context, c *conn, x *cue) error {
	some, err := s.venue.take(ctx, c)
	if err != nil {
		return err
	}
	s.slots = some
	for i, at := range some {
		x.topics[i], x.partitions[i], x.leaders[i] = at.topic, at.partition, at.leader
		end, err := s.endOf(ctx, x, uint8(i))
		if err != nil {
			return err
		}
		x.base[i] = int64(end.Place)
	}
	return nil
}

// endOf is where a partition ends. A leader may hear of its partition later than
// the controller does.
func (s *txnStage) endOf(ctx context.Context, x *cue, place uint8) (txnAnswer, error) {
	r := txnRequest{Step: txnStep{Op: lastOffset, Place: place}}
	for until := time.Now().Add(s.venue.patience); ; {
		m, err := s.ask(ctx, x.leaders[place], x.message(r, 0))
		if err != nil {
			return txnAnswer{}, err
		}
		a := x.read(m, r, 0)
		if a.Err == model.None && a.Odd == "" {
			return a, nil
		}
		if time.Now().After(until) {
			return a, &BrokerError{x.leaders[place], fmt.Sprintf("%s to ListOffsets of %s", a.text(), x.topics[place])}
		}
		if err := pause(ctx, 10*glance); err != nil {
			return a, err
		}
	}
}

// committed is the offset that an earlier play has left.
func (s *txnStage) committed(ctx context.Context, x *cue) (int64, error) {
	r := txnRequest{Step: txnStep{Op: readOffset}}
	a, err := s.ask(ctx, s.coordinator, x.message(r, 0))
	if err != nil {
		return -1, err
	}
	return int64(x.read(a, r, 0).Offset) - 1, nil
}

func (s *txnStage) giveBack(*cue) {
	s.venue.giveBack(s.slots)
	s.slots = nil
}

// assemble makes the group, unless it is there.
func (s *txnStage) assemble(ctx context.Context, c *conn) error {
	if s.group != "" {
		m := speak(kmsg.NewPtrHeartbeatRequest())
		m.Group, m.MemberID, m.Generation = s.group, s.memberID, s.generation
		a, err := s.ask(ctx, s.coordinator, m)
		if err != nil {
			return err
		}
		if a.(*kmsg.HeartbeatResponse).ErrorCode == 0 {
			return nil
		}
	}
	s.group = s.venue.venue.group()
	var err error
	if s.coordinator, err = c.coordinator(ctx, s.group); err != nil {
		return err
	}
	return s.join(ctx)
}

// join brings one member into the group, and lets it take all partitions.
func (s *txnStage) join(ctx context.Context) error {
	x := sending{group: s.group, session: memberSession, rebalance: memberSession}
	s.memberID = ""
	for range 2 { // the first hands out the id
		m := x.join(txnJoin, s.memberID)
		a, err := s.patient(ctx, m)
		if err != nil {
			return err
		}
		j := a.(*kmsg.JoinGroupResponse)
		s.memberID, s.generation = j.MemberID, j.Generation
		if j.ErrorCode == 0 {
			break
		}
	}
	m := speak(kmsg.NewPtrSyncGroupRequest())
	m.Group, m.MemberID, m.Generation = s.group, s.memberID, s.generation
	m.ProtocolType, m.Protocol = kmsg.StringPtr(protocolType), kmsg.StringPtr(protocolName(model.Range))
	part := kmsg.NewSyncGroupRequestGroupAssignment()
	part.MemberID, part.MemberAssignment = s.memberID, assignment(Prefix, 1)
	m.GroupAssignment = append(m.GroupAssignment, part)
	a, err := s.ask(ctx, s.coordinator, m)
	if err != nil {
		return err
	}
	if code := a.(*kmsg.SyncGroupResponse).ErrorCode; code != 0 {
		return &BrokerError{s.coordinator, fmt.Sprintf("error %d to the SyncGroup of a group's only member", code)}
	}
	return nil
}

// memberSession outlasts every play; before each the member shows that it lives.
const memberSession = 5 * time.Minute

var txnJoin = request{Step: step{Op: joinKnown}, Protocols: usual, Meta: 1}

// patient asks what the broker answers only after its initial delay.
func (s *txnStage) patient(ctx context.Context, m kmsg.Request) (kmsg.Response, error) {
	c, err := s.conn(ctx, s.coordinator)
	if err != nil {
		return nil, err
	}
	c.patience += s.venue.limits.initialDelay
	defer func() { c.patience -= s.venue.limits.initialDelay }()
	return c.call(ctx, m)
}

// restarter kills the broker and starts it again after a while.
type restarter func(ctx context.Context, down time.Duration) error

// restart kills the broker, starts it again, and waits until its coordinators
// have read their logs.
func (s *txnStage) restart(ctx context.Context, x *cue, down time.Duration) error {
	if s.again == nil {
		return errImpossible
	}
	s.close()
	if err := s.again(ctx, down); err != nil {
		return err
	}
	for end := time.Now().Add(s.venue.patience); time.Now().Before(end); {
		m, err := s.ask(ctx, x.coordinator, describeOf(x.tid))
		if err != nil {
			return err
		}
		if ts := m.(*kmsg.DescribeTransactionsResponse).TransactionStates; len(ts) == 1 && !temporary(ts[0].ErrorCode) {
			_, err := s.endOf(ctx, x, 0)
			return err
		}
		if err := pause(ctx, 10*glance); err != nil {
			return err
		}
	}
	return &BrokerError{x.coordinator, "the transaction coordinator does not come back"}
}
