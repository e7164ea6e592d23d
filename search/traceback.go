package search

import "fmt"

// violation rebuilds the trace of a finding.
func (b *breadthFirst[S]) violation(f finding) *Violation[S] {
	v := &Violation[S]{Kind: f.kind, Property: "deadlock"}
	if f.kind == Deadlock {
		v.Trace = b.traceTo(f.length, f.parent)
		return v
	}
	v.Property = b.o.Invariants[f.property].Name
	v.Trace = b.traceTo(f.length-1, f.parent, f.ordinal)
	return v
}

// traceTo returns, unless it fails, the trace to the index-th state of a level, and on from
// there by the steps with the given places.
func (b *breadthFirst[S]) traceTo(depth int, index int64, further ...uint32) (t Trace[S]) {
	path, err := b.store.Path(depth, index)
	if err != nil {
		b.fail(err)
		return t
	}
	path = append(path, further...)
	var i uint32
	b.sys.Init(func(s *S) {
		if i == path[0] {
			t.Start = *s
		}
		i++
	})
	if canon := canonizer(b.sys, uncounted); canon != nil {
		canon(&t.Start)
	}
	s := t.Start
	for depth, ordinal := range path[1:] {
		st, after, ok := pick(b.sys, &s, func(i int, _ Step) bool { return i == int(ordinal) })
		if !ok {
			panic(fmt.Sprintf("search: the system did not repeat a transition that it took at depth %d", depth))
		}
		t.Steps = append(t.Steps, st)
		s = after
	}
	return t
}
