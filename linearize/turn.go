package linearize

import (
	"fmt"
	"math/bits"
	"slices"

	"fencecheck/model"
)

// turn takes one step in one world. What comes of it goes into config.
type turn struct {
	*spec
	config *config
	before *world
	// why tells of the answer that the model gives where it is not the
	// recorded one; it is only filled in if it is not nil.
	why *[]string
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
	if c := &t.calls[i]; c.api == model.OffsetCommit || c.api == model.OffsetFetch {
		w.ledger = t.books.acknowledge(w.ledger, uint32(i))
	}
	t.keep(w)
}

// decide lets the coordinator decide a request; only the outcomes that agree
// with what was recorded are kept.
func (t *turn) decide(i int) {
	c := &t.calls[i]
	switch c.api {
	case model.JoinGroup, model.SyncGroup:
		t.park(i)
	case model.OffsetFetch:
		t.fetch(i)
	case model.OffsetCommit:
		t.commit(i)
	case model.TxnOffsetCommit:
		t.txnCommit(c)
	case model.Heartbeat:
		w := t.draft()
		a, _ := t.coordinator(w).Decide(c.request())
		t.answered(c, w, a.Err)
	case model.LeaveGroup:
		t.choose(func(k *model.Coordinator, _ *world) bool {
			a, _ := k.Decide(c.request())
			return t.agrees(c, a.Err)
		})
	}
}

// draft is a copy of the world, to be changed. There is one for all turns: a
// fresh one would be an allocation for each attempt.
func (t *turn) draft() *world {
	t.sketch = *t.before
	return &t.sketch
}

// coordinator is the model's view on a world; there is one, too.
func (t *turn) coordinator(w *world) *model.Coordinator {
	k := &t.view
	*k = model.Coordinator{Rules: &t.rules, Group: &w.group, Members: w.members[:], Replies: k.Replies[:0]}
	if g := t.gens[w.group.Generation+1]; g != nil {
		k.Prefer, k.PreferProtocol = g.leader, g.protocol
	}
	return k
}

