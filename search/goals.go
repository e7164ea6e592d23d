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
// time forwards, until a sweep changes nothing.
//
// Where steps lead it learns in three ways. The step by which a state was found
// first is on record: so it passes what it reaches to its parent. The hints of a page
// have some more steps. What they leave open is expanded again, once they are used up.
// Steps that may help later are queued.
type judge[S any] struct {
	engine   *engine[S]
	goals    []Goal[S]
	all      uint64 // the set of all goals
	first    bool   // this is the first sweep: the goals themselves must be looked at
	thorough bool   // hints are used up
	marked   atomic.Int64
	queues   []queue      // by page
	room     atomic.Int64 // bytes that the queues may yet take

	byNumber [shards]marks // by number of the state: what it is known to reach
	told     [shards]marks // of that, what was told to its parent, and to those who look it up
	bySlot   [shards]marks // by slot of the table: for those who look up where a step leads
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
	known bool // else all of the page must be looked at
	whole bool // nothing but the waits can help, or else hints were all that was looked at
	done  bool // they reach everything, and it was told
	waits []wait
	sets  []uint64
	kin   []kin // by state; nil: there was no room for them
}

// The kin of a state is who must be told what it reaches.
type kin struct {
	slot   uint32 // its own, in the table
	parent uint32 // number of its parent, if the step from there is known to help every goal
	shard  uint8  // of the parent
	helped bool
}

const kinBytes = 12

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

