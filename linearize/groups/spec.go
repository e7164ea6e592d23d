package groups

import (
	"context"
	"slices"

	"fencecheck/linearize/sequential"
	"fencecheck/model"

	"github.com/anishathalye/porcupine"
)

// spec is the sequential specification of one component. A state of it is a
// config, a set of worlds: what clients cannot see (timers, the high watermark,
// choices by map order) leaves several.
type spec struct {
	*Problem
	rules   model.Rules
	starts  []state // what the group may be at the beginning
	commits *commitLogs
	states  *sequential.Table[state, *state]
	sequential.Steps
	byEnd    []int             // steps by rising end
	onces    []int             // calls that may be decided silently, once
	scratch  state             // of turn.draft
	view     model.Coordinator // of turn.coordinator
	store    model.OffsetStore // of turn.offsets
	fetched  []model.Offset    // of turn.fetch
	genIndex map[model.Generation]int
	gensUp   []model.Generation // generations in which something must happen, rising
	sequential.Effort
}

func (s *spec) Size() int { return len(s.Calls) }

// config is the state that porcupine sees.
//
// Its debts say which members and generations the steps still to come need. A
// world that has lost one of them is dropped at once: neither comes back. That
// is what the windows of the generations would give the search, at every step.
// The debts are functions of the set of steps taken, and not compared.
type config struct {
	states sequential.States
	sum    uint64
	forced []uint32 // steps that were absorbed and must come next
	sent   []uint32 // calls of unknown outcome that may have been decided
	done   sequential.Taken
	first  int // all steps before it are done
	closed int // all steps before it are done, in the order of their ends
	// needMember[m]: steps still to come that need member m in the group.
	needMember []uint32
	// needPending[m]: steps still to come that depend on m being pending.
	needPending []uint32
	// needGeneration[g]: steps still to come that need the generation gensUp[g].
	needGeneration []uint32
	// oldest is the least generation that is still needed.
	oldest model.Generation
}

const noHorizon model.Generation = 1<<31 - 1

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
	return c.Answer.Gen, !c.Unknown && c.Api == model.JoinGroup && c.Err == model.None
}

// init is the state before the first request: an absent group, all debts open.
func (s *spec) init() *config {
	c := &config{
		needMember:     make([]uint32, len(s.tables.names)),
		needPending:    make([]uint32, len(s.tables.names)),
		needGeneration: make([]uint32, len(s.gensUp)),
		done:           sequential.NewTaken(s.Steps),
	}
	for i := range s.Calls {
		s.count(c, &s.Calls[i], 1)
	}
	for i := range s.starts {
		c.states.Add(s.states.Number(&s.starts[i]))
	}
	c.finish(s.gensUp)
	s.absorb(sequential.NoDeadline, c)
	c.finish(s.gensUp)
	return c
}

// count changes the debts by one request.
func (s *spec) count(c *config, k *Call, by int) {
	add := func(n *uint32) { *n = uint32(int(*n) + by) }
	if k.needsMember() {
		add(&c.needMember[k.Member])
	}
	if k.Member != 0 && (k.Api == model.JoinGroup || k.Api == model.LeaveGroup) {
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
	c.oldest = noHorizon
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
		s.absorb(ctx, n)
		n.finish(s.gensUp)
	}
	return n
}

// take takes a step in every world and closes the result under the steps that
// nobody sees; nil if no world explains it.
func (s *spec) take(ctx context.Context, c *config, i int) *config {
	n := c.after(s, i)
	n.states = nil
	for _, at := range c.states {
		if ctx.Err() != nil {
			return nil
		}
		t := turn{spec: s, config: n, before: &s.states.All[at]}
		t.step(s.Steps[i])
	}
	if len(n.states) == 0 {
		return nil
	}
	s.closure(ctx, n)
	s.Spent += len(n.states)
	return n
}

// after is a copy of the config with a step ticked off; the worlds are still
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
