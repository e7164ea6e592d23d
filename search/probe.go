package search

import (
	"slices"
	"sync"
	"time"
)

const (
	// sampling is prime, lest samples keep step with what they sample.
	sampleEvery = 61
	// A call that is timed and changes nothing is made so many times, so that the
	// clock reads weigh less.
	repeats = 4
	// interrupted is how long a call takes at least that is not counted.
	interrupted = int64(time.Millisecond)
	// Fewer samples than minSamples say nothing.
	minSamples = 100
)

// A timer times some of the calls of one kind.
type timer struct {
	calls, timed, ns int64
	wait             int
}

// due counts a call, and says whether it is to be timed.
func (t *timer) due() bool {
	t.calls++
	if t.wait--; t.wait > 0 {
		return false
	}
	t.wait = sampleEvery
	return true
}

func (t *timer) add(ns int64) {
	if ns < interrupted {
		t.timed, t.ns = t.timed+1, t.ns+ns
	}
}

// addUsual leaves out also what took far longer than the others did.
func (t *timer) addUsual(ns int64) {
	if t.timed < minSamples || float64(ns) < 8*t.mean() {
		t.add(ns)
	}
}

// merge takes over what another timer has measured.
func (t *timer) merge(other *timer) {
	t.calls, t.timed, t.ns = t.calls+other.calls, t.timed+other.timed, t.ns+other.ns
}

// mean is how long those took that were timed, in nanoseconds.
func (t *timer) mean() float64 { return float64(t.ns) / float64(max(1, t.timed)) }

// each is how long one call takes, of those that were timed so many times in one go;
// cost is what a clock read takes.
func (t *timer) each(times, cost float64) float64 {
	if t.timed == 0 {
		return 0
	}
	return max(0, t.mean()-cost) / times
}

// The phases of a round.
const (
	expanding = iota
	admitting
	otherwise // what is part of neither, in a profile
	phases
)

// An opTime is what an operation took, in nanoseconds, and how many clock reads that
// contains.
type opTime struct{ ns, reads int64 }

func addTimes(sum, more []opTime) {
	for i, t := range more {
		sum[i].ns, sum[i].reads = sum[i].ns+t.ns, sum[i].reads+t.reads
	}
}

// A probe stands between a worker and its system and properties, and times some of
// the calls. Where no profile is wanted there is none, and begin and endAdmitting do
// nothing.
type probe[S any] struct {
	System[S]
	items      Itemizer[S]
	canon      func(*S)
	base       time.Time
	clockReads int64

	phase                 int
	admitting             int64 // nanoseconds spent in that phase
	decode                [phases]timer
	encode, canonical     timer
	invariants, witnesses []timer

	// The steps of every other state that is timed are timed one by one, those of
	// the rest as a whole: that shows what the clock reads take where they happen.
	next          timer
	whole         timer
	oneByOneTimer timer
	byOne         bool
	ops           []opTime // by operation; the last is for what comes after the last step
	opStates      int64    // states that these are of
	push          timer    // what the search does with a step

	// Of the state whose steps are being timed one by one:
	current []opTime
	emit    func(Step)
	last    int64 // clock read
	timed   func(Step)
	done    func(uint16)
}

// attachProbe puts a probe in front of a worker.
func attachProbe[S any](w *worker[S]) {
	p := &probe[S]{System: w.sys, canon: w.canon, base: time.Now()}
	p.items, _ = w.sys.(Itemizer[S])
	p.ops, p.current = make([]opTime, len(w.ops)+1), make([]opTime, len(w.ops)+1)
	p.invariants, p.witnesses = make([]timer, len(w.search.o.Invariants)), make([]timer, len(w.search.o.Sometimes))
	p.timed, p.done = p.emitted, p.charge
	w.sys, w.probe = p, p
	if w.canon != nil {
		w.canon = p.canonize
	}
	p.wrap(w.checks.states, p.invariants)
	p.wrap(w.checks.steps, p.invariants)
	p.wrap(w.checks.unseenStates, p.witnesses)
	p.wrap(w.checks.unseenSteps, p.witnesses)
}

// add takes over what another probe has measured.
func (p *probe[S]) add(other *probe[S]) {
	p.clockReads, p.opStates, p.admitting = p.clockReads+other.clockReads, p.opStates+other.opStates, p.admitting+other.admitting
	addTimes(p.ops, other.ops)
	for sum, more := range map[*timer]*timer{
		&p.encode: &other.encode, &p.canonical: &other.canonical, &p.push: &other.push,
		&p.next: &other.next, &p.whole: &other.whole, &p.oneByOneTimer: &other.oneByOneTimer,
	} {
		sum.merge(more)
	}
	for _, both := range [...]struct{ sum, more []timer }{
		{p.decode[:], other.decode[:]}, {p.invariants, other.invariants}, {p.witnesses, other.witnesses},
	} {
		for i := range both.more {
			both.sum[i].merge(&both.more[i])
		}
	}
}

