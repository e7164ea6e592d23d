package groups

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
	"fencecheck/model"
)

// read turns an answer from the wire into the model's terms. What the model
// has no words for becomes Odd, and so a difference.
func (x *sending) read(api model.API, m kmsg.Response, fresh model.MemberID) (a answer) {
	rowOf(api).read(x, m, fresh, &a)
	return a
}

func (x *sending) readHeartbeat(m kmsg.Response, _ model.MemberID, a *answer) {
	a.Err = model.Error(m.(*kmsg.HeartbeatResponse).ErrorCode)
}

func (x *sending) readDeleted(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.DeleteGroupsResponse)
	if len(m.Groups) != 1 {
		a.Odd.Add("%d groups answered", len(m.Groups))
		return
	}
	a.Err = model.Error(m.Groups[0].ErrorCode)
}

// readJoin: after an error, protocol, leader and list say nothing.
func (x *sending) readJoin(body kmsg.Response, fresh model.MemberID, a *answer) {
	m := body.(*kmsg.JoinGroupResponse)
	a.Err, a.Generation = model.Error(m.ErrorCode), model.Generation(m.Generation)
	a.Member = x.ids.Read(m.MemberID, fresh)
	if a.Err != model.None {
		return
	}
	a.Leader = x.ids.Read(m.LeaderID, 0)
	a.Protocol = a.protocol(m.Protocol)
	if m.GetVersion() >= 7 {
		a.checkType(m.ProtocolType)
	}
	for _, row := range m.Members {
		meta, ok := wire.MetaOf(x.topic, row.ProtocolMetadata)
		if !ok {
			a.Odd.Add("metadata of %d bytes that nobody sent", len(row.ProtocolMetadata))
		}
		a.Members = append(a.Members, listed{x.ids.Read(row.MemberID, 0), meta})
	}
	sortList(a.Members)
}

func (a *answer) protocol(got *string) model.Protocol {
	if got == nil {
		return 0
	}
	if p, ok := wire.ProtocolByName(*got); ok {
		return p
	}
	a.Odd.Add("protocol %q", *got)
	return 0
}

func (a *answer) checkType(got *string) {
	switch {
	case got == nil:
		a.Odd.Add("protocol type null")
	case *got != wire.ProtocolType:
		a.Odd.Add("protocol type %q", *got)
	}
}

func (x *sending) readSync(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.SyncGroupResponse)
	if a.Err = model.Error(m.ErrorCode); a.Err != model.None {
		return
	}
	a.Protocol = a.protocol(m.Protocol)
	a.checkType(m.ProtocolType)
	var ok bool
	if a.Assignment, ok = wire.PartsOf(x.topic, m.MemberAssignment); !ok {
		a.Odd.Add("an assignment of %d bytes that no leader sent (%x)", len(m.MemberAssignment), m.MemberAssignment)
	}
}

// readLeave: the error is that of the one member that left, or there is one for each
// of several, unless the whole request has one.
func (x *sending) readLeave(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.LeaveGroupResponse)
	switch {
	case m.ErrorCode != 0 && len(m.Members) == 0:
		a.Err = model.Error(m.ErrorCode)
		a.Odd.Add("the error of the whole request")
		return
	case m.ErrorCode != 0:
		a.Odd.Add("error %d of the whole request", m.ErrorCode)
	case len(m.Members) == 0:
		a.Odd.Add("no member is answered")
	}
	for _, member := range m.Members {
		a.Each = append(a.Each, model.Error(member.ErrorCode))
	}
	if len(a.Each) == 1 {
		a.Err, a.Each = a.Each[0], nil
	}
}

func (x *sending) readCommit(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.OffsetCommitResponse)
	var errs []model.Error
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			errs = append(errs, model.Error(p.ErrorCode))
		}
	}
	a.common(len(m.Topics), errs)
}

// common is the error of every partition of the one topic.
func (a *answer) common(topics int, errs []model.Error) {
	if topics != 1 || len(errs) == 0 {
		a.Odd.Add("no partition is answered")
		return
	}
	a.Err = errs[0]
	for i, e := range errs {
		if e != a.Err {
			a.Odd.Add("partition %d of the request: error %d", i+1, e)
		}
	}
}

// readOffsetDelete: the error is that of the whole request, or that of each of its
// partitions.
func (x *sending) readOffsetDelete(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.OffsetDeleteResponse)
	if a.Err = model.Error(m.ErrorCode); a.Err != model.None {
		if a.Err == model.GroupSubscribedToTopic || len(m.Topics) != 0 {
			a.Odd.Add("the error of the whole request")
		}
		return
	}
	var errs []model.Error
	for _, t := range m.Topics {
		for _, p := range t.Partitions {
			errs = append(errs, model.Error(p.ErrorCode))
		}
	}
	a.common(len(m.Topics), errs)
}

func (x *sending) readFetch(body kmsg.Response, _ model.MemberID, a *answer) {
	m := body.(*kmsg.OffsetFetchResponse)
	if len(m.Groups) != 1 {
		a.Odd.Add("%d groups answered", len(m.Groups))
		return
	}
	g := m.Groups[0]
	a.Err = model.Error(g.ErrorCode)
	offsets := [wire.Partitions]model.Offset{}
	seen := 0
	for _, t := range g.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				a.Odd.Add("p%d: error %d", p.Partition, p.ErrorCode)
			}
			if p.Partition >= 0 && p.Partition < wire.Partitions {
				offsets[p.Partition] = model.Offset(p.Offset)
				seen++
			}
		}
	}
	if seen != wire.Partitions && a.Err == model.None {
		a.Odd.Add("%d of %d partitions answered", seen, wire.Partitions)
	}
	if a.Err == model.None {
		a.Offsets = offsets[:]
	}
}
