package main

import (
	"encoding/binary"
	"math/bits"

	"fencecheck/search"
)

// Operations: FENCE's actions.
const (
	opJoin uint16 = iota
	opRejoin
	opEvict
	opLeave
	opPause
	opResume
	opComplete
	opSync
	opProcess
	opSend
	opDeliver
	opDup
	opDrop
)

// Outcomes of a delivery.
const (
	accepted uint16 = 1 + iota
	rejected
)

var (
	ops      = []string{"Join", "Rejoin", "Evict", "Leave", "Pause", "Resume", "Complete", "Sync", "Process", "Send", "Deliver", "Dup", "Drop"}
	outcomes = []string{"", "accepted", "rejected"}
)

// A model is FENCE with its parameters.
type model struct {
	members, partitions, generations, offsets, inFlight int

	bug          bool // the coordinator does not compare generations
	regressFirst bool // err prefers regress to stale
}

func (*model) Ops() []string           { return ops }
func (*model) Outcomes() []string      { return outcomes }
func (*model) Init(yield func(*state)) { yield(&state{}) }

// Next takes each action that is enabled in s.
func (f *model) Next(s, next *state, emit func(search.Step)) {
	room := f.sent(s) < f.inFlight
	for m := range f.members {
		switch me := s.member(m); me.mode() {
		case out:
			f.join(s, next, m, me, emit)
		case joining:
			f.sync(s, next, m, me, emit)
			f.rejoin(s, next, m, me, emit)
		case active:
			f.rejoin(s, next, m, me, emit)
			f.consume(s, next, m, me, room, emit)
			f.depart(s, next, m, me, emit)
		case paused:
			f.wake(s, next, m, me, emit)
		}
		f.network(s, next, m, emit)
	}
	f.complete(s, next, emit)
}

// sent counts the messages in flight: the pairs of bits that are not 00.
func (f *model) sent(s *state) (n int) {
	for _, net := range s.Net {
		n += bits.OnesCount32((net | net>>1) & 0x55555555)
	}
	return n
}

// Append writes the state as it lies in memory, without the third member's
// messages where there is none.
func (f *model) Append(dst []byte, s *state) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.Group)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(s.Net[0])|uint64(s.Net[1])<<32)
	if f.members < maxMembers {
		return append(dst, byte(s.Committed))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(s.Net[2])|uint64(s.Committed)<<32)
}

// Decode reads what Append has written.
func (f *model) Decode(src []byte, s *state) {
	s.Group = binary.LittleEndian.Uint64(src)
	net := binary.LittleEndian.Uint64(src[8:])
	s.Net = [maxMembers]uint32{uint32(net), uint32(net >> 32)}
	if f.members < maxMembers {
		s.Committed = uint32(src[16])
		return
	}
	last := binary.LittleEndian.Uint64(src[16:])
	s.Net[2], s.Committed = uint32(last), uint32(last>>32)
}
