package storage

import (
	"slices"
	"unsafe"
)

const (
	// MaxGoalSets is how many sets of goals the edges of one page can name.
	MaxGoalSets  = 1 << 8
	GoalSetBytes = 8
	edgeBytes    = int64(unsafe.Sizeof(edge{}))
)

// An edge says for a state of a page where one of its steps leads, and which
// goals that helps.
type edge struct {
	Key   uint64 // with home: where it leads. 0: nowhere, the goals hold in the state itself
	home  uint32
	State uint8 // place in the page
	Set   uint8 // of goals, in hints.sets
}

// To is the fingerprint of the state that it leads to.
func (e *edge) To() Fingerprint { return Fingerprint{e.Key, e.home} }

// The Hints of a page are what is looked at first when goals are checked: the goals that
// its states satisfy, and for every other goal the first step of the state that helps
// it. Nearly always that is enough. They can be done without: where they are missing, and
// for states that they do not settle, the steps are made again.
type Hints struct {
	Edges []edge // by state
	Sets  []uint64
}

// Add adds an edge, unless there are too many sets.
func (h *Hints) Add(state uint8, to Fingerprint, set uint64) bool {
	i := slices.Index(h.Sets, set)
	if i < 0 {
		if i = len(h.Sets); i == MaxGoalSets {
			return false
		}
		h.Sets = append(h.Sets, set)
	}
	h.Edges = append(h.Edges, edge{to.key, to.home, state, uint8(i)})
	return true
}

// Reset empties them, and keeps the memory of others.
func (h *Hints) Reset(buffer Hints) { h.Edges, h.Sets = buffer.Edges[:0], buffer.Sets[:0] }

// Empty tells whether there are none.
func (h *Hints) Empty() bool { return len(h.Edges) == 0 }

// Clone is a copy that takes no more memory than it needs.
func (h *Hints) Clone() *Hints { return &Hints{slices.Clone(h.Edges), slices.Clone(h.Sets)} }

// Bytes is what a clone takes.
func (h *Hints) Bytes() int64 {
	return int64(len(h.Edges))*edgeBytes + int64(len(h.Sets))*GoalSetBytes
}
