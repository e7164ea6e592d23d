// Package txns holds a broker's transactions to the rules of package model.
//
// One transactional id is a transition system (system): every request that its
// producers, those that it has replaced, strangers, coordinators and
// administrators could send, in the versions of either style, to output partitions
// and to the offsets partition of a group with one member; what readers see; and
// timeouts. Its triples are played to a depth (planDepth), after the vectors of the
// protocol pages, which include 32,766 epochs.
//
// Everything is answered at once. A request is sent when the coordinator says that
// the markers of the last decision are written; where the model says that they
// never will be, nothing is waited for (play.settle).
//
// # How to add a request
//
// It is a row in rows.go: its versions and tokens, how they are resolved (step.go),
// what is sent and how the answer is read (wire.go, read.go), and what reports say
// of it (class.go). Package model decides it.
package txns

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/admin"
	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

// New is the part of the transactions on a broker. It waits until the broker can
// coordinate them.
func New(ctx context.Context, b *admin.Broker, c frame.Config) (frame.Part[Step], error) {
	v, err := newShared(ctx, b)
	if err != nil {
		return frame.Part[Step]{}, err
	}
	g := &game{rules: model.Rules{Off: c.Mutations}, known: c.Known, noOffsets: v.offsetsPartitions == 0}
	return partOn(v, g, c.Seed), nil
}

func partOn(v *shared, g *game, seed uint64) frame.Part[Step] {
	depth := planDepth
	if v.Embedded {
		depth = embeddedDepth
	}
	return frame.Part[Step]{Name: frame.Transactions,
		Plan: func(ctx context.Context) (*frame.Plan[Step], error) { return makePlan(ctx, g, depth) },
		Open: func() frame.Worker[Step] { return newWorker(v, g, seed) }}
}

// restarter kills the broker and starts it again after a while.
type restarter func(ctx context.Context, down time.Duration) error

// worker plays one sequence after the other, over connections of its own, beside
// a group with one member.
type worker struct {
	*shared
	game  *game
	seed  uint64
	conns map[string]*wire.Conn // by address
	group group
	again restarter // nil where the broker cannot be restarted
}

func newWorker(v *shared, g *game, seed uint64) *worker {
	return &worker{shared: v, game: g, seed: seed, conns: map[string]*wire.Conn{}}
}

// Close ends the connections.
func (w *worker) Close() {
	for a, c := range w.conns {
		c.Close()
		delete(w.conns, a)
	}
}

// Play plays a vector, sequence or walk with a transactional id that nobody has
// used.
func (w *worker) Play(ctx context.Context, j frame.Job[Step], scale int, stop *frame.Signature) (frame.Play[Step], error) {
	var random *walk
	var v *vector
	short := time.Duration(0)
	switch {
	case j.Vector != "":
		v = vectorNamed(j.Vector)
	case j.Sequence == nil:
		random = newWalk(w.seed, j.Walk, w.Embedded)
	}
	if random != nil && random.waits || v != nil && v.waits() || j.Sequence != nil && slices.ContainsFunc(j.Sequence.Steps, Step.waits) {
		short = time.Duration(scale) * admin.Shortest
	}
	p, err := w.begin(ctx, short)
	if err != nil {
		return nil, err
	}
	p.Stop, p.Whole = stop, v != nil
	var on bool
	switch {
	case random != nil:
		on, err = frame.Wander(ctx, walkSteps, func() Step { return random.draw(&p.state, p.game) }, p.step)
	case v != nil:
		on, err = p.lines(ctx, v)
	default:
		on, err = p.all(ctx, j.Sequence)
	}
	if on && err == nil {
		err = p.probe(ctx)
	}
	if err == nil {
		err = p.end(ctx)
	}
	return p, err
}

// begin prepares a play: an id that nobody has used, partitions, and the group.
func (w *worker) begin(ctx context.Context, short time.Duration) (*play, error) {
	if err := w.assemble(ctx); err != nil {
		return nil, err
	}
	p, err := w.newPlay(ctx, w.group, short)
	if err != nil {
		return nil, err
	}
	p.Known = w.game.known
	p.send.pids.Bind(strangerPID, 1<<48+rand.Int64N(1<<48))
	mine := *w.game
	if n := len(w.coordinators); n > 0 {
		mine.coordinator = w.coordinators[partitionOf(p.send.tid, n)]
	}
	p.game = &mine
	if err := w.settleIn(ctx, &p.send); err != nil {
		return nil, err
	}
	p.send.topic, p.send.partitions = p.send.outputs[0].topic, []int32{p.send.outputs[0].partition}
	p.send.members = map[model.MemberID]string{theMember: w.group.ID, notAMember: wire.ClientID + "-00000000-0000-0000-0000-000000000000"}
	r := newRequest(Step{Op: readOffset})
	a, err := w.exchange(ctx, &p.send, &r, 0, 0)
	if committed := int64(a.Offset) - 1; err == nil && committed >= 0 { // by an earlier play
		p.state.Offset, p.send.firstOffset = 0, committed
	}
	p.start = p.state
	return p, err
}

