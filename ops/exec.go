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

// asked is an operation that the configuration asks for. How many values its
// parameters have is looked up once, where no state changes it.
type asked struct {
	op     uint16
	fixed  bool
	values [2]int
}

// NewExec prepares an Exec for a configuration, which must not change.
func NewExec(cfg *model.Config) *Exec {
	x := &Exec{cfg: cfg, parts: cfg.AllPartitions(), delivered: make([]int64, len(Outcomes)), produces: cfg.Producing()}
	for i := range Table {
		if Table[i].Asked(cfg) {
			x.asked = append(x.asked, asked{op: uint16(i)})
			if Table[i].urgent != nil {
				x.urgent = append(x.urgent, uint16(i))
			}
		}
	}
	for p := range x.parts {
		x.topics = append(x.topics, cfg.TopicOf(p))
	}
	for i := range x.asked {
		x.asked[i].look(x)
	}
	return x
}

func (o *asked) look(x *Exec) {
	params := Table[o.op].Params
	if o.fixed = params[0] != Member && params[1] != Member; o.fixed {
		o.values = [2]int{x.domain(params[0]), x.domain(params[1])}
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
		params, values := &Table[o.op].Params, o.values
		if !o.fixed {
			values = [2]int{x.domain(params[0]), x.domain(params[1])}
		}
		for i := range values[0] {
			for j := range values[1] {
				x.each(o.op, Args{A: x.value(params[0], i), B: x.value(params[1], j)}, emit)
			}
		}
	}
}

// each takes a step once for every choice that the coordinator has in it.
func (x *Exec) each(op uint16, a Args, emit func(Taken)) {
	for {
		if !x.take(op, a) {
			return
		}
		emit(Taken{op, x.outcome, a})
		if !Table[op].Picks {
			return
		}
		if a.Order++; int(a.Order) < x.orders {
			continue
		}
		a.Order = 0
		if a.Pick++; int(a.Pick) >= x.co.Candidates {
			return
		}
	}
}

// Take takes one step; ok is false where it is not enabled.
func (x *Exec) Take(s, next *model.State, op uint16, a Args) (t Taken, ok bool) {
	x.s, x.n = s, next
	o := &Table[op]
	if !o.Asked(x.cfg) || !x.allows(o.Params[0], a.A) || !x.allows(o.Params[1], a.B) || !x.take(op, a) {
		return Taken{}, false
	}
	if a.Pick > 0 && (!o.Picks || int(a.Pick) >= x.co.Candidates) || a.Order > 0 && int(a.Order) >= x.orders {
		return Taken{}, false
	}
	return Taken{op, x.outcome, a}, true
}

func (x *Exec) take(op uint16, a Args) bool {
	x.outcome, x.co.Candidates = 0, 0
	x.tc.TakenTwice, x.pl.Full = false, false
	x.order, x.orders, x.crowded = int(a.Order), 0, false
	if !Table[op].step(x, a) || x.crowded {
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
	x.n.CopyFrom(x.s, x.cfg)
	x.n.Last = model.Event{}
	return x.n
}
