package linearize

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// The brute force linearizer knows nothing of sets of states, debts, lazy
// timers or merged ids: it tries every order of the requests' steps and of every
// internal step, the sync timer and the high watermark included, on plain copies
// of the model's memory.

type bruteState struct {
	group   classic.Group
	members [8]classic.Member
	next    [8]uint8 // by call: 0 not decided, 1 parked, 2 answer sent, 3 answered
	applied [3]model.Offset
	covered [3]model.Offset
	queue   [8]int8 // calls appended and not covered, plus one
}

type brute struct {
	p     *groups.Problem
	seen  map[bruteState]bool
	rules model.Rules
}

func bruteLegal(h *kfh.History) bool {
	c := kfh.Split(h)[0]
	p := groups.Compile(h, c)
	for i := range p.Calls {
		p.Calls[i].Unknown = h.Ops[p.Calls[i].Op].Open() // no deductions
	}
	b := &brute{p: p, seen: map[bruteState]bool{}}
	s := bruteState{}
	for i := range s.applied {
		s.applied[i], s.covered[i] = model.NoOffset, model.NoOffset
	}
	return b.search(s)
}

func (b *brute) op(i int) *kfh.Op { return &b.p.H.Ops[b.p.Calls[i].Op] }

// mayStart: nothing that was answered before the invocation is unfinished.
func (b *brute) mayStart(s *bruteState, i int) bool {
	for k := range b.p.Calls {
		if !b.op(k).Open() && s.next[k] != 3 && b.op(k).Ret < b.op(i).Inv {
			return false
		}
	}
	return true
}

func (b *brute) search(s bruteState) bool {
	if b.seen[s] {
		return false
	}
	b.seen[s] = true
	finished := true
	for i := range b.p.Calls {
		if !b.op(i).Open() && s.next[i] != 3 {
			finished = false
		}
	}
	if finished {
		return true
	}
	for i := range b.p.Calls {
		switch {
		case s.next[i] == 0 && b.mayStart(&s, i):
			for pick := range 3 {
				if t, ok := b.decide(s, i, pick); ok && b.search(t) {
					return true
				}
			}
		case s.next[i] == 2 && !b.op(i).Open():
			t := s
			t.next[i] = 3
			if b.search(t) {
				return true
			}
		}
	}
	return b.silent(s)
}

func (b *brute) silent(s bruteState) bool {
	if s.queue[0] != 0 {
		t := s
		i := int(t.queue[0]) - 1
		copy(t.queue[:], t.queue[1:])
		t.queue[7] = 0
		b.p.Calls[i].Store(t.covered[:])
		t.next[i] = 2
		if b.search(t) {
			return true
		}
	}
	for pick := range 3 {
		for k := -2; k < len(s.members); k++ {
			t := s
			c := b.coordinator(&t, pick)
			fired := false
			switch {
			case k == -2:
				fired = c.FireJoinTimer()
			case k == -1:
				fired = c.FireSyncTimer()
			case s.members[k].ID != 0:
				fired = c.ExpireSession(s.members[k].ID)
			}
			if fired && b.deliver(c, &t) && b.search(t) {
				return true
			}
		}
	}
	return false
}

func (b *brute) coordinator(s *bruteState, pick int) *classic.Coordinator {
	return &classic.Coordinator{Rules: &b.rules, Group: &s.group, Members: s.members[:], Pick: pick}
}

// deliver gives each answer to the parked request of its member.
func (b *brute) deliver(c *classic.Coordinator, s *bruteState) bool {
	for _, r := range c.Replies {
		for i := range b.p.Calls {
			k := &b.p.Calls[i]
			if s.next[i] != 1 || k.API != r.API || k.Sender() != r.To {
				continue
			}
			if !b.matches(k, r, s) {
				return false
			}
			s.next[i] = 2
		}
	}
	return true
}

func (b *brute) matches(k *groups.Call, r classic.Reply, s *bruteState) bool {
	if k.Unknown {
		return true
	}
	if r.Err != k.Err {
		return false
	}
	switch {
	case r.Err != model.None:
		return true
	case k.API == model.SyncGroup:
		return r.Assignment == k.Parts
	case k.API == model.JoinGroup:
		var in []model.MemberID
		for _, m := range s.members {
			if m.ID != 0 && !m.Is(classic.Pending) {
				in = append(in, m.ID)
			}
		}
		a := k.Answer
		return r.Generation == a.Gen && r.MemberID == a.Member && (a.Leader == 0 || r.Leader == a.Leader) &&
			(a.Protocol == 0 || r.Protocol == a.Protocol) && (a.Members == nil || slices.Equal(in, a.Members))
	}
	return true
}

