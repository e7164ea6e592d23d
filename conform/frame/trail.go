package frame

import (
	"context"
	"slices"

	"fencecheck/search"
)

// A Route is a run of steps from where nothing has happened.
type Route[T any] struct {
	Steps []T
	Goals []Triple // what it is there to provoke
	// Shares: after the first Way steps, each step has a goal of its own, and
	// changes nothing.
	Shares bool
	Way    int
}

// rest is the route without the goals up to a difference that ended it, nil if
// nothing is left.
func (s *Route[T]) rest(played int) *Route[T] {
	if !s.Shares || played <= s.Way || played >= len(s.Steps) {
		return nil
	}
	return &Route[T]{append(slices.Clone(s.Steps[:s.Way]), s.Steps[played:]...), nil, true, s.Way}
}

// A System is what can happen around one group, or one transactional id, as
// package search explores it.
type System[S, T any] interface {
	search.System[S]
	// Look says what a transition shows.
	Look(before *S, st search.Step) Transition[T]
}

// A Transition is what a search has passed.
type Transition[T any] struct {
	Step         T
	Triple       Triple
	Unprovokable string // why it cannot be made on this broker, "" if it can
	Answered     bool   // at once, and nobody else: it can share a way where it changes nothing
}

// origin is how a state is reached first.
type origin[T any] struct {
	from string
	by   T
}

// A Trail is what a breadth-first search has passed, so that it knows a shortest
// way to everything. States are known by their encodings.
type Trail[T any] struct {
	start   string
	origins map[string]origin[T]
	first   map[Triple]origin[T] // the first occurrence, so a shortest way leads there
	stays   map[Triple]bool      // that occurrence changes nothing
	unreal  map[Triple]string    // what cannot be provoked, and why
}

// Explore enumerates what a system can go through, to a depth, 0: all of it.
func Explore[S, T any](ctx context.Context, sys System[S, T], depth int) (*Trail[T], error) {
	r := &Trail[T]{origins: map[string]origin[T]{}, first: map[Triple]origin[T]{}, stays: map[Triple]bool{}, unreal: map[Triple]string{}}
	sys.Init(func(s *S) { r.start = string(sys.Append(nil, s)) })
	r.origins[r.start] = origin[T]{}
	observe := func(before *S, st search.Step, after *S) bool {
		r.pass(string(sys.Append(nil, before)), string(sys.Append(nil, after)), sys.Look(before, st))
		return true
	}
	search.BreadthFirst(ctx, sys, search.Options[S]{Workers: 1, MaxDepth: depth,
		Invariants: []search.Property[S]{{Name: "observed", Step: observe}}})
	return r, ctx.Err()
}

// pass notes a transition, in the order of the search.
func (r *Trail[T]) pass(from, to string, x Transition[T]) {
	if x.Unprovokable != "" {
		r.unreal[x.Triple] = x.Unprovokable
		return
	}
	if _, ok := r.origins[to]; !ok {
		r.origins[to] = origin[T]{from, x.Step}
	}
	if _, ok := r.first[x.Triple]; !ok {
		r.first[x.Triple] = origin[T]{from, x.Step}
		r.stays[x.Triple] = from == to && x.Answered
	}
}

// path is the shortest way to a state.
func (r *Trail[T]) path(s string) []T {
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
func (r *Trail[T]) routes() []Route[T] {
	at := map[string]*Route[T]{}
	var all []*Route[T]
	for _, t := range SortedTriples(r.first) {
		o := r.first[t]
		if !r.stays[t] {
			all = append(all, &Route[T]{Steps: append(r.path(o.from), o.by), Goals: []Triple{t}})
			continue
		}
		s := at[o.from]
		if s == nil {
			way := r.path(o.from)
			s = &Route[T]{Steps: way, Shares: true, Way: len(way)}
			at[o.from] = s
			all = append(all, s)
		}
		s.Steps, s.Goals = append(s.Steps, o.by), append(s.Goals, t)
	}
	out := make([]Route[T], len(all))
	for i, s := range all {
		out[i] = *s
	}
	return out
}

// A Plan is what the model says can happen, and how to make it happen.
type Plan[T any] struct {
	Vectors   []string // sequences that are not enumerated, by name; they are played first
	Sequences []Route[T]
	Reachable map[Triple]bool
	Unreal    map[Triple]string // cannot be provoked, and why
}

// NewPlan is a plan of nothing yet.
func NewPlan[T any](vectors ...string) *Plan[T] {
	return &Plan[T]{Vectors: vectors, Reachable: map[Triple]bool{}, Unreal: map[Triple]string{}}
}

// Add takes over what an exploration has found beyond the earlier ones, in
// sequences with so many goals at least.
func (p *Plan[T]) Add(e *Trail[T], goals int) {
	for t := range p.Reachable {
		if p.Unreal[t] == "" {
			delete(e.first, t)
		}
	}
	for _, s := range e.routes() {
		if len(s.Goals) < goals {
			continue
		}
		p.Sequences = append(p.Sequences, s)
		for _, t := range s.Goals {
			p.Reachable[t] = true
			delete(p.Unreal, t)
		}
	}
	for t, reason := range e.unreal {
		if !p.Reachable[t] {
			p.Reachable[t], p.Unreal[t] = true, reason
		}
	}
}

// AddUnreal notes what an exploration under other settings has found beyond, and
// why it cannot be provoked under the broker's.
func (p *Plan[T]) AddUnreal(e *Trail[T], reason string) {
	for t := range e.first {
		if !p.Reachable[t] || p.Unreal[t] != "" {
			p.Reachable[t], p.Unreal[t] = true, reason
		}
	}
}
