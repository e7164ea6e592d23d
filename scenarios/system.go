package scenarios

import (
	"sync"

	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// System is a scenario as package search explores it.
type System struct {
	cfg    *cluster.Config
	layout *cluster.Layout
	exec   *ops.Exec
	shared *shared

	// forward is made once, since a closure for each call of Next would be an
	// allocation for each state.
	forward func(ops.Taken)
	emit    func(search.Step)
}

// shared is what all forks of a system have in common.
type shared struct {
	mu    sync.Mutex
	execs []*ops.Exec
}

// System makes the scenario a transition system.
func (s *Scenario) System() *System {
	cfg := s.Config
	return newSystem(&cfg, &shared{})
}

func newSystem(cfg *cluster.Config, sh *shared) *System {
	sys := &System{cfg: cfg, layout: cluster.NewLayout(cfg), exec: ops.NewExec(cfg), shared: sh}
	sys.forward = func(t ops.Taken) { sys.emit(asStep(t)) }
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.execs = append(sh.execs, sys.exec)
	return sys
}

// Fork gives a worker scratch memory of its own.
func (s *System) Fork() search.System[cluster.State] { return newSystem(s.cfg, s.shared) }

// Config is the configuration of the scenario.
func (s *System) Config() *cluster.Config { return s.cfg }

// Init yields the one initial state.
func (s *System) Init(yield func(*cluster.State)) {
	var st cluster.State
	st.Initial(s.cfg)
	yield(&st)
}

// Next calls emit for every enabled step.
func (s *System) Next(st, next *cluster.State, emit func(search.Step)) {
	s.emit = emit
	s.exec.Next(st, next, s.forward)
}

var _ search.Itemizer[cluster.State] = (*System)(nil)

// NextItemized is Next, and says when it is through with each operation.
func (s *System) NextItemized(st, next *cluster.State, emit func(search.Step), done func(op uint16)) {
	s.emit = emit
	s.exec.NextItemized(st, next, s.forward, done)
}

func asStep(t ops.Taken) search.Step {
	return search.Step{Op: t.Op, Outcome: t.Outcome, Arg: t.Args.Pack()}
}

// Take takes one step; ok is false where it is not enabled.
func (s *System) Take(st, next *cluster.State, step search.Step) (taken search.Step, ok bool) {
	t, ok := s.exec.Take(st, next, step.Op, ops.Unpack(step.Arg))
	return asStep(t), ok
}

// Append encodes a state.
func (s *System) Append(dst []byte, st *cluster.State) []byte { return s.layout.Append(dst, st) }

// Decode decodes a state.
func (s *System) Decode(src []byte, st *cluster.State) { s.layout.Decode(src, st) }

var _ search.Comparer[cluster.State] = (*System)(nil)

// Same tells whether two states differ at most in what is no part of their identity: what
// the last step did, and, where only the order of generations counts, the generations.
func (s *System) Same(a, b *cluster.State) bool {
	x, y := *a, *b
	x.Last, y.Last = cluster.Event{}, cluster.Event{}
	return s.cfg.Ranks || x == y
}

// Ops names the operations.
func (s *System) Ops() []string {
	names := make([]string, len(ops.Table))
	for i := range ops.Table {
		names[i] = ops.Table[i].Name
	}
	return names
}

// Outcomes names what the coordinator can answer.
func (s *System) Outcomes() []string { return ops.Outcomes }

// Bounds tells which limits of the model kept a step from being taken.
func (s *System) Bounds() ops.Bounds {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	var all ops.Bounds
	for _, x := range s.shared.execs {
		b := x.Bounds()
		all.Generations = all.Generations || b.Generations
		all.Members = all.Members || b.Members
		all.Late = all.Late || b.Late
		all.Producers = all.Producers || b.Producers
		all.Epochs = all.Epochs || b.Epochs
		all.Log = all.Log || b.Log
		all.Works = all.Works || b.Works
	}
	return all
}

// Delivered counts, by Outcomes, the answers to parked requests that were
// delivered: they are no step's own outcome.
func (s *System) Delivered() []int64 {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	all := make([]int64, len(ops.Outcomes))
	for _, x := range s.shared.execs {
		for i, n := range x.Delivered() {
			all[i] += n
		}
	}
	return all
}

// Options are the properties of the scenario, for a search.
func (s *Scenario) Options() search.Options[cluster.State] {
	cfg := s.Config
	var o search.Options[cluster.State]
	for _, inv := range s.Invariants {
		p := search.Property[cluster.State]{Name: inv.Name}
		if inv.State != nil {
			p.State = func(st *cluster.State) bool { return inv.State(&cfg, st) }
		} else {
			p.Step = func(before *cluster.State, _ search.Step, after *cluster.State) bool {
				return inv.Step(&cfg, before, after)
			}
		}
		o.Invariants = append(o.Invariants, p)
	}
	for _, w := range s.Witnesses {
		o.Sometimes = append(o.Sometimes, search.Property[cluster.State]{Name: w.Name,
			Step: func(before *cluster.State, _ search.Step, after *cluster.State) bool {
				return w.Step(&cfg, before, after)
			}})
	}
	for _, g := range s.Goals {
		o.Goals = append(o.Goals, search.Goal[cluster.State]{Name: g.Name,
			State: func(st *cluster.State) bool { return g.State(&cfg, st) },
			Help:  func(st search.Step) bool { return !ops.Table[st.Op].Fault }})
	}
	return o
}
