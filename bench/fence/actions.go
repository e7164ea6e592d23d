package main

import (
	"math/bits"

	"fencecheck/search"
)

// by is the step of a member.
func by(op uint16, m int) search.Step { return search.Step{Op: op, Arg: uint32(m)} }

// at is the step of a member in a partition.
func at(op uint16, m, p int) search.Step { return search.Step{Op: op, Arg: uint32(m) | uint32(p)<<8} }

func (f *model) join(s, next *state, m int, me member, emit func(search.Step)) {
	*next = *s
	next.setMember(m, me.withMode(joining).withView(joined))
	f.startRebalance(next, m)
	emit(by(opJoin, m))
}

// rejoin revokes before it joins again (eager rebalancing).
func (f *model) rejoin(s, next *state, m int, me member, emit func(search.Step)) {
	if me.view() != pending {
		return
	}
	*next = *s
	next.setMember(m, me.withMode(joining).withView(joined).forget())
	emit(by(opRejoin, m))
}

// sync hands a member what it owns, and the committed offsets as positions.
func (f *model) sync(s, next *state, m int, me member, emit func(search.Step)) {
	if s.phase() != completing || me.view() != joined {
		return
	}
	*next = *s
	me = me.withMode(active).withView(synced).forget() | member(s.generation())<<genShift
	for p := range f.partitions {
		if f.owner(s, p) == m {
			me |= 1<<(ownsShift+p) | member(s.committed(p))<<(positionShift+2*p)
		}
	}
	next.setMember(m, me)
	if f.all(next, synced) {
		next.setPhase(stable)
	}
	emit(by(opSync, m))
}

// consume processes a record or sends a commit.
func (f *model) consume(s, next *state, m int, me member, room bool, emit func(search.Step)) {
	for owned := me.owns(); owned != 0; owned &= owned - 1 {
		p := bits.TrailingZeros32(owned)
		position := me.position(p)
		if int(position) < f.offsets {
			*next = *s
			next.setMember(m, me.advance(p))
			emit(at(opProcess, m, p))
		}
		if at1 := message(me.gen(), p); room && position > 0 && s.Net[m]>>at1&3 == 0 {
			*next = *s
			next.Net[m] |= position << at1
			emit(at(opSend, m, p))
		}
	}
}

// depart leaves the group, or pauses.
func (f *model) depart(s, next *state, m int, me member, emit func(search.Step)) {
	*next = *s
	next.setMember(m, 0)
	if me.view() != none {
		f.startRebalance(next, -1)
	}
	emit(by(opLeave, m))

	*next = *s
	next.setMember(m, me.withMode(paused))
	emit(by(opPause, m))
}

// wake resumes a paused member, or evicts it without its notice.
func (f *model) wake(s, next *state, m int, me member, emit func(search.Step)) {
	*next = *s
	next.setMember(m, me.withMode(active))
	emit(by(opResume, m))

	if me.view() == none {
		return
	}
	*next = *s
	next.setMember(m, me.withView(none))
	f.startRebalance(next, -1)
	emit(by(opEvict, m))
}

// network delivers, duplicates and drops each commit of m that is in flight.
func (f *model) network(s, next *state, m int, emit func(search.Step)) {
	for net := s.Net[m]; net != 0; {
		at := bits.TrailingZeros32(net) &^ 1
		net &^= 3 << at
		arg := uint32(m) | uint32(at)<<8

		*next = *s
		outcome := f.handle(next, m, at)
		emit(search.Step{Op: opDup, Outcome: outcome, Arg: arg})

		next.Group, next.Committed = s.Group, s.Committed
		f.handle(next, m, at)
		next.Net[m] = s.Net[m] &^ (3 << at)
		emit(search.Step{Op: opDeliver, Outcome: outcome, Arg: arg})

		*next = *s
		next.Net[m] &^= 3 << at
		emit(search.Step{Op: opDrop, Arg: arg})
	}
}

// handle is what the coordinator does with the message of m at a bit of Net[m].
func (f *model) handle(next *state, m, at int) (outcome uint16) {
	g, p, offset := uint32(at/8+1), at/2%4, next.Net[m]>>at&3
	isStale := g != next.generation()
	if next.member(m).view() == none || isStale && !f.bug {
		return rejected
	}
	isRegress := offset < next.committed(p)
	switch {
	case isStale && !(isRegress && f.regressFirst):
		next.setErr(stale)
	case isRegress:
		next.setErr(regress)
	}
	next.commit(p, offset)
	return accepted
}

// complete starts the next generation once every member of the group has joined.
func (f *model) complete(s, next *state, emit func(search.Step)) {
	if s.phase() != preparing || int(s.generation()) == f.generations || !f.all(s, joined) {
		return
	}
	*next = *s
	next.Group++ // cg
	next.setPhase(completing)
	emit(search.Step{Op: opComplete})
}

// startRebalance follows a change of the group; joiner is the member that is
// just joining, or -1.
func (f *model) startRebalance(next *state, joiner int) {
	if f.all(next, none) {
		next.setPhase(empty)
		return
	}
	if phase := next.phase(); phase == completing || phase == stable {
		for m := range f.members {
			if me := next.member(m); m != joiner && me.view() != none {
				next.setMember(m, me.withView(pending))
			}
		}
	}
	next.setPhase(preparing)
}

// all reports whether the coordinator sees each member of the group so.
func (f *model) all(s *state, view uint32) bool {
	for m := range f.members {
		if v := s.member(m).view(); v != none && v != view {
			return false
		}
	}
	return true
}

// owner deals the partitions to the members of the group in turn.
func (f *model) owner(s *state, p int) int {
	var group [maxMembers]int
	n := 0
	for m := range f.members {
		if s.member(m).view() != none {
			group[n] = m
			n++
		}
	}
	return group[p%n]
}
