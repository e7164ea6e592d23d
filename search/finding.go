package search

import "cmp"

// A finding is a violation before its trace is rebuilt: the last step is the
// ordinal-th successor of the parent-th state of the level before. A deadlock
// has no last step: it is the parent itself.
type finding struct {
	kind     Kind
	property int
	length   int // of the trace
	parent   int64
	ordinal  uint32
}

// compare orders findings: shortest first, then in the order of the search.
func (f finding) compare(g finding) int {
	return cmp.Or(
		cmp.Compare(f.length, g.length),
		cmp.Compare(f.parent, g.parent),
		cmp.Compare(f.ordinal, g.ordinal),
		cmp.Compare(f.property, g.property),
	)
}

// least returns the first of two findings, either of which may be nil.
func least(f, g *finding) *finding {
	if f == nil || g != nil && g.compare(*f) < 0 {
		return g
	}
	return f
}
