package search

import (
	"context"
	"time"
)

// states counts the distinct states found so far.
func (e *engine[S]) states() (n int64) {
	for i := range e.shards {
		n += e.shards[i].states
	}
	return n
}

func (e *engine[S]) transitions() (n int64) {
	for _, w := range e.workers {
		n += w.transitions
	}
	return n
}

// held is the memory of all that grows with the search.
func (e *engine[S]) held() (n int64) {
	for i := range e.shards {
		n += e.shards[i].bytes()
	}
	for _, c := range e.chunks {
		n += c.bytes()
	}
	return n + int64(cap(e.pages)+cap(e.kept))*pageBytes + e.judgement() + e.edges
}

// fits reports whether the shards may admit what the chunks hold. It asks before
// they do, for all of them at once, so that the answer does not depend on who
// admits first.
func (e *engine[S]) fits(chunks []*chunk) bool {
	if e.o.Memory == 0 {
		return true
	}
	need := e.held()
	for _, c := range chunks {
		need += 2*int64(len(c.codes)) + c.hints.bytes() // a page that grows may double
	}
	for id := range e.shards {
		need += e.shards[id].growth(incoming(id, chunks))
	}
	return need <= e.o.Memory
}

// result judges the goals and sums up.
func (e *engine[S]) result(ctx context.Context) Result[S] {
	r := Result[S]{
		Complete:    e.stopped == "" && e.found == nil,
		Stopped:     e.stopped,
		States:      e.states(),
		Transitions: e.transitions(),
		Depth:       max(0, len(e.levels.starts)-1),
		Memory:      e.held(),
	}
	e.count(&r)
	r.CollisionProbability = collisionProbability(r.States)
	switch {
	case e.found != nil:
		r.Violation = e.violation(*e.found)
	case r.Complete && e.judging:
		r.Violation = e.judge(ctx)
		r.Stopped, r.Complete = e.stopped, e.stopped == ""
	}
	if e.err != nil {
		r.Err, r.Stopped, r.Complete, r.Violation = e.err, e.stopped, false, nil
	}
	r.Verdict = verdict(r.Violation != nil, r.Stopped, r.Seen)
	r.Elapsed = e.pulse.elapsed()
	if e.o.Profile {
		r.Profile = e.profile(&r)
	}
	return r
}

// sum adds up what the workers counted and found, as one who cannot work.
func (e *engine[S]) sum() *worker[S] {
	sum := &worker[S]{
		checks:   newChecks(e.o.Invariants, e.o.Sometimes),
		ops:      make([]int64, len(e.sys.Ops())),
		outcomes: make([]int64, len(outcomes(e.sys))),
	}
	for _, w := range e.workers {
		sum.add(w)
	}
	return sum
}

// count adds up what the workers saw and what the tables cost.
func (e *engine[S]) count(r *Result[S]) {
	sum := e.sum()
	r.OpCounts, r.OutcomeCounts, r.Seen = sum.ops, sum.outcomes, sum.checks.seen
	if r.States > 0 {
		var bytes int64
		for i := range e.shards {
			bytes += e.shards[i].table.bytes()
		}
		r.BytesPerState = float64(bytes) / float64(r.States)
	}
}

func addAll(sum, more []int64) {
	for i, n := range more {
		sum[i] += n
	}
}

// progress describes the search between two rounds.
func (e *engine[S]) progress() Progress {
	p := Progress{
		States:      e.states(),
		Transitions: e.transitions(),
		Depth:       e.depth,
		Memory:      e.held(),
		Elapsed:     e.pulse.elapsed(),
	}
	for _, page := range e.rest {
		p.Frontier += int64(page.states)
	}
	for i := range e.shards {
		p.Frontier += e.shards[i].states - e.shards[i].first
	}
	if total := estimate(e.levels.sizes()); total > p.States { // else it is refuted already
		p.Total = total
	}
	return p
}

// A pulse says when progress is due.
type pulse struct {
	start, next time.Time
	every       time.Duration
	wanted      bool
	before      time.Duration // spent by those from whom the search was resumed
}

func newPulse(wanted bool, every time.Duration) pulse {
	now := time.Now()
	return pulse{now, now.Add(every), every, wanted, 0}
}

func (p *pulse) due() bool {
	if !p.wanted || time.Now().Before(p.next) {
		return false
	}
	p.next = time.Now().Add(p.every)
	return true
}

func (p *pulse) elapsed() time.Duration { return p.before + time.Since(p.start) }
