package txns

import (
	"hash/crc32"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

// offsetsTopic is the group coordinators' log.
const offsetsTopic = "__consumer_offsets"

// sending is what requests need besides what the model knows of them.
type sending struct {
	tid         string
	coordinator string // its address
	outputs     [numOutputs]output
	base        [numOutputs]int64 // where the play's records begin
	group       group
	offsets     int32 // the group's partition of offsetsTopic
	timeout     time.Duration
	pids        *frame.Binding[model.ProducerID, int64]
	// The group's offsets are those of a topic's partitions, by the model's numbers;
	// firstOffset is added to the model's on the wire.
	topic       string
	partitions  []int32
	firstOffset int64
	members     map[model.MemberID]string
}

// A group is one with a single member.
type group struct {
	groups.Member
	coordinator string // its address
}

// Versions are those that a broker must speak.
func Versions() []wire.Version {
	var all []wire.Version
	for o := range numOps {
		row := o.row()
		if row.message == nil {
			continue
		}
		for _, v := range row.versions {
			all = append(all, wire.Version{Key: int16(row.key), Number: v.number})
		}
	}
	return all
}

// on is where a log is on the broker.
func (x *sending) on(log uint8) (topic string, partition int32) {
	if log == offsetsLog {
		return offsetsTopic, x.offsets
	}
	return x.outputs[log].topic, x.outputs[log].partition
}

// address is whom a request goes to.
func (x *sending) address(r *request) string {
	switch {
	case r.row().to == toCoordinator:
		return x.coordinator
	case r.Step.Log == offsetsLog:
		return x.group.coordinator
	}
	return x.outputs[r.Step.Log].leader
}

// message is a request as it goes over the wire. number is that of the record or
// commit that it brings.
func (x *sending) message(r *request, number int32) kmsg.Request {
	m := r.row().message(x, r, number)
	m.SetVersion(r.version().number)
	return m
}

func (x *sending) initProducer(r *request, _ int32) kmsg.Request {
	m := kmsg.NewPtrInitProducerIDRequest()
	m.TransactionalID, m.TransactionTimeoutMillis = &x.tid, int32(x.timeout.Milliseconds())
	m.ProducerID, m.ProducerEpoch = x.pids.Wire[r.PID], int16(r.Epoch)
	return m
}

func (x *sending) addOffsets(r *request, _ int32) kmsg.Request {
	m := kmsg.NewPtrAddOffsetsToTxnRequest()
	m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Group = x.tid, x.pids.Wire[r.PID], int16(r.Epoch), x.group.Group
	return m
}

func (x *sending) endTxn(r *request, _ int32) kmsg.Request {
	m := kmsg.NewPtrEndTxnRequest()
	m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Commit = x.tid, x.pids.Wire[r.PID], int16(r.Epoch), r.Commit
	return m
}

func (x *sending) addPartition(r *request, _ int32) kmsg.Request {
	topic, partition := x.on(r.Step.Log)
	m := kmsg.NewPtrAddPartitionsToTxnRequest()
	if r.Version == model.TV1 && !r.Verify { // before v4
		t := kmsg.NewAddPartitionsToTxnRequestTopic()
		t.Topic, t.Partitions = topic, []int32{partition}
		m.TransactionalID, m.ProducerID, m.ProducerEpoch, m.Topics = x.tid, x.pids.Wire[r.PID], int16(r.Epoch), append(m.Topics, t)
		return m
	}
	t := kmsg.NewAddPartitionsToTxnRequestTransactionTopic()
	t.Topic, t.Partitions = topic, []int32{partition}
	n := kmsg.NewAddPartitionsToTxnRequestTransaction()
	n.TransactionalID, n.ProducerID, n.ProducerEpoch, n.VerifyOnly, n.Topics = x.tid, x.pids.Wire[r.PID], int16(r.Epoch), r.Verify, append(n.Topics, t)
	m.Transactions = append(m.Transactions, n)
	return m
}

func (x *sending) produce(r *request, number int32) kmsg.Request {
	p := kmsg.NewProduceRequestTopicPartition()
	topic, partition := x.on(r.Step.Log)
	p.Partition, p.Records = partition, batchOf(x.pids.Wire[r.PID], r, number)
	t := kmsg.NewProduceRequestTopic()
	t.Topic, t.Partitions = topic, append(t.Partitions, p)
	m := kmsg.NewPtrProduceRequest()
	if r.Transactional {
		m.TransactionID = &x.tid
	}
	m.Acks, m.TimeoutMillis, m.Topics = -1, 10_000, append(m.Topics, t)
	return m
}

// transactional is the attribute of a batch.
const transactional = 0x10

// batchOf is a batch of one record, whose value is its number.
func batchOf(pid int64, r *request, number int32) []byte {
	record := kmsg.NewRecord()
	record.Value = []byte(strconv.Itoa(int(number)))
	record.Length = int32(len(record.AppendTo(nil)) - 1) // of a varint of one byte
	now := time.Now().UnixMilli()
	b := kmsg.RecordBatch{PartitionLeaderEpoch: -1, Magic: 2, FirstTimestamp: now, MaxTimestamp: now, ProducerID: pid,
		ProducerEpoch: int16(r.Epoch), FirstSequence: r.Sequence, NumRecords: 1, Records: record.AppendTo(nil)}
	if r.Transactional {
		b.Attributes = transactional
	}
	raw := b.AppendTo(nil)
	b.Length = int32(len(raw) - 12)
	b.CRC = int32(crc32.Checksum(raw[21:], castagnoli))
	return b.AppendTo(nil)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (x *sending) txnCommit(r *request, number int32) kmsg.Request {
	offsets := r.Offsets
	if offsets == nil {
		offsets = []model.Offset{model.Offset(number)}
	}
	t := kmsg.NewTxnOffsetCommitRequestTopic()
	t.Topic = x.topic
	for i, o := range offsets {
		if o != model.NoOffset {
			p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset = x.partitions[i], x.firstOffset+int64(o)
			t.Partitions = append(t.Partitions, p)
		}
	}
	m := kmsg.NewPtrTxnOffsetCommitRequest()
	m.TransactionalID, m.Group, m.ProducerID, m.ProducerEpoch, m.Topics = x.tid, x.group.Group, x.pids.Wire[r.PID], int16(r.Epoch), append(m.Topics, t)
	m.Generation, m.MemberID = int32(r.Generation), x.members[r.MemberID]
	if m.Generation >= 0 {
		m.Generation += x.group.Generation - int32(generation)
	}
	if r.Step.Cred == absentGroup {
		m.Group += "-absent"
	}
	return m
}

func (x *sending) marker(r *request, _ int32) kmsg.Request {
	topic, partition := x.on(r.Step.Log)
	t := kmsg.NewWriteTxnMarkersRequestMarkerTopic()
	t.Topic, t.Partitions = topic, []int32{partition}
	n := kmsg.NewWriteTxnMarkersRequestMarker()
	n.ProducerID, n.ProducerEpoch, n.Committed, n.CoordinatorEpoch = x.pids.Wire[r.PID], int16(r.Epoch), r.Commit, int32(r.CoordinatorEpoch)
	n.TransactionVersion, n.Topics = int8(r.Version), append(n.Topics, t)
	m := kmsg.NewPtrWriteTxnMarkersRequest()
	m.Markers = append(m.Markers, n)
	return m
}

func (x *sending) memberCommit(_ *request, number int32) kmsg.Request {
	p := kmsg.NewOffsetCommitRequestTopicPartition()
	p.Partition, p.Offset = x.partitions[0], x.firstOffset+int64(number)
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic, t.Partitions = x.topic, append(t.Partitions, p)
	m := kmsg.NewPtrOffsetCommitRequest()
	m.Group, m.MemberID, m.Generation, m.Topics = x.group.Group, x.group.ID, x.group.Generation, append(m.Topics, t)
	return m
}

func (x *sending) fetch(r *request, _ int32) kmsg.Request {
	o := &x.outputs[r.Step.Log]
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes = o.partition, x.base[r.Step.Log], wire.MaxFrame/2
	t := kmsg.NewFetchRequestTopic()
	t.Topic, t.Partitions = o.topic, append(t.Partitions, p)
	m := kmsg.NewPtrFetchRequest()
	m.MaxBytes, m.IsolationLevel, m.Topics, m.SessionEpoch = wire.MaxFrame/2, isolation(r), append(m.Topics, t), -1
	return m
}

func (x *sending) listOffsets(r *request, _ int32) kmsg.Request {
	o := &x.outputs[r.Step.Log]
	p := kmsg.NewListOffsetsRequestTopicPartition()
	p.Partition, p.Timestamp = o.partition, -1
	t := kmsg.NewListOffsetsRequestTopic()
	t.Topic, t.Partitions = o.topic, append(t.Partitions, p)
	m := kmsg.NewPtrListOffsetsRequest()
	m.IsolationLevel, m.Topics = isolation(r), append(m.Topics, t)
	return m
}

func isolation(r *request) int8 { return int8(frame.Bit(r.Step.Stable)) }

func (x *sending) fetchOffset(r *request, _ int32) kmsg.Request {
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic = x.topic
	for i, p := range x.partitions {
		if r.Offsets == nil || r.Offsets[i] != model.NoOffset {
			t.Partitions = append(t.Partitions, p)
		}
	}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = x.group.Group, append(g.Topics, t)
	m := kmsg.NewPtrOffsetFetchRequest()
	m.RequireStable, m.Groups = r.Step.Stable, append(m.Groups, g)
	return m
}

func (x *sending) describe(*request, int32) kmsg.Request {
	m := kmsg.NewPtrDescribeTransactionsRequest()
	m.TransactionalIDs = []string{x.tid}
	return m
}
