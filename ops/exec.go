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

import (
	"math/bits"

	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

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
	cfg    *cluster.Config
	layout *cluster.Layout
	parts  int
	tries  []try    // of the operations that the configuration asks for, in the order of Table
	common []uint64 // the set of those that are no client's
	own    []uint64 // for each client and moment, the set of those that it may take
	may    []uint64 // the set of those that may be enabled in s
	urgent []uint16 // operations of these that may be urgent
	topics []uint8
	s, n   *cluster.State
	co     classic.Coordinator
	store  offsets.Store
	seen   Bounds
	// delivered counts the answers to parked requests, by outcome.
	delivered []int64

	// Of transactions.
	tc       txn.Coordinator
	pl       txn.Leader
	appends  txn.Appending
	byZombie bool
	produces bool

	outcome uint16
	order   int  // the order of members that is wanted
	orders  int  // how many there were to choose from; 0 if no plan was computed
	crowded bool // more than MaxOrders
	replies [2 * cluster.MaxMembers]classic.Reply
	subs    [cluster.MaxMembers]classic.Subscriber
	plan    [cluster.MaxMembers]classic.MemberAssignment
}

// A try is an operation with arguments that it may have; of a member, which are
// others in each state, it is all of them.
type try struct {
	step    func(*Exec, Args) bool
	op      uint16
	picks   bool
	members bool
	a, b    uint8
}

// NewExec prepares an Exec for a configuration, which must not change.
func NewExec(cfg *cluster.Config) *Exec {
	x := &Exec{cfg: cfg, layout: cluster.NewLayout(cfg), parts: cfg.AllPartitions(), delivered: make([]int64, len(Outcomes)), produces: cfg.Producing()}
	for i := range Table {
		if Table[i].Asked(cfg) {
			x.ask(uint16(i))
			if Table[i].urgent != nil {
				x.urgent = append(x.urgent, uint16(i))
			}
		}
	}
	x.sort()
	for p := range x.parts {
		x.topics = append(x.topics, cfg.TopicOf(p))
	}
	return x
}

func (x *Exec) ask(op uint16) {
	o := &Table[op]
	t := try{step: o.step, op: op, picks: o.Picks, members: o.Params[0] == Member}
	if t.members {
		x.tries = append(x.tries, t)
		return
	}
	for i := range x.domain(o.Params[0]) {
		if !o.by(x.cfg, i) {
			continue
		}
		for j := range x.domain(o.Params[1]) {
			t.a, t.b = x.value(o.Params[0], i), x.value(o.Params[1], j)
			x.tries = append(x.tries, t)
		}
	}
}

// sort puts the tries into sets.
func (x *Exec) sort() {
	words := (len(x.tries) + 63) / 64
	x.common, x.may = make([]uint64, words), make([]uint64, words)
	x.own = make([]uint64, x.cfg.Clients()*numMoments*words)
	for i := range x.tries {
		t, bit := &x.tries[i], uint64(1)<<(i%64)
		if Table[t.op].Params[0] != Client {
			x.common[i/64] |= bit
			continue
		}
		for m := range uint8(numMoments) {
			if Table[t.op].at(m) {
				x.ownSet(int(t.a), m)[i/64] |= bit
			}
		}
	}
}

// ownSet is the set of what a client may take at a moment.
func (x *Exec) ownSet(client int, m uint8) []uint64 {
	words := len(x.common)
	return x.own[(client*numMoments+int(m))*words:][:words]
}

// Bounds tells which limits have kept a step of this Exec from being taken.
func (x *Exec) Bounds() Bounds { return x.seen }

// Delivered counts, by Outcomes, the answers to parked requests that the steps
// of this Exec delivered.
func (x *Exec) Delivered() []int64 { return x.delivered }

// Next calls emit for each step that is enabled in s, with its successor in
// next.
func (x *Exec) Next(s, next *cluster.State, emit func(Taken)) {
	x.look(s, next)
	x.run(0, len(x.tries), emit)
}

// look finds out what may be enabled in a state.
func (x *Exec) look(s, next *cluster.State) {
	x.s, x.n, x.order = s, next, 0
	copy(x.may, x.common)
	for i := range x.cfg.Clients() {
		for w, set := range x.ownSet(i, momentOf(&s.Clients[i])) {
			x.may[w] |= set
		}
	}
}

// run emits the steps of consecutive tries that are enabled.
func (x *Exec) run(from, end int, emit func(Taken)) {
	for w := from / 64; w*64 < end; w++ {
		set := x.may[w]
		if from > w*64 {
			set &= ^uint64(0) << (from - w*64)
		}
		if left := end - w*64; left < 64 {
			set &= 1<<left - 1
		}
		for tries := x.tries[w*64:]; set != 0; set &= set - 1 {
			t := &tries[bits.TrailingZeros64(set)]
			if t.members {
				x.tryMembers(t, emit)
			} else if a := (Args{A: t.a, B: t.b}); t.step(x, a) {
				x.follow(t, a, emit)
			}
		}
	}
}

func (x *Exec) tryMembers(t *try, emit func(Taken)) {
	for i := range x.domain(Member) {
		if a := (Args{A: x.value(Member, i)}); t.step(x, a) {
			x.follow(t, a, emit)
		}
	}
}

// follow emits a step that was taken, and takes it for every further choice
// that the coordinator has in it.
func (x *Exec) follow(t *try, a Args, emit func(Taken)) {
	for x.accept() {
		emit(Taken{t.op, x.outcome, a})
		if !t.picks {
			break
		}
		if a.Order++; int(a.Order) >= x.orders {
			a.Order = 0
			if a.Pick++; int(a.Pick) >= x.co.Candidates {
				break
			}
		}
		if x.order = int(a.Order); !t.step(x, a) {
			break
		}
	}
	x.order = 0
}

// accept tells whether the model has room for what a step led to.
func (x *Exec) accept() bool {
	if x.crowded {
		return false
	}
	if x.produces {
		x.n.ForgetWorks(x.cfg)
	}
	return true
}

// Take takes one step; ok is false where it is not enabled.
func (x *Exec) Take(s, next *cluster.State, op uint16, a Args) (t Taken, ok bool) {
	x.s, x.n = s, next
	o := &Table[op]
	if !o.Asked(x.cfg) || !x.allows(o.Params[0], a.A) || !o.by(x.cfg, int(a.A)) || !x.allows(o.Params[1], a.B) || !x.take(o, a) {
		return Taken{}, false
	}
	if a.Pick > 0 && (!o.Picks || int(a.Pick) >= x.co.Candidates) || a.Order > 0 && int(a.Order) >= x.orders {
		return Taken{}, false
	}
	return Taken{op, x.outcome, a}, true
}

func (x *Exec) take(o *Op, a Args) bool {
	if o.Params[0] == Client && !o.at(momentOf(&x.s.Clients[a.A])) {
		return false
	}
	x.order = int(a.Order)
	return o.step(x, a) && x.accept()
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
		return cluster.MaxLate
	case Member:
		n := 0
		for n < cluster.MaxMembers && x.s.Members[n].ID != 0 {
			n++
		}
		return n
	case Topics:
		return int(x.cfg.EveryTopic())
	case Log:
		return cluster.NumLogs
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
func (x *Exec) begin() *cluster.State {
	x.layout.Copy(x.n, x.s)
	x.n.Last = cluster.Event{}
	x.outcome, x.co.Candidates = 0, 0
	x.tc.TakenTwice, x.pl.Full = false, false
	x.orders, x.crowded = 0, false
	return x.n
}
