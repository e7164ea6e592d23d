package conform

import (
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
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

// message is a request as it goes over the wire.
func (x sending) message(r request) kmsg.Request {
	id := x.ids.wire[r.ID]
	switch r.Step.Op {
	case joinNew, joinKnown:
		return x.join(r, id)
	case syncGroup:
		return x.sync(r, id)
	case heartbeat:
		m := speak(kmsg.NewPtrHeartbeatRequest())
		m.Group, m.MemberID, m.Generation = x.group, id, int32(r.Generation)
		return m
	case leaveGroup:
		who := kmsg.NewLeaveGroupRequestMember()
		who.MemberID = id
		m := speak(kmsg.NewPtrLeaveGroupRequest())
		m.Group, m.Members = x.group, append(m.Members, who)
		return m
	case offsetCommit:
		return x.commit(r, id)
	case offsetFetch:
		return x.fetch()
	}
	m := speak(kmsg.NewPtrDeleteGroupsRequest())
	m.Groups = []string{x.group}
	return m
}

func (x sending) join(r request, id string) kmsg.Request {
	m := speak(kmsg.NewPtrJoinGroupRequest())
	if r.Step.Variant == oldVersion {
		m.SetVersion(oldJoin)
	}
	session := x.session
	switch r.session() {
	case model.SessionTooShort:
		session = sessionTooShort
	case model.SessionTooLong:
		session = sessionTooLong
	}
	m.Group, m.MemberID, m.ProtocolType = x.group, id, protocolType
	m.SessionTimeoutMillis, m.RebalanceTimeoutMillis = int32(session.Milliseconds()), int32(x.rebalance.Milliseconds())
	for l := r.Protocols; l != 0; l = l.Rest() {
		p := kmsg.NewJoinGroupRequestProtocol()
		p.Name, p.Metadata = protocolName(l.First()), subscription(r.Meta)
		m.Protocols = append(m.Protocols, p)
	}
	return m
}

func (x sending) sync(r request, id string) kmsg.Request {
	m := speak(kmsg.NewPtrSyncGroupRequest())
	m.Group, m.MemberID, m.Generation = x.group, id, int32(r.Generation)
	m.ProtocolType, m.Protocol = kmsg.StringPtr(protocolType), kmsg.StringPtr(protocolName(r.Protocol))
	for _, p := range r.Plan {
		a := kmsg.NewSyncGroupRequestGroupAssignment()
		a.MemberID, a.MemberAssignment = x.ids.wire[p.ID], assignment(x.topic, p.Parts)
		m.GroupAssignment = append(m.GroupAssignment, a)
	}
	return m
}

func (x sending) commit(r request, id string) kmsg.Request {
	t := kmsg.NewOffsetCommitRequestTopic()
	t.Topic = x.topic
	for i, o := range r.Offsets {
		if o != model.NoOffset {
			p := kmsg.NewOffsetCommitRequestTopicPartition()
			p.Partition, p.Offset = int32(i), int64(o)
			t.Partitions = append(t.Partitions, p)
		}
	}
	m := speak(kmsg.NewPtrOffsetCommitRequest())
	m.Group, m.MemberID, m.Generation, m.Topics = x.group, id, int32(r.Generation), append(m.Topics, t)
	return m
}

func (x sending) fetch() kmsg.Request {
	t := kmsg.NewOffsetFetchRequestGroupTopic()
	t.Topic = x.topic
	for p := range int32(parts) {
		t.Partitions = append(t.Partitions, p)
	}
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group, g.Topics = x.group, append(g.Topics, t)
	m := speak(kmsg.NewPtrOffsetFetchRequest())
	m.Groups = append(m.Groups, g)
	return m
}

// describe writes a request for a reader, with its values.
func (r *request) describe() string {
	words := []string{opTitle(r.Step.Op)}
	field := func(name string, value any) { words = append(words, fmt.Sprintf("%s=%v", name, value)) }
	switch r.Step.Op {
	case joinNew, joinKnown:
		field("member", name(r.ID))
		field("protocols", "["+protocolList(r.Protocols)+"]")
		field("subscription", r.Meta)
		if v := r.Step.Variant; r.Step.Op == joinNew && v >= oldVersion {
			words = append(words, "("+variantNames[v]+")")
		}
	case syncGroup:
		field("member", name(r.ID))
		field("generation", r.Generation)
		field("protocol", protocolName(r.Protocol))
		for _, a := range r.Plan {
			field(name(a.ID), partsText(a.Parts))
		}
	case heartbeat:
		field("member", name(r.ID))
		field("generation", r.Generation)
	case offsetCommit:
		field("member", name(r.ID))
		field("generation", r.Generation)
		for p, o := range r.Offsets {
			if o != model.NoOffset {
				field(fmt.Sprintf("p%d", p), o)
			}
		}
	case leaveGroup, sessionTimer:
		field("member", name(r.ID))
	}
	return strings.Join(words, " ")
}

func protocolList(l model.Protocols) string {
	var all []string
	for ; l != 0; l = l.Rest() {
		all = append(all, protocolName(l.First()))
	}
	return strings.Join(all, " ")
}
