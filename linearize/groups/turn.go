package groups

import (
	"fmt"
	"math/bits"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// turn takes one step in one state. What comes of it goes into config.
type turn struct {
	*spec
	config *config
	before *state
	// why tells of the answer that the model gives where it is not the
	// recorded one; it is only filled in if it is not nil.
	why *[]string
}

// turn begins a turn. There is one for all of them, as there is one draft: a fresh
// one would be an allocation for each attempt.
func (s *spec) turn(c *config, before *state) *turn {
	s.hand = turn{spec: s, config: c, before: before}
	return &s.hand
}

// release sends an answer that was parked, or that waited for the high
// watermark.
func (t *turn) release(i int) {
	w := t.draft()
	switch at := w.findWait(i); {
	case at == nil:
		t.refute(func() string { return "the request was not decided before its answer" })
		return
	case !at.done:
		t.refute(func() string { return fmt.Sprintf("the coordinator does not answer yet: it %s", waitingFor(w)) })
		return
	}
	w.dropWait(i)
	if c := &t.Calls[i]; c.API == model.OffsetCommit || c.API == model.OffsetFetch {
		w.commits = t.commits.acknowledge(w.commits, uint32(i))
	}
	t.keep(w)
}

// decide lets the coordinator decide a request; only the outcomes that agree
// with what was recorded are kept.
func (t *turn) decide(i int) { t.Calls[i].row.decide(t, i) }

// ask decides a request that is answered at once and moves no other.
func (t *turn) ask(i int) {
	c, w := &t.Calls[i], t.draft()
	a, _ := t.coordinator(w).Decide(c.Request())
	t.answered(c, w, a.Err)
}

// leave decides a LeaveGroup, which may complete a rebalance.
func (t *turn) leave(i int) {
	c := &t.Calls[i]
	t.choose(func(k *classic.Coordinator, _ *state) bool {
		a, _ := k.Decide(c.Request())
		return t.agrees(c, a.Err)
	})
}

// draft is a copy of the state, to be changed. There is one for all turns: a
// fresh one would be an allocation for each attempt.
func (t *turn) draft() *state {
	t.scratch = *t.before
	return &t.scratch
}

// coordinator is the model's view on a state; there is one, too.
func (t *turn) coordinator(w *state) *classic.Coordinator {
	k := &t.view
	*k = classic.Coordinator{Rules: &t.rules, Group: &w.group, Members: w.members[:], Replies: k.Replies[:0]}
	if g := t.gens[w.group.Generation+1]; g != nil {
		k.Prefer, k.PreferProtocol = g.Leader, g.Protocol
	}
	return k
}

// choose runs a call of the model once for each choice it has and keeps what
// the recorded answers allow. Choices of a leader are read off the answers; a
// generation nobody was told about may have any. run tells whether the call's
// own answer is right; it may replace the state.
func (t *turn) choose(run func(*classic.Coordinator, *state) bool) {
	for pick := 0; ; pick++ {
		w := t.draft()
		k := t.coordinator(w)
		k.Pick = pick
		ok := run(k, w)
		if k.Full {
			t.Overflow = true
			return
		}
		leader := w.group.Leader
		if ok && t.deliver(k, w) {
			t.keep(w)
		}
		if pick+1 >= k.Candidates || k.Prefer != 0 && leader == k.Prefer {
			return
		}
	}
}

// Request is the call as a member's request.
func (c *Call) Request() *classic.Request {
	return &classic.Request{API: c.API, MemberID: c.Member, Generation: c.Gen, Protocols: c.protos, Meta: c.meta, OldVersion: c.old, Fresh: c.fresh, Plan: c.plan}
}

// offsets is the model's view on the offsets of a group.
func (t *turn) offsets(k *classic.Coordinator) *offsets.Store {
	t.store = offsets.Store{Rules: &t.rules, Group: k}
	return &t.store
}

// agrees compares the model's error with the recorded one.
func (t *turn) agrees(c *Call, err model.Error) bool {
	if c.Unknown || err == c.Err {
		return true
	}
	t.refute(func() string { return fmt.Sprintf("the coordinator answers %s: %s", err, describe(t.tables, t.before)) })
	return false
}

// answered keeps a state if the model's error is the recorded one.
func (t *turn) answered(c *Call, w *state, err model.Error) {
	if t.agrees(c, err) {
		t.keep(w)
	}
}

// park decides a JoinGroup or SyncGroup. The leader's SyncGroup is one step,
// append and acknowledgement together. In between the group would still be
// Completing, so that a rebalance could overtake the request and answer it with
// REBALANCE_IN_PROGRESS; a request that is decided after that rebalance began
// is answered the same, and changes nothing either.
func (t *turn) park(i int) {
	c := &t.Calls[i]
	t.choose(func(k *classic.Coordinator, w *state) bool {
		if c.Member == 0 && w.remembers(c.fresh) {
			return false // ids are unique
		}
		if !c.Unknown && !w.addWait(i) {
			t.Overflow = true
			return false
		}
		a, parked := k.Decide(c.Request())
		if c.Unknown {
			w.used |= t.onceBit(i)
			return true
		}
		if parked {
			return true
		}
		if !t.matches(c, a, w) {
			return false
		}
		if c.parks {
			w.findWait(i).done = true
		} else {
			w.dropWait(i)
		}
		return true
	})
}

// matches compares an answer of the model with the recorded one.
func (t *turn) matches(c *Call, a classic.Reply, w *state) bool {
	if !t.agrees(c, a.Err) {
		return false
	}
	want := &c.Answer
	switch {
	case c.API == model.SyncGroup && a.Err == model.None && a.Assignment != c.Parts:
		t.refute(func() string {
			return fmt.Sprintf("the coordinator assigns %s in generation %d", t.tables.partNames(a.Assignment), w.group.Generation)
		})
		return false
	case c.API != model.JoinGroup || a.Err != model.None:
		return true
	case a.Generation != want.Gen, a.MemberID != want.Member,
		!want.fits(a.Leader, a.Protocol, w):
		t.refute(func() string {
			return fmt.Sprintf("the coordinator answers generation %d: %s", a.Generation, describe(t.tables, w))
		})
		return false
	}
	return true
}

// deliver hands the answers of parked requests to those who wait for them, and
// compares a new generation with what was told about it. The answer to a
// request of unknown outcome is lost.
func (t *turn) deliver(k *classic.Coordinator, w *state) bool {
	for _, r := range k.Replies {
		for n := range w.waits {
			at := &w.waits[n]
			if at.call == 0 || at.done {
				continue
			}
			c := &t.Calls[at.call-1]
			if c.API != r.API || c.Sender() != r.To {
				continue
			}
			if !t.matches(c, r, w) {
				return false
			}
			at.done = true
		}
	}
	return !k.Completed || t.foretold(w)
}

// Sender is the member that a request speaks for.
func (c *Call) Sender() model.MemberID {
	if c.Member == 0 {
		return c.fresh
	}
	return c.Member
}

// foretold tells whether a generation that just began is the one that the
// answers tell of.
func (t *turn) foretold(w *state) bool {
	g := t.gens[w.group.Generation]
	switch {
	case g == nil:
		return true
	case w.group.State == classic.Empty:
		return !g.lived
	case !g.fits(w.group.Leader, w.group.Protocol, w):
		return false
	}
	for _, m := range g.joiners {
		if !w.remembers(m) {
			return false
		}
	}
	return true
}

// commit decides an OffsetCommit; the model stores into a copy of the newest
// offsets, the commit log keeps the order.
func (t *turn) commit(i int) {
	c := &t.Calls[i]
	w := t.draft()
	err := t.offsets(t.coordinator(w)).Decide(&offsets.Request{API: c.API, MemberID: c.Member, Generation: c.Gen})
	if !t.agrees(c, err) {
		return
	}
	if err == model.None && !t.bare {
		w.commits = t.commits.apply(w.commits, uint32(i))
		if c.parks && !t.wait(w, i) {
			return
		}
	}
	t.keep(w)
}

// txnCommit decides the group's side of a TxnOffsetCommit. Its offsets are left
// out.
func (t *turn) txnCommit(i int) {
	c, w := &t.Calls[i], t.draft()
	s := t.offsets(t.coordinator(w))
	err := s.CheckTxn(c.Member, c.Gen)
	if err == model.None {
		s.StoreTxn(0, nil)
	}
	t.answered(c, w, err)
}

// wait notes a request whose answer only waits for the high watermark.
func (t *turn) wait(w *state, i int) bool {
	if !w.addWait(i) {
		t.Overflow = true
		return false
	}
	w.findWait(i).done = true
	return true
}

// fetch reads. A fetch of unknown outcome is not among the calls.
func (t *turn) fetch(i int) {
	c := &t.Calls[i]
	w := t.draft()
	s := t.offsets(t.coordinator(w))
	reads := func(committed []model.Offset) bool {
		s.Committed = committed
		q := offsets.Request{API: c.API, Offsets: t.fetched[:len(committed)]}
		s.Decide(&q)
		for _, v := range c.Values {
			if q.Offsets[v.Part] != v.Value {
				return false
			}
		}
		return true
	}
	if c.Err != model.None {
		t.refute(func() string { return "the coordinator answers NONE" })
		return
	}
	if c.Stable {
		if newest := t.commits.newest(w.commits); !reads(newest) {
			t.refute(func() string { return fmt.Sprintf("the newest offsets are %s", t.tables.offsetNames(c, newest)) })
			return
		}
		w.commits = t.commits.apply(w.commits, uint32(i))
		if t.wait(w, i) {
			t.keep(w)
		}
		return
	}
	after, ok := t.commits.see(w.commits, reads)
	if !ok {
		t.refute(func() string {
			return fmt.Sprintf("the committed offsets are %s", t.tables.offsetNames(c, t.commits.newest(w.commits)))
		})
		return
	}
	w.commits = after
	t.keep(w)
}

// keep adds a state, unless something that must still happen cannot happen in
// it any more: a generation or a member is over that later steps need, and
// neither comes back.
func (t *turn) keep(w *state) {
	if w.group.Generation > t.config.oldest {
		t.refute(func() string {
			return fmt.Sprintf("the group left generation %d, in which requests that come later are answered", t.config.oldest)
		})
		return
	}
	for i := range t.before.members {
		id := t.before.members[i].ID
		if id == 0 {
			break
		}
		if id != anonymous && t.config.needMember[id] > 0 && !w.remembers(id) {
			t.refute(func() string {
				return fmt.Sprintf("member %s is out, and requests of it that come later are accepted", t.tables.names[id])
			})
			return
		}
	}
	t.forgetUsed(w)
	w.mergePending(func(id model.MemberID) bool { return id != anonymous && t.config.needPending[id] > 0 })
	t.config.states.Add(t.states.Number(w))
}

// forgetUsed forgets which requests without answer of a member were decided, once the
// member is out: none of them can be decided any more.
func (t *turn) forgetUsed(w *state) {
	if w.used == 0 {
		return
	}
	for left := w.used; left != 0; left &= left - 1 {
		n := bits.TrailingZeros64(left)
		if !w.remembers(t.Calls[t.onces[n]].Sender()) {
			w.used &^= 1 << n
		}
	}
}
