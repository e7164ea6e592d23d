// Package storage keeps what a search finds. It knows states by their encodings and
// fingerprints alone, and steps by their places among those of a state: no system and no
// property.
//
// A Store is split into shards, by fingerprint. Each has a visited set, a frontier of encoded
// states, and a record of each state's predecessor in the breadth-first tree. A Pipeline
// looks up successors in the visited sets, an Admission adds to them. What does not fit into
// memory goes to spill files, and an Archive makes checkpoints of all of it.
package storage

import "os"

// A Store holds what a breadth-first search has found: the visited set, the encodings of
// the states that are not expanded yet, and the breadth-first tree as predecessor records.
// Where memory is short, it puts all but the visited set into temporary files.
type Store struct {
	shards     [Shards]shard
	levels     levels
	Pages      []Page // of the level that is being expanded
	Unexpanded []Page // of these, what is not expanded yet
	AllPages   []Page // that were expanded, where they are kept

	keeps     bool         // expanded pages are kept
	pageFiles [2]spillFile // for pages, by the parity of their level
	kept      spillFile    // for predecessor records, and for the pages of all levels where they are kept
	stored    int          // how many of AllPages are on disk
	Spilled   int64        // bytes put into files
	err       error        // the first one of a file
}

// NewStore makes one whose files lie in a directory, that of the system if dir is "".
func NewStore(dir string, keepPages bool) *Store {
	st := &Store{keeps: keepPages}
	st.CreateFiles(createIn(dir))
	for i := range st.shards {
		st.shards[i].visited = newVisitedSet(i)
		st.shards[i].frontier.shard = i
	}
	return st
}

// CreateFiles says how the files are made.
func (st *Store) CreateFiles(create func() (*os.File, error)) {
	for _, f := range st.files() {
		f.create = create
	}
}

func (st *Store) files() [3]*spillFile {
	return [...]*spillFile{&st.pageFiles[0], &st.pageFiles[1], &st.kept}
}

// Release gives back what the garbage collector would not.
func (st *Store) Release() {
	for i := range st.shards {
		st.shards[i].visited.release()
	}
	for _, f := range st.files() {
		f.close()
	}
}

// Depth is that of the level that is being expanded, -1 before there is one.
func (st *Store) Depth() int { return len(st.levels.starts) - 1 }

// States counts the distinct states found so far.
func (st *Store) States() (n int64) {
	for i := range st.shards {
		n += st.shards[i].states
	}
	return n
}

// Sizes counts the states of a shard, and the slots that its visited set has for them.
func (st *Store) Sizes(shard int) (states, slots int64) {
	return st.shards[shard].states, int64(st.shards[shard].visited.slots())
}

// LevelSizes lists how many states the complete levels have.
func (st *Store) LevelSizes() []int64 { return st.levels.sizes() }

// Frontier counts the states that are not expanded yet.
func (st *Store) Frontier() (n int64) {
	for _, p := range st.Unexpanded {
		n += int64(p.States)
	}
	for i := range st.shards {
		n += st.shards[i].states - st.shards[i].levelFirst
	}
	return n
}

// Bytes is what all of it takes in memory.
func (st *Store) Bytes() (n int64) {
	for i := range st.shards {
		n += st.shards[i].bytes()
	}
	return n + int64(cap(st.Pages)+cap(st.AllPages))*pageBytes
}

// VisitedBytes is what the visited set takes.
func (st *Store) VisitedBytes() (n int64) {
	for i := range st.shards {
		n += st.shards[i].visited.bytes()
	}
	return n
}

// Add adds f to the visited set and reports whether it is new, for a search that needs
// nothing else of the store.
func (st *Store) Add(f Fingerprint) bool {
	v := &st.shards[f.Shard()].visited
	v.reserve(1)
	return v.insert(f)
}

// Find returns the slot in the visited set of its shard that holds f, or -1.
func (st *Store) Find(f Fingerprint) int { return st.shards[f.Shard()].visited.find(f) }

// Growth bounds what it may take to admit all candidates of some expansions.
func (st *Store) Growth(expansions []*Expansion) (n int64) {
	for _, x := range expansions {
		n += x.growth()
	}
	for id := range st.shards {
		n += st.shards[id].growth(incoming(id, expansions))
	}
	return n
}

// CloseLevel ends a level: what was found becomes the next one. It reports whether that
// has any states.
func (st *Store) CloseLevel() bool {
	start := len(st.levels.segments)
	st.Pages = st.Pages[:0]
	var base int64
	for id := range st.shards {
		s := &st.shards[id]
		if g := s.closeLevel(id); g.count > 0 {
			st.levels.segments = append(st.levels.segments, g)
		}
		n := len(st.Pages)
		st.Pages = s.frontier.drain(st.Pages)
		for i := range st.Pages[n:] {
			p := &st.Pages[n+i]
			p.Depth, p.Base = len(st.levels.starts), base
			base += int64(p.States)
		}
	}
	st.Unexpanded = st.Pages
	if base == 0 {
		return false
	}
	st.levels.starts = append(st.levels.starts, start)
	return true
}

