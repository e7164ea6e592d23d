package conform

import (
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// read turns an answer from the wire into the model's terms. What the model
// has no words for becomes Odd, and so a difference.
func (x sending) read(m kmsg.Response, fresh model.MemberID) answer {
	var a answer
	switch m := m.(type) {
	case *kmsg.JoinGroupResponse:
		x.readJoin(m, fresh, &a)
	case *kmsg.SyncGroupResponse:
		x.readSync(m, &a)
	case *kmsg.HeartbeatResponse:
		a.Err = model.Error(m.ErrorCode)
	case *kmsg.LeaveGroupResponse:
		x.readLeave(m, &a)
	case *kmsg.OffsetCommitResponse:
		readCommit(m, &a)
	case *kmsg.OffsetFetchResponse:
		readFetch(m, &a)
	case *kmsg.DeleteGroupsResponse:
		if len(m.Groups) != 1 {
			a.odd("%d groups answered", len(m.Groups))
			break
		}
		a.Err = model.Error(m.Groups[0].ErrorCode)
	}
	return a
}

func (a *answer) odd(format string, args ...any) {
	if a.Odd != "" {
		a.Odd += "; "
	}
	a.Odd += fmt.Sprintf(format, args...)
}

// readJoin: after an error, protocol, leader and list say nothing.
func (x sending) readJoin(m *kmsg.JoinGroupResponse, fresh model.MemberID, a *answer) {
	a.Err, a.Generation = model.Error(m.ErrorCode), model.Generation(m.Generation)
	a.Member = x.ids.read(m.MemberID, fresh)
	if a.Err != model.None {
		return
	}
	a.Leader = x.ids.read(m.LeaderID, 0)
	a.Protocol = a.protocol(m.Protocol)
	if m.GetVersion() >= 7 {
		a.checkType(m.ProtocolType)
	}
	for _, row := range m.Members {
		meta, ok := metaOf(row.ProtocolMetadata)
		if !ok {
			a.odd("metadata of %d bytes that nobody sent", len(row.ProtocolMetadata))
		}
		a.Members = append(a.Members, listed{x.ids.read(row.MemberID, 0), meta})
	}
	sortList(a.Members)
}

func (a *answer) protocol(wire *string) model.Protocol {
	if wire == nil {
		return 0
	}
	for p, n := range protocolNames {
		if n == *wire {
			return model.Protocol(p)
		}
	}
	a.odd("protocol %q", *wire)
	return 0
}

func (a *answer) checkType(wire *string) {
	if wire == nil || *wire != protocolType {
		a.odd("protocol type %s", text(wire))
	}
}

func text(s *string) string {
	if s == nil {
		return "null"
	}
	return fmt.Sprintf("%q", *s)
}

func (x sending) readSync(m *kmsg.SyncGroupResponse, a *answer) {
	if a.Err = model.Error(m.ErrorCode); a.Err != model.None {
		return
	}
	a.Protocol = a.protocol(m.Protocol)
	a.checkType(m.ProtocolType)
	var ok bool
	if a.Assignment, ok = partsOf(x.topic, m.MemberAssignment); !ok {
		a.odd("an assignment of %d bytes that no leader sent (%x)", len(m.MemberAssignment), m.MemberAssignment)
	}
}

// readLeave: the error is that of the one member that left, unless the whole
// request has one.
func (x sending) readLeave(m *kmsg.LeaveGroupResponse, a *answer) {
	switch {
	case m.ErrorCode != 0 && len(m.Members) == 0:
		a.Err = model.Error(m.ErrorCode)
		a.odd("the error of the whole request")
	case len(m.Members) != 1:
		a.odd("%d members answered", len(m.Members))
	default:
		a.Err = model.Error(m.Members[0].ErrorCode)
		if m.ErrorCode != 0 {
			a.odd("error %d of the whole request", m.ErrorCode)
		}
	}
}

func readCommit(m *kmsg.OffsetCommitResponse, a *answer) {
	if len(m.Topics) != 1 || len(m.Topics[0].Partitions) == 0 {
		a.odd("no partition is answered")
		return
	}
	ps := m.Topics[0].Partitions
	a.Err = model.Error(ps[0].ErrorCode)
	for _, p := range ps {
		if p.ErrorCode != ps[0].ErrorCode {
			a.odd("p%d: error %d", p.Partition, p.ErrorCode)
		}
	}
}

func readFetch(m *kmsg.OffsetFetchResponse, a *answer) {
	if len(m.Groups) != 1 {
		a.odd("%d groups answered", len(m.Groups))
		return
	}
	g := m.Groups[0]
	a.Err = model.Error(g.ErrorCode)
	offsets := [parts]model.Offset{}
	seen := 0
	for _, t := range g.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				a.odd("p%d: error %d", p.Partition, p.ErrorCode)
			}
			if p.Partition >= 0 && p.Partition < parts {
				offsets[p.Partition] = model.Offset(p.Offset)
				seen++
			}
		}
	}
	if seen != parts && a.Err == model.None {
		a.odd("%d of %d partitions answered", seen, parts)
	}
	if a.Err == model.None {
		a.Offsets = offsets[:]
	}
	a.Odd = strings.TrimSpace(a.Odd)
}
