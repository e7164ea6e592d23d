package groups

import (
	"math/rand/v2"
	"time"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// steps calls yield for each step that makes sense in s, where the coordinator
// remembers so many ids at most. Choices are left out.
func (s *state) steps(limit int, yield func(Step)) {
	size := s.size()
	if size < limit {
		s.forms(ofNewcomer, nobody, yield)
	}
	whos := []who{nobody, removed, stranger}
	for i := range size {
		whos = append(whos, who(i+1))
	}
	for _, w := range whos {
		if w != nobody {
			s.forms(ofMember, w, yield)
		}
		for _, g := range []when{noGeneration, current, older, newer} {
			for o := range numOps {
				if o.row().tokens == ofGeneration {
					yield(Step{Op: o, Who: w, When: g})
				}
			}
		}
		s.variants(ofGeneration, w, yield)
		if w < removed && w != nobody {
			s.forms(ofKnown, w, yield)
		}
	}
	s.forms(ofGroup, nobody, yield)
	if s.Group.State == classic.PreparingRebalance {
		yield(Step{Op: joinTimer})
	}
	if s.awaitsSync() {
		yield(Step{Op: syncTimer})
	}
}

// forms are the plain steps of some tokens, each followed by its variants.
func (s *state) forms(t tokens, w who, yield func(Step)) {
	for o := range numOps {
		if row := o.row(); row.tokens == t {
			yield(Step{Op: o, Who: w})
			s.variantsOf(o, w, noGeneration, yield)
		}
	}
}

// variants are the others, with the current generation.
func (s *state) variants(t tokens, w who, yield func(Step)) {
	for o := range numOps {
		if o.row().tokens == t {
			s.variantsOf(o, w, current, yield)
		}
	}
}

func (s *state) variantsOf(o op, w who, g when, yield func(Step)) {
	if f := o.row().variants; f != nil {
		for _, v := range f(s, w) {
			yield(Step{Op: o, Who: w, When: g, Variant: v})
		}
	}
}

func newcomerVariants(s *state, _ who) []variant {
	all := []variant{reordered, oldVersion, none, tooShort, tooLong}
	if s.hasMembers() {
		all = append(all, foreign)
	}
	return all
}

func joinVariants(s *state, w who) []variant {
	switch {
	case w == removed || w == stranger:
		return nil
	case s.hasMembers():
		return []variant{changed, reordered, none, foreign}
	}
	return []variant{changed, reordered, none}
}

func syncVariants(_ *state, w who) []variant {
	if w == nobody || w >= removed {
		return []variant{usurpedPlan}
	}
	return []variant{usurpedPlan, emptyPlan, otherProtocol}
}

func leaveVariants(*state, who) []variant { return []variant{andStranger, twice, andAll} }

// hasMembers: a group without members would take a protocol that later
// joiners do not offer, which leads nowhere new.
func (s *state) hasMembers() bool {
	for i := range s.Members {
		if s.isMember(s.Members[i].ID) {
			return true
		}
	}
	return false
}

func (s *state) awaitsSync() bool {
	for i := range s.Members {
		if m := &s.Members[i]; m.ID != 0 && m.Is(classic.AwaitsSync) {
			return true
		}
	}
	return false
}

// walkSteps is how long a random walk is, walkSeats how many ids it uses at
// once.
const (
	walkSteps = 30
	walkSeats = 3
)

// walk draws the steps of one random walk.
type walk struct {
	random *rand.Rand
	timers map[op]bool // those that the walk waits for, once
	victim model.MemberID
	timeouts
}

// newWalk is walk number i of a seed. Most walks let nothing expire; some let
// one member's session end, or the group's timers.
func newWalk(seed uint64, i int, l admin.Limits, scale int) *walk {
	w := &walk{random: rand.New(rand.NewPCG(seed, uint64(i))), timers: map[op]bool{},
		timeouts: timeouts{session: map[model.MemberID]time.Duration{}, delay: l.InitialDelay}}
	switch kind := w.random.IntN(24); kind {
	case 0, 1:
		w.victim = model.MemberID(1 + w.random.IntN(walkSeats))
		w.session[w.victim] = l.Shortest(scale)
		w.timers[sessionTimer] = true
	case 2:
		w.rebalance = l.Shortest(scale)
		w.timers[joinTimer], w.timers[syncTimer] = true, true
	}
	return w
}

// draw chooses a step: first its kind, then one of that kind, and most often
// one with the tokens of a member in good standing. A row's weight says how often:
// steps that bring a group on are taken more often than those that only ask.
func (w *walk) draw(s *state) Step {
	by, weights := make([][]Step, numOps), make([]int, numOps)
	s.steps(walkSeats, func(st Step) {
		if r, ok := s.resolve(st); ok && w.allowed(s, &r) {
			by[st.Op], weights[st.Op] = append(by[st.Op], st), st.Op.row().weight
		}
	})
	st := frame.Draw(w.random, by, weights, Step.sound, 3)
	delete(w.timers, st.Op)
	return st
}

// sound: the tokens are those of a client that has not missed anything.
func (s Step) sound() bool {
	switch s.Op.row().tokens {
	case ofGeneration:
		return s.Who != nobody && s.Who < removed && s.When == current
	case ofMember:
		return s.Who < removed && (s.Variant == plain || s.Op.row().repeats && s.Variant < foreign)
	case ofNewcomer:
		return s.Variant == plain || s.Variant == reordered
	}
	return true
}

// allowed: timers fire only where the walk has made them short. The initial
// delay is always short.
func (w *walk) allowed(s *state, r *request) bool {
	switch {
	case !r.Step.Op.timer():
		return true
	case r.Step.Op == sessionTimer:
		return w.timers[sessionTimer] && r.MemberID == w.victim && !unreal(s, r)
	}
	return w.timers[r.Step.Op] || r.Step.Op == joinTimer && s.Group.InitialDelay
}
