package storage

// A segment is what one shard found in one level. The states of a level are
// numbered through its segments, in the order of the shards.
type segment struct {
	shard int
	from  recordAddress // where the shard's predecessor records of this level start
	first int64         // number of its first state within the shard
	count int64
}

// levels is the index of all states by depth. It costs memory only for the
// shards that found something, so that deep and narrow systems stay cheap.
type levels struct {
	segments []segment
	starts   []int // by depth, the first segment
}

// at returns the segments of a level.
func (l *levels) at(depth int) []segment {
	end := len(l.segments)
	if depth+1 < len(l.starts) {
		end = l.starts[depth+1]
	}
	return l.segments[l.starts[depth]:end]
}

// locate finds the index-th state of a level: its segment, and its place there.
func (l *levels) locate(depth int, index int64) (segment, int64) {
	for _, g := range l.at(depth) {
		if index < g.count {
			return g, index
		}
		index -= g.count
	}
	panic("search: no such state in the level")
}

// sizes lists how many states the complete levels have.
func (l *levels) sizes() []int64 {
	all := make([]int64, len(l.starts))
	for depth := range all {
		for _, g := range l.at(depth) {
			all[depth] += g.count
		}
	}
	return all
}
