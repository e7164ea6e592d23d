package search

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
)

// A judge looks for states from which a goal cannot be reached. No edges are
// kept for it: it sweeps backwards over the encodings of all states, level
// after level, expands again each state that is not known to reach the goal, and
// marks it if a step that helps leads to a marked one. It repeats that, every other
// time forwards, until a sweep marks nothing.
type judge[S any] struct {
	engine *engine[S]
	goal   Goal[S]
	first  bool // this is the first sweep: the goal itself must be looked at
	marked atomic.Int64

	bySlot   [shards]bitset // by slot of the table: for looking up where a step leads
	byNumber [shards]bitset // by number of the state: for passing what is marked
}

// A bitset may be read and written by several workers.
type bitset []uint64

func newBitset(n int64) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(n int64) bool { return atomic.LoadUint64(&b[n/64])>>(n%64)&1 == 1 }

func (b bitset) set(n int64) { atomic.OrUint64(&b[n/64], 1<<(n%64)) }

// judgement bounds the memory that judging the goals will take.
func (e *engine[S]) judgement() (bytes int64) {
	if !e.judging {
		return 0
	}
	for i := range e.shards {
		s := &e.shards[i]
		bytes += int64(s.table.slots())/8 + s.states/8 + 16
	}
	return bytes
}

// judge returns the violation of the goal that is lost first, if any is. It ends with
// ctx: then no more is known than what was found before.
func (e *engine[S]) judge(ctx context.Context) *Violation[S] {
	for _, w := range e.workers {
		w.unwatch()
	}
	var first *trap[S]
	for _, goal := range e.o.Goals {
		start := time.Now()
		j := e.sweepFor(ctx, goal)
		e.judged = append(e.judged, time.Since(start))
		if e.stopped = cmp.Or(e.stopped, interruption(ctx)); e.stopped != "" {
			break
		}
		if t := j.trap(); t.count > 0 && (first == nil || t.before(first)) {
			first = t
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

// sweepFor marks all states from which a goal can be reached.
func (e *engine[S]) sweepFor(ctx context.Context, goal Goal[S]) *judge[S] {
	j := &judge[S]{engine: e, goal: goal, first: true}
	for i := range e.shards {
		s := &e.shards[i]
		j.bySlot[i], j.byNumber[i] = newBitset(int64(s.table.slots())), newBitset(s.states)
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
			sweepers[worker].sweep(&e.kept[i])
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
	parent    int // place of cur in the page
	reaches   [pageStates]bool
	fps       []fingerprint // of successors that are yet to be looked up
	parents   []int
	code      []byte
}

func newSweeper[S any](j *judge[S], w *worker[S]) *sweeper[S] {
	s := &sweeper[S]{judge: j, worker: w, sys: w.sys}
	s.emit = s.emitted
	return s
}

// sweep marks what it can in one page.
func (s *sweeper[S]) sweep(p *page) {
	j := s.judge
	s.reaches = [pageStates]bool{}
	all, err := s.worker.load(p)
	if err != nil {
		s.worker.err = err
		return
	}
	data, code := all, []byte(nil)
	for s.parent = range p.states {
		code, data = nextCode(data)
		if j.byNumber[p.shard].has(p.first + int64(s.parent)) {
			continue
		}
		s.sys.Decode(code, &s.cur)
		if j.first && j.goal.State(&s.cur) {
			s.reaches[s.parent] = true
			continue
		}
		s.sys.Next(&s.cur, &s.next, s.emit)
	}
	s.flush()
	s.mark(p, all)
}

// emitted keeps a successor to be looked up.
func (s *sweeper[S]) emitted(st Step) {
	if help := s.judge.goal.Help; help != nil && !help(st) {
		return
	}
	if canon := s.worker.canon; canon != nil {
		canon(&s.next)
	}
	s.code = s.sys.Append(s.code[:0], &s.next)
	s.fps = append(s.fps, hash(s.code))
	s.parents = append(s.parents, s.parent)
	if len(s.fps) == batchSize {
		s.flush()
	}
}

// flush looks at the successors.
func (s *sweeper[S]) flush() {
	j := s.judge
	for i, f := range s.fps {
		if s.reaches[s.parents[i]] {
			continue
		}
		slot := j.engine.shards[f.shard()].table.find(f)
		s.reaches[s.parents[i]] = j.bySlot[f.shard()].has(int64(slot))
	}
	s.fps, s.parents = s.fps[:0], s.parents[:0]
}

// mark marks the states of a page that were found to reach the goal.
func (s *sweeper[S]) mark(p *page, data []byte) {
	j := s.judge
	var code []byte
	for i, reaches := range s.reaches[:p.states] {
		code, data = nextCode(data)
		if !reaches {
			continue
		}
		slot := j.engine.shards[p.shard].table.find(hash(code))
		j.bySlot[p.shard].set(int64(slot))
		j.byNumber[p.shard].set(p.first + int64(i))
		j.marked.Add(1)
	}
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
func (j *judge[S]) trap() *trap[S] {
	e := j.engine
	t := &trap[S]{goal: j.goal.Name}
	for n := range e.kept {
		p := &e.kept[n]
		data, err := e.workers[0].load(p)
		if err != nil {
			e.fail(err)
			return t
		}
		var code []byte
		for i := range int64(p.states) {
			code, data = nextCode(data)
			if j.byNumber[p.shard].has(p.first + i) {
				continue
			}
			if t.count++; t.count == 1 {
				t.depth, t.index = p.depth, p.base+i
			}
			if len(t.states) < e.o.TrapStates {
				t.states = append(t.states, *new(S))
				e.sys.Decode(code, &t.states[len(t.states)-1])
			}
		}
	}
	return t
}
