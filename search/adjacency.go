package search

import "fencecheck/search/internal/storage"

// The adjacency of a page: which goals each of its states satisfies, and where the steps
// lead.
type adjacency struct {
	n         int // states
	satisfied [storage.PageStates]uint64
	ends      [storage.PageStates]int // of each state's edges
	edges     []outEdge
}

// An outEdge is a step of a state.
type outEdge struct {
	to     storage.Fingerprint
	helped uint64 // goals
	slot   uint32 // of to in the visited set, once the edge was followed
}

func (a *adjacency) reset() { a.n, a.edges = 0, a.edges[:0] }

// state starts a state.
func (a *adjacency) state(satisfied uint64) {
	a.satisfied[a.n], a.ends[a.n] = satisfied, len(a.edges)
	a.n++
}

// edge adds one of its edges.
func (a *adjacency) edge(to storage.Fingerprint, helped uint64) {
	a.edges = append(a.edges, outEdge{to: to, helped: helped})
	a.ends[a.n-1] = len(a.edges)
}

// fromHints takes over what the hints of a page say.
func (a *adjacency) fromHints(h *storage.Hints, states int) {
	a.reset()
	rest := h.Edges
	for i := range states {
		a.state(0)
		for ; len(rest) > 0 && int(rest[0].State) == i; rest = rest[1:] {
			if e := &rest[0]; e.Key == 0 {
				a.satisfied[i] = h.Sets[e.Set]
			} else {
				a.edge(e.To(), h.Sets[e.Set])
			}
		}
	}
}
