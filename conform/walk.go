package conform

import (
	"math/rand/v2"
	"time"

	"fencecheck/model"
)

// walkSteps is how long a random walk is, walkSeats how many ids it uses at
// once.
const (
	walkSteps = 30
	walkSeats = 3
)

// weights say how often a walk takes a step of each kind. Those that bring a
// group on are taken more often than those that only ask.
var weights = [numOps]int{joinNew: 4, joinKnown: 8, syncGroup: 8, heartbeat: 2, leaveGroup: 2, offsetCommit: 3, offsetFetch: 1, deleteGroup: 1, sessionTimer: 3, joinTimer: 4, syncTimer: 3}

// walk draws the steps of one random walk.
type walk struct {
	random *rand.Rand
	timers map[op]bool // those that the walk waits for, once
	victim model.MemberID
	timeouts
}

// newWalk is walk number i of a seed. Most walks let nothing expire; some let
// one member's session end, or the group's timers.
func newWalk(seed uint64, i int, l limits, scale int) *walk {
	w := &walk{random: rand.New(rand.NewPCG(seed, uint64(i))), timers: map[op]bool{},
		timeouts: timeouts{session: map[model.MemberID]time.Duration{}, delay: l.initialDelay}}
	switch kind := w.random.IntN(24); kind {
	case 0, 1:
		w.victim = model.MemberID(1 + w.random.IntN(walkSeats))
		w.session[w.victim] = l.shortest(scale)
		w.timers[sessionTimer] = true
	case 2:
		w.rebalance = l.shortest(scale)
		w.timers[joinTimer], w.timers[syncTimer] = true, true
	}
	return w
}

// draw chooses a step: first its kind, then one of that kind, and most often
// one with the tokens of a member in good standing.
func (w *walk) draw(s *state) step {
	var by [numOps][]step
	s.steps(walkSeats, func(st step) {
		if r, ok := s.resolve(st); ok && w.allowed(s, r) {
			by[st.Op] = append(by[st.Op], st)
		}
	})
	st := draw(w.random, by[:], weights[:], step.sound, 3)
	if st.Op.timer() && w.timers[st.Op] {
		delete(w.timers, st.Op)
	}
	return st
}

// sound: the tokens are those of a client that has not missed anything.
func (s step) sound() bool {
	switch s.Op {
	case heartbeat, syncGroup, offsetCommit:
		return s.Who != nobody && s.Who < removed && s.When == current
	case joinKnown, leaveGroup:
		return s.Who < removed && s.Variant < foreign
	case joinNew:
		return s.Variant == plain || s.Variant == reordered
	}
	return true
}

// allowed: timers fire only where the walk has made them short. The initial
// delay is always short.
func (w *walk) allowed(s *state, r request) bool {
	switch r.Step.Op {
	case sessionTimer:
		return w.timers[sessionTimer] && r.ID == w.victim && !unreal(s, r)
	case joinTimer:
		return s.Group.InitialDelay || w.timers[joinTimer]
	case syncTimer:
		return w.timers[syncTimer]
	}
	return true
}