// newPlay is one with a transactional id of its own.
func (w *worker) newPlay(ctx context.Context, g group, short time.Duration) (*play, error) {
	p := &play{worker: w, state: start(), short: short}
	p.send = sending{tid: w.NewTransactionalID(), group: g, pids: frame.NewBinding[model.ProducerID, int64](strangerPID),
		timeout: w.Limits.LongestTransaction(), offsets: int32(partitionOf(g.Group, w.offsetsPartitions))}
	if short > 0 {
		p.send.timeout = short
	}
	p.send.pids.Bind(0, -1)
	var err error
	p.send.coordinator, err = w.TransactionCoordinator(ctx, p.send.tid)
	return p, err
}

// settleIn takes partitions whose readers nothing holds back.
func (w *worker) settleIn(ctx context.Context, x *sending) error {
	some, err := w.take(ctx)
	if err != nil {
		return err
	}
	copy(x.outputs[:], some)
	for log := range x.outputs {
		end, err := w.endOf(ctx, x, uint8(log))
		if err != nil {
			return err
		}
		x.base[log] = int64(end.At)
	}
	return nil
}

// endOf is where a partition ends. A leader may hear of its partition later than
// the controller does.
func (w *worker) endOf(ctx context.Context, x *sending, log uint8) (answer, error) {
	r := newRequest(Step{Op: lastOffset, Log: log})
	for until := time.Now().Add(w.Patience); ; {
		a, err := w.exchange(ctx, x, &r, 0, 0)
		if err != nil || a.Err == model.None && a.Odd == "" {
			return a, err
		}
		if time.Now().After(until) {
			return a, &wire.BrokerError{Address: x.address(&r), Problem: fmt.Sprintf("%s to ListOffsets of %s", a.text(), x.outputs[log].topic)}
		}
		if err := wire.Pause(ctx, 10*pollEvery); err != nil {
			return a, err
		}
	}
}

// assemble makes the group, unless it is there.
func (w *worker) assemble(ctx context.Context) error {
	call := func(m kmsg.Request) (kmsg.Response, error) {
		c, err := w.conn(ctx, w.group.coordinator)
		if err != nil {
			return nil, err
		}
		c.Patience = w.Patience + w.Limits.InitialDelay // a JoinGroup is answered after it
		defer func() { c.Patience = w.Patience }()
		return c.Call(ctx, m)
	}
	if w.group.Group != "" {
		if alive, err := w.group.Alive(call); alive || err != nil {
			return err
		}
	}
	name := w.NewGroup()
	var err error
	if w.group.coordinator, err = w.GroupCoordinator(ctx, name); err == nil {
		w.group.Member, err = groups.Join(name, memberSession, call)
	}
	return err
}

// memberSession outlasts every play; before each the member shows that it lives.
const memberSession = 5 * time.Minute

// cleanup is how long the broker may take to notice that a transaction is
// overdue.
func (w *worker) cleanup() time.Duration {
	if w.Embedded {
		return 0
	}
	return w.Limits.TransactionCleanup
}

// completion is how long the markers of a transaction may take. The embedded
// broker completes a transaction before it answers.
func (w *worker) completion() time.Duration {
	if w.Embedded {
		return 20 * time.Millisecond
	}
	return 5 * time.Second
}

// ask sends a request that is answered at once.
func (w *worker) ask(ctx context.Context, address string, m kmsg.Request) (kmsg.Response, error) {
	c, err := w.conn(ctx, address)
	if err != nil {
		return nil, err
	}
	return c.Call(ctx, m)
}

func (w *worker) conn(ctx context.Context, address string) (*wire.Conn, error) {
	if c := w.conns[address]; c != nil {
		return c, nil
	}
	c, err := wire.Dial(ctx, address, w.Patience)
	if err == nil {
		w.conns[address] = c
	}
	return c, err
}

// exchange sends a request and reads the answer.
func (w *worker) exchange(ctx context.Context, x *sending, r *request, number int32, fresh model.ProducerID) (answer, error) {
	m, err := w.ask(ctx, x.address(r), x.message(r, number))
	if err != nil {
		return answer{}, err
	}
	return x.read(m, r, fresh), nil
}

// loaded repeats what is asked of a coordinator that reads its log, and has
// decided nothing.
func (w *worker) loaded(ctx context.Context, ask func() (answer, error)) (answer, error) {
	for end := time.Now().Add(w.Patience); ; {
		a, err := ask()
		if err != nil || !absent(a.Err) || time.Now().After(end) {
			return a, err
		}
		if err := wire.Pause(ctx, 10*pollEvery); err != nil {
			return a, err
		}
	}
}

// absent tells whether a coordinator is not ready to decide anything.
func absent(e model.Error) bool {
	code := int16(e)
	return code == kerr.CoordinatorLoadInProgress.Code || code == kerr.CoordinatorNotAvailable.Code || code == kerr.NotCoordinator.Code
}

// restart kills the broker, starts it again, and waits until its coordinators
// have read their logs.
func (w *worker) restart(ctx context.Context, x *sending, down time.Duration) error {
	if w.again == nil {
		return frame.ErrImpossible
	}
	w.Close()
	if err := w.again(ctx, down); err != nil {
		return err
	}
	r := newRequest(Step{Op: describe})
	a, err := w.loaded(ctx, func() (answer, error) { return w.exchange(ctx, x, &r, 0, 0) })
	if err == nil && absent(a.Err) {
		err = &wire.BrokerError{Address: x.coordinator, Problem: "the transaction coordinator does not come back"}
	}
	if err == nil {
		_, err = w.endOf(ctx, x, 0)
	}
	return err
}
