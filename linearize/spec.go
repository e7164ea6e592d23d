package linearize

import (
	"context"
	"slices"

	"fencecheck/model"

	"github.com/anishathalye/porcupine"
)

// spec is the sequential specification of one component. A state of it is a
// config, a set of worlds: what clients cannot see (timers, the high watermark,
// choices by map order) leaves several.
type spec struct {
	*problem
	rules    model.Rules
	starts   []world // what the group may be at the beginning
	books    *ledgers
	atlas    *atlas
	steps    []step
	byEnd    []int             // steps by rising end
	onces    []int             // calls that may be decided silently, once
	sketch   world             // of turn.draft
	view     model.Coordinator // of turn.coordinator
	store    model.OffsetStore // of turn.offsets
	fetched  []model.Offset    // of turn.fetch
	genIndex map[model.Generation]int
	gensUp   []model.Generation // generations in which something must happen, rising
	effort
}

// effort is what a search may do and has done.
type effort struct {
	bounded  bool // the search ends, undecided, when it has spent its fuel
	fuel     int
	spent    int  // worlds visited
	overflow bool // something did not fit; nothing follows from "illegal"
}

func (e *effort) exhausted() bool { return e.bounded && e.spent >= e.fuel }

func (e *effort) work() *effort { return e }

// searcher is a specification that porcupine can search.
type searcher interface {
	porcupineModel() porcupine.Model
	operations() []porcupine.Operation
	size() int // how many answers it looks at
	work() *effort
	// refusals replays an order of operations and tells why the given request
	// cannot come next.
	refusals(order []porcupine.Operation, op int) []refusal
}

func (s *spec) size() int { return len(s.calls) }

// refusal is an answer of the model that is not the recorded one, or another
// reason against a request.
type refusal struct {
	err  model.Error
	text string
}

// config is the state that porcupine sees.
//
// Its debts say which members and generations the steps still to come need. A
// world that has lost one of them is dropped at once: neither comes back. That
// is what the windows of the generations would give the search, at every step.
// The debts are functions of the set of steps taken, and not compared.
type config struct {
	worlds worlds
	sum    uint64
	due    []uint32 // steps that were absorbed and must come next
	armed  []uint32 // calls of unknown outcome that may have been decided
	done   []uint64 // steps taken, a bit each
	first  int      // all steps before it are done
	closed int      // all steps before it are done, in the order of their ends
	// owed[m]: steps still to come that need member m in the group.
	owed []uint32
	// asked[m]: steps still to come that depend on m being pending.
	asked []uint32
	// lived[g]: steps still to come that need the generation gensUp[g].
	lived []uint32
	// horizon is the least generation that is still needed.
	horizon model.Generation
}

// noDeadline is for steps that are taken to explain, not to search.
var noDeadline = context.Background()

const noHorizon model.Generation = 1<<31 - 1

// newSpec makes the specification of a component.
func newSpec(p *problem) *spec {
	s := &spec{problem: p, starts: []world{{}}, atlas: newAtlas(), genIndex: map[model.Generation]int{}}
	s.books = newLedgers(p.calls, len(p.words.partitions))
	s.fetched = make([]model.Offset, len(p.words.partitions))
	for i := range p.calls {
		if g, needs := p.calls[i].needsGeneration(); needs {
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
func (c *call) needsGeneration() (model.Generation, bool) {
	if c.livesIn() {
		return c.gen, true
	}
	// A JoinGroup is decided in the generation that it is told or before.
	return c.answer.gen, !c.unknown && c.api == model.JoinGroup && c.err == model.None
}

// init is the state before the first request: an absent group, all debts open.
func (s *spec) init() *config {
	c := &config{
		owed:  make([]uint32, len(s.words.names)),
		asked: make([]uint32, len(s.words.names)),
		lived: make([]uint32, len(s.gensUp)),
		done:  make([]uint64, (len(s.steps)+63)/64),
	}
	for i := range s.calls {
		s.count(c, &s.calls[i], 1)
	}
	for i := range s.starts {
		c.worlds.add(s.atlas.number(&s.starts[i]))
	}
	c.finish(s.gensUp)
	s.absorb(noDeadline, c)
	c.finish(s.gensUp)
	return c
}

// count changes the debts by one request.
func (s *spec) count(c *config, k *call, by int) {
	add := func(n *uint32) { *n = uint32(int(*n) + by) }
	if k.needsMember() {
		add(&c.owed[k.member])
	}
	if k.member != 0 && (k.api == model.JoinGroup || k.api == model.LeaveGroup) {
		add(&c.asked[k.member])
	}
	if g, needs := k.needsGeneration(); needs {
		add(&c.lived[s.genIndex[g]])
	}
}

// finish computes what is derived.
func (c *config) finish(gens []model.Generation) {
	c.sum = c.worlds.hash()
	for _, i := range c.due {
		c.sum = mix(c.sum, uint64(i))
	}
	c.horizon = noHorizon
	for i, n := range c.lived {
		if n > 0 {
			c.horizon = gens[i]
			break
		}
	}
}

// boundless forgets that generations and members must live: what is left of a
// component may lack the requests that make them.
func (s *spec) boundless() {
	s.gensUp, s.genIndex = nil, nil
	for i := range s.calls {
		s.calls[i].member, s.calls[i].gen = 0, model.NoGeneration
	}
}

// porcupineModel wraps the specification.
func (s *spec) porcupineModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return s.init() },
		StepContext: func(ctx context.Context, state, input, _ any) (bool, any) {
			next := s.next(ctx, state.(*config), input.(int))
			return next != nil, next
		},
		Equal: func(a, b any) bool {
			x, y := a.(*config), b.(*config)
			return x == y || x.sum == y.sum && slices.Equal(x.worlds, y.worlds) && slices.Equal(x.due, y.due)
		},
		Hash: func(state any) uint64 { return state.(*config).sum },
	}
}

// operations lists the steps for porcupine; the input is the step's index.
func (s *spec) operations() []porcupine.Operation {
	all := make([]porcupine.Operation, len(s.steps))
	for i, st := range s.steps {
		all[i] = porcupine.Operation{ClientId: s.h.Ops[s.calls[st.call].op].P, Input: i, Call: st.from, Return: st.to}
	}
	return all
}

// next takes a step; nil if it cannot be the next one.
func (s *spec) next(ctx context.Context, c *config, i int) *config {
	if len(c.due) > 0 {
		if c.due[0] != uint32(i) {
			return nil
		}
		n := *c
		n.due = c.due[1:]
		n.finish(s.gensUp)
		return &n
	}
	if s.exhausted() {
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
	n.worlds = nil
	for _, at := range c.worlds {
		if ctx.Err() != nil {
			return nil
		}
		t := turn{spec: s, config: n, before: &s.atlas.all[at]}
		t.step(s.steps[i])
	}
	if len(n.worlds) == 0 {
		return nil
	}
	s.settle(ctx, n)
	s.spent += len(n.worlds)
	return n
}

// after is a copy of the config with a step ticked off; the worlds are still
// those before it.
func (c *config) after(s *spec, i int) *config {
	n := *c
	n.done = slices.Clone(c.done)
	n.done[i/64] |= 1 << (i % 64)
	if st := s.steps[i]; st.phase != release && st.phase != arm {
		n.owed, n.asked, n.lived = slices.Clone(c.owed), slices.Clone(c.asked), slices.Clone(c.lived)
		s.count(&n, &s.calls[st.call], -1)
	}
	n.finish(s.gensUp)
	return &n
}
