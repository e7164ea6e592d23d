package search

import (
	"unsafe"

	"fencecheck/search/internal/storage"
)

const (
	pendingEdgeBytes = int64(unsafe.Sizeof(pendingEdge{}))
	parentLinkBytes  = int64(unsafe.Sizeof(parentLink{}))
)

// A pendingEdge is a step that leads to where more goals may turn out to be in reach.
type pendingEdge struct {
	slot  uint32 // where it leads
	shard uint8
	state uint8 // whose step it is, within the page
	set   uint8 // of the goals that it helps, in queue.sets
}

// A pageQueue holds the edges of a page that may help later.
type pageQueue struct {
	known    bool // else all of the page must be looked at
	complete bool // no other edges can help, or else hints were all that was looked at
	done     bool // all states reach everything, and it was propagated
	pending  []pendingEdge
	sets     storage.SetTable
	parents  []parentLink // by state; nil: there was no room for them
}

// A parentLink says who must know what a state reaches.
type parentLink struct {
	slot   uint32 // its own, in the visited set
	parent uint32 // number of its parent, if the step from there is known to help every goal
	shard  uint8  // of the parent
	helped bool
}

func (q *pageQueue) bytes() int64 {
	return int64(len(q.pending))*pendingEdgeBytes + q.sets.Bytes()
}

// add adds an edge, unless there are too many sets.
func (q *pageQueue) add(e outEdge, state int) bool {
	n, ok := q.sets.Intern(e.helped)
	if ok {
		q.pending = append(q.pending, pendingEdge{e.slot, uint8(e.to.Shard()), uint8(state), n})
	}
	return ok
}
