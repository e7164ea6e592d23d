package search

// A store holds what a breadth-first search has found: the visited set, the encodings of
// the states that are not expanded yet, and the breadth-first tree as predecessor records.
// Where memory is short, it puts all but the visited set into temporary files.
type store struct {
	shards     [shards]shard
	levels     levels
	pages      []page // of the level that is being expanded
	unexpanded []page // of these, what is not expanded yet
	allPages   []page // that were expanded, where they are kept

	files   spillFiles
	keeps   bool // expanded pages are kept
	stored  int  // how many of allPages are on disk
	spilled int64
}

// newStore makes one whose files lie in a directory, that of the system if dir is "".
func newStore(dir string, keepPages bool) *store {
	st := &store{files: newSpillFiles(dir), keeps: keepPages}
	for i := range st.shards {
		st.shards[i].visited = newVisitedSet(i)
		st.shards[i].frontier.shard = i
	}
	return st
}

// release gives back what the garbage collector would not.
func (st *store) release() {
	for i := range st.shards {
		st.shards[i].visited.release()
	}
	st.files.close()
}

// depth is that of the level that is being expanded, -1 before there is one.
func (st *store) depth() int { return len(st.levels.starts) - 1 }

// states counts the distinct states found so far.
func (st *store) states() (n int64) {
	for i := range st.shards {
		n += st.shards[i].states
	}
	return n
}

// sizes counts the states of a shard, and the slots that its visited set has for them.
func (st *store) sizes(shard int) (states, slots int64) {
	return st.shards[shard].states, int64(st.shards[shard].visited.slots())
}

// levelSizes lists how many states the complete levels have.
func (st *store) levelSizes() []int64 { return st.levels.sizes() }

// frontier counts the states that are not expanded yet.
func (st *store) frontier() (n int64) {
	for _, p := range st.unexpanded {
		n += int64(p.states)
	}
	for i := range st.shards {
		n += st.shards[i].states - st.shards[i].levelFirst
	}
	return n
}

// bytes is what all of it takes in memory.
func (st *store) bytes() (n int64) {
	for i := range st.shards {
		n += st.shards[i].bytes()
	}
	return n + int64(cap(st.pages)+cap(st.allPages))*pageBytes
}

// visitedBytes is what the visited set takes.
func (st *store) visitedBytes() (n int64) {
	for i := range st.shards {
		n += st.shards[i].visited.bytes()
	}
	return n
}

// find returns the slot in the visited set of its shard that holds f, or -1.
func (st *store) find(f fingerprint) int { return st.shards[f.shard()].visited.find(f) }

// growth bounds what it may take to admit all candidates of some expansions.
func (st *store) growth(expansions []*expansion) (n int64) {
	for _, x := range expansions {
		n += x.growth()
	}
	for id := range st.shards {
		n += st.shards[id].growth(incoming(id, expansions))
	}
	return n
}

// closeLevel ends a level: what was found becomes the next one. It reports whether that
// has any states.
func (st *store) closeLevel() bool {
	start := len(st.levels.segments)
	st.pages = st.pages[:0]
	var base int64
	for id := range st.shards {
		s := &st.shards[id]
		if g := s.closeLevel(id); g.count > 0 {
			st.levels.segments = append(st.levels.segments, g)
		}
		n := len(st.pages)
		st.pages = s.frontier.drain(st.pages)
		for i := range st.pages[n:] {
			p := &st.pages[n+i]
			p.depth, p.base = len(st.levels.starts), base
			base += int64(p.states)
		}
	}
	st.unexpanded = st.pages
	if base == 0 {
		return false
	}
	st.levels.starts = append(st.levels.starts, start)
	return true
}

// take returns the next pages to expand, up to n.
func (st *store) take(n int) []page {
	n = min(n, len(st.unexpanded))
	pages := st.unexpanded[:n]
	st.unexpanded = st.unexpanded[n:]
	return pages
}

// expanded takes back pages whose successors were admitted.
func (st *store) expanded(pages []page) {
	if st.keeps {
		st.allPages = append(st.allPages, pages...)
		return
	}
	for _, p := range pages {
		st.shards[p.shard].frontier.release(p)
	}
}

