package search

import "fencecheck/search/internal/storage"

// A goalExpander makes the steps of a page again to see which goals they help.
type goalExpander[S any] struct {
	sys       System[S]
	canon     func(*S) // nil: every state is canonical
	goals     []Goal[S]
	emit      func(Step) // x.emitted, bound once
	cur, next S
	code      []byte
	sweeper   *sweeper // whose adjacency is filled
}

func newGoalExpander[S any](w *worker[S], goals []Goal[S]) *goalExpander[S] {
	x := &goalExpander[S]{sys: w.sys, canon: w.canon, goals: goals}
	x.emit = x.emitted
	return x
}

// expand makes the steps of those states that may reach more than is known.
func (x *goalExpander[S]) expand(p *storage.Page, s *sweeper) error {
	data, err := p.Load(&s.buffer)
	if err != nil {
		return err
	}
	x.sweeper = s
	s.adjacency.reset()
	var code []byte
	for i := range p.States {
		code, data = storage.NextCode(data)
		if s.reaches[i] == s.analysis.all {
			s.adjacency.state(0)
			continue
		}
		x.sys.Decode(code, &x.cur)
		var set uint64
		if s.analysis.firstSweep {
			set = satisfied(x.goals, &x.cur)
		}
		s.adjacency.state(set)
		if set|s.reaches[i] != s.analysis.all {
			x.sys.Next(&x.cur, &x.next, x.emit)
		}
	}
	return nil
}

// emitted adds an edge.
func (x *goalExpander[S]) emitted(st Step) {
	set := x.sweeper.analysis.help.helped(st)
	if set == 0 {
		return
	}
	if x.canon != nil {
		x.canon(&x.next)
	}
	x.code = x.sys.Append(x.code[:0], &x.next)
	x.sweeper.adjacency.edge(storage.Hash(x.code), set)
}
