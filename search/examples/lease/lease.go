// Package lease is a lock service whose leases expire, and a storage that the
// holders write to. A client does not notice that its lease has expired: it may
// have been paused. Only a storage that compares fencing tokens is safe from it.
package lease

import "fencecheck/search"

// Clients compete for the lease. A token goes up with each lease, to MaxToken.
const (
	Clients  = 2
	MaxToken = 4
)

// Operations, as in Ops. The argument is the client.
const (
	Acquire uint16 = iota
	Expire
	Write
	Forget
)

// Outcomes, as in Outcomes.
const (
	None uint16 = iota
	Accepted
	Refused
)

// State holds the tokens that everybody knows.
type State struct {
	Last    uint8          // the token given out last
	Held    bool           // whether the lease of Last still runs
	Clients [Clients]uint8 // the token that each client believes is good; 0: none
	Stored  uint8          // the token of the last write that the storage took
}

// System is the lock service. Without Fenced, the storage takes any write.
type System struct{ Fenced bool }

var (
	ops      = []string{"acquire", "expire", "write", "forget"}
	outcomes = []string{"", "accepted", "refused"}
)

func (System) Ops() []string           { return ops }
func (System) Outcomes() []string      { return outcomes }
func (System) Init(yield func(*State)) { yield(&State{}) }

// Next lets the lease be given and expire, and each client write as long as it
// believes in its token.
func (y System) Next(s, next *State, emit func(search.Step)) {
	if s.Held {
		*next = *s
		next.Held = false
		emit(search.Step{Op: Expire})
	}
	for c, token := range s.Clients {
		arg := uint32(c)
		switch {
		case token == 0 && !s.Held && s.Last < MaxToken:
			*next = *s
			next.Last++
			next.Held, next.Clients[c] = true, next.Last
			emit(search.Step{Op: Acquire, Arg: arg})
		case token != 0:
			*next = *s
			outcome := Refused
			if !y.Fenced || token >= s.Stored {
				next.Stored, outcome = token, Accepted
			}
			emit(search.Step{Op: Write, Outcome: outcome, Arg: arg})

			*next = *s
			next.Clients[c] = 0
			emit(search.Step{Op: Forget, Arg: arg})
		}
	}
}

// Append writes a byte for each field.
func (System) Append(dst []byte, s *State) []byte {
	held := byte(0)
	if s.Held {
		held = 1
	}
	dst = append(dst, s.Last, held, s.Stored)
	return append(dst, s.Clients[:]...)
}

// Decode reads what Append has written.
func (System) Decode(src []byte, s *State) {
	s.Last, s.Held, s.Stored = src[0], src[1] == 1, src[2]
	copy(s.Clients[:], src[3:])
}

// InOrder is what the lock is for: once a newer holder has written, no older
// one overwrites it. It looks at what was stored, not at the check that guards it.
var InOrder = search.Property[State]{
	Name: "writes-in-order",
	Step: func(before *State, _ search.Step, after *State) bool { return after.Stored >= before.Stored },
}

// StaleRefused is the danger itself: a client that has lost the lease tried to
// write. A search that never sees it has shown nothing.
var StaleRefused = search.Property[State]{
	Name: "stale-write-refused",
	Step: func(_ *State, st search.Step, _ *State) bool { return st.Outcome == Refused },
}
