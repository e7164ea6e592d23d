// Package ops has the nondeterministic operations: which steps are enabled in a
// state of package model, and what each does. What a request is answered is
// decided in package model; here it travels, is delivered, lost or late.
//
// An Exec enumerates the steps of a state:
//
//	x := ops.NewExec(&config)
//	x.Next(&state, &next, func(t ops.Taken) { ... next is the successor ... })
//
// and takes one by name again:
//
//	taken, ok := x.Take(&state, &next, op, args)
package ops

import "fencecheck/model"

// Args are the parameters of one step: the values of the operation's Params,
// and the choices where it Picks: of the next leader, and of the order in which
// that lists the members.
type Args struct {
	A, B, Pick uint8
	Order      uint16
}

// Pack is the arguments in one number.
func (a Args) Pack() uint32 {
	return uint32(a.A) | uint32(a.B)<<8 | uint32(a.Pick)<<16 | uint32(a.Order)<<20
}

// Unpack is the inverse of Pack.
func Unpack(n uint32) Args {
	return Args{uint8(n), uint8(n >> 8), uint8(n>>16) & 15, uint16(n >> 20)}
}

// MaxOrders is how many orders of the members a step can have.
const MaxOrders = 1 << 12

// Taken is a step that was taken.
type Taken struct {
	Op      uint16 // index in Table
	Outcome uint16 // index in Outcomes
	Args    Args
}

// Bounds tells which limits of the model kept a step from being taken.
type Bounds struct{ Generations, Members, Late, Producers, Epochs, Log, Works bool }

// Exec takes steps under one configuration. It owns scratch memory: each
// goroutine needs its own.
type Exec struct {
	cfg    *model.Config
	layout *model.Layout
	parts  int
	asked  []asked
	urgent []uint16 // of these, those that may be urgent
	topics []uint8
	s, n   *model.State
	co     model.Coordinator
	seen   Bounds
	// delivered counts the answers to parked requests, by outcome.
	delivered []int64

	// Of transactions.
	tc       model.TransactionCoordinator
	pl       model.PartitionLeader
	appends  model.Appending
	byZombie bool
	produces bool

	outcome uint16
	order   int  // the order of members that is wanted
	orders  int  // how many there were to choose from; 0 if no plan was computed
	crowded bool // more than MaxOrders
	replies [2 * model.MaxMembers]model.Reply
	subs    [model.MaxMembers]model.Subscriber
	plan    [model.MaxMembers]model.MemberAssignment
}

// asked is an operation that the configuration asks for.
type asked struct {
	op    uint16
	picks bool
	fixed bool // no state changes what its parameters can be
	step  func(*Exec, Args) bool
	args  [][2]uint8 // A and B
}

// NewExec prepares an Exec for a configuration, which must not change.
func NewExec(cfg *model.Config) *Exec {
	x := &Exec{cfg: cfg, layout: model.NewLayout(cfg), parts: cfg.AllPartitions(), delivered: make([]int64, len(Outcomes)), produces: cfg.Producing()}
	for i := range Table {
		if Table[i].Asked(cfg) {
			x.asked = append(x.asked, x.ask(uint16(i)))
			if Table[i].urgent != nil {
				x.urgent = append(x.urgent, uint16(i))
			}
		}
	}
	for p := range x.parts {
		x.topics = append(x.topics, cfg.TopicOf(p))
	}
	return x
}

func (x *Exec) ask(op uint16) asked {
	o := &Table[op]
	a := asked{op: op, picks: o.Picks, step: o.step, fixed: o.Params[0] != Member && o.Params[1] != Member}
	if a.fixed {
		x.look(&a)
	}
	return a
}

// look lists the arguments that an operation may have.
func (x *Exec) look(o *asked) {
	params := &Table[o.op].Params
	o.args = o.args[:0]
	for i := range x.domain(params[0]) {
		for j := range x.domain(params[1]) {
			o.args = append(o.args, [2]uint8{x.value(params[0], i), x.value(params[1], j)})
		}
	}
}

