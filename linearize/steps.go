package linearize

import (
	"context"
	"slices"

	"fencecheck/model"
)

// listSteps lists the steps by rising start.
//
// Porcupine is bad at requests of unknown outcome: it tries each at every
// place. So only commits are steps of their own there; a JoinGroup, SyncGroup or
// LeaveGroup becomes a silent step that is possible from its invocation on.
func (s *spec) listSteps() {
	const scale = 4 // room between two events
	end := int64(scale * (len(s.h.Events) + 1))
	for i := range s.calls {
		c := &s.calls[i]
		o := &s.h.Ops[c.op]
		from, to := int64(scale*o.Inv), int64(scale*o.Ret)
		switch {
		case c.unknown && s.lazy(i):
			s.stepList = append(s.stepList, step{i, arm, from, from})
		case c.unknown:
			s.stepList = append(s.stepList, step{i, perhaps, from, end})
		case c.seenAt > 0:
			s.stepList = append(s.stepList, step{i, whole, from, int64(scale * c.seenAt)})
		case c.parks:
			s.stepList = append(s.stepList, step{i, decide, from, to}, step{i, release, from + 1, to})
		default:
			s.stepList = append(s.stepList, step{i, whole, from, to})
		}
	}
	s.byEnd = make([]int, len(s.stepList))
	for i := range s.byEnd {
		s.byEnd[i] = i
	}
	slices.SortStableFunc(s.byEnd, func(a, b int) int { return int(s.stepList[a].to - s.stepList[b].to) })
}

// lazy tells whether a call of unknown outcome can be left to silent steps. A
// JoinGroup needs a bit, to be decided once only: two of one member that take
// turns would rebalance for ever. The others change nothing the second time; and
// of anonymous pending ids one is as good as many (mergePending), so that a
// JoinGroup without id may hand out one again and again. That allows slightly
// more than the truth.
func (s *spec) lazy(i int) bool {
	const most = 64
	c := &s.calls[i]
	if c.api != model.JoinGroup || c.member == 0 && !c.old {
		return c.api != model.OffsetCommit
	}
	if len(s.onces) == most {
		return false
	}
	s.onces = append(s.onces, i)
	return true
}

// onceBit is the call's bit in world.used, 0 if it has none.
func (s *spec) onceBit(i int) uint64 {
	if n, has := slices.BinarySearch(s.onces, i); has {
		return 1 << n
	}
	return 0
}

// step takes a step in one world.
func (t *turn) step(st step) {
	switch st.phase {
	case release:
		t.release(st.call)
	case perhaps:
		t.keep(t.draft())
		t.decide(st.call)
	case arm:
		t.keep(t.draft())
	default:
		t.decide(st.call)
	}
}

// available lists the steps that may come next: those that began before the
// first end of a step not taken.
func (s *spec) available(c *config) []int {
	taken := func(i int) bool { return c.done.has(i) }
	for c.first < len(s.stepList) && taken(c.first) {
		c.first++
	}
	limit := int64(1) << 62
	for _, i := range s.byEnd[c.closed:] {
		if !taken(i) {
			limit = s.stepList[i].to
			break
		}
		c.closed++
	}
	var open []int
	for i := c.first; i < len(s.stepList) && s.stepList[i].from <= limit; i++ {
		if !taken(i) {
			open = append(open, i)
		}
	}
	return open
}

// absorb takes, at once and in a fixed order, all steps that cost nothing: they
// are possible in every world and change none. Whatever order explains the rest
// without such a step here explains it with the step here, too; so no other
// place needs to be tried for it. This keeps the search narrow where many
// requests are open.
//
// Porcupine must follow: the absorbed steps are due, and next refuses any other
// step until they are taken.
func (s *spec) absorb(ctx context.Context, c *config) {
	for again := true; again && ctx.Err() == nil; {
		again = false
		for _, i := range s.available(c) {
			worlds, free := s.free(c, i)
			if !free {
				continue
			}
			again = true
			*c = *c.after(s, i)
			c.worlds = worlds
			c.due = append(slices.Clone(c.due), uint32(i))
			if st := s.stepList[i]; st.phase == arm {
				c.armed = append(slices.Clone(c.armed), uint32(st.call))
			}
			s.settle(ctx, c)
		}
	}
}

// free tells whether a step is possible in every world and changes none, but
// for the note that its own answer is outstanding.
func (s *spec) free(c *config, i int) (worlds, bool) {
	st := s.stepList[i]
	switch st.phase {
	case arm:
		return c.worlds, true
	case perhaps:
		return nil, false
	}
	var all worlds
	scratch := &config{owed: c.owed, asked: c.asked, lived: c.lived, horizon: c.horizon}
	for _, at := range c.worlds {
		scratch.worlds = scratch.worlds[:0]
		before := s.atlas.all[at]
		t := turn{spec: s, config: scratch, before: &before}
		t.step(st)
		if len(scratch.worlds) != 1 {
			return nil, false
		}
		after := s.atlas.all[scratch.worlds[0]]
		if w := after.findWait(st.call); w != nil && !w.done {
			return nil, false
		}
		all.add(scratch.worlds[0])
		before.dropWait(st.call)
		after.dropWait(st.call)
		if before != after {
			return nil, false
		}
	}
	return all, true
}
