package conform

import (
	"fencecheck/model"
	"fencecheck/search"
)

// system is one group as package search explores it: every request that any
// process could send, and every timer, in every state.
type system struct {
	game  game
	seats int // ids that the coordinator remembers at once, at most
}

// Init yields the group that does not exist.
func (y system) Init(yield func(*state)) {
	s := start()
	yield(&s)
}

// Next calls emit for every step and every choice in it.
func (y system) Next(s, next *state, emit func(search.Step)) {
	s.steps(y.seats, func(st step) {
		r, ok := s.resolve(st)
		if !ok {
			return
		}
		for _, o := range y.game.outcomes(s, r) {
			if o.Full {
				continue
			}
			st.Choice = o.Choice
			*next = o.After.canonical()
			if unreal(s, r) {
				*next = *s
			}
			emit(search.Step{Op: uint16(st.Op), Arg: st.pack()})
		}
	})
}

// unreal: the timer of a member that has not been part of a completed
// rebalance is five minutes long, whatever the member asks for
// (GroupCoordinatorConfig.CLASSIC_GROUP_NEW_MEMBER_JOIN_TIMEOUT_MS).
func unreal(s *state, r request) bool {
	m := s.find(r.ID)
	return r.Step.Op == sessionTimer && m != nil && m.Is(model.IsNew)
}

// Append encodes a state.
func (y system) Append(dst []byte, s *state) []byte { return s.append(dst) }

// Decode decodes a state.
func (y system) Decode(src []byte, s *state) { s.decode(src) }

// Ops names the steps.
func (y system) Ops() []string { return opNames[:] }

// Outcomes: what is answered is counted by triples instead.
func (y system) Outcomes() []string { return []string{""} }

// steps calls yield for each step that makes sense in s, choices left out.
func (s *state) steps(limit int, yield func(step)) {
	size := s.size()
	if size < limit {
		for _, v := range []variant{plain, reordered, oldVersion, none, tooShort, tooLong} {
			yield(step{Op: joinNew, Variant: v})
		}
		if s.hasMembers() {
			yield(step{Op: joinNew, Variant: foreign})
		}
	}
	whos := []who{nobody, removed, stranger}
	for i := range size {
		whos = append(whos, who(i+1))
	}
	for _, w := range whos {
		s.memberSteps(w, yield)
	}
	yield(step{Op: offsetFetch})
	yield(step{Op: deleteGroup})
	if s.Group.State == model.PreparingRebalance {
		yield(step{Op: joinTimer})
	}
	if s.awaitsSync() {
		yield(step{Op: syncTimer})
	}
}

// memberSteps are the requests with a member id, or with the empty one where
// that is possible.
func (s *state) memberSteps(w who, yield func(step)) {
	if w != nobody {
		s.joins(w, yield)
		yield(step{Op: leaveGroup, Who: w})
	}
	known := w != nobody && w != removed && w != stranger
	for _, g := range []when{noGeneration, current, older, newer} {
		yield(step{Op: heartbeat, Who: w, When: g})
		yield(step{Op: offsetCommit, Who: w, When: g})
		yield(step{Op: syncGroup, Who: w, When: g})
	}
	yield(step{Op: syncGroup, Who: w, When: current, Variant: usurpedPlan})
	if known {
		yield(step{Op: syncGroup, Who: w, When: current, Variant: emptyPlan})
		yield(step{Op: syncGroup, Who: w, When: current, Variant: otherProtocol})
		yield(step{Op: sessionTimer, Who: w})
	}
}

func (s *state) joins(w who, yield func(step)) {
	yield(step{Op: joinKnown, Who: w})
	if w == removed || w == stranger {
		return
	}
	for _, v := range []variant{changed, reordered, none} {
		yield(step{Op: joinKnown, Who: w, Variant: v})
	}
	if s.hasMembers() {
		yield(step{Op: joinKnown, Who: w, Variant: foreign})
	}
}

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
		if m := &s.Members[i]; m.ID != 0 && m.Is(model.AwaitsSync) {
			return true
		}
	}
	return false
}
