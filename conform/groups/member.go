package groups

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/wire"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// A Member is the only one of its group.
type Member struct {
	Group      string
	ID         string
	Generation int32
}

// A Call sends a request to the group's coordinator, and waits for the answer.
type Call func(kmsg.Request) (kmsg.Response, error)

// only is the member in the model's terms.
const only model.MemberID = 1

func (m *Member) sending(session time.Duration) *sending {
	ids := newBinding()
	ids.Bind(only, m.ID)
	return &sending{group: m.Group, topic: wire.Prefix, ids: ids, session: session, rebalance: session}
}

func (m *Member) request(o op) *request {
	r := newRequest(o)
	r.MemberID, r.Generation = only, model.Generation(m.Generation)
	r.Protocols, r.Meta, r.Protocol = usual, 1, model.Range
	r.Plan = []classic.MemberAssignment{{ID: only, Parts: 1}}
	return &r
}

// Join brings one member into a group, and lets it take what there is.
func Join(group string, session time.Duration, call Call) (Member, error) {
	m := Member{Group: group}
	for range 2 { // the first hands out the id
		a, err := call(m.sending(session).message(m.request(joinKnown)))
		if err != nil {
			return m, err
		}
		j := a.(*kmsg.JoinGroupResponse)
		m.ID, m.Generation = j.MemberID, j.Generation
		if j.ErrorCode == 0 {
			break
		}
	}
	a, err := call(m.sending(session).message(m.request(syncGroup)))
	if err != nil {
		return m, err
	}
	if code := a.(*kmsg.SyncGroupResponse).ErrorCode; code != 0 {
		return m, fmt.Errorf("error %d to the SyncGroup of a group's only member", code)
	}
	return m, nil
}

// Alive tells whether the coordinator still has the member.
func (m *Member) Alive(call Call) (bool, error) {
	a, err := call(m.sending(0).message(m.request(heartbeat)))
	if err != nil {
		return false, err
	}
	return a.(*kmsg.HeartbeatResponse).ErrorCode == 0, nil
}
