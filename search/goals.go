package search

import "slices"

// An edge is a step that helps some goals, kept until the search is over.
type edge struct {
	from, to uint32 // as of stateID
	help     uint32 // the goals that the step helps
}

const (
	edgeBytes = 12
	maxNumber = 1 << 26 // of states in one shard, so that a stateID fits
)

// stateID names a state while the search goes on.
func stateID(shard int, number int64) uint32 {
	return uint32(number)*shards + uint32(shard)
}

// helps returns the goals that a step helps, as a mask.
func (e *engine[S]) helps(st Step) (mask uint32) {
	for i, g := range e.o.Goals {
		if g.Help == nil || g.Help(st) {
			mask |= 1 << i
		}
	}
	return mask
}

// satisfies returns the goals that hold in a state, as a mask.
func (e *engine[S]) satisfies(s *S) (mask uint32) {
	for i, g := range e.o.Goals {
		if g.State(s) {
			mask |= 1 << i
		}
	}
	return mask
}

// edges are those of the whole search, in blocks.
type edges struct {
	blocks [][]edge
	count  int64
}

// keep takes over the edges of a round.
func (e *edges) keep(chunks []*chunk) {
	for _, c := range chunks {
		if len(c.edges) > 0 {
			e.blocks = append(e.blocks, slices.Clone(c.edges))
			e.count += int64(len(c.edges))
		}
	}
}

// judgement is the memory of the edges, with what judge will need beside them.
func (e *engine[S]) judgement() int64 {
	if !e.judging {
		return 0
	}
	return e.edges.count*(edgeBytes+4) + e.states()*17
}

// A trap is where a goal is out of reach: the first such state, and how many
// there are.
type trap struct {
	goal   int
	depth  int
	index  int64 // within its level
	states int64
}

// judge looks for states from which a goal cannot be reached. Of several goals
// it reports the one that is lost first.
func (e *engine[S]) judge() *Violation[S] {
	first := trap{depth: len(e.levels.starts)}
	for goal := range e.o.Goals {
		t := e.trap(goal, e.reaching(goal))
		if t.states > 0 && (t.depth < first.depth || t.depth == first.depth && t.index < first.index) {
			first = t
		}
	}
	if first.states == 0 {
		return nil
	}
	return &Violation[S]{
		Property: e.o.Goals[first.goal].Name,
		Kind:     Unreachable,
		Trace:    e.follow(e.path(first.depth, first.index)),
		Trap:     first.states,
	}
}

// trap goes through all states in the order of the search.
func (e *engine[S]) trap(goal int, reaching []bool) trap {
	t := trap{goal: goal}
	base := e.bases()
	for depth := range e.levels.starts {
		var index int64
		for _, g := range e.levels.at(depth) {
			from := base[g.shard] + g.first
			for i, ok := range reaching[from : from+g.count] {
				if ok {
					continue
				}
				if t.states++; t.states == 1 {
					t.depth, t.index = depth, index+int64(i)
				}
			}
			index += g.count
		}
	}
	return t
}

// bases numbers all states in one row, shard after shard: it returns where each
// shard starts, and last how many states there are.
func (e *engine[S]) bases() (base [shards + 1]int64) {
	for i := range e.shards {
		base[i+1] = base[i] + e.shards[i].states
	}
	return base
}

// reaching tells for each state whether it can reach a goal: backwards from
// the states that satisfy it, over the steps that help.
func (e *engine[S]) reaching(goal int) []bool {
	base := e.bases()
	in := e.predecessors(goal, &base)
	reaching := make([]bool, base[shards])
	var todo []uint32
	visit := func(n uint32) {
		if !reaching[n] {
			reaching[n] = true
			todo = append(todo, n)
		}
	}
	for id := range e.shards {
		for i, mask := range e.shards[id].goals {
			if mask>>goal&1 == 1 {
				visit(uint32(base[id]) + uint32(i))
			}
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range in.of(n) {
			visit(from)
		}
	}
	return reaching
}

// predecessors lists for each state where its incoming edges come from.
type predecessors struct {
	ends []int64 // by state, where its part of from ends
	from []uint32
}

func (p *predecessors) of(n uint32) []uint32 {
	var start int64
	if n > 0 {
		start = p.ends[n-1]
	}
	return p.from[start:p.ends[n]]
}

// predecessors sorts the edges that help a goal by where they lead: it counts them,
// sums up, and fills each part from its start, which thereby moves to its end.
func (e *engine[S]) predecessors(goal int, base *[shards + 1]int64) predecessors {
	p := predecessors{ends: make([]int64, base[shards]+1)}
	e.helping(goal, base, func(_, to uint32) { p.ends[to+1]++ })
	for i := range p.ends[1:] {
		p.ends[i+1] += p.ends[i]
	}
	p.from = make([]uint32, p.ends[base[shards]])
	e.helping(goal, base, func(from, to uint32) {
		p.from[p.ends[to]] = from
		p.ends[to]++
	})
	return p
}

// helping calls do for each edge that helps a goal.
func (e *engine[S]) helping(goal int, base *[shards + 1]int64, do func(from, to uint32)) {
	row := func(id uint32) uint32 { return uint32(base[id%shards]) + id/shards }
	for _, block := range e.edges.blocks {
		for i := range block {
			if block[i].help>>goal&1 == 1 {
				do(row(block[i].from), row(block[i].to))
			}
		}
	}
}
