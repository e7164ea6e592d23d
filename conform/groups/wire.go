package groups

import (
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// sending is what a request needs besides what the model knows of it.
type sending struct {
	group, topic string
	ids          *binding
	session      time.Duration // of a JoinGroup
	rebalance    time.Duration
}

// The sessions that no broker takes.
const (
	sessionTooShort = time.Millisecond
	sessionTooLong  = 24 * 24 * time.Hour // near the largest number of milliseconds that fits
)

// oldJoin is JoinGroup without the MEMBER_ID_REQUIRED round, the last before
// KIP-394.
const oldJoin = 3

// Versions are those that a broker must speak.
func Versions() []wire.Version {
	all := []wire.Version{}
	for o := range numOps {
		if row := o.row(); !o.timer() {
			all = append(all, wire.Version{Key: int16(row.key), Number: row.version})
		}
	}
	return append(all, wire.Version{Key: int16(kmsg.JoinGroup), Number: oldJoin})
}

// message is a request as it goes over the wire.
func (x *sending) message(r *request) kmsg.Request {
	row := r.Step.Op.row()
	m := row.message(x, r)
	m.SetVersion(row.version)
	if r.OldVersion {
		m.SetVersion(oldJoin)
	}
	return m
}

func (x *sending) join(r *request) kmsg.Request {
	m := kmsg.NewPtrJoinGroupRequest()
	session := x.session
	switch r.Session {
	case classic.SessionTooShort:
		session = sessionTooShort
	case classic.SessionTooLong:
		session = sessionTooLong
	}
	m.Group, m.MemberID, m.ProtocolType = x.group, x.ids.Wire[r.MemberID], wire.ProtocolType
	m.SessionTimeoutMillis, m.RebalanceTimeoutMillis = int32(session.Milliseconds()), int32(x.rebalance.Milliseconds())
	for l := r.Protocols; l != 0; l = l.Rest() {
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = wire.ProtocolName(l.First()), wire.Subscription(x.topic, r.Meta)
		m.Protocols = append(m.Protocols, p)
	}
	return m
}

func (x *sending) sync(r *request) kmsg.Request {
	m := kmsg.NewPtrSyncGroupRequest()
	m.Group, m.MemberID, m.Generation = x.group, x.ids.Wire[r.MemberID], int32(r.Generation)
	m.ProtocolType, m.Protocol = kmsg.StringPtr(wire.ProtocolType), kmsg.StringPtr(wire.ProtocolName(r.Protocol))
	for _, p := range r.Plan {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = x.ids.Wire[p.ID], wire.Assignment(x.topic, p.Parts)
		m.GroupAssignment = append(m.GroupAssignment, a)
	}
	return m
}

func (x *sending) commit(r *request) kmsg.Request {
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = x.topic
	for i, o := range r.Offsets {
		if o != model.NoOffset {
			p := kmsg.NewOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset = int32(i), int64(o)
			t.Partitions = append(t.Partitions, p)
		}
	}
	m := kmsg.NewPtrOffsetCommitRequest()
	m.Group, m.MemberID, m.Generation, m.Topics = x.group, x.ids.Wire[r.MemberID], int32(r.Generation), append(m.Topics, t)
	return m
}

func (x *sending) fetch(*request) kmsg.Request {
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic = x.topic
	for p := range int32(wire.Partitions) {
		t.Partitions = append(t.Partitions, p)
	}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = x.group, append(g.Topics, t)
	m := kmsg.NewPtrOffsetFetchRequest()
	m.Groups = append(m.Groups, g)
	return m
}

func (x *sending) heartbeat(r *request) kmsg.Request {
	m := kmsg.NewPtrHeartbeatRequest()
	m.Group, m.MemberID, m.Generation = x.group, x.ids.Wire[r.MemberID], int32(r.Generation)
	return m
}

func (x *sending) leave(r *request) kmsg.Request {
	if r.Leaving == nil {
		return x.leaves(x.ids.Wire[r.MemberID])
	}
	var ids []string
	for _, id := range r.Leaving {
		ids = append(ids, x.ids.Wire[id])
	}
	return x.leaves(ids...)
}

// leaves lets members leave.
func (x *sending) leaves(ids ...string) kmsg.Request {
	m := kmsg.NewPtrLeaveGroupRequest()
	m.Group = x.group
	for _, id := range ids {
		who := kmsg.NewLeaveGroupRequestMember()
		who.MemberID = id
		m.Members = append(m.Members, who)
	}
	return m
}

func (x *sending) offsetDelete(r *request) kmsg.Request {
	t := kmsg.NewOffsetDeleteRequestTopic()
	t.Topic = x.topic
	for p := range wire.Partitions {
		if r.Partitions.Has(p) {
			t.Partitions = append(t.Partitions, kmsg.OffsetDeleteRequestTopicPartition{Partition: int32(p)})
		}
	}
	m := kmsg.NewPtrOffsetDeleteRequest()
	m.Group, m.Topics = x.group, append(m.Topics, t)
	return m
}

func (x *sending) delete(*request) kmsg.Request {
	m := kmsg.NewPtrDeleteGroupsRequest()
	m.Groups = []string{x.group}
	return m
}