// Bounds tells which limits have kept a step of this Exec from being taken.
func (x *Exec) Bounds() Bounds { return x.seen }

// Delivered counts, by Outcomes, the answers to parked requests that the steps
// of this Exec delivered.
func (x *Exec) Delivered() []int64 { return x.delivered }

// Next calls emit for each step that is enabled in s, with its successor in
// next.
func (x *Exec) Next(s, next *model.State, emit func(Taken)) {
	x.s, x.n = s, next
	for i := range x.asked {
		o := &x.asked[i]
		if !o.fixed {
			x.look(o)
		}
		for i := range o.args {
			a := Args{A: o.args[i][0], B: o.args[i][1]}
			if x.take(o.step, a) {
				x.each(o, a, emit)
			}
		}
	}
}

// each emits a step that was taken, and takes it for every further choice that
// the coordinator has in it.
func (x *Exec) each(o *asked, a Args, emit func(Taken)) {
	for {
		emit(Taken{o.op, x.outcome, a})
		if !o.picks {
			return
		}
		if a.Order++; int(a.Order) >= x.orders {
			a.Order = 0
			if a.Pick++; int(a.Pick) >= x.co.Candidates {
				return
			}
		}
		if !x.take(o.step, a) {
			return
		}
	}
}

// Take takes one step; ok is false where it is not enabled.
func (x *Exec) Take(s, next *model.State, op uint16, a Args) (t Taken, ok bool) {
	x.s, x.n = s, next
	o := &Table[op]
	if !o.Asked(x.cfg) || !x.allows(o.Params[0], a.A) || !x.allows(o.Params[1], a.B) || !x.take(o.step, a) {
		return Taken{}, false
	}
	if a.Pick > 0 && (!o.Picks || int(a.Pick) >= x.co.Candidates) || a.Order > 0 && int(a.Order) >= x.orders {
		return Taken{}, false
	}
	return Taken{op, x.outcome, a}, true
}

func (x *Exec) take(step func(*Exec, Args) bool, a Args) bool {
	x.order = int(a.Order)
	if !step(x, a) || x.crowded {
		return false
	}
	if x.produces {
		x.n.ForgetWorks(x.cfg)
	}
	return true
}

// domain is the number of values that a parameter has in the current state.
func (x *Exec) domain(p Param) int {
	switch p {
	case Client:
		return x.cfg.Clients()
	case Partition:
		return x.parts
	case Lane:
		if heartbeats(x.cfg) {
			return 2
		}
		return 1
	case Late:
		return model.MaxLate
	case Member:
		n := 0
		for n < model.MaxMembers && x.s.Members[n].ID != 0 {
			n++
		}
		return n
	case Topics:
		return int(x.cfg.EveryTopic())
	case Log:
		return model.NumLogs
	case Output:
		return x.cfg.Outputs
	case TransactionalID:
		return x.cfg.TransactionalIDs()
	case Choice:
		return 2
	}
	return 1
}

// value is the parameter's value with the given place in its domain.
func (x *Exec) value(p Param, i int) uint8 {
	switch p {
	case Member:
		return uint8(x.s.Members[i].ID)
	case Topics:
		return uint8(i + 1)
	}
	return uint8(i)
}

// allows tells whether a value that comes from a file is in the domain.
func (x *Exec) allows(p Param, v uint8) bool {
	for i := range x.domain(p) {
		if x.value(p, i) == v {
			return true
		}
	}
	return false
}

// begin starts the successor as a copy, once the step's guard has been passed.
func (x *Exec) begin() *model.State {
	x.layout.Copy(x.n, x.s)
	x.n.Last = model.Event{}
	x.outcome, x.co.Candidates = 0, 0
	x.tc.TakenTwice, x.pl.Full = false, false
	x.orders, x.crowded = 0, false
	return x.n
}
