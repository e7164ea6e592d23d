package twophase

import "fencecheck/search"

// MaxProtocols is how many protocols Several has room for.
const MaxProtocols = 3

// Several is a few protocols side by side, which know nothing of one another. So
// their states multiply: a system as large as one likes, whose size is known.
type Several struct {
	sizes []int

	// Scratch memory, since a closure for each state would be an allocation.
	next    *States
	from    *States
	one     State
	at      int
	emit    func(search.Step)
	forward func(search.Step)
}

// States are those of each protocol.
type States [MaxProtocols]State

// NewSeveral makes a system of protocols with so many resource managers each.
func NewSeveral(sizes ...int) *Several {
	p := &Several{sizes: sizes}
	p.forward = func(st search.Step) {
		*p.next = *p.from
		p.next[p.at] = p.one
		st.Arg |= uint32(p.at) << 8
		p.emit(st)
	}
	return p
}

// Fork gives a worker scratch memory of its own.
func (p *Several) Fork() search.System[States] { return NewSeveral(p.sizes...) }

func (*Several) Ops() []string            { return ops }
func (*Several) Outcomes() []string       { return []string{""} }
func (*Several) Init(yield func(*States)) { yield(&States{}) }

// Next lets one of the protocols take a step.
func (p *Several) Next(s, next *States, emit func(search.Step)) {
	p.from, p.next, p.emit = s, next, emit
	for i, n := range p.sizes {
		p.at = i
		System{n}.Next(&s[i], &p.one, p.forward)
	}
}

// Append writes each protocol as System does.
func (p *Several) Append(dst []byte, s *States) []byte {
	for i, n := range p.sizes {
		dst = System{n}.Append(dst, &s[i])
	}
	return dst
}

// Decode reads what Append has written.
func (p *Several) Decode(src []byte, s *States) {
	*s = States{}
	for i, n := range p.sizes {
		System{n}.Decode(src[8*i:], &s[i])
	}
}

// AllConsistent holds where every protocol is Consistent.
func AllConsistent(s *States) bool {
	for i := range s {
		if !Consistent(&s[i]) {
			return false
		}
	}
	return true
}
