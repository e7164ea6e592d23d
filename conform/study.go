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

// study makes a difference small and sure, and reports it.
func (w *worker) study(ctx context.Context, p *play, m mismatch) error {
	minimise := func() (*play, error) { return w.minimise(ctx, p, m) }
	return study(&w.run.tally, p.signature(m), m.known, minimise, w.run.describe)
}

// minimise drops steps while the same difference stays: first all that left the
// group as it was, then many at once, then one by one. It is nil if the
// difference does not occur again at all.
func (w *worker) minimise(ctx context.Context, p *play, m mismatch) (*play, error) {
	best, err := w.confirm(ctx, p.steps[:m.event+1], p.signature(m))
	if best == nil || err != nil {
		return nil, err
	}
	want := best.signature(*best.wrong)
	return smallest(best, best.steps, p.idle, patienceFor(m.known)+20*w.run.venue.limits.initialDelay, func(steps []step) (*play, error) {
		return w.again(ctx, steps, want)
	})
}

// smallest is the last play of fewer and fewer steps that still shows what best
// shows; again plays them, and returns nil where they do not.
func smallest[S, P any](best *P, steps []S, idle []bool, patience time.Duration, again func([]S) (*P, error)) (*P, error) {
	err := shrink(steps, idle, patience, func(less []S) (bool, error) {
		q, err := again(less)
		if q != nil {
			best = q
		}
		return q != nil, err
	})
	if err != nil {
		return nil, err
	}
	return best, nil
}

func patienceFor(known string) time.Duration {
	if known != "" {
		return knownStudies
	}
	return studies
}

// shrink looks for fewer of the steps that still do: try tells. Those that are
// idle are left out first; the last one always stays.
func shrink[S any](steps []S, idle []bool, patience time.Duration, try func([]S) (bool, error)) error {
	if less := withoutIdle(steps, idle); len(less) < len(steps) {
		ok, err := try(less)
		if err != nil {
			return err
		}
		if ok {
			steps = less
		}
	}
	end := time.Now().Add(patience)
	for size := len(steps) / 2; size > 0; {
		smaller := false
		for at := len(steps) - 1 - size; at >= 0; at -= size {
			if time.Now().After(end) {
				return nil
			}
			less := slices.Delete(slices.Clone(steps), at, at+size)
			ok, err := try(less)
			if err != nil {
				return err
			}
			if ok {
				steps, smaller = less, true
			}
		}
		if size > 1 || !smaller {
			size /= 2
		}
	}
	return nil
}

// withoutIdle are the steps that changed something, and the last.
func withoutIdle[S any](steps []S, idle []bool) []S {
	var some []S
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