func (b *brute) decide(s bruteState, i, pick int) (bruteState, bool) {
	k := &b.p.Calls[i]
	c := b.coordinator(&s, pick)
	var r classic.Reply
	parked := false
	switch k.API {
	case model.JoinGroup, model.SyncGroup:
		s.next[i] = 1
		r, parked = c.Decide(k.Request())
	case model.Heartbeat, model.LeaveGroup:
		r, _ = c.Decide(k.Request())
	case model.OffsetCommit:
		values := []model.Offset{model.NoOffset, model.NoOffset, model.NoOffset}
		k.Store(values)
		store := offsets.Store{Rules: c.Rules, Group: c, Committed: s.applied[:]}
		if r.Err = store.Decide(&offsets.Request{API: k.API, MemberID: k.Member, Generation: k.Gen, Offsets: values}); r.Err == model.None {
			parked = true
			s.push(i)
		}
	case model.OffsetFetch:
		from := s.covered
		if k.Stable {
			from = s.applied
		}
		for _, v := range k.Values {
			if from[v.Part] != v.Value {
				return s, false
			}
		}
		if k.Stable && s.queue[0] != 0 {
			parked = true
			s.push(i)
		}
	}
	if !b.deliver(c, &s) {
		return s, false
	}
	if parked {
		s.next[i] = max(s.next[i], 1)
		waits := k.API == model.JoinGroup || k.API == model.SyncGroup
		return s, waits || b.matches(k, r, &s)
	}
	s.next[i] = 2
	return s, b.matches(k, r, &s)
}

func (s *bruteState) push(i int) {
	for n := range s.queue {
		if s.queue[n] == 0 {
			s.queue[n] = int8(i + 1)
			return
		}
	}
}

// tiny cuts a short piece out of a simulated run and perhaps spoils an answer.
func tiny(seed uint64) *kfh.History {
	rng := rand.New(rand.NewPCG(seed, 1))
	h := Record(Run{Seed: seed, Clients: 1 + rng.IntN(3), Simple: rng.IntN(2), Requests: tinyRequests, UnknownPercent: 10 * rng.IntN(2), DelayPercent: 50})
	if rng.IntN(4) == 0 {
		return h
	}
	spoil(h, rng)
	return h
}

func spoil(h *kfh.History, rng *rand.Rand) {
	o := &h.Ops[rng.IntN(len(h.Ops))]
	if !done(o) {
		return
	}
	errs := []string{"UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION", "REBALANCE_IN_PROGRESS", "GROUP_ID_NOT_FOUND"}
	switch {
	case o.Outcome == kfh.Failed && o.F != kfh.Join && o.F != kfh.Sync:
		if rng.IntN(2) == 0 {
			o.Outcome, o.Out = kfh.OK, accepted()
		} else {
			o.Out.Err = errs[rng.IntN(4)]
		}
	case o.Outcome == kfh.OK && o.F == kfh.OffsetFetch:
		o.Out.Offsets = map[string]int64{"t-0": int64(rng.IntN(4)) - 1}
	case o.Outcome == kfh.OK && o.F == kfh.Join:
		o.Out.Generation += int32(rng.IntN(2))
		o.Out.Members = nil
	case o.Outcome == kfh.OK && o.F != kfh.Sync:
		o.Outcome, o.Out = kfh.Failed, refused(errs[rng.IntN(4)])
	}
}

func TestAgreesWithBruteForce(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(tinySeeds) {
		h := tiny(seed)
		c := kfh.Split(h)[0]
		if len(h.Ops) > 8 {
			continue
		}
		want := bruteLegal(h)
		j := &judge{h: h, c: c, deadline: time.Now().Add(time.Minute)}
		got := j.search(h, c)
		found := necessary(h, c)
		if (got == porcupine.Ok) != want {
			t.Fatalf("seed %d: brute force %v, porcupine %v: %s", seed, want, got, dump(h))
		}
		if want && len(found) > 0 {
			t.Fatalf("seed %d: legal, but %v: %s", seed, found, dump(h))
		}
		switch {
		case want:
			count["legal"]++
		case len(found) > 0:
			count["illegal, named"]++
		default:
			count["illegal"]++
		}
	}
	t.Log(count)
}

func dump(h *kfh.History) string {
	n := proof.Facts{H: h}
	s := ""
	for i := range h.Ops {
		s += "\n" + n.Says(i) + " " + string(mustJSON([]any{h.Ops[i].Inv, h.Ops[i].Ret, h.Ops[i].In, h.Ops[i].Out.Offsets}))
	}
	return s
}

// The histories have at most six requests, or eight where a client gave up.
const (
	tinyRequests = 6
	tinySeeds    = 4000
)
