package groups

import (
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/classic"
)

const (
	// maxMembers is the largest number of members and pending ids that are
	// remembered at once.
	maxMembers = 16
	// maxWaits is the largest number of parked requests.
	maxWaits = 16
)

// state is one state in which the coordinator may be: its memory of the group,
// and which requests wait for an answer. States are compared with ==.
type state struct {
	group   classic.Group
	members [maxMembers]classic.Member
	waits   [maxWaits]wait // in the order of their calls
	commits uint32
	used    uint64 // requests without answer that were decided, by spec.onces
}

// wait is a request that was decided and not yet answered.
type wait struct {
	call uint32 // its index plus one, 0 for a free place
	done bool   // the answer was sent, as recorded
}

// addWait makes a place for a call; it tells whether there was one.
func (w *state) addWait(call int) bool {
	n := 0
	for n < maxWaits && w.waits[n].call != 0 {
		n++
	}
	if n == maxWaits {
		return false
	}
	for n > 0 && w.waits[n-1].call > uint32(call+1) {
		w.waits[n] = w.waits[n-1]
		n--
	}
	w.waits[n] = wait{call: uint32(call + 1)}
	return true
}

// findWait returns the wait of a call, nil if there is none.
func (w *state) findWait(call int) *wait {
	for i := range w.waits {
		if w.waits[i].call == uint32(call+1) {
			return &w.waits[i]
		}
	}
	return nil
}

// dropWait forgets the wait of a call.
func (w *state) dropWait(call int) {
	for i := range w.waits {
		if w.waits[i].call == uint32(call+1) {
			copy(w.waits[i:], w.waits[i+1:])
			w.waits[maxWaits-1] = wait{}
			return
		}
	}
}

// ids lists the members, pending ids left out.
func (w *state) ids() []model.MemberID {
	var all []model.MemberID
	for i := range w.members {
		if m := &w.members[i]; m.ID != 0 && !m.Is(classic.Pending) {
			all = append(all, m.ID)
		}
	}
	return all
}

// remembers tells whether the id is in the group or pending.
func (w *state) remembers(id model.MemberID) bool {
	for i := range w.members {
		if w.members[i].ID == id {
			return true
		}
	}
	return false
}

// mergePending renames pending ids that no request will ask for again. All of
// them do one thing, holding up the next rebalance until their session expires,
// so that one of them does what several do.
func (w *state) mergePending(asked func(model.MemberID) bool) {
	n, held := 0, false
	for i := range w.members {
		m := w.members[i]
		if m.ID == 0 {
			break
		}
		if m.Is(classic.Pending) && !asked(m.ID) {
			held = true
			continue
		}
		w.members[n] = m
		n++
	}
	if held {
		w.members[n] = classic.Member{ID: anonymous, Flags: classic.Pending}
		n++
	}
	for ; n < maxMembers; n++ {
		w.members[n] = classic.Member{}
	}
}

// Equal compares all of a state.
func (w *state) Equal(v *state) bool { return *w == *v }

// Hash mixes what is used of a state.
func (w *state) Hash() uint64 {
	g := &w.group
	h := sequential.Mix(uint64(g.State)|uint64(g.Protocol)<<8|uint64(g.Leader)<<16|uint64(uint32(g.Generation))<<32, uint64(w.commits))
	h = sequential.Mix(h, w.used)
	h = sequential.Mix(h, uint64(g.DelaysLeft)|sequential.Bit(g.Typed)<<8|sequential.Bit(g.InitialDelay)<<9|sequential.Bit(g.NewMemberAdded)<<10)
	for i := range w.members {
		m := &w.members[i]
		if m.ID == 0 {
			break
		}
		h = sequential.Mix(h, uint64(m.ID)|uint64(m.Flags)<<16|uint64(m.Meta)<<32)
		h = sequential.Mix(h, uint64(m.Protocols)^uint64(m.Assignment))
	}
	for _, at := range w.waits {
		if at.call == 0 {
			break
		}
		h = sequential.Mix(h, uint64(at.call)<<1|sequential.Bit(at.done))
	}
	return h
}
