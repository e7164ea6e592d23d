package conform

import (
	"context"
	"slices"
	"strings"
	"time"
)

// signature tells differences apart: what was asked, in which state, and the
// two answers.
type signature struct {
	Triple        // with the model's answer
	Broker string // the broker's
}

// signature is that of a mismatch of a play.
func (p *play) signature(m mismatch) signature {
	x := m.expected[0]
	e := p.events[m.event]
	return signature{triple(&x.before, x.request, &x.outcome), e.class(&x)}
}

// class is the broker's answer, like outcome.class. Where it says the same in
// other words, the fields that differ are named.
func (e *event) class(x *expectation) string {
	seen := outcome{Own: e.Own, Others: e.Others, Ignored: x.Ignored}
	class := seen.class(e.Request)
	if class != x.class(x.request) {
		return class
	}
	var others []string
	for _, f := range e.fields(x) {
		_, what, found := strings.Cut(f.Name, possessive)
		if !found {
			what = f.Name
		}
		others = append(others, ", other "+what)
	}
	return class + strings.Join(slices.Compact(others), "")
}

// possessive comes between the member and the request of a field.
const possessive = "'s "

// fields are those in which the event differs from what was expected.
func (e *event) fields(x *expectation) []Field {
	var all []Field
	if !e.Request.Step.Op.timer() {
		all = compare(x.Own, e.Own, name)
	}
	for _, at := range places(x.Others, e.Others) {
		for _, f := range compare(at.in(x.Others), at.in(e.Others), name) {
			f.Name = name(at.id) + possessive + "waiting " + at.api.String() + ": " + f.Name
			all = append(all, f)
		}
	}
	return all
}

// places lists who is answered in either.
func places(a, b []delivery) []place {
	var all []place
	for _, d := range append(slices.Clone(a), b...) {
		if at := (place{d.To, d.API}); !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	return all
}

func (at place) in(ds []delivery) *answer {
	for i := range ds {
		if ds[i].To == at.id && ds[i].API == at.api {
			return &ds[i].Answer
		}
	}
	return nil
}

// The time that is spent on making one difference small, the broker's initial
// delays not counted: less for one that is known.
const (
	studies      = 8 * time.Second
	knownStudies = 2 * time.Second
)

// study makes a difference small and sure, and reports it. What has been found
// before is only counted.
func (w *worker) study(ctx context.Context, p *play, m mismatch) error {
	first := p.signature(m)
	if !w.run.claim(first, m.known) {
		return nil
	}
	small, err := w.minimise(ctx, p, m)
	if err != nil {
		return err
	}
	if small == nil {
		w.run.drop(first)
		return nil
	}
	w.run.keep(first, small)
	return nil
}

// minimise drops steps while the same difference stays: first all that left the
// group as it was, then many at once, then one by one. It is nil if the
// difference does not occur again at all.
func (w *worker) minimise(ctx context.Context, p *play, m mismatch) (*play, error) {
	want := p.signature(m)
	best, err := w.confirm(ctx, p.steps[:m.event+1], want)
	if best == nil || err != nil {
		return nil, err
	}
	want = best.signature(*best.wrong)
	if q, err := w.again(ctx, withoutIdle(best.steps, p.idle), want); q != nil || err != nil {
		best = q
		if err != nil {
			return nil, err
		}
	}
	patience := studies
	if m.known != "" {
		patience = knownStudies
	}
	end := time.Now().Add(patience + 20*w.run.venue.limits.initialDelay)
	for size := len(best.steps) / 2; size > 0; {
		smaller := false
		for at := len(best.steps) - 1 - size; at >= 0; at -= size {
			if time.Now().After(end) {
				return best, nil
			}
			less := slices.Delete(slices.Clone(best.steps), at, at+size)
			q, err := w.again(ctx, less, want)
			if err != nil {
				return nil, err
			}
			if q != nil {
				best, smaller = q, true
			}
		}
		if size > 1 || !smaller {
			size /= 2
		}
	}
	return best, nil
}

// withoutIdle are the steps that changed something, and the last.
func withoutIdle(steps []step, idle []bool) []step {
	var some []step
	for i, st := range steps {
		if i == len(steps)-1 || i < len(idle) && !idle[i] {
			some = append(some, st)
		}
	}
	return some
}

// confirm plays the steps to a difference once more, listening after each. An
// answer that came unasked may then be noticed earlier, at another request.
func (w *worker) confirm(ctx context.Context, steps []step, want signature) (*play, error) {
	for range 3 {
		p, err := w.replay(ctx, steps, &want)
		if err != nil {
			return nil, err
		}
		if p != nil && p.wrong != nil {
			return p, nil
		}
	}
	return nil, nil
}

// again plays steps and returns the play if it ends in the same answers to the
// same request, in whatever state.
func (w *worker) again(ctx context.Context, steps []step, want signature) (*play, error) {
	for range 2 {
		p, err := w.replay(ctx, steps, &want)
		if err != nil {
			return nil, err
		}
		if p != nil && p.wrong != nil && p.signature(*p.wrong).like(want) {
			return p, nil
		}
	}
	return nil, nil
}

// like is equality but for the state.
func (s signature) like(o signature) bool {
	return s.Request == o.Request && s.Answer == o.Answer && s.Broker == o.Broker
}

// claim counts a difference, and tells whether it is to be studied: it is new,
// and no other form of the same known one has been.
func (r *run) claim(s signature, known string) bool {
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
func (r *run) drop(s signature) {
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
func (r *run) keep(s signature, p *play) {
	d := r.describe(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	d.Count = r.found[s].Count
	*r.found[s] = d
}
