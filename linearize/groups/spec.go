package groups

import (
	"context"
	"slices"

	"github.com/anishathalye/porcupine"

	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// spec is the sequential specification of one component. What clients cannot see
// (timers, the high watermark, choices by map order) leaves several candidate
// states, so that a state of the search is a config.
type spec struct {
	*Problem
	rules   model.Rules
	starts  []state // what the group may be at the beginning
	commits *commitLogs
	states  *sequential.Table[state, *state]
	sequential.Steps
	byEnd    []int               // steps by rising end
	onces    []int               // calls that an internal step may decide, once
	hand     turn                // of spec.turn
	scratch  state               // of turn.draft
	view     classic.Coordinator // of turn.coordinator
	store    offsets.Store       // of turn.offsets
	fetched  []model.Offset      // of turn.fetch
	genIndex map[model.Generation]int
	gensUp   []model.Generation // generations in which something must happen, rising
	sequential.Effort
}

// Size is the number of answers that are looked at.
func (s *spec) Size() int { return len(s.Calls) }

// config is the state that porcupine sees: a set of candidate states.
//
// It counts which members and generations the steps still to come need. A candidate
// that has lost one of them is dropped at once: neither comes back. The counts are
// functions of the steps taken, and not compared.
type config struct {
	states sequential.States
	sum    uint64
	forced []uint32 // steps that were forced and must come next
	sent   []uint32 // calls of unknown outcome that may have been decided
	done   sequential.Taken
	first  int // all steps before it are done
	closed int // all steps before it are done, in the order of their ends
	needs
}

// needs is what the steps still to come need.
type needs struct {
	// needMember[m]: steps still to come that need member m in the group.
	needMember []uint32
	// needPending[m]: steps still to come that depend on m being pending.
	needPending []uint32
	// needGeneration[g]: steps still to come that need the generation gensUp[g].
	needGeneration []uint32
	// oldest is the least generation that is still needed.
	oldest model.Generation
}

const nothingNeeded model.Generation = 1<<31 - 1

// newSpec makes the specification of a component.
func newSpec(p *Problem) *spec {
	s := &spec{Problem: p, starts: []state{{}}, states: sequential.NewTable[state](), genIndex: map[model.Generation]int{}}
	s.commits = newCommitLogs(p.Calls, len(p.tables.partitions))
	s.fetched = make([]model.Offset, len(p.tables.partitions))
	for i := range p.Calls {
		if g, needs := p.Calls[i].needsGeneration(); needs {
			s.gensUp = append(s.gensUp, g)
		}
	}
	slices.Sort(s.gensUp)
	s.gensUp = slices.Compact(s.gensUp)
	for i, g := range s.gensUp {
		s.genIndex[g] = i
	}
	s.listSteps()
	return s
}

// needsGeneration is the generation in which a request must be decided.
func (c *Call) needsGeneration() (model.Generation, bool) {
	if c.livesIn() {
		return c.Gen, true
	}
	// A JoinGroup is decided in the generation that it is told or before.
	return c.Answer.Gen, !c.Unknown && c.API == model.JoinGroup && c.Err == model.None
}

// init is the state before the first request: an absent group, all steps to come.
func (s *spec) init() *config {
	c := &config{done: sequential.NewTaken(s.Steps)}
	c.needMember, c.needPending = make([]uint32, len(s.tables.names)), make([]uint32, len(s.tables.names))
	c.needGeneration = make([]uint32, len(s.gensUp))
	for i := range s.Calls {
		s.count(c, &s.Calls[i], 1)
	}
	for i := range s.starts {
		c.states.Add(s.states.Number(&s.starts[i]))
	}
	c.finish(s.gensUp)
	s.takeFree(sequential.NoDeadline, c)
	c.finish(s.gensUp)
	return c
}

// count changes by one request what is needed.
func (s *spec) count(c *config, k *Call, by int) {
	add := func(n *uint32) { *n = uint32(int(*n) + by) }
	if k.needsMember() {
		add(&c.needMember[k.Member])
	}
	if k.Member != 0 && (k.API == model.JoinGroup || k.API == model.LeaveGroup) {
		add(&c.needPending[k.Member])
	}
	if g, needs := k.needsGeneration(); needs {
		add(&c.needGeneration[s.genIndex[g]])
	}
}

// finish computes what is derived.
func (c *config) finish(gens []model.Generation) {
	c.sum = c.states.Hash()
	for _, i := range c.forced {
		c.sum = sequential.Mix(c.sum, uint64(i))
	}
	c.oldest = nothingNeeded
	for i, n := range c.needGeneration {
		if n > 0 {
			c.oldest = gens[i]
			break
		}
	}
}

// boundless forgets that generations and members must live: what is left of a
// component may lack the requests that make them.
func (s *spec) boundless() {
	s.gensUp, s.genIndex = nil, nil
	for i := range s.Calls {
		s.Calls[i].Member, s.Calls[i].Gen = 0, model.NoGeneration
	}
}

// PorcupineModel wraps the specification.
func (s *spec) PorcupineModel() porcupine.Model {
	return sequential.Model(s.init, s.next,
		func(a, b *config) bool {
			return a == b || a.sum == b.sum && slices.Equal(a.states, b.states) && slices.Equal(a.forced, b.forced)
		},
		func(c *config) uint64 { return c.sum })
}

// next takes a step; nil if it cannot be the next one.
func (s *spec) next(ctx context.Context, c *config, i int) *config {
	if len(c.forced) > 0 {
		if c.forced[0] != uint32(i) {
			return nil
		}
		n := *c
		n.forced = c.forced[1:]
		n.finish(s.gensUp)
		return &n
	}
	if s.Exhausted() {
		return nil
	}
	n := s.take(ctx, c, i)
	if n != nil {
		s.takeFree(ctx, n)
		n.finish(s.gensUp)
	}
	return n
}

// take takes a step in every state and closes the result under the steps that
// nobody sees; nil if no state explains it.
func (s *spec) take(ctx context.Context, c *config, i int) *config {
	n := c.after(s, i)
	n.states = nil
	for _, at := range c.states {
		if ctx.Err() != nil {
			return nil
		}
		t := s.turn(n, &s.states.All[at])
		t.step(s.Steps[i])
	}
	if len(n.states) == 0 {
		return nil
	}
	s.closure(ctx, n)
	s.Spent += len(n.states)
	return n
}

// after is a copy of the config with a step ticked off; the states are still
// those before it.
func (c *config) after(s *spec, i int) *config {
	n := *c
	n.done = c.done.With(i)
	if st := s.Steps[i]; st.Phase != sequential.Release && st.Phase != sequential.Sent {
		n.needMember, n.needPending, n.needGeneration = slices.Clone(c.needMember), slices.Clone(c.needPending), slices.Clone(c.needGeneration)
		s.count(&n, &s.Calls[st.Call], -1)
	}
	n.finish(s.gensUp)
	return &n
}
