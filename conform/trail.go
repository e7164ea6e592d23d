package conform

import "slices"

// route is a run of steps from where nothing has happened.
type route[T any] struct {
	steps []T
	goals []Triple // what it is there to provoke
	// shares: after the first way steps, each step has a goal of its own, and
	// changes nothing.
	shares bool
	way    int
}

// sequence is a route of a group, txnSequence one of a transactional id.
type (
	sequence    = route[step]
	txnSequence = route[txnStep]
)

// rest is the route without the goals up to a difference that ended it, nil if
// nothing is left.
func (s *route[T]) rest(played int) *route[T] {
	if !s.shares || played <= s.way || played >= len(s.steps) {
		return nil
	}
	return &route[T]{append(slices.Clone(s.steps[:s.way]), s.steps[played:]...), nil, true, s.way}
}

// origin is how a state is reached first.
type origin[S comparable, T any] struct {
	from S
	by   T
}

// trail is what a breadth-first search has passed, so that it knows a shortest
// way to everything.
type trail[S comparable, T any] struct {
	start   S
	origins map[S]origin[S, T]
	first   map[Triple]origin[S, T] // the first occurrence, so a shortest way leads there
	stays   map[Triple]bool         // that occurrence changes nothing
	unreal  map[Triple]string       // what cannot be provoked, and why
}

func newTrail[S comparable, T any](start S) trail[S, T] {
	return trail[S, T]{start, map[S]origin[S, T]{start: {}}, map[Triple]origin[S, T]{}, map[Triple]bool{}, map[Triple]string{}}
}

// pass notes a transition, in the order of the search.
func (r *trail[S, T]) pass(from, to S, by T, t Triple, stays bool) {
	if _, ok := r.origins[to]; !ok {
		r.origins[to] = origin[S, T]{from, by}
	}
	if _, ok := r.first[t]; !ok {
		r.first[t] = origin[S, T]{from, by}
		r.stays[t] = stays
	}
}

// path is the shortest way to a state.
func (r *trail[S, T]) path(s S) []T {
	var steps []T
	for s != r.start {
		o := r.origins[s]
		steps = append(steps, o.by)
		s = o.from
	}
	slices.Reverse(steps)
	return steps
}

// routes go to each state that has triples of its own: all requests that
// leave it as it is share one way there, each other step has its own.
func (r *trail[S, T]) routes() []route[T] {
	at := map[S]*route[T]{}
	var all []*route[T]
	for _, t := range sortedTriples(r.first) {
		o := r.first[t]
		if !r.stays[t] {
			all = append(all, &route[T]{steps: append(r.path(o.from), o.by), goals: []Triple{t}})
			continue
		}
		s := at[o.from]
		if s == nil {
			way := r.path(o.from)
			s = &route[T]{steps: way, shares: true, way: len(way)}
			at[o.from] = s
			all = append(all, s)
		}
		s.steps, s.goals = append(s.steps, o.by), append(s.goals, t)
	}
	out := make([]route[T], len(all))
	for i, s := range all {
		out[i] = *s
	}
	return out
}
