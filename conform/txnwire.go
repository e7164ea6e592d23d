package conform

import (
	"hash/crc32"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// txnVersions are the versions of the requests around transactions that must be
// offered, beside those of speech.
var txnVersions = []version{
	{func() kmsg.Request { return kmsg.NewPtrFetchRequest() }, 12},
	{func() kmsg.Request { return kmsg.NewPtrListOffsetsRequest() }, 7},
	{func() kmsg.Request { return kmsg.NewPtrDescribeTransactionsRequest() }, 0},
}

// txnKeys are the requests of speech that have several versions.
var txnKeys = [numTxnOps]func() kmsg.Request{
	initProducer: func() kmsg.Request { return kmsg.NewPtrInitProducerIDRequest() },
	addPartition: func() kmsg.Request { return kmsg.NewPtrAddPartitionsToTxnRequest() },
	addOffsets:   func() kmsg.Request { return kmsg.NewPtrAddOffsetsToTxnRequest() },
	produce:      func() kmsg.Request { return kmsg.NewPtrProduceRequest() },
	txnCommit:    func() kmsg.Request { return kmsg.NewPtrTxnOffsetCommitRequest() },
	endTxn:       func() kmsg.Request { return kmsg.NewPtrEndTxnRequest() },
	writeMarker:  func() kmsg.Request { return kmsg.NewPtrWriteTxnMarkersRequest() },
}

// allTxnVersions lists every version that is spoken in transactions.
func allTxnVersions() []version {
	all := txnVersions
	for op, request := range txnKeys {
		for _, s := range speech[op] {
			if request != nil {
				all = append(all, version{request, s.version})
			}
		}
	}
	return all
}

// offsetsTopic is the group coordinators' log.
const offsetsTopic = "__consumer_offsets"

// A cue is what requests need besides what the model knows of them.
type cue struct {
	tid          string
	coordinator  string // its address
	topics       [outs]string
	partitions   [outs]int32
	leaders      [outs]string // their addresses
	base         [outs]int64  // where the play's records begin
	group        string
	generation   int32
	memberID     string
	offsets      int32 // the group's partition of offsetsTopic
	timeout      time.Duration
	pids         map[model.ProducerID]int64
	names        map[int64]model.ProducerID
	commitOffset int64 // added to the model's offsets on the wire
}

func (x *cue) bind(p model.ProducerID, wire int64) { x.pids[p], x.names[wire] = wire, p }

// placeOn is where a place is on the broker.
func (x *cue) placeOn(place uint8) (topic string, partition int32) {
	if place == offsetsPlace {
		return offsetsTopic, x.offsets
	}
	return x.topics[place], x.partitions[place]
}

// message is a request as it goes over the wire. number is that of the record or
// commit that it brings.
func (x *cue) message(r txnRequest, number int32) kmsg.Request {
	m := x.body(r, number)
	m.SetVersion(r.spoken().version)
	return m
}

func (x *cue) body(r txnRequest, number int32) kmsg.Request {
	switch r.Step.Op {
	case initProducer:
		m := kmsg.NewPtrInitProducerIDRequest()
		m.TransactionalID, m.TransactionTimeoutMillis = &x.tid, int32(x.timeout.Milliseconds())
		m.ProducerID, m.ProducerEpoch = x.pids[r.PID], int16(r.Epoch)
		return m
	case addPartition:
		return x.addPartition(r)
	case addOffsets:
		m := kmsg.NewPtrAddOffsetsToTxnRequest()
		m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Group = x.tid, x.pids[r.PID], int16(r.Epoch), x.group
		return m
	case produce:
		return x.produce(r, number)
	case txnCommit:
		return x.txnCommit(r, number)
	case endTxn:
		m := kmsg.NewPtrEndTxnRequest()
		m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Commit = x.tid, x.pids[r.PID], int16(r.Epoch), r.Step.Commit
		return m
	case writeMarker:
		return x.marker(r)
	case memberCommit:
		return x.memberCommit(number)
	}
	return x.observation(r)
}

func (x *cue) addPartition(r txnRequest) kmsg.Request {
	topic, partition := x.placeOn(r.Step.Place)
	m := kmsg.NewPtrAddPartitionsToTxnRequest()
	if r.spoken().version < 4 {
		t := kmsg.NewAddPartitionsToTxnRequestTopic()
		t.Topic, t.Partitions = topic, []int32{partition}
		m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Topics = x.tid, x.pids[r.PID], int16(r.Epoch), append(m.Topics, t)
		return m
	}
	t := kmsg.NewAddPartitionsToTxnRequestTransactionTopic()
	t.Topic, t.Partitions = topic, []int32{partition}
	n := kmsg.NewAddPartitionsToTxnRequestTransaction()
	n.TransactionalID, n.ProducerID, n.ProducerEpoch, n.VerifyOnly, n.Topics = x.tid, x.pids[r.PID], int16(r.Epoch), r.spoken().verify, append(n.Topics, t)
	m.Transactions = append(m.Transactions, n)
	return m
}

func (x *cue) produce(r txnRequest, number int32) kmsg.Request {
	p := kmsg.NewProduceRequestTopicPartition()
	topic, partition := x.placeOn(r.Step.Place)
	p.Partition, p.Records = partition, batchOf(x.pids[r.PID], r, number)
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	m := kmsg.NewPtrProduceRequest()
	if r.spoken().txnV != 0 {
		m.TransactionID = &x.tid
	}
	m.Acks, m.TimeoutMillis, m.Topics = -1, 10_000, append(m.Topics, t)
	return m
}

// transactional is the attribute of a batch.
const transactional = 0x10

// batchOf is a batch of one record, whose value is its number.
func batchOf(pid int64, r txnRequest, number int32) []byte {
	record := kmsg.NewRecord()
	record.Value = []byte(strconv.Itoa(int(number)))
	record.Length = int32(len(record.AppendTo(nil)) - 1) // of a varint of one byte
	now := time.Now().UnixMilli()
	b := kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, FirstTimestamp: now, MaxTimestamp: now, ProducerID: pid,
		ProducerEpoch: int16(r.Epoch), FirstSequence: r.Sequence, NumRecords: 1, Records: record.AppendTo(nil)}
	if r.spoken().txnV != 0 {
		b.Attributes = transactional
	}
	raw := b.AppendTo(nil)
	b.Length = int32(len(raw) - 12)
	b.CRC = int32(crc32.Checksum(raw[21:], castagnoli))
	return b.AppendTo(nil)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (x *cue) txnCommit(r txnRequest, number int32) kmsg.Request {
	p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = x.partitions[0], x.commitOffset+int64(number)
	t := kmsg.NewTxnOffsetCommitRequestTopic()
	t.Topic, t.Partitions = x.topics[0], append(t.Partitions, p)
	m := kmsg.NewPtrTxnOffsetCommitRequest()
	m.TransactionalID, m.Group, m.ProducerID, m.ProducerEpoch, m.Topics = x.tid, x.group, x.pids[r.PID], int16(r.Epoch), append(m.Topics, t)
	m.Generation, m.MemberID = x.says(r)
	if r.Step.Cred == absentGroup {
		m.Group += "-absent"
	}
	return m
}

// says is what a request says of generation and member.
func (x *cue) says(r txnRequest) (int32, string) {
	g := int32(r.Generation)
	if g >= 0 {
		g += x.generation - int32(generation)
	}
	switch r.Member {
	case theMember:
		return g, x.memberID
	case notAMember:
		return g, clientID + "-00000000-0000-0000-0000-000000000000"
	}
	return g, ""
}

func (x *cue) marker(r txnRequest) kmsg.Request {
	topic, partition := x.placeOn(r.Step.Place)
	t := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	t.Topic, t.Partitions = topic, []int32{partition}
	n := kmsg.NewWriteTxnMarkersRequestMarker()
	n.ProducerID, n.ProducerEpoch, n.Committed, n.CoordinatorEpoch = x.pids[r.PID], int16(r.Epoch), r.Step.Commit, int32(r.Coord)
	n.TransactionVersion, n.Topics = int8(r.spoken().txnV), append(n.Topics, t)
	m := kmsg.NewPtrWriteTxnMarkersRequest()
	m.Markers = append(m.Markers, n)
	return m
}

func (x *cue) memberCommit(number int32) kmsg.Request {
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = x.partitions[0], x.commitOffset+int64(number)
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.Partitions = x.topics[0], append(t.Partitions, p)
	m := kmsg.NewPtrOffsetCommitRequest()
	m.Group, m.MemberID, m.Generation, m.Topics = x.group, x.memberID, x.generation, append(m.Topics, t)
	return m
}

func (x *cue) observation(r txnRequest) kmsg.Request {
	isolation := int8(bit(r.Step.Stable))
	switch r.Step.Op {
	case readRecords:
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = x.partitions[r.Step.Place], x.base[r.Step.Place], maxFrame/2
		t := kmsg.NewFetchRequestTopic()
		t.Topic, t.Partitions = x.topics[r.Step.Place], append(t.Partitions, p)
		m := kmsg.NewPtrFetchRequest()
		m.MaxBytes, m.IsolationLevel, m.Topics, m.SessionEpoch = maxFrame/2, isolation, append(m.Topics, t), -1
		return m
	case lastOffset:
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.Timestamp = x.partitions[r.Step.Place], -1
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic, t.Partitions = x.topics[r.Step.Place], append(t.Partitions, p)
		m := kmsg.NewPtrListOffsetsRequest()
		m.IsolationLevel, m.Topics = isolation, append(m.Topics, t)
		return m
	case readOffset:
		t := kmsg.NewOffsetFetchRequestGroupTopic()
		t.Topic, t.Partitions = x.topics[0], []int32{x.partitions[0]}
		g := kmsg.NewOffsetFetchRequestGroup()
		g.Group, g.Topics = x.group, append(g.Topics, t)
		m := kmsg.NewPtrOffsetFetchRequest()
		m.RequireStable, m.Groups = r.Step.Stable, append(m.Groups, g)
		return m
	}
	m := kmsg.NewPtrDescribeTransactionsRequest()
	m.TransactionalIDs = []string{x.tid}
	return m
}