// read gets the sets of consecutive numbers, without what lies above all.
func (m *marks) read(n int64, dst []uint64, all uint64) {
	at, width := n>>m.shift, uint(64)>>m.shift&63
	_, bit := m.at(n)
	word, left := atomic.LoadUint64(&m.words[at])>>bit, (64-uint(bit))>>(6-m.shift)
	for i := range dst {
		if left == 0 {
			at++
			word, left = atomic.LoadUint64(&m.words[at]), 64>>(6-m.shift)
		}
		dst[i] = word & all
		word >>= width
		left--
	}
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
		bytes += (int64(s.table.slots())+2*s.states)*width/8 + 24
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
	hinted := slices.ContainsFunc(e.kept, func(p page) bool { return p.hints != nil })
	j := &judge[S]{engine: e, goals: goals, thorough: !hinted, queues: make([]queue, len(e.kept))}
	j.room.Store(e.room())
	j.all = allGoals(len(goals))
	for i := range e.shards {
		s := &e.shards[i]
		j.bySlot[i] = newMarks(int64(s.table.slots()), len(goals))
		j.byNumber[i], j.told[i] = newMarks(s.states, len(goals)), newMarks(s.states, len(goals))
	}
	sweepers := make([]*sweeper[S], len(e.workers))
	for i, w := range e.workers {
		sweepers[i] = newSweeper(j, w)
	}
	last := len(e.kept) - 1
	for n := 0; ; n++ {
		j.first = n == 0
		e.crew.run(len(e.kept), false, func(worker, i int) {
			if ctx.Err() != nil {
				return
			}
			if n%2 == 0 {
				i = last - i
			}
			sweepers[worker].sweep(&e.kept[i], &j.queues[i])
		})
		for _, w := range e.workers {
			e.fail(w.err)
		}
		if e.err != nil || ctx.Err() != nil {
			break
		}
		if j.marked.Swap(0) == 0 {
			if j.thorough {
				break
			}
			j.thorough = true
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
	reaches   [pageStates]uint64 // by state of the page: the goals that are in reach
	told      [pageStates]uint64 // and those of them that were told
	open      []open
	code      []byte
	parents   parents
	family    [pageStates]kin
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
	if q.done {
		return
	}
	complete := s.recall(p)
	switch {
	case complete && !s.judge.first:
		q.done = true
	case q.known && (q.whole || !s.judge.thorough):
		s.lookInto(q)
	default:
		s.lookAround(p, q)
	}
	s.tell(p, q)
}

// recall looks up what is known of a page, and reports whether that is everything.
func (s *sweeper[S]) recall(p *page) (complete bool) {
	j := s.judge
	reaches, common := s.reaches[:p.states], j.all
	j.byNumber[p.shard].read(p.first, reaches, j.all)
	j.told[p.shard].read(p.first, s.told[:p.states], j.all)
	for _, set := range reaches {
		common &= set
	}
	return common == j.all
}

// lookInto follows the steps of a queue, and drops those that have served.
func (s *sweeper[S]) lookInto(q *queue) {
	kept := q.waits[:0]
	for _, w := range q.waits {
		set, reaches := q.sets[w.set], &s.reaches[w.state]
		*reaches |= s.judge.bySlot[w.shard].get(int64(w.slot)) & set
		if set&^*reaches != 0 {
			kept = append(kept, w)
		}
	}
	q.waits = kept
}

// lookAround follows the steps of a page, or those that its hints have, and queues
// those that may help later.
func (s *sweeper[S]) lookAround(p *page, q *queue) {
	whole := p.hints == nil || s.judge.thorough
	if whole {
		data, err := s.worker.load(p)
		if err != nil {
			s.worker.err = err
			return
		}
		s.expand(p, data)
	} else {
		s.fan.take(p.hints, p.states)
	}
	if s.judge.first {
		for i := range p.states {
			s.reaches[i] |= s.fan.satisfied[i]
		}
	}
	s.look(p.states)
	s.enqueue(p, q, whole)
}

func (q *queue) bytes() int64 { return int64(len(q.waits))*waitBytes + int64(len(q.sets))*setBytes }

// enqueue queues what the states of a page wait for, if there is room.
func (s *sweeper[S]) enqueue(p *page, q *queue, whole bool) {
	s.queue.waits, s.queue.sets = s.queue.waits[:0], s.queue.sets[:0]
	edge := 0
	for i := range p.states {
		for ; edge < s.fan.ends[i]; edge++ {
			if set := s.fan.helped[edge]; set&^s.reaches[i] != 0 && !s.queue.add(s.fan.to[edge], s.slots[edge], i, set) {
				return
			}
		}
	}
	need := s.queue.bytes() - q.bytes()
	if p.hints != nil {
		need -= p.hints.bytes()
	}
	if s.judge.room.Add(-need) < 0 {
		s.judge.room.Add(need)
		return
	}
	q.known, q.whole, q.waits, q.sets = true, whole, slices.Clone(s.queue.waits), slices.Clone(s.queue.sets)
	p.hints = nil // the queue says as much in less
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
		if s.reaches[i] == j.all {
			s.fan.state(0)
			continue
		}
		s.sys.Decode(code, &s.cur)
		var set uint64
		if j.first {
			set = satisfied(j.goals, &s.cur)
		}
		s.fan.state(set)
		if set|s.reaches[i] != j.all {
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

// tell marks the states of a page that were found to reach more than was told, and
// their parents.
func (s *sweeper[S]) tell(p *page, q *queue) {
	first := 0
	for first < p.states && s.reaches[first] == s.told[first] {
		first++
	}
	if first == p.states {
		return
	}
	all := s.kin(p, q)
	if s.worker.err != nil {
		return
	}
	j, marked := s.judge, int64(0)
	for i := first; i < p.states; i++ {
		reaches := s.reaches[i]
		if reaches == s.told[i] {
			continue
		}
		n := p.first + int64(i)
		j.byNumber[p.shard].add(n, reaches)
		j.told[p.shard].add(n, reaches)
		k := &all[i]
		j.bySlot[p.shard].add(int64(k.slot), reaches)
		if k.helped {
			j.byNumber[k.shard].add(int64(k.parent), reaches)
		}
		marked++
	}
	j.marked.Add(marked)
}

// kin finds that of the states of a page, and keeps it if there is room.
func (s *sweeper[S]) kin(p *page, q *queue) []kin {
	if q.kin != nil {
		return q.kin
	}
	all := s.family[:p.states]
	data, err := s.worker.load(p)
	if err != nil {
		s.worker.err = err
		return all
	}
	e := s.judge.engine
	s.parents.begin(&e.shards[p.shard].ancestry, &e.levels, p)
	t := &e.shards[p.shard].table
	var fps [batchSize]fingerprint
	var code []byte
	for start := 0; start < p.states; start += batchSize {
		n := min(batchSize, p.states-start)
		var places [batchSize]place
		for i := range n {
			code, data = nextCode(data)
			fps[i] = hash(code)
			places[i] = t.first(fps[i])
		}
		prefetch(&places, n)
		for i := range n {
			k := &all[start+i]
			k.shard, k.parent, k.helped = s.parents.next()
			k.slot = uint32(t.find(fps[i]))
		}
	}
	if s.parents.err != nil {
		s.worker.err = s.parents.err
	}
	need := int64(p.states) * kinBytes
	if j := s.judge; j.room.Add(-need) < 0 {
		j.room.Add(need)
	} else {
		q.kin = slices.Clone(all)
	}
	return all
}

// parents finds those of the states of a page, one after another.
type parents struct {
	ancestryReader
	segments []segment // of the level before, from that of the last parent on
	base     int64     // number of its first state within the level
}

func (ps *parents) begin(a *ancestry, l *levels, p *page) {
	ps.ancestryReader.begin(a, p.born)
	ps.segments, ps.base = nil, 0
	if p.depth > 0 {
		ps.segments = l.at(p.depth - 1)
	}
}

// next returns the parent of the next state, if the step from there is known to help
// every goal.
func (ps *parents) next() (shard uint8, number uint32, helps bool) {
	index, how, err := ps.ancestryReader.next()
	if err != nil || !how.helps() {
		return 0, 0, false
	}
	for ; index-ps.base >= ps.segments[0].count; ps.segments = ps.segments[1:] {
		ps.base += ps.segments[0].count
	}
	return uint8(ps.segments[0].shard), uint32(ps.segments[0].first + index - ps.base), true
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
