package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"
)

// judgeGoals is how many goals are judged together, one bit of a set each. Edges are kept
// for no more.
const judgeGoals = 64

// A judge looks for states from which goals cannot be reached. It sweeps backwards over
// the pages of all states, level after level, and gives each state the goals of
// those that its steps lead to, as far as they help. It repeats that, every other
// time forwards, until a sweep changes nothing. Where a step leads it learns from
// the edges that were kept, or else by expanding the state again; and then it
// remembers those steps that may help later.
type judge[S any] struct {
	engine *engine[S]
	goals  []Goal[S]
	all    uint64 // the set of all goals
	first  bool   // this is the first sweep: the goals themselves must be looked at
	marked atomic.Int64
	queues []queue      // by page
	room   atomic.Int64 // bytes that the queues may yet take

	bySlot   [shards]marks // by slot of the table: for looking up where a step leads
	byNumber [shards]marks // by number of the state: for passing what is known
}

// A wait is a step that leads to where more goals may turn out to be in reach.
type wait struct {
	slot  uint32 // where it leads
	shard uint8
	state uint8 // whose step it is, within the page
	set   uint8 // of the goals that it helps, in queue.sets
}

const (
	waitBytes = 8
	setBytes  = 8
)

// A queue is what the states of a page wait for.
type queue struct {
	known bool // else the page must be looked at as a whole
	waits []wait
	sets  []uint64
}

// marks holds a set of goals for each of many, in as many bits as the largest set
// needs, rounded up to a power of two. Several workers may read and write.
type marks struct {
	words []uint64
	shift uint8 // 1<<shift sets share a word
}

func newMarks(n int64, goals int) marks {
	width := bits.Len(uint(goals - 1)) // as a power of two
	m := marks{shift: uint8(6 - width)}
	m.words = make([]uint64, (n+1<<m.shift-1)>>m.shift)
	return m
}

// at returns where a set is: its word, and the bit that it starts with.
func (m *marks) at(n int64) (word *uint64, bit int64) {
	return &m.words[n>>m.shift], n & (1<<m.shift - 1) << (6 - m.shift)
}

// get returns a set, with others above it.
func (m *marks) get(n int64) uint64 {
	word, bit := m.at(n)
	return atomic.LoadUint64(word) >> bit
}

func (m *marks) add(n int64, set uint64) {
	word, bit := m.at(n)
	atomic.OrUint64(word, set<<bit)
}

// judgement bounds the memory that judging the goals takes, beside the edges.
func (e *engine[S]) judgement() (bytes int64) {
	if !e.judging {
		return 0
	}
	goals := min(len(e.o.Goals), judgeGoals)
	width := int64(1) << bits.Len(uint(goals-1))
	for i := range e.shards {
		s := &e.shards[i]
		bytes += (int64(s.table.slots())+s.states)*width/8 + 16
	}
	return bytes
}

// room is what the queues of a judge may take.
func (e *engine[S]) room() int64 {
	if e.o.Memory > 0 {
		return max(0, e.o.Memory-e.held())
	}
	return max(0, e.edgesBudget-e.edges)
}

// judge returns the violation of the goal that is lost first, if any is. It ends with
// ctx: then no more is known than what was found before.
func (e *engine[S]) judge(ctx context.Context) *Violation[S] {
	for _, w := range e.workers {
		w.unwatch()
	}
	var first *trap[S]
	for goals := range slices.Chunk(e.o.Goals, judgeGoals) {
		start := time.Now()
		j := e.sweepFor(ctx, goals)
		e.judged = append(e.judged, time.Since(start))
		if e.stopped = cmp.Or(e.stopped, interruption(ctx)); e.stopped != "" {
			break
		}
		for i := range j.goals {
			if t := j.trap(i); t.count > 0 && (first == nil || t.before(first)) {
				first = t
			}
		}
	}
	if first == nil {
		return nil
	}
	return &Violation[S]{
		Property:   first.goal,
		Kind:       Unreachable,
		Trace:      e.follow(e.path(first.depth, first.index)),
		Trap:       first.count,
		TrapStates: first.states,
	}
}

// sweepFor finds out for all states which of some goals they can reach.
func (e *engine[S]) sweepFor(ctx context.Context, goals []Goal[S]) *judge[S] {
	j := &judge[S]{engine: e, goals: goals, first: true, queues: make([]queue, len(e.kept))}
	j.room.Store(e.room())
	j.all = ^uint64(0) >> (judgeGoals - len(goals))
	for i := range e.shards {
		s := &e.shards[i]
		j.bySlot[i] = newMarks(int64(s.table.slots()), len(goals))
		j.byNumber[i] = newMarks(s.states, len(goals))
	}
	sweepers := make([]*sweeper[S], len(e.workers))
	for i, w := range e.workers {
		sweepers[i] = newSweeper(j, w)
	}
	last := len(e.kept) - 1
	for n := 0; n == 0 || j.marked.Swap(0) > 0; n++ {
		e.crew.run(len(e.kept), false, func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if n%2 == 0 {
				i = last - i
			}
			sweepers[worker].sweep(&e.kept[i], &j.queues[i])
		})
		j.first = false
		for _, w := range e.workers {
			e.fail(w.err)
		}
		if e.err != nil || ctx.Err() != nil {
			break
		}
	}
	return j
}

