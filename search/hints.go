package search

import (
	"slices"
	"unsafe"
)

const (
	// maxGoalSets is how many sets of goals the edges of one page can name.
	maxGoalSets  = 1 << 8
	goalSetBytes = 8
	edgeBytes    = int64(unsafe.Sizeof(edge{}))
)

// An edge says for a state of a page where one of its steps leads, and which
// goals that helps.
type edge struct {
	key   uint64 // with home: where it leads. 0: nowhere, the goals hold in the state itself
	home  uint32
	state uint8 // place in the page
	set   uint8 // of goals, in hints.sets
}

// to is the fingerprint of the state that it leads to.
func (e *edge) to() fingerprint { return fingerprint{e.key, e.home} }

// The hints of a page are what is looked at first when goals are checked: the goals that
// its states satisfy, and for every other goal the first step of the state that helps
// it. Nearly always that is enough. They can be done without: where they are missing, and
// for states that they do not settle, the steps are made again.
type hints struct {
	edges []edge // by state
	sets  []uint64
}

// add adds an edge, unless there are too many sets.
func (h *hints) add(state uint8, to fingerprint, set uint64) bool {
	i := slices.Index(h.sets, set)
	if i < 0 {
		if i = len(h.sets); i == maxGoalSets {
			return false
		}
		h.sets = append(h.sets, set)
	}
	h.edges = append(h.edges, edge{to.key, to.home, state, uint8(i)})
	return true
}

// reset empties them, and keeps the memory of others.
func (h *hints) reset(buffer hints) { h.edges, h.sets = buffer.edges[:0], buffer.sets[:0] }

func (h *hints) empty() bool { return len(h.edges) == 0 }

// clone is a copy that takes no more memory than it needs.
func (h *hints) clone() *hints { return &hints{slices.Clone(h.edges), slices.Clone(h.sets)} }

// bytes is what a clone takes.
func (h *hints) bytes() int64 {
	return int64(len(h.edges))*edgeBytes + int64(len(h.sets))*goalSetBytes
}
