package cluster

import (
	"slices"

	"fencecheck/model"
)

// less orders requests, so that equal bags of them are equal arrays.
func (r *Request) less(o *Request) bool {
	a, b := r.key(), o.key()
	return slices.Compare(a[:], b[:]) < 0
}

// key has every field that distinguishes two undecided requests.
func (r *Request) key() (k [7]uint64) {
	k[0] = uint64(r.Client)<<56 | uint64(r.API)<<48 | uint64(r.ID)<<32 | uint64(uint32(r.Generation))
	k[1] = uint64(r.Protocol)<<56 | uint64(r.Seen)<<48 | uint64(r.Meta)<<16
	for p := range r.Offsets {
		k[2] = k[2]<<16 | uint64(uint16(r.Offsets[p]))
		k[3] = k[3]<<16 | uint64(r.Plan[p])
	}
	k[4] = uint64(r.PID)<<48 | uint64(uint16(r.Epoch))<<32 | uint64(uint8(r.Sequence))<<24 | uint64(r.Value)<<16 | uint64(r.Work)<<8 | uint64(r.Guard)<<4 | uint64(r.Log)
	k[5] = uint64(uint16(r.Elected))<<16 | (bit(r.Commit)|bit(r.Plain)<<1)<<8 | uint64(r.Status)
	k[6] = uint64(r.Stale) // last: it can change in place, for equal requests together
	return k
}

// AddLate puts a request into the bag of those whose senders gave up; false
// where it has no room.
func (s *State) AddLate(r Request) bool {
	i := MaxLate - 1
	if s.Late[i].API != model.NoAPI {
		return false
	}
	for i > 0 && (s.Late[i-1].API == model.NoAPI || r.less(&s.Late[i-1])) {
		s.Late[i] = s.Late[i-1]
		i--
	}
	s.Late[i] = r
	return true
}

// TakeLate removes the request at place i of that bag.
func (s *State) TakeLate(i int) Request {
	r := s.Late[i]
	copy(s.Late[i:], s.Late[i+1:])
	s.Late[MaxLate-1] = Request{}
	return r
}
