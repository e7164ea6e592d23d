package cluster

import (
	"math/bits"

	"fencecheck/model"
)

// ranks maps the generations that a state mentions to their ranks: as a set of
// the generations that are present, a bit each. The rank of one is how many
// smaller ones there are. The empty set leaves generations as they are.
type ranks [(MaxGeneration + 64) / 64]uint64

func (r *ranks) add(g model.Generation) {
	if g >= 0 {
		r[g>>6] |= 1 << (g & 63)
	}
}

// of is the rank of a generation that was added.
func (r *ranks) of(g model.Generation) model.Generation {
	if r[0] == 0 {
		return g
	}
	return r.rank(g)
}

func (r *ranks) rank(g model.Generation) model.Generation {
	if g < 0 {
		return g
	}
	n := bits.OnesCount64(r[g>>6] & (1<<(g&63) - 1))
	for _, word := range r[:g>>6] {
		n += bits.OnesCount64(word)
	}
	return model.Generation(n)
}

// collect adds the generations of s. 0 counts always, so that a group that has
// begun its first generation differs from one that has not.
func (r *ranks) collect(s *State, c *Config) {
	r.add(0)
	generationsGroup(r, &s.Group)
	for i := range c.Clients() {
		cl := &s.Clients[i]
		generationsClientState(r, &cl.ClientState)
		r.request(&cl.App)
		r.request(&cl.Beat)
	}
	for i := range s.Late {
		r.request(&s.Late[i])
	}
}

func (r *ranks) request(q *Request) {
	if q.API != model.NoAPI {
		generationsRequest(r, q)
	}
}