// choose runs a call of the model once for each choice it has and keeps what
// the recorded answers allow. Choices of a leader are read off the answers; a
// generation nobody was told about may have any. run tells whether the call's
// own answer is right; it may replace the world.
func (t *turn) choose(run func(*model.Coordinator, *world) bool) {
	for pick := 0; ; pick++ {
		w := t.draft()
		k := t.coordinator(w)
		k.Pick = pick
		ok := run(k, w)
		if k.Full {
			t.overflow = true
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

// request is the call as a member's request.
func (c *call) request() *model.GroupRequest {
	return &model.GroupRequest{API: c.api, MemberID: c.member, Generation: c.gen, Protocols: c.protos, Meta: c.meta, OldVersion: c.old, Fresh: c.fresh, Plan: c.plan}
}

// offsets is the model's view on the offsets of a group.
func (t *turn) offsets(k *model.Coordinator) *model.OffsetStore {
	t.store = model.OffsetStore{Rules: &t.rules, Group: k}
	return &t.store
}

// agrees compares the model's error with the recorded one.
func (t *turn) agrees(c *call, err model.Error) bool {
	if c.unknown || err == c.err {
		return true
	}
	t.refute(func() string { return fmt.Sprintf("the coordinator answers %s: %s", err, describe(t.words, t.before)) })
	return false
}

// answered keeps a world if the model's error is the recorded one.
func (t *turn) answered(c *call, w *world, err model.Error) {
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
	c := &t.calls[i]
	t.choose(func(k *model.Coordinator, w *world) bool {
		if c.member == 0 && w.remembers(c.fresh) {
			return false // ids are unique
		}
		if !c.unknown && !w.addWait(i) {
			t.overflow = true
			return false
		}
		a, parked := k.Decide(c.request())
		if c.unknown {
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
func (t *turn) matches(c *call, a model.Reply, w *world) bool {
	if !t.agrees(c, a.Err) {
		return false
	}
	want := &c.answer
	switch {
	case c.api == model.SyncGroup && a.Err == model.None && a.Assignment != c.parts:
		t.refute(func() string {
			return fmt.Sprintf("the coordinator assigns %s in generation %d", t.words.partNames(a.Assignment), w.group.Generation)
		})
		return false
	case c.api != model.JoinGroup || a.Err != model.None:
		return true
	case a.Generation != want.gen, a.MemberID != want.member,
		want.leader != 0 && a.Leader != want.leader,
		want.protocol != 0 && a.Protocol != want.protocol,
		want.members != nil && !slices.Equal(w.ids(), want.members):
		t.refute(func() string {
			return fmt.Sprintf("the coordinator answers generation %d: %s", a.Generation, describe(t.words, w))
		})
		return false
	}
	return true
}

// deliver hands the answers of parked requests to those who wait for them, and
// compares a new generation with what was told about it. The answer to a
// request of unknown outcome is lost.
func (t *turn) deliver(k *model.Coordinator, w *world) bool {
	for _, r := range k.Replies {
		for n := range w.waits {
			at := &w.waits[n]
			if at.call == 0 || at.done {
				continue
			}
			c := &t.calls[at.call-1]
			if c.api != r.API || c.sender() != r.To {
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

// sender is the member that a request speaks for.
func (c *call) sender() model.MemberID {
	if c.member == 0 {
		return c.fresh
	}
	return c.member
}

// foretold tells whether a generation that just began is the one that the
// answers tell of.
func (t *turn) foretold(w *world) bool {
	g := t.gens[w.group.Generation]
	switch {
	case g == nil:
		return true
	case w.group.State == model.Empty:
		return !g.lived
	case g.leader != 0 && w.group.Leader != g.leader,
		g.protocol != 0 && w.group.Protocol != g.protocol,
		g.members != nil && !slices.Equal(w.ids(), g.members):
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
// offsets, the ledger keeps the order.
func (t *turn) commit(i int) {
	c := &t.calls[i]
	w := t.draft()
	err := t.offsets(t.coordinator(w)).Decide(&model.OffsetsRequest{API: c.api, MemberID: c.member, Generation: c.gen})
	if !t.agrees(c, err) {
		return
	}
	if err == model.None && !t.bare {
		w.ledger = t.books.apply(w.ledger, uint32(i))
		if c.parks && !t.wait(w, i) {
			return
		}
	}
	t.keep(w)
}

// txnCommit decides the group's side of a TxnOffsetCommit. Its offsets are left
// out.
func (t *turn) txnCommit(c *call) {
	w := t.draft()
	s := t.offsets(t.coordinator(w))
	err := s.CheckTxn(c.member, c.gen)
	if err == model.None {
		s.StoreTxn(0, nil)
	}
	t.answered(c, w, err)
}

// wait notes a request whose answer only waits for the high watermark.
func (t *turn) wait(w *world, i int) bool {
	if !w.addWait(i) {
		t.overflow = true
		return false
	}
	w.findWait(i).done = true
	return true
}

// fetch reads. A fetch of unknown outcome is not among the calls.
func (t *turn) fetch(i int) {
	c := &t.calls[i]
	w := t.draft()
	s := t.offsets(t.coordinator(w))
	reads := func(offsets []model.Offset) bool {
		s.Committed = offsets
		q := model.OffsetsRequest{API: c.api, Offsets: t.fetched[:len(offsets)]}
		s.Decide(&q)
		for _, v := range c.values {
			if q.Offsets[v.part] != v.value {
				return false
			}
		}
		return true
	}
	if c.err != model.None {
		t.refute(func() string { return "the coordinator answers NONE" })
		return
	}
	if c.stable {
		if newest := t.books.newest(w.ledger); !reads(newest) {
			t.refute(func() string { return fmt.Sprintf("the newest offsets are %s", t.words.offsetNames(c, newest)) })
			return
		}
		w.ledger = t.books.apply(w.ledger, uint32(i))
		if t.wait(w, i) {
			t.keep(w)
		}
		return
	}
	after, ok := t.books.see(w.ledger, reads)
	if !ok {
		t.refute(func() string {
			return fmt.Sprintf("the committed offsets are %s", t.words.offsetNames(c, t.books.newest(w.ledger)))
		})
		return
	}
	w.ledger = after
	t.keep(w)
}

// keep adds a world, unless something that must still happen cannot happen in
// it any more: a generation or a member is over that later steps need, and
// neither comes back.
func (t *turn) keep(w *world) {
	if w.group.Generation > t.config.horizon {
		t.refute(func() string {
			return fmt.Sprintf("the group left generation %d, in which requests that come later are answered", t.config.horizon)
		})
		return
	}
	for i := range t.before.members {
		id := t.before.members[i].ID
		if id == 0 {
			break
		}
		if id != anonymous && t.config.owed[id] > 0 && !w.remembers(id) {
			t.refute(func() string {
				return fmt.Sprintf("member %s is out, and requests of it that come later are accepted", t.words.names[id])
			})
			return
		}
	}
	t.forgetUsed(w)
	w.mergePending(func(id model.MemberID) bool { return id != anonymous && t.config.asked[id] > 0 })
	t.config.worlds.add(t.atlas.number(w))
}

// forgetUsed forgets which silent requests of a member were decided, once the
// member is out: none of them can be decided any more.
func (t *turn) forgetUsed(w *world) {
	if w.used == 0 {
		return
	}
	for left := w.used; left != 0; left &= left - 1 {
		n := bits.TrailingZeros64(left)
		if !w.remembers(t.calls[t.onces[n]].sender()) {
			w.used &^= 1 << n
		}
	}
}
