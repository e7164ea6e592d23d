package search

import (
	"encoding/binary"
	"slices"
)

const (
	// edgesBudget is how many bytes of edges a search keeps whose memory has no
	// bound. Where it has one, the edges may take a part of it.
	edgesBudget = 1 << 30
	edgesShare  = 4
	// maxGoalSets is how many sets of goals the edges of one page can name.
	maxGoalSets = 31
	edgeBytes   = 12
)

// The edges of a page are where the transitions of its states lead, as bytes: what
// goals are judged by. They are a luxury: where they are missing, the transitions are
// made again. A state is one byte, for the goals that it satisfies, and before the
// next one come its edges, as far as they help goals that it does not satisfy.
// An edge is a fingerprint, or two bytes where recent remembers it.
//
//	bits of the first byte: 0 remembered?  1-5 set of goals  6 a state?
//	a remembered edge:      its place in recent follows, in 10 bits
//	any other edge:         its key follows from bit 7 on, then its spot
//	the end:                the sets of goals in 8 bytes each, and their number
//
// A recorder writes them while a page is expanded.
type recorder struct {
	on        bool
	data      []byte
	sets      [maxGoalSets]uint64
	known     int    // of sets
	satisfied uint64 // goals that hold in the state
	helped    uint64 // by the transition under way
	recent    recent
}

// begin starts a page, or turns recording off for it.
func (r *recorder) begin(on bool, buffer []byte) {
	r.on, r.data, r.known = on, buffer[:0], 0
	if on {
		clear(r.recent[:])
	}
}

// end returns the edges of the page, if they could be kept.
func (r *recorder) end() []byte {
	if !r.on {
		return r.data[:0]
	}
	r.on = false
	for _, set := range r.sets[:r.known] {
		r.data = binary.LittleEndian.AppendUint64(r.data, set)
	}
	return append(r.data, byte(r.known))
}

// code is how a set of goals is written. Where there are too many sets, recording ends.
func (r *recorder) code(set uint64) uint64 {
	i := slices.Index(r.sets[:r.known], set)
	if i < 0 {
		if i = r.known; i == maxGoalSets {
			r.on, i = false, 0
		}
		r.sets[i] = set
		r.known = i + 1
	}
	return uint64(i) << 1
}

// state starts a state.
func (r *recorder) state(satisfied uint64) {
	r.satisfied = satisfied
	r.data = append(r.data, byte(r.code(satisfied)|1<<6))
}

// edge adds one of its edges.
func (r *recorder) edge(f fingerprint) {
	set := r.helped &^ r.satisfied
	if set == 0 {
		return
	}
	code := r.code(set)
	if place := f.key % uint64(len(r.recent)); r.recent.has(f) {
		r.data = binary.LittleEndian.AppendUint16(r.data, uint16(code|1|place<<6))
		return
	}
	r.data = binary.LittleEndian.AppendUint64(r.data, code|f.key<<7)
	r.data = binary.LittleEndian.AppendUint32(r.data, f.spot)
}

// A fan is the states of a page as a judge sees them: which goals each satisfies, and
// where its transitions lead.
type fan struct {
	n         int // states
	satisfied [pageStates]uint64
	ends      [pageStates]int // of each state's edges
	to        []fingerprint
	helped    []uint64 // goals
	recent    recent
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

// read takes over what a recorder wrote.
func (f *fan) read(data []byte) {
	f.reset()
	clear(f.recent[:])
	var sets [1 << 5]uint64
	known := int(data[len(data)-1])
	data = data[:len(data)-1]
	body := data[:len(data)-8*known]
	for i := range known {
		sets[i] = binary.LittleEndian.Uint64(data[len(body)+8*i:])
	}
	for len(body) > 0 {
		set := sets[body[0]>>1&31]
		switch {
		case body[0]&1 == 1:
			f.edge(f.recent[binary.LittleEndian.Uint16(body)>>6], set)
			body = body[2:]
		case body[0]>>6&1 == 1:
			f.state(set)
			body = body[1:]
		default:
			to := fingerprint{binary.LittleEndian.Uint64(body) >> 7, binary.LittleEndian.Uint32(body[8:])}
			f.recent.has(to)
			f.edge(to, set)
			body = body[edgeBytes:]
		}
	}
}

// recording tells whether the edges of the next round shall be kept.
func (e *engine[S]) recording() bool {
	return e.judging && len(e.o.Goals) <= judgeGoals && e.edges < e.edgesBudget
}

// keepEdges keeps the edges that a round recorded with its pages.
func (e *engine[S]) keepEdges(pages []page, chunks []*chunk) {
	for i, c := range chunks {
		if len(c.edges) > 0 {
			pages[i].edges = slices.Clone(c.edges)
			e.edges += int64(len(c.edges))
		}
	}
}

// forgetEdges makes room: what can be made again is the first to go. From now on
// none are kept.
func (e *engine[S]) forgetEdges() {
	e.edges, e.edgesBudget = 0, 0
	for i := range e.kept {
		e.kept[i].edges = nil
	}
	for _, c := range e.chunks {
		c.edges = nil
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
