// Package twophase is two-phase commit as Gray and Lamport state it in
// "Consensus on Transaction Commit": a transaction manager and N resource
// managers, who talk through a set of messages that is never emptied.
package twophase

import (
	"encoding/binary"

	"fencecheck/search"
)

// MaxManagers is the most that an encoding of 64 bits has room for.
const MaxManagers = 15

// What a resource manager has done, and what the transaction manager has.
const (
	Working = iota // the transaction manager: undecided
	Prepared
	Committed
	Aborted
)

// Operations, as in Ops.
const (
	RcvPrepared uint16 = iota
	Commit
	Abort
	Prepare
	ChooseToAbort
	RcvCommit
	RcvAbort
)

// State is small enough to be packed into 64 bits.
type State struct {
	RM    uint32 // two bits for each resource manager
	Sent  uint16 // who has sent Prepared
	Heard uint16 // whose Prepared the transaction manager has received
	TM    uint8  // its Commit or Abort message exists once it has decided
}

// Of returns what resource manager r has done.
func (s *State) Of(r int) uint32 { return s.RM >> (2 * r) & 3 }

func (s *State) set(r int, to uint32) { s.RM = s.RM&^(3<<(2*r)) | to<<(2*r) }

// System is the protocol with N resource managers.
type System struct{ N int }

var ops = []string{"RcvPrepared", "Commit", "Abort", "Prepare", "ChooseToAbort", "RcvCommit", "RcvAbort"}

func (System) Ops() []string           { return ops }
func (System) Outcomes() []string      { return []string{""} }
func (System) Init(yield func(*State)) { yield(&State{}) }

// Next tries each operation of the protocol.
func (p System) Next(s, next *State, emit func(search.Step)) {
	take := func(op uint16, r int) { emit(search.Step{Op: op, Arg: uint32(r)}) }
	if s.TM == Working {
		if s.Heard == 1<<p.N-1 {
			*next = *s
			next.TM = Committed
			take(Commit, 0)
		}
		*next = *s
		next.TM = Aborted
		take(Abort, 0)
	}
	for r := range p.N {
		if s.TM == Working && s.Sent>>r&1 == 1 {
			*next = *s
			next.Heard |= 1 << r
			take(RcvPrepared, r)
		}
		if s.Of(r) == Working {
			*next = *s
			next.set(r, Prepared)
			next.Sent |= 1 << r
			take(Prepare, r)

			*next = *s
			next.set(r, Aborted)
			take(ChooseToAbort, r)
		}
		if s.TM != Working { // its decision is on the network for good
			*next = *s
			next.set(r, uint32(s.TM))
			take(RcvCommit+uint16(s.TM-Committed), r)
		}
	}
}

// Append packs s: the transaction manager in the lowest bits, then what it has
// heard, what was sent, and the resource managers.
func (p System) Append(dst []byte, s *State) []byte {
	v := uint64(s.RM)<<(2*p.N) | uint64(s.Sent)<<p.N | uint64(s.Heard)
	return binary.LittleEndian.AppendUint64(dst, v<<2|uint64(s.TM))
}

// Decode unpacks what Append has packed.
func (p System) Decode(src []byte, s *State) {
	v := binary.LittleEndian.Uint64(src)
	all := uint64(1)<<p.N - 1
	s.TM, v = uint8(v&3), v>>2
	s.Heard, s.Sent, s.RM = uint16(v&all), uint16(v>>p.N&all), uint32(v>>(2*p.N))
}

// Consistent is the point of the protocol: no resource manager has committed
// while another has aborted.
func Consistent(s *State) bool {
	high, low := s.RM>>1&0x55555555, s.RM&0x55555555
	committed, aborted := high&^low, high&low
	return committed == 0 || aborted == 0
}
