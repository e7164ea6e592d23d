package linearize

import (
	"fmt"
	"strconv"
	"strings"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// decide lets the coordinator decide a request.
func (s *simulation) decide(m *message) {
	c := &s.memory
	c.Pick = s.rng.IntN(4)
	id := s.id(m.in.Member)
	switch m.f {
	case kfh.Join:
		s.park(m, parkingPlace{model.JoinGroup, id}, s.join(m, id))
	case kfh.Sync:
		req := classic.Request{API: model.SyncGroup, MemberID: id, Generation: model.Generation(m.in.Generation)}
		for _, name := range kfh.SortedKeys(m.in.Assign) {
			a := classic.MemberAssignment{ID: s.id(name)}
			for _, tp := range m.in.Assign[name] {
				a.Parts |= model.Part(partitionNumber(tp))
			}
			req.Plan = append(req.Plan, a)
		}
		s.park(m, parkingPlace{model.SyncGroup, id}, func() (classic.Reply, bool) { return c.Decide(&req) })
	case kfh.Heartbeat:
		a, _ := c.Decide(&classic.Request{API: model.Heartbeat, MemberID: id, Generation: model.Generation(m.in.Generation)})
		s.answer(m, a)
	case kfh.Leave:
		a, _ := c.Decide(&classic.Request{API: model.LeaveGroup, MemberID: id})
		s.reply()
		s.answer(m, a)
	case kfh.Commit:
		s.commit(m, id)
	case kfh.OffsetFetch:
		s.fetch(m)
	}
	s.reply()
}

// join is the call for a JoinGroup. A new member gets the id that its client's
// name and a counter make.
func (s *simulation) join(m *message, id model.MemberID) func() (classic.Reply, bool) {
	req := classic.Request{API: model.JoinGroup, MemberID: id, Protocols: model.ProtocolList(model.Range)}
	version, _ := strconv.ParseUint(strings.Trim(m.in.Meta, `"`), 10, 32)
	req.Meta = model.Meta(version)
	if id == 0 {
		s.given[m.from.index]++
		s.names = append(s.names, fmt.Sprintf("c%d.%d", m.from.index, s.given[m.from.index]))
		req.Fresh = model.MemberID(len(s.names) - 1)
	}
	return func() (classic.Reply, bool) { return s.memory.Decide(&req) }
}

func (s *simulation) id(name string) model.MemberID {
	for i, n := range s.names {
		if n == name {
			return model.MemberID(i)
		}
	}
	return 0
}

// park decides a request that may have to wait. A second request of a member
// takes the place of the first, which is never answered.
func (s *simulation) park(m *message, at parkingPlace, call func() (classic.Reply, bool)) {
	old := s.parked[at]
	s.parked[at] = m
	a, parked := call()
	if !parked {
		if s.parked[at] = old; old == nil {
			delete(s.parked, at)
		}
		s.answer(m, a)
		return
	}
	s.reply()
}

// reply answers the parked requests that the last call released.
func (s *simulation) reply() {
	for _, r := range s.memory.Replies {
		at := parkingPlace{r.API, r.To}
		if m := s.parked[at]; m != nil {
			delete(s.parked, at)
			s.answer(m, r)
		}
	}
	s.memory.Replies = s.memory.Replies[:0]
	s.memory.Completed = false
	s.memory.Candidates = 0
}

// answer sends an answer on its way back.
func (s *simulation) answer(m *message, a classic.Reply) {
	s.fill(m, a)
	s.answers = append(s.answers, m)
}

// fill translates the model's answer.
func (s *simulation) fill(m *message, a classic.Reply) {
	m.outcome, m.out = kfh.OK, kfh.NoAnswer()
	if a.Err != model.None {
		m.outcome = kfh.Failed
		m.out.Err = a.Err.String()
		if a.Err == model.MemberIDRequired {
			m.out.Member = s.names[a.MemberID]
		}
		return
	}
	switch m.f {
	case kfh.Join:
		leader, protocol := s.names[a.Leader], "range"
		m.out.Generation, m.out.Member, m.out.Leader, m.out.Protocol = int32(a.Generation), s.names[a.MemberID], &leader, &protocol
		if a.Leader == a.MemberID {
			m.out.Members = []string{}
			for i := range s.memory.Members {
				if n := &s.memory.Members[i]; n.ID != 0 && !n.Is(classic.Pending) {
					m.out.Members = append(m.out.Members, s.names[n.ID])
				}
			}
		}
	case kfh.Sync:
		m.out.Partitions = []string{}
		for p := range recordedPartitions {
			if a.Assignment.Has(p) {
				m.out.Partitions = append(m.out.Partitions, partitionName(p))
			}
		}
	}
}

// commit is decided now and answered when the high watermark covers it.
func (s *simulation) commit(m *message, id model.MemberID) {
	values := make([]model.Offset, recordedPartitions)
	for p := range values {
		values[p] = model.NoOffset
		if v, named := m.in.Offsets[partitionName(p)]; named {
			values[p] = model.Offset(v)
		}
	}
	err := s.offsets.Decide(&offsets.Request{API: model.OffsetCommit, MemberID: id, Generation: model.Generation(m.in.Generation), Offsets: values})
	a := classic.Reply{Err: err}
	if err != model.None {
		s.answer(m, a)
		return
	}
	s.fill(m, a)
	s.appended = append(s.appended, m)
}

// fetch reads what is covered, or with stable what is applied; the latter waits
// until that is covered.
func (s *simulation) fetch(m *message) {
	m.outcome, m.out = kfh.OK, kfh.Answer{Generation: -1, Offsets: map[string]int64{}}
	from := s.covered
	if m.in.Stable {
		from = s.offsets.Committed
	}
	for _, tp := range m.in.Partitions {
		m.out.Offsets[tp] = int64(from[partitionNumber(tp)])
	}
	if m.in.Stable && len(s.appended) > 0 {
		s.appended = append(s.appended, m)
		return
	}
	s.answers = append(s.answers, m)
}

func partitionName(p int) string { return "t-" + strconv.Itoa(p) }

func partitionNumber(tp string) int {
	n, err := strconv.Atoi(tp[strings.LastIndexByte(tp, '-')+1:])
	if err != nil {
		panic("linearize: partition name " + tp)
	}
	return n
}
