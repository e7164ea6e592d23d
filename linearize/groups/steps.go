package groups

import (
	"context"
	"slices"

	"fencecheck/linearize/sequential"
	"fencecheck/model"
)

// listSteps lists the steps by rising start.
//
// Porcupine is bad at requests of unknown outcome: it tries each at every
// place. So only commits are steps of their own there; a JoinGroup, SyncGroup or
// LeaveGroup becomes an internal step that is possible from its invocation on.
func (s *spec) listSteps() {
	const scale = 4 // room between two events
	end := int64(scale * (len(s.H.Events) + 1))
	for i := range s.Calls {
		c := &s.Calls[i]
		o := &s.H.Ops[c.Op]
		from, to := int64(scale*o.Inv), int64(scale*o.Ret)
		switch {
		case c.Unknown && s.lazy(i):
			s.Add(i, sequential.Sent, from, from)
		case c.Unknown:
			s.Add(i, sequential.Perhaps, from, end)
		case c.seenAt > 0:
			s.Add(i, sequential.Whole, from, int64(scale*c.seenAt))
		case c.parks:
			s.Add(i, sequential.Decide, from, to)
			s.Add(i, sequential.Release, from+1, to)
		default:
			s.Add(i, sequential.Whole, from, to)
		}
	}
	s.byEnd = make([]int, len(s.Steps))
	for i := range s.byEnd {
		s.byEnd[i] = i
	}
	slices.SortStableFunc(s.byEnd, func(a, b int) int { return int(s.Steps[a].To - s.Steps[b].To) })
}

// lazy tells whether a call of unknown outcome can be left to internal steps. A
// JoinGroup needs a bit, to be decided once only: two of one member that take
// turns would rebalance for ever. The others change nothing the second time; and
// of anonymous pending ids one is as good as many (mergePending), so that a
// JoinGroup without id may hand out one again and again. That allows slightly
// more than the truth.
func (s *spec) lazy(i int) bool {
	const most = 64
	c := &s.Calls[i]
	if c.API != model.JoinGroup || c.Member == 0 && !c.old {
		return c.row.late != nil
	}
	if len(s.onces) == most {
		return false
	}
	s.onces = append(s.onces, i)
	return true
}

// onceBit is the call's bit in state.used, 0 if it has none.
func (s *spec) onceBit(i int) uint64 {
	if n, has := slices.BinarySearch(s.onces, i); has {
		return 1 << n
	}
	return 0
}

// step takes a step in one state.
func (t *turn) step(st sequential.Step) {
	switch st.Phase {
	case sequential.Release:
		t.release(st.Call)
	case sequential.Perhaps:
		t.keep(t.draft())
		t.decide(st.Call)
	case sequential.Sent:
		t.keep(t.draft())
	default:
		t.decide(st.Call)
	}
}

// available lists the steps that may come next: those that began before the
// first end of a step not taken.
func (s *spec) available(c *config) []int {
	taken := func(i int) bool { return c.done.Has(i) }
	for c.first < len(s.Steps) && taken(c.first) {
		c.first++
	}
	limit := int64(1) << 62
	for _, i := range s.byEnd[c.closed:] {
		if !taken(i) {
			limit = s.Steps[i].To
			break
		}
		c.closed++
	}
	var open []int
	for i := c.first; i < len(s.Steps) && s.Steps[i].From <= limit; i++ {
		if !taken(i) {
			open = append(open, i)
		}
	}
	return open
}

// takeFree takes, at once and in a fixed order, all steps that cost nothing: they
// are possible in every state and change none. Whatever order explains the rest
// without such a step here explains it with the step here, too; so no other
// place needs to be tried for it. This keeps the search narrow where many
// requests are open.
//
// Porcupine must follow: such steps are forced, and next refuses any other step
// until they are taken.
func (s *spec) takeFree(ctx context.Context, c *config) {
	for again := true; again && ctx.Err() == nil; {
		again = false
		for _, i := range s.available(c) {
			states, free := s.free(c, i)
			if !free {
				continue
			}
			again = true
			*c = *c.after(s, i)
			c.states = states
			c.forced = append(slices.Clone(c.forced), uint32(i))
			if st := s.Steps[i]; st.Phase == sequential.Sent {
				c.sent = append(slices.Clone(c.sent), uint32(st.Call))
			}
			s.closure(ctx, c)
		}
	}
}

// free tells whether a step is possible in every state and changes none, but
// for the note that its own answer is outstanding.
func (s *spec) free(c *config, i int) (sequential.States, bool) {
	st := s.Steps[i]
	switch st.Phase {
	case sequential.Sent:
		return c.states, true
	case sequential.Perhaps:
		return nil, false
	}
	var all sequential.States
	scratch := &config{needs: c.needs}
	for _, at := range c.states {
		scratch.states = scratch.states[:0]
		before := s.states.All[at]
		t := s.turn(scratch, &before)
		t.step(st)
		if len(scratch.states) != 1 {
			return nil, false
		}
		after := s.states.All[scratch.states[0]]
		if w := after.findWait(st.Call); w != nil && !w.done {
			return nil, false
		}
		all.Add(scratch.states[0])
		before.dropWait(st.Call)
		after.dropWait(st.Call)
		if before != after {
			return nil, false
		}
	}
	return all, true
}
