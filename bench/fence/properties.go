package main

import "fencecheck/search"

// The invariants of FENCE.md.
var (
	disjoint   = search.Property[state]{Name: "I1", State: ownersDisjoint}
	notStale   = search.Property[state]{Name: "I2", State: func(s *state) bool { return s.err() != stale }}
	notRegress = search.Property[state]{Name: "I3", State: func(s *state) bool { return s.err() != regress }}
)

// ownersDisjoint: no two members that believe in one generation own one partition.
func ownersDisjoint(s *state) bool {
	for a := range maxMembers {
		for b := range a {
			x, y := s.member(a), s.member(b)
			if x.gen() == y.gen() && holds(x)&holds(y) != 0 {
				return false
			}
		}
	}
	return true
}

// holds returns the partitions of a member that acts as one, as a mask.
func holds(m member) uint32 {
	if mode := m.mode(); mode != active && mode != paused {
		return 0
	}
	return m.owns()
}