// Take returns the next pages to expand, up to n.
func (st *Store) Take(n int) []Page {
	n = min(n, len(st.Unexpanded))
	pages := st.Unexpanded[:n]
	st.Unexpanded = st.Unexpanded[n:]
	return pages
}

// Expanded takes back pages whose successors were admitted.
func (st *Store) Expanded(pages []Page) {
	if st.keeps {
		st.AllPages = append(st.AllPages, pages...)
		return
	}
	for _, p := range pages {
		st.shards[p.Shard].frontier.release(p)
	}
}

// Path returns how the index-th state of a level was reached: which initial state, which
// step of that, and so on. Depth -1 is before the start.
func (st *Store) Path(depth int, index int64) ([]uint32, error) {
	path := make([]uint32, depth+1, depth+2)
	for d := depth; d >= 0; d-- {
		g, n := st.levels.locate(d, index)
		parent, step, err := st.shards[g.shard].predecessors.record(g.from, n)
		if err != nil {
			return nil, err
		}
		index, path[d] = parent, step.Ordinal()
	}
	return path, nil
}

// fileOf is where the pages of a level go.
func (st *Store) fileOf(depth int) *spillFile {
	if st.keeps {
		return &st.kept
	}
	return &st.pageFiles[depth%2]
}

// Spill moves what it can from memory to disk: pages that are not expanded next, and the
// full blocks of the predecessor records. What remains are the visited set and buffers.
func (st *Store) Spill() error {
	for id := range st.shards {
		f := &st.shards[id].frontier
		st.spillPages(f.pages[:max(0, len(f.pages)-1)], st.Depth()+1)
		f.dropFree()
		st.spillPredecessors(&st.shards[id].predecessors)
	}
	st.spillPages(st.AllPages[st.stored:], st.Depth())
	st.stored = len(st.AllPages)
	st.spillPages(st.Unexpanded, st.Depth())
	return st.flush()
}

func (st *Store) spillPages(pages []Page, depth int) {
	for i := range pages {
		if p := &pages[i]; p.InMemory() {
			st.shards[p.Shard].frontier.bytes -= int64(cap(p.Data))
			st.put(&p.Spillable, st.fileOf(depth))
		}
	}
}

func (st *Store) spillPredecessors(ps *predecessors) {
	for ; ps.inMemory < len(ps.blocks)-1; ps.inMemory++ {
		st.put(&ps.blocks[ps.inMemory], &st.kept)
	}
}

func (st *Store) put(data *Spillable, f *spillFile) {
	if st.err == nil {
		st.Spilled += int64(len(data.Data))
		st.err = f.put(data)
	}
}

// Put moves data that is not the store's own into a file, where it can be loaded from.
func (st *Store) Put(data *Spillable) error {
	st.put(data, &st.kept)
	return st.flush()
}

// flush makes all that was put readable, and returns the first error since the beginning.
func (st *Store) flush() error {
	for _, f := range st.files() {
		if st.err == nil {
			st.err = f.flush()
		}
	}
	return st.err
}

// Recycle makes room on disk: the level before the current one is not needed any more.
func (st *Store) Recycle() error { return st.pageFiles[(st.Depth()+1)%2].truncate() }

// Archive saves the store between two rounds, or loads it. Where memory is bounded, what
// is loaded goes to disk at once.
func (st *Store) Archive(a *Archive, bounded bool) {
	a.Values(&st.levels)
	st.archivePages(a, &st.Unexpanded, st.Depth(), bounded)
	st.archivePages(a, &st.AllPages, st.Depth(), bounded)
	for id := 0; id < Shards && a.err == nil; id++ {
		s := &st.shards[id]
		a.Values(&s.states, &s.levelFirst, &s.levelStart)
		s.visited.archive(a)
		s.predecessors.archive(a)
		if !a.Saving() && bounded && a.err == nil {
			st.spillPredecessors(&s.predecessors)
		}
		st.archivePages(a, &s.frontier.pages, st.Depth()+1, bounded)
	}
	if !a.Saving() && a.err == nil {
		st.Pages = st.Unexpanded
		a.err = st.flush()
	}
}

// archivePages saves pages of a level, or loads them.
func (st *Store) archivePages(a *Archive, pages *[]Page, depth int, bounded bool) {
	if n := a.length(len(*pages)); !a.Saving() {
		*pages = make([]Page, n)
	}
	var buffer []byte
	for i := range *pages {
		p := &(*pages)[i]
		if p.archive(a, &buffer); a.err != nil {
			return
		}
		if !a.Saving() {
			st.shards[p.Shard].frontier.bytes += int64(cap(p.Data))
			if bounded && p.States == PageStates {
				st.spillPages((*pages)[i:i+1], depth)
				a.err = st.err
			}
		}
	}
}
