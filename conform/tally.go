package conform

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// tally is what one part of a run has compared so far, and what differs.
type tally struct {
	o     Options
	name  string // of the broker
	part  string
	begun time.Time
	// elapsed is how long it took, once it has ended.
	elapsed time.Duration
	// reachable are the triples of the plan, and unreal those of them that cannot
	// be provoked, and why; both nil until there is one.
	reachable map[Triple]bool
	unreal    map[Triple]string

	mu          sync.Mutex
	requests    int
	covered     map[Triple]bool
	walking     bool                      // the planned sequences have all been handed out
	unfinished  int                       // sequences that the machine was too slow for, or that the broker took another turn in
	unconfirmed int                       // differences that did not occur again
	found       map[signature]*Difference // several forms of a known one share one
	known       map[string]*Difference    // by id
}

func newTally(o Options, name, part string) tally {
	return tally{o: o, name: name, part: part, begun: time.Now(),
		covered: map[Triple]bool{}, found: map[signature]*Difference{}, known: map[string]*Difference{}}
}

// dispatch lets workers do the jobs that hand gives out until it returns, or
// something breaks. hand is given what takes a job; false is: enough.
func dispatch[J any](ctx context.Context, parallel int, hand func(ctx context.Context, jobs chan<- J), work func(context.Context, <-chan J) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := make(chan J)
	var crew sync.WaitGroup
	for range parallel {
		crew.Go(func() {
			if err := work(ctx, jobs); err != nil {
				cancel(err)
			}
		})
	}
	hand(ctx, jobs)
	close(jobs)
	crew.Wait()
	return context.Cause(ctx)
}

// give hands out a job, unless enough was compared.
func give[J any](ctx context.Context, r *tally, jobs chan<- J, j J) bool {
	if r.enough() {
		return false
	}
	select {
	case jobs <- j:
		return true
	case <-ctx.Done():
		return false
	}
}

func (r *tally) enough() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.o.Requests > 0 && r.requests >= r.o.Requests
}

// planned notes that every planned sequence has been handed out.
func (r *tally) planned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.walking = true
}

// count counts what a play has shown.
func (r *tally) count(requests int, triples []Triple) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests += requests
	for _, t := range triples {
		r.covered[t] = true
	}
}

func (r *tally) giveUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unfinished++
}

// progress is a glance at the part.
func (r *tally) progress() Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for t := range r.covered {
		if r.reachable[t] {
			n++
		}
	}
	return Progress{Part: r.part, Requests: r.requests, Reachable: len(r.reachable), Covered: n, Differences: len(r.found), Elapsed: time.Since(r.begun)}
}

// study makes a difference small and sure, and keeps what describe says of it. What
// has been found before is only counted; what does not occur again, so that
// minimise leaves nothing, is dropped.
func study[P any](r *tally, s signature, known string, minimise func() (*P, error), describe func(*P) Difference) error {
	if !r.claim(s, known) {
		return nil
	}
	small, err := minimise()
	switch {
	case err != nil:
		return err
	case small == nil:
		r.drop(s)
	default:
		r.keep(s, describe(small))
	}
	return nil
}

// claim counts a difference, and tells whether it is to be studied: it is new,
// and no other form of the same known one has been.
func (r *tally) claim(s signature, known string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d, ok := r.found[s]; ok {
		d.Count++
		return false
	}
	if d, ok := r.known[known]; ok {
		r.found[s] = d
		d.Count++
		return false
	}
	d := &Difference{Count: 1}
	r.found[s] = d
	if known != "" {
		r.known[known] = d
	}
	return true
}

// drop forgets a difference that did not occur again.
func (r *tally) drop(s signature) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unconfirmed++
	for id, d := range r.known {
		if d == r.found[s] {
			delete(r.known, id)
		}
	}
	delete(r.found, s)
}

// keep keeps a difference in its smallest form.
func (r *tally) keep(s signature, d Difference) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Count = r.found[s].Count
	*r.found[s] = d
}

// report adds what the part has shown.
func (r *tally) report(out *Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out.Requests += r.requests
	out.Unfinished += r.unfinished
	out.Unconfirmed += r.unconfirmed
	out.Differences = append(out.Differences, r.differences()...)
	r.coverage(out)
	p := out.Parts[len(out.Parts)-1]
	out.Reachable += p.Reachable
	out.Covered += p.Covered
	out.Beyond += p.Beyond
}

// coverage lists what was not provoked, with the reason.
func (r *tally) coverage(out *Report) {
	p := Part{Name: r.part, Requests: r.requests, Reachable: len(r.reachable), Seconds: r.elapsed.Seconds()}
	all := sortedTriples(r.reachable)
	differ := map[Triple]bool{}
	for s := range r.found {
		differ[s.Triple] = true
	}
	for _, t := range all {
		reason, unreal := r.unreal[t]
		switch {
		case r.covered[t]:
			p.Covered++
			continue
		case unreal:
		case differ[t]:
			reason = "the broker answers differently"
		case !r.walking:
			reason = fmt.Sprintf("the run ended after %d requests, before its turn", r.requests)
		default:
			reason = noWalk
		}
		out.Unprovoked = append(out.Unprovoked, Unprovoked{t, reason})
	}
	for t := range r.covered {
		if !r.reachable[t] {
			p.Beyond++
		}
	}
	out.triples = append(out.triples, all...)
	out.Parts = append(out.Parts, p)
}

// differences lists what was found: of several forms of one difference the
// shortest.
func (r *tally) differences() []Difference {
	by := map[string]*Difference{}
	seen := map[*Difference]bool{}
	for _, d := range r.found {
		if len(d.Steps) == 0 || seen[d] {
			continue // the run ended before it was studied, or it is another form
		}
		seen[d] = true
		key := fmt.Sprint(d.Triple, d.Broker)
		if d.Known != "" {
			key = d.Known // one story for each
		}
		if other := by[key]; other != nil {
			count := d.Count + other.Count
			if len(d.Steps) < len(other.Steps) {
				*other = *d
			}
			other.Count = count
			continue
		}
		c := *d
		by[key] = &c
	}
	out := []Difference{}
	for _, d := range by {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(len(a.Steps), len(b.Steps)), compareTriples(a.Triple, b.Triple), cmp.Compare(a.Broker, b.Broker))
	})
	return out
}
