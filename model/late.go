package model

import "bytes"

// less orders requests, so that equal bags of them are equal arrays.
func (r *Request) less(o *Request) bool {
	var a, b [64]byte
	return bytes.Compare(r.key(a[:0]), o.key(b[:0])) < 0
}

// key is all of a request. What is stale comes last: it can change in place, for
// equal requests together.
func (r *Request) key(dst []byte) []byte {
	fresh, stale := *r, r.Stale
	fresh.Stale = 0
	dst = appendRequest(dst, &fresh, MaxPartitions, &ranks{})
	dst = appendRequestProducer(dst, &fresh)
	return put(dst, uint64(stale), 8)
}

// AddLate puts a request into the bag of those whose senders gave up; false
// where it has no room.
func (s *State) AddLate(r Request) bool {
	i := MaxLate - 1
	if s.Late[i].API != NoAPI {
		return false
	}
	for i > 0 && (s.Late[i-1].API == NoAPI || r.less(&s.Late[i-1])) {
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
