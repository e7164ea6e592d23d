package groups

import (
	"time"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// Timers are made real by waiting. Only what a sequence means to let expire
// gets a short timeout, all else one that it cannot live to see. A sequence
// that took so long that a short one may have fired on its own proves nothing,
// and is played again with longer ones.
const (
	long   = time.Minute
	growth = 2.2                    // of the next timeout in a sequence that has several
	slack  = 250 * time.Millisecond // what the broker's timers may be late
)

// timeouts are those of one sequence.
type timeouts struct {
	session   map[model.MemberID]time.Duration // by id in the order in which they are given
	rebalance time.Duration                    // 0: long
	delay     time.Duration                    // the broker's initial delay
}

// timeoutsOf finds out which members a sequence lets expire, by playing it in the
// model with the choices that it assumes.
func timeoutsOf(steps []Step, g *game, l admin.Limits, scale int) timeouts {
	t := timeouts{session: map[model.MemberID]time.Duration{}, delay: l.InitialDelay}
	next := l.Shortest(scale)
	now := start()
	for _, st := range steps {
		r, ok := now.resolve(st)
		if !ok {
			break
		}
		switch {
		case st.Op == sessionTimer && now.Group.InitialDelay:
			t.session[r.MemberID] = withinDelay(l)
		case st.Op == sessionTimer:
			t.session[r.MemberID] = next
			next = time.Duration(float64(next) * growth)
		case t.rebalance == 0 && (st.Op == syncTimer || st.Op == joinTimer && !now.Group.InitialDelay):
			t.rebalance = next
			next = time.Duration(float64(next) * growth)
		}
		o := g.decide(&now, r)
		now = o.After
	}
	return t
}

// withinDelay is a session that ends during the initial delay; 0 if the broker
// takes none.
func withinDelay(l admin.Limits) time.Duration {
	d := max(l.MinSession, l.InitialDelay/3)
	if d+slack > l.InitialDelay*9/10 {
		return 0
	}
	return d
}

// clock knows when the timers of a play can have begun, at the earliest and at
// the latest.
type clock struct {
	timeouts
	armed     map[model.MemberID]time.Time    // earliest, of short sessions
	contact   map[model.MemberID][2]time.Time // the latest request or answer
	preparing [2]time.Time                    // when the join phase began, at the earliest and latest
	completed [2]time.Time                    // when it was completed
}

func newClock(t timeouts) clock {
	return clock{timeouts: t, armed: map[model.MemberID]time.Time{}, contact: map[model.MemberID][2]time.Time{}}
}

// sessionOf is the session that a JoinGroup asks for.
func (c *clock) sessionOf(id model.MemberID) time.Duration {
	if d, ok := c.session[id]; ok {
		return d
	}
	return long
}

func (c *clock) rebalanceTimeout() time.Duration {
	if c.rebalance != 0 {
		return c.rebalance
	}
	return long
}

// note records a step that was begun at a time and is over now.
func (c *clock) note(before, after *state, r *request, begun time.Time) {
	span := [2]time.Time{begun, time.Now()}
	id := r.subject()
	if _, ok := c.session[id]; ok && c.armed[id].IsZero() {
		c.armed[id] = begun
	}
	if !r.Step.Op.timer() {
		c.contact[id] = span
	}
	for i := range after.Members { // whoever was answered hears its timer reset
		if m, b := after.Members[i], before.find(after.Members[i].ID); b != nil && m.Flags != b.Flags {
			c.contact[m.ID] = span
		}
	}
	if after.Group.State == classic.PreparingRebalance && before.Group.State != after.Group.State {
		c.preparing = span
	}
	if after.Group.Generation != before.Group.Generation {
		c.completed = span
	}
}

// onTime fails if a short timer may have fired that was not meant to.
func (c *clock) onTime(s *state) error {
	g := &s.Group
	for id, at := range c.armed {
		if s.find(id) != nil && frame.Spent(at, c.session[id]) {
			return frame.ErrTiming
		}
	}
	switch {
	case g.State == classic.PreparingRebalance && g.InitialDelay:
		if frame.Spent(c.preparing[0], c.delay) {
			return frame.ErrTiming
		}
	case g.State == classic.PreparingRebalance:
		if frame.Spent(c.preparing[0], c.rebalanceTimeout()) {
			return frame.ErrTiming
		}
	case s.awaitsSync():
		if frame.Spent(c.completed[0], c.rebalanceTimeout()) {
			return frame.ErrTiming
		}
	}
	return nil
}

// due is when the timer of a step fires, at the earliest and at the latest.
func (c *clock) due(s *state, r *request) (earliest, latest time.Time) {
	since, timeout, most := c.preparing, c.rebalanceTimeout(), time.Duration(1)
	switch {
	case r.Step.Op == sessionTimer:
		since, timeout = c.contact[r.MemberID], c.sessionOf(r.MemberID)
	case r.Step.Op == syncTimer:
		since = c.completed
	case s.Group.InitialDelay:
		timeout, most = c.delay, initialDelays+1
	}
	return since[0].Add(timeout), since[1].Add(most*timeout + slack)
}

// forget: a timer that has been waited for is no danger any more.
func (c *clock) forget(r *request) {
	if r.Step.Op == sessionTimer {
		delete(c.armed, r.MemberID)
	}
}

// possible tells whether a wait would end before any other short timer fires.
func (c *clock) possible(s *state, r *request, end time.Time) bool {
	for id, at := range c.armed {
		if id != r.MemberID && s.find(id) != nil && end.After(at.Add(c.session[id])) {
			return false
		}
	}
	if r.Step.Op != sessionTimer {
		return true
	}
	if s.Group.State == classic.PreparingRebalance && s.Group.InitialDelay {
		return end.Before(c.preparing[0].Add(c.delay))
	}
	if c.rebalance == 0 {
		return true
	}
	phase := s.Group.State == classic.PreparingRebalance && end.After(c.preparing[0].Add(c.rebalance))
	return !phase && !(s.awaitsSync() && end.After(c.completed[0].Add(c.rebalance)))
}