// detachProbe gives a worker back what it had: checking goals is timed as a whole.
func (w *worker[S]) detachProbe() {
	if p := w.probe; p != nil {
		w.sys, w.canon = p.System, p.canon
	}
}

// wrap times properties.
func (p *probe[S]) wrap(properties []numbered[S], timers []timer) {
	for i := range properties {
		t, state, step := &timers[properties[i].index], properties[i].State, properties[i].Step
		if state != nil {
			properties[i].State = func(s *S) (holds bool) {
				p.sample(t, repeats, func() { holds = state(s) })
				return holds
			}
			continue
		}
		properties[i].Step = func(before *S, st Step, after *S) (holds bool) {
			p.sample(t, repeats, func() { holds = step(before, st, after) })
			return holds
		}
	}
}

// sample makes a call, so many times where it is to be timed.
func (p *probe[S]) sample(t *timer, times int, call func()) {
	if !t.due() {
		call()
		return
	}
	start := p.now()
	for range times {
		call()
	}
	t.add(p.now() - start)
}

// now is the time by the clock that never stands still.
func (p *probe[S]) now() int64 {
	p.clockReads++
	return int64(time.Since(p.base))
}

// begin starts a unit of a phase.
func (p *probe[S]) begin(phase int) (start int64) {
	if p == nil {
		return 0
	}
	p.phase = phase
	return p.now()
}

// endAdmitting ends a unit of admitting.
func (p *probe[S]) endAdmitting(start int64) {
	if p != nil {
		p.admitting += p.now() - start
	}
}

// Next times the steps of some states.
func (p *probe[S]) Next(s, next *S, emit func(Step)) {
	if !p.next.due() {
		p.System.Next(s, next, emit)
		return
	}
	start := p.now()
	if p.byOne = !p.byOne; p.byOne {
		p.oneByOne(s, next, emit)
		p.oneByOneTimer.addUsual(p.now() - start)
		return
	}
	p.System.Next(s, next, emit)
	p.whole.addUsual(p.now() - start)
}

func (p *probe[S]) oneByOne(s, next *S, emit func(Step)) {
	clear(p.current)
	p.emit = emit
	start := p.now()
	p.last = start
	if p.items != nil {
		p.items.NextItemized(s, next, p.timed, p.done)
	} else {
		p.System.Next(s, next, p.timed)
	}
	p.charge(uint16(len(p.current) - 1))
	if p.last-start < interrupted {
		addTimes(p.ops, p.current)
		p.opStates++
	}
}

// charge charges an operation with the time since the clock was read last.
func (p *probe[S]) charge(op uint16) {
	now := p.now()
	p.current[op].ns += now - p.last
	p.current[op].reads++
	p.last = now
}

// emitted charges the operation, but not with the time that the search takes.
func (p *probe[S]) emitted(st Step) {
	p.charge(st.Op)
	start := p.last
	p.emit(st)
	p.last = p.now()
	p.push.add(p.last - start)
}

// Append times some encodings.
func (p *probe[S]) Append(dst []byte, s *S) (all []byte) {
	p.sample(&p.encode, repeats, func() { all = p.System.Append(dst, s) })
	return all
}

// Decode times some decodings.
func (p *probe[S]) Decode(src []byte, s *S) {
	p.sample(&p.decode[p.phase], repeats, func() { p.System.Decode(src, s) })
}

// canonize times some canonical forms, once each: what has one is not made
// canonical again.
func (p *probe[S]) canonize(s *S) { p.sample(&p.canonical, 1, func() { p.canon(s) }) }

// clockCost is what a clock read takes: what the states whose steps were timed one
// by one took longer than others, by read. Where there were too few to tell, or the
// difference is out of all proportion, what it takes at the least.
func (p *probe[S]) clockCost() float64 {
	least := clockTime()
	if p.oneByOneTimer.timed < minSamples || p.whole.timed < minSamples {
		return least
	}
	reads := p.opStates + p.push.timed
	for _, op := range p.ops {
		reads += op.reads
	}
	more := (p.oneByOneTimer.mean() - p.whole.mean()) * float64(p.opStates) / float64(reads)
	return min(max(least, more), 4*least)
}

// clockTime measures once what a clock read takes, where nothing else happens.
var clockTime = sync.OnceValue(func() float64 {
	const reads = 1000
	base := time.Now()
	var all []time.Duration
	for range 9 {
		start := time.Since(base)
		for range reads {
			time.Since(base)
		}
		all = append(all, time.Since(base)-start)
	}
	slices.Sort(all)
	return float64(all[len(all)/2]) / reads
})
