package search

import "fencecheck/search/internal/storage"

const (
	// defaultHintBudget is how many bytes of hints a search keeps whose memory has no
	// bound. Where it has one, the hints may take a part of it.
	defaultHintBudget = 1 << 30
	hintShare         = 4
)

// A hintRecorder writes the hints of a page while it is expanded.
type hintRecorder struct {
	hints  storage.Hints
	goals  goalHelp
	on     bool
	state  uint8
	lacks  uint64 // goals that the state does not satisfy
	wanted uint64 // those of them that no edge helps yet
}

// begin starts a page, or turns recording off for it.
func (r *hintRecorder) begin(on bool, buffer storage.Hints) {
	r.stop()
	r.on = on
	r.hints.Reset(buffer)
}

// end returns what was recorded: nothing if it could not be kept.
func (r *hintRecorder) end() storage.Hints {
	if !r.on {
		r.hints.Reset(r.hints)
	}
	r.stop()
	return r.hints
}

// stop makes it want nothing more.
func (r *hintRecorder) stop() { r.on, r.lacks, r.wanted = false, 0, 0 }

// beginState starts a state.
func (r *hintRecorder) beginState(state uint32, satisfied uint64) {
	r.state, r.lacks = uint8(state), r.goals.all()&^satisfied
	r.wanted = r.lacks
	if satisfied != 0 {
		r.add(storage.Fingerprint{}, satisfied)
	}
}

// wants tells whether it matters what a step helps: if it may be the first to help
// a goal, or lead to a state that is new.
func (r *hintRecorder) wants(known bool) bool { return r.wanted != 0 || r.lacks != 0 && !known }

// edge records a step, if it is the first to help some goal, and reports whether
// it helps all of them.
func (r *hintRecorder) edge(f storage.Fingerprint, st Step) bool {
	helped := r.goals.helped(st)
	if set := helped & r.wanted; set != 0 {
		r.add(f, helped&r.lacks)
		r.wanted &^= set
	}
	return helped == r.goals.all()
}

// add adds an edge. Where there are too many sets of goals, recording ends.
func (r *hintRecorder) add(f storage.Fingerprint, set uint64) {
	if !r.hints.Add(r.state, f, set) {
		r.stop()
	}
}

// recording tells whether hints of the next round shall be kept.
func (b *breadthFirst[S]) recording() bool {
	return len(b.o.Goals) > 0 && len(b.o.Goals) <= goalsPerBatch && b.hintBytes < b.hintBudget
}

// keepHints keeps the hints that a round recorded with its pages.
func (b *breadthFirst[S]) keepHints(pages []storage.Page, expansions []*storage.Expansion) {
	for i, x := range expansions {
		if h := &x.Hints; len(h.Edges) > 0 {
			pages[i].Hints = h.Clone()
			b.hintBytes += h.Bytes()
		}
	}
}

// dropHints makes room: what can be made again is the first to go. From now on
// none are kept.
func (b *breadthFirst[S]) dropHints() {
	b.hintBytes, b.hintBudget = 0, 0
	for i := range b.store.AllPages {
		b.store.AllPages[i].Hints = nil
	}
	for _, x := range b.expansions {
		x.Hints = storage.Hints{}
	}
}