// path returns how the index-th state of a level was reached: which initial state, which
// step of that, and so on. Depth -1 is before the start.
func (st *store) path(depth int, index int64) ([]uint32, error) {
	path := make([]uint32, depth+1, depth+2)
	for d := depth; d >= 0; d-- {
		g, n := st.levels.locate(d, index)
		parent, step, err := st.shards[g.shard].predecessors.record(g.from, n)
		if err != nil {
			return nil, err
		}
		index, path[d] = parent, step.ordinal()
	}
	return path, nil
}

// fileOf is where the pages of a level go.
func (st *store) fileOf(depth int) **spillFile {
	if st.keeps {
		return &st.files.kept
	}
	return &st.files.levels[depth%2]
}

// spill moves what it can from memory to disk: pages that are not expanded next, and the
// full blocks of the predecessor records. What remains are the visited set and buffers.
func (st *store) spill() error {
	for id := range st.shards {
		f := &st.shards[id].frontier
		if n := len(f.pages); n > 1 {
			if err := st.spillPages(f.pages[:n-1], st.depth()+1); err != nil {
				return err
			}
		}
		f.dropFree()
		if err := st.spillPredecessors(&st.shards[id].predecessors); err != nil {
			return err
		}
	}
	if err := st.spillPages(st.allPages[st.stored:], st.depth()); err != nil {
		return err
	}
	st.stored = len(st.allPages)
	if err := st.spillPages(st.unexpanded, st.depth()); err != nil {
		return err
	}
	return st.files.flush()
}

func (st *store) spillPages(pages []page, depth int) error {
	for i := range pages {
		p := &pages[i]
		if p.file != nil {
			continue
		}
		st.shards[p.shard].frontier.bytes -= int64(cap(p.data))
		if err := st.put(&p.spillable, st.fileOf(depth)); err != nil {
			return err
		}
	}
	return nil
}

func (st *store) spillPredecessors(ps *predecessors) error {
	for ; ps.inMemory < len(ps.blocks)-1; ps.inMemory++ {
		if err := st.put(&ps.blocks[ps.inMemory], &st.files.kept); err != nil {
			return err
		}
	}
	return nil
}

// put moves data into a file, which is made when it is needed first.
func (st *store) put(data *spillable, to **spillFile) error {
	f, err := st.files.open(to)
	if err != nil {
		return err
	}
	st.spilled += int64(len(data.data))
	return f.put(data)
}

// recycle makes room on disk: the level before the current one is not needed any more.
func (st *store) recycle() error {
	if f := st.files.levels[(st.depth()+1)%2]; f != nil {
		return f.truncate()
	}
	return nil
}

// archive saves the store between two rounds, or loads it. Where memory is bounded, what
// is loaded goes to disk at once.
func (st *store) archive(a *archive, bounded bool) {
	st.levels.archive(a)
	st.archivePages(a, &st.unexpanded, st.depth(), bounded)
	st.archivePages(a, &st.allPages, st.depth(), bounded)
	for id := 0; id < shards && a.err == nil; id++ {
		s := &st.shards[id]
		number(a, &s.states)
		number(a, &s.levelFirst)
		number(a, &s.levelStart.block)
		number(a, &s.levelStart.offset)
		s.visited.archive(a)
		s.predecessors.archive(a)
		if !a.saving() && bounded && a.err == nil {
			a.err = st.spillPredecessors(&s.predecessors)
		}
		st.archivePages(a, &s.frontier.pages, st.depth()+1, bounded)
	}
	if !a.saving() && a.err == nil {
		st.pages = st.unexpanded
		a.err = st.files.flush()
	}
}

// archivePages saves pages of a level, or loads them.
func (st *store) archivePages(a *archive, pages *[]page, depth int, bounded bool) {
	resize(a, pages)
	var buffer []byte
	for i := range *pages {
		p := &(*pages)[i]
		if p.archive(a, &buffer); a.err != nil {
			return
		}
		if !a.saving() {
			st.shards[p.shard].frontier.bytes += int64(cap(p.data))
			if bounded && p.states == pageStates {
				a.err = st.spillPages((*pages)[i:i+1], depth)
			}
		}
	}
}