// A sweeper is one worker of a judge.
type sweeper[S any] struct {
	judge     *judge[S]
	worker    *worker[S]
	sys       System[S]
	emit      func(Step) // s.emitted, bound once
	cur, next S
	fan       fan
	slots     []uint32 // by edge in fan, as far as it was looked at
	queue     queue
	before    [pageStates]uint64 // by state of the page: the goals that were known to be in reach
	reaches   [pageStates]uint64 // the goals that are; no more than before for states that were not looked at
	open      []open
	code      []byte
}

// An open state may reach more than is known: so far edges lie before the next
// one to look at.
type open struct{ state, edge int }

func newSweeper[S any](j *judge[S], w *worker[S]) *sweeper[S] {
	s := &sweeper[S]{judge: j, worker: w, sys: w.sys}
	s.emit = s.emitted
	return s
}

// sweep marks what it can in one page.
func (s *sweeper[S]) sweep(p *page, q *queue) {
	if q.known && len(q.waits) == 0 {
		return
	}
	if q.known {
		s.lookInto(p, q)
	} else {
		for i := range p.states {
			s.recall(p, i)
		}
		s.lookAround(p, q)
	}
	s.mark(p)
}

// recall looks up what is known of a state.
func (s *sweeper[S]) recall(p *page, state int) {
	known := s.judge.byNumber[p.shard].get(p.first+int64(state)) & s.judge.all
	s.before[state], s.reaches[state] = known, known
}

// lookInto follows the steps of a queue, and drops those that have served.
func (s *sweeper[S]) lookInto(p *page, q *queue) {
	kept, last := q.waits[:0], -1
	for _, w := range q.waits {
		if int(w.state) != last {
			last = int(w.state)
			s.recall(p, last)
		}
		set, reaches := q.sets[w.set], &s.reaches[w.state]
		*reaches |= s.judge.bySlot[w.shard].get(int64(w.slot)) & set
		if set&^*reaches != 0 {
			kept = append(kept, w)
		}
	}
	q.waits = kept
}

// lookAround follows all steps of a page, and queues those that may help later.
func (s *sweeper[S]) lookAround(p *page, q *queue) {
	data, err := s.worker.load(p)
	if err != nil {
		s.worker.err = err
		return
	}
	if p.edges != nil {
		s.fan.read(p.edges)
	} else {
		s.expand(p, data)
	}
	if s.judge.first {
		for i := range p.states {
			s.reaches[i] |= s.fan.satisfied[i]
		}
	}
	s.look(p.states)
	s.enqueue(p, q)
}

// enqueue queues what the states of a page wait for, if there is room.
func (s *sweeper[S]) enqueue(p *page, q *queue) {
	s.queue.waits, s.queue.sets = s.queue.waits[:0], s.queue.sets[:0]
	edge := 0
	for i := range p.states {
		for ; edge < s.fan.ends[i]; edge++ {
			if set := s.fan.helped[edge]; set&^s.reaches[i] != 0 && !s.queue.add(s.fan.to[edge], s.slots[edge], i, set) {
				return
			}
		}
	}
	need := int64(len(s.queue.waits))*waitBytes + int64(len(s.queue.sets))*setBytes - int64(len(p.edges))
	if s.judge.room.Add(-need) < 0 {
		s.judge.room.Add(need)
		return
	}
	*q = queue{true, slices.Clone(s.queue.waits), slices.Clone(s.queue.sets)}
	p.edges = nil // the queue says the same in less
}

// add reports whether it could add a wait.
func (q *queue) add(to fingerprint, slot uint32, state int, set uint64) bool {
	n := slices.Index(q.sets, set)
	if n < 0 {
		if n = len(q.sets); n > 0xff {
			return false
		}
		q.sets = append(q.sets, set)
	}
	q.waits = append(q.waits, wait{slot, uint8(to.shard()), uint8(state), uint8(n)})
	return true
}

// expand makes the transitions of those states that may reach more than is known.
func (s *sweeper[S]) expand(p *page, data []byte) {
	j := s.judge
	s.fan.reset()
	var code []byte
	for i := range p.states {
		code, data = nextCode(data)
		if s.before[i] == j.all {
			s.fan.state(0)
			continue
		}
		s.sys.Decode(code, &s.cur)
		var set uint64
		if j.first {
			set = satisfied(j.goals, &s.cur)
		}
		s.fan.state(set)
		if set|s.before[i] != j.all {
			s.sys.Next(&s.cur, &s.next, s.emit)
		}
	}
}

