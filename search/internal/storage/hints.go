package storage

import (
	"slices"
	"unsafe"
)

// A SetTable is an interning table of the sets of goals that one page has to do with.
type SetTable []uint64

// Intern returns the number of a set, unless there are too many.
func (t *SetTable) Intern(set uint64) (n uint8, ok bool) {
	i := slices.Index(*t, set)
	if i < 0 {
		if i = len(*t); i == 1<<8 {
			return 0, false
		}
		*t = append(*t, set)
	}
	return uint8(i), true
}

// Bytes is what a clone takes.
func (t SetTable) Bytes() int64 { return int64(len(t)) * 8 }

// An Edge says for a state of a page where one of its steps leads, and which
// goals that helps.
type Edge struct {
	Key   uint64 // with home: where it leads. 0: nowhere, the goals hold in the state itself
	home  uint32
	State uint8 // place in the page
	Set   uint8 // of goals, in Hints.Sets
}

const edgeBytes = int64(unsafe.Sizeof(Edge{}))

// To is the fingerprint of the state that it leads to.
func (e *Edge) To() Fingerprint { return Fingerprint{e.Key, e.home} }

// The Hints of a page are what is looked at first when goals are checked: the goals that
// its states satisfy, and for every other goal the first step of the state that helps
// it. Nearly always that is enough. They can be done without: where they are missing, and
// for states that they do not settle, the steps are made again.
type Hints struct {
	Edges []Edge // by state
	Sets  SetTable
}

// Add adds an edge, unless there are too many sets.
func (h *Hints) Add(state uint8, to Fingerprint, set uint64) bool {
	n, ok := h.Sets.Intern(set)
	if ok {
		h.Edges = append(h.Edges, Edge{to.key, to.home, state, n})
	}
	return ok
}

// Reset empties them, and keeps the memory of others.
func (h *Hints) Reset(buffer Hints) { h.Edges, h.Sets = buffer.Edges[:0], buffer.Sets[:0] }

// Clone is a copy that takes no more memory than it needs.
func (h *Hints) Clone() *Hints { return &Hints{slices.Clone(h.Edges), slices.Clone(h.Sets)} }

// Bytes is what a clone takes.
func (h *Hints) Bytes() int64 { return int64(len(h.Edges))*edgeBytes + h.Sets.Bytes() }
