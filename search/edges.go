package search

import (
	"slices"
	"unsafe"
)

const (
	// edgesBudget is how many bytes of edges a search keeps whose memory has no
	// bound. Where it has one, the edges may take a part of it.
	edgesBudget = 1 << 30
	edgesShare  = 4
	// maxGoalSets is how many sets of goals the edges of one page can name.
	maxGoalSets = 1 << 8
	edgeBytes   = int64(unsafe.Sizeof(edge{}))
)

// An edge says for a state of a page where one of its transitions leads, and which
// goals that helps.
type edge struct {
	key   uint64 // with spot: where it leads. 0: nowhere, the goals hold in the state itself
	spot  uint32
	state uint8 // place in the page
	set   uint8 // of goals, in hints.sets
}

// The hints of a page are what a judge of the goals looks at first: the goals that its
// states satisfy, and for every other goal the first transition of the state that helps
// it. Nearly always that is enough. They are a luxury: where they are missing, and
// for states that they do not settle, the transitions are made again.
type hints struct {
	edges []edge // by state
	sets  []uint64
}

func (h *hints) bytes() int64 { return int64(len(h.edges))*edgeBytes + int64(len(h.sets))*setBytes }

// A recorder writes them while a page is expanded.
type recorder struct {
	hints
	on     bool
	all    uint64 // the goals
	state  uint8
	lacks  uint64 // goals that the state does not satisfy
	wanted uint64 // those of them that no edge helps yet
}

// begin starts a page, or turns recording off for it.
func (r *recorder) begin(on bool, goals int, buffer hints) {
	r.stop()
	r.on, r.all = on, allGoals(goals)
	r.edges, r.sets = buffer.edges[:0], buffer.sets[:0]
}

// end returns what was recorded: nothing if it could not be kept.
func (r *recorder) end() hints {
	if !r.on {
		r.edges, r.sets = r.edges[:0], r.sets[:0]
	}
	r.stop()
	return r.hints
}

// stop makes it want nothing more.
func (r *recorder) stop() { r.on, r.lacks, r.wanted = false, 0, 0 }

// begun starts a state.
func (r *recorder) begun(state uint32, satisfied uint64) {
	r.state, r.lacks = uint8(state), r.all&^satisfied
	r.wanted = r.lacks
	if satisfied != 0 {
		r.add(fingerprint{}, satisfied)
	}
}

// wants tells whether it matters what a transition helps: if it may be the first to help
// a goal, or lead to a state that is new.
func (r *recorder) wants(known bool) bool { return r.wanted != 0 || r.lacks != 0 && !known }

// edge records a transition, if it is the first to help some goal, and reports whether
// it helps all of them.
func (r *recorder) edge(f fingerprint, helped uint64) bool {
	if set := helped & r.wanted; set != 0 {
		r.add(f, helped&r.lacks)
		r.wanted &^= set
	}
	return helped == r.all
}

// add adds an edge. Where there are too many sets, recording ends.
func (r *recorder) add(f fingerprint, set uint64) {
	i := slices.Index(r.sets, set)
	if i < 0 {
		if i = len(r.sets); i == maxGoalSets {
			r.stop()
			return
		}
		r.sets = append(r.sets, set)
	}
	r.edges = append(r.edges, edge{f.key, f.spot, r.state, uint8(i)})
}

// A fan is the states of a page as a judge sees them: which goals each satisfies, and
// where its transitions lead.
type fan struct {
	n         int // states
	satisfied [pageStates]uint64
	ends      [pageStates]int // of each state's edges
	to        []fingerprint
	helped    []uint64 // goals
}

func (f *fan) reset() { f.n, f.to, f.helped = 0, f.to[:0], f.helped[:0] }

// state starts a state.
func (f *fan) state(satisfied uint64) {
	f.satisfied[f.n], f.ends[f.n] = satisfied, len(f.to)
	f.n++
}

// edge adds one of its edges.
func (f *fan) edge(to fingerprint, helped uint64) {
	f.to, f.helped = append(f.to, to), append(f.helped, helped)
	f.ends[f.n-1] = len(f.to)
}

// take takes over what a recorder wrote.
func (f *fan) take(h *hints, states int) {
	f.reset()
	rest := h.edges
	for i := range states {
		f.state(0)
		for ; len(rest) > 0 && int(rest[0].state) == i; rest = rest[1:] {
			if e := &rest[0]; e.key == 0 {
				f.satisfied[i] = h.sets[e.set]
			} else {
				f.edge(fingerprint{e.key, e.spot}, h.sets[e.set])
			}
		}
	}
}

// recording tells whether hints of the next round shall be kept.
func (e *engine[S]) recording() bool {
	return e.judging && len(e.o.Goals) <= judgeGoals && e.edges < e.edgesBudget
}

// keepHints keeps the hints that a round recorded with its pages.
func (e *engine[S]) keepHints(pages []page, chunks []*chunk) {
	for i, c := range chunks {
		if h := &c.hints; len(h.edges) > 0 {
			pages[i].hints = &hints{slices.Clone(h.edges), slices.Clone(h.sets)}
			e.edges += h.bytes()
		}
	}
}

// forgetHints makes room: what can be made again is the first to go. From now on
// none are kept.
func (e *engine[S]) forgetHints() {
	e.edges, e.edgesBudget = 0, 0
	for i := range e.kept {
		e.kept[i].hints = nil
	}
	for _, c := range e.chunks {
		c.hints = hints{}
	}
}

// satisfied returns the goals that hold in a state.
func satisfied[S any](goals []Goal[S], s *S) (set uint64) {
	for i := range goals {
		if goals[i].State(s) {
			set |= 1 << i
		}
	}
	return set
}

// helped returns the goals that a step helps.
func helped[S any](goals []Goal[S], st Step) (set uint64) {
	for i := range goals {
		if goals[i].Help == nil || goals[i].Help(st) {
			set |= 1 << i
		}
	}
	return set
}

// allGoals is the set of so many goals; there are at most judgeGoals.
func allGoals(n int) uint64 { return 1<<min(n, judgeGoals) - 1 }
