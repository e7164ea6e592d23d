package search

import "fmt"

// violation rebuilds the trace of a finding.
func (e *engine[S]) violation(f finding) *Violation[S] {
	v := &Violation[S]{Kind: f.kind, Property: "deadlock"}
	if f.kind == Deadlock {
		v.Trace = e.follow(e.path(f.length, f.parent))
		return v
	}
	v.Property = e.o.Invariants[f.property].Name
	v.Trace = e.follow(append(e.path(f.length-1, f.parent), f.ordinal))
	return v
}

// path returns, unless it fails, how the index-th state of a level was reached: which initial
// state, which transition of that, and so on. Depth -1 is before the start.
func (e *engine[S]) path(depth int, index int64) []uint32 {
	path := make([]uint32, depth+1, depth+2)
	for d := depth; d >= 0; d-- {
		g, n := e.levels.locate(d, index)
		parent, how, err := e.shards[g.shard].ancestry.at(g.from, n)
		index, path[d] = parent, how.ordinal()
		e.fail(err)
		if e.err != nil {
			return nil
		}
	}
	return path
}

// follow turns a path into a trace.
func (e *engine[S]) follow(path []uint32) Trace[S] {
	var t Trace[S]
	if e.err != nil {
		return t
	}
	var i uint32
	e.sys.Init(func(s *S) {
		if i == path[0] {
			t.Start = *s
		}
		i++
	})
	if canon := canonizer(e.sys, uncounted); canon != nil {
		canon(&t.Start)
	}
	s := t.Start
	for depth, ordinal := range path[1:] {
		st, after, ok := pick(e.sys, &s, func(i int, _ Step) bool { return i == int(ordinal) })
		if !ok {
			panic(fmt.Sprintf("search: the system did not repeat a transition that it took at depth %d", depth))
		}
		t.Steps = append(t.Steps, st)
		s = after
	}
	return t
}
