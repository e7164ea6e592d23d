package model

import "math/bits"

// ranks maps the generations that a state mentions to their ranks: as a set of
// the generations that are present, a bit each. The rank of one is how many
// smaller ones there are.
type ranks [(MaxGeneration + 64) / 64]uint64

func (r *ranks) add(g Generation) {
	if g >= 0 {
		r[g>>6] |= 1 << (g & 63)
	}
}

func (r *ranks) of(g Generation) Generation {
	if g < 0 {
		return g
	}
	n := bits.OnesCount64(r[g>>6] & (1<<(g&63) - 1))
	for _, word := range r[:g>>6] {
		n += bits.OnesCount64(word)
	}
	return Generation(n)
}

// rank collects the generations of s. That of the group counts even where it is
// 0, so that a group that has begun its first generation differs from one that
// has not.
func (s *State) rank(c *Config, r *ranks) {
	r.add(0)
	s.generations(c, func(g *Generation) { r.add(*g) })
}

// replace puts the ranks in the place of the generations.
func (s *State) replace(c *Config, r *ranks) {
	s.generations(c, func(g *Generation) { *g = r.of(*g) })
}

// generations calls do for every generation in s.
func (s *State) generations(c *Config, do func(g *Generation)) {
	do(&s.Group.Generation)
	for i := range c.Clients() {
		cl := &s.Clients[i]
		do(&cl.Generation)
		cl.App.generations(do)
		cl.Beat.generations(do)
	}
	if c.MayHappen(LateRequests) {
		for i := range s.Late {
			s.Late[i].generations(do)
		}
	}
}

func (r *Request) generations(do func(g *Generation)) {
	if r.API != NoAPI {
		do(&r.Generation)
		do(&r.NewGen)
	}
}