// emitted adds an edge.
func (s *sweeper[S]) emitted(st Step) {
	set := helped(s.judge.goals, st)
	if set == 0 {
		return
	}
	if canon := s.worker.canon; canon != nil {
		canon(&s.next)
	}
	s.code = s.sys.Append(s.code[:0], &s.next)
	s.fan.edge(hash(s.code), set)
}

// look follows the edges: the first one of each state, then the second one of those
// that may still reach more, and so on. Most states need no more than one.
func (s *sweeper[S]) look(states int) {
	s.slots = slices.Grow(s.slots[:0], len(s.fan.to))[:len(s.fan.to)]
	s.open = s.open[:0]
	start := 0
	for i := range states {
		s.open = append(s.open, open{i, start})
		start = s.fan.ends[i]
	}
	for todo := s.open; len(todo) > 0; {
		kept := todo[:0]
		for rest := todo; len(rest) > 0; {
			n := min(len(rest), batchSize)
			kept = s.lookAt(rest[:n], kept)
			rest = rest[n:]
		}
		todo = kept
	}
}

// lookAt follows one edge of each state, and appends to kept those that have more.
func (s *sweeper[S]) lookAt(batch []open, kept []open) []open {
	var places [batchSize]place
	n := 0
	for _, o := range batch {
		for end := s.fan.ends[o.state]; o.edge < end; o.edge++ {
			if s.fan.helped[o.edge]&^s.reaches[o.state] == 0 {
				continue
			}
			f := s.fan.to[o.edge]
			places[n] = s.judge.engine.shards[f.shard()].table.first(f)
			batch[n] = o
			n++
			break
		}
	}
	prefetch(&places, n)
	for _, o := range batch[:n] {
		f := s.fan.to[o.edge]
		slot := s.judge.engine.shards[f.shard()].table.find(f)
		s.slots[o.edge] = uint32(slot)
		s.reaches[o.state] |= s.judge.bySlot[f.shard()].get(int64(slot)) & s.fan.helped[o.edge]
		kept = append(kept, open{o.state, o.edge + 1})
	}
	return kept
}

// mark marks the states of a page that were found to reach more than was known.
func (s *sweeper[S]) mark(p *page) {
	last := p.states - 1
	for last >= 0 && s.reaches[last] == s.before[last] {
		last--
	}
	if last < 0 {
		return
	}
	data, err := s.worker.load(p)
	if err != nil {
		s.worker.err = err
		return
	}
	var batch marking
	var code []byte
	for i, reaches := range s.reaches[:last+1] {
		code, data = nextCode(data)
		if reaches == s.before[i] {
			continue
		}
		s.before[i] = reaches
		s.judge.byNumber[p.shard].add(p.first+int64(i), reaches)
		if batch.add(hash(code), reaches); batch.n == batchSize {
			s.judge.markAll(p.shard, &batch)
		}
	}
	s.judge.markAll(p.shard, &batch)
}

// A marking is some states that are to be marked together, so that the cache misses overlap.
type marking struct {
	n    int
	fps  [batchSize]fingerprint
	sets [batchSize]uint64
}

func (m *marking) add(f fingerprint, set uint64) {
	m.fps[m.n], m.sets[m.n] = f, set
	m.n++
}

// markAll marks states of a shard by their slots.
func (j *judge[S]) markAll(shard int, m *marking) {
	t := &j.engine.shards[shard].table
	var places [batchSize]place
	for i, f := range m.fps[:m.n] {
		places[i] = t.first(f)
	}
	prefetch(&places, m.n)
	for i, f := range m.fps[:m.n] {
		j.bySlot[shard].add(int64(t.find(f)), m.sets[i])
	}
	j.marked.Add(int64(m.n))
	m.n = 0
}

// A trap is where a goal is out of reach: the first such state, and how many
// there are.
type trap[S any] struct {
	goal   string
	depth  int
	index  int64 // within its level
	count  int64
	states []S // the first few
}

// before orders traps as the search does.
func (t *trap[S]) before(u *trap[S]) bool {
	return t.depth < u.depth || t.depth == u.depth && t.index < u.index
}

// trap goes through all states in the order of the search.
func (j *judge[S]) trap(goal int) *trap[S] {
	e := j.engine
	t := &trap[S]{goal: j.goals[goal].Name}
	for n := range e.kept {
		p := &e.kept[n]
		for i := range int64(p.states) {
			if j.byNumber[p.shard].get(p.first+i)>>goal&1 == 1 {
				continue
			}
			if t.count++; t.count == 1 {
				t.depth, t.index = p.depth, p.base+i
			}
			if len(t.states) < e.o.TrapStates {
				t.states = append(t.states, e.state(p, i))
			}
		}
	}
	return t
}

// state decodes the i-th state of a page.
func (e *engine[S]) state(p *page, i int64) (s S) {
	data, err := e.workers[0].load(p)
	if err != nil {
		e.fail(err)
		return s
	}
	var code []byte
	for range i + 1 {
		code, data = nextCode(data)
	}
	e.sys.Decode(code, &s)
	return s
}
