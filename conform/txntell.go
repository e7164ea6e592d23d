package conform

import (
	"fmt"
	"slices"

	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

// An Unplayable counterexample has a step that nobody can bring about from
// outside a broker.
type Unplayable struct {
	Step int // of the counterexample, from 1; 0: the scenario as a whole
	Op   string
	Why  string
}

// Error says which step it is, and why.
func (u *Unplayable) Error() string {
	if u.Step == 0 {
		return "it cannot be played on a broker: " + u.Why
	}
	return fmt.Sprintf("it cannot be played on a broker: step %d, %s: %s", u.Step, u.Op, u.Why)
}

// outOfReach has the operations that no client can bring about.
var outOfReach = map[string]string{
	"lose-marker-answer":      "markers travel between brokers",
	"delay-marker":            "markers travel between brokers",
	"lose-append":             "a coordinator's log always answers its coordinator here",
	"fail-over":               "the coordinator would have to move to another broker",
	"load":                    "the coordinator would have to move to another broker",
	"elect-leaders":           "all brokers would have to start again",
	"decide-by-zombie":        "a coordinator would have to go on after another one was elected",
	"zombie-marker":           "a coordinator would have to go on after another one was elected",
	"fail-over-leader":        "the partition would have to move to another broker",
	"expire-producers":        "producer.id.expiration.ms would have to pass, by default a day",
	"expire-transactional-id": "transactional.id.expiration.ms would have to pass, by default a week",
}

const (
	promptMarkers = "the story needs markers that are on their way for a while, and a broker writes them at once"
	oneGo         = "a leader asks the coordinator about a batch and appends it in one go"
)

// A txnLine is one step of a story of transactions, as a broker sees it.
type txnLine struct {
	step     int
	op       string
	group    *told // a request or timer of the group; else:
	r        txnRequest
	id       uint8 // transactional id
	client   uint8
	late     bool  // its sender gave up on it
	number   int32 // Produce: of the record
	offsets  [model.MaxPartitions]model.Offset
	expected txnAnswer

	states    [model.MaxTransactionals]model.TransactionState // when its markers have been written
	committed [model.MaxPartitions]model.Offset
	logs      [outs][]logged // so far
}

// work is one transaction as its application sees it.
type work struct {
	client  uint8
	nth     int // of the client, from 1
	records []workRecord
	offsets [model.MaxPartitions]model.Offset
	told    model.Told
}

// workRecord is a record that a transaction wrote.
type workRecord struct {
	place  uint8
	number int32
	value  uint8 // the input record that it is the output of, plus one
}

// txnStory is a counterexample as a broker sees it.
type txnStory struct {
	c     *counterexamples.Counterexample
	cfg   *model.Config
	lines []txnLine
	works []work
	logs  [outs][]logged
	last  model.State

	sender  *ops.Exec // in which every request stays in flight
	current map[model.WorkID]int
	numbers map[workPlace]int32
	pids    map[model.ProducerID]model.ProducerID // the model gives a number again
	given   model.ProducerID
}

type workPlace struct {
	work  int
	place uint8
}

// act is a step of a counterexample, and its number there.
type act struct {
	number int
	step   search.Step
}

// took is an act and what it did.
type took struct {
	act
	before, after model.State
}

// tellTxns puts a counterexample into an order that a broker can follow: it
// writes markers as soon as a transaction is decided.
func tellTxns(c *counterexamples.Counterexample) (*txnStory, error) {
	var acts []act
	for i, st := range c.Steps {
		name := counterexamples.OpName(st)
		if why := outOfReach[name]; why != "" {
			return nil, &Unplayable{i + 1, name, why}
		}
		if name != "deliver-marker" {
			acts = append(acts, act{i + 1, st})
		}
	}
	cfg := c.Scenario.Config
	switch {
	case cfg.Rules.MaxEpoch != 0:
		return nil, &Unplayable{Why: fmt.Sprintf("its epochs end at %d, a broker's at %d", cfg.Rules.MaxEpoch, model.MaxEpoch)}
	case cfg.AllPartitions() > parts:
		return nil, fmt.Errorf("it has %d partitions, at most %d are played", cfg.AllPartitions(), parts)
	}
	trail, err := arrange(c, acts)
	if err != nil {
		return nil, err
	}
	travelling := cfg
	for api := range travelling.Travels {
		travelling.Travels[api] = true
	}
	y := &txnStory{c: c, cfg: &cfg, sender: ops.NewExec(&travelling), current: map[model.WorkID]int{}, numbers: map[workPlace]int32{},
		pids: map[model.ProducerID]model.ProducerID{}}
	for i := range trail {
		y.tell(&trail[i])
	}
	if len(y.lines) == 0 {
		return nil, &Unplayable{Why: "nothing is sent in it"}
	}
	y.last = trail[len(trail)-1].after
	return y, nil
}

// arrange looks for an order of the acts in which every marker is written at
// once and the property is still violated. If the order as it is will not do,
// one act comes earlier.
func arrange(c *counterexamples.Counterexample, acts []act) ([]took, error) {
	trail, problem := prompt(c, acts)
	if problem == nil {
		return trail, nil
	}
	for by := 1; by < len(acts); by++ {
		for i := by; i < len(acts); i++ {
			if trail, p := prompt(c, earlier(acts, i, by)); p == nil {
				return trail, nil
			}
		}
	}
	return nil, problem
}

// earlier brings one act forward by some places.
func earlier(acts []act, i, by int) []act {
	moved := append([]act{}, acts[:i-by]...)
	moved = append(moved, acts[i])
	moved = append(moved, acts[i-by:i]...)
	return append(moved, acts[i+1:]...)
}

// prompt takes acts one by one, and writes the markers that come of each.
func prompt(c *counterexamples.Counterexample, acts []act) ([]took, *Unplayable) {
	sys := c.Scenario.System()
	var trail []took
	var s, next model.State
	s.Initial(sys.Config())
	for _, a := range acts {
		name := counterexamples.OpName(a.step)
		if _, ok := sys.Take(&s, &next, a.step); !ok {
			return nil, &Unplayable{a.number, name, promptMarkers}
		}
		decides := next.Last.API != model.NoAPI || next.Last.TimedOut
		if decides && admitted(&s) && !appends(&s, a.step) || halved(sys.Config(), &s, &next, a.step) {
			return nil, &Unplayable{a.number, name, oneGo}
		}
		trail = append(trail, took{a, s, next})
		s = next
		for st, ok := marker(sys.Config(), &s); ok; st, ok = marker(sys.Config(), &s) {
			if _, taken := sys.Take(&s, &next, st); !taken {
				return nil, &Unplayable{a.number, name, promptMarkers}
			}
			trail = append(trail, took{act{a.number, st}, s, next})
			s = next
		}
	}
	if !violated(c, trail) {
		last := acts[len(acts)-1]
		return nil, &Unplayable{last.number, counterexamples.OpName(last.step), promptMarkers}
	}
	return trail, nil
}

// marker is the step that writes the next marker.
func marker(cfg *model.Config, s *model.State) (search.Step, bool) {
	op, _ := ops.ByName("deliver-marker")
	for id := range cfg.TransactionalIDs() {
		out := &s.Txns.IDs[id].Outbox
		for log := range model.NumLogs {
			if out.To.Has(log) && !out.Stuck {
				return search.Step{Op: uint16(op), Arg: ops.Args{A: uint8(id), B: uint8(log)}.Pack()}, true
			}
		}
	}
	return search.Step{}, false
}

// admitted: a leader has asked the coordinator about a batch, and has not
// appended it.
func admitted(s *model.State) bool {
	return slices.ContainsFunc(s.Clients[:], func(c model.Client) bool { return c.App.Status == model.Admitted })
}

// appends is the other half.
func appends(before *model.State, st search.Step) bool {
	return counterexamples.OpName(st) == "decide" && before.Clients[ops.Unpack(st.Arg).A].App.Status == model.Admitted
}

// halved: a late batch is only admitted, or only appended.
func halved(cfg *model.Config, before, after *model.State, st search.Step) bool {
	if counterexamples.OpName(st) != "decide-late" {
		return false
	}
	r := &before.Late[ops.Unpack(st.Arg).A]
	batch := r.API == model.Produce || r.API == model.TxnOffsetCommit
	return r.Status == model.Admitted || batch && cfg.Travels[model.AddPartitionsToTxn] && after.Last.Err == model.None
}

// violated tells whether the property is.
func violated(c *counterexamples.Counterexample, trail []took) bool {
	if c.Kind == counterexamples.Goal {
		again := *c
		again.Steps = nil
		for i := range trail {
			again.Steps = append(again.Steps, trail[i].step)
		}
		d, err := counterexamples.Replay(&again)
		return d == nil && err == nil
	}
	for _, p := range c.Scenario.Options().Invariants {
		for i := range trail {
			t := &trail[i]
			if p.State != nil && !p.State(&t.after) || p.Step != nil && !p.Step(&t.before, t.step, &t.after) {
				return true
			}
		}
	}
	return false
}

// tell adds what a broker sees of one step.
func (y *txnStory) tell(t *took) {
	name, args := counterexamples.OpName(t.step), ops.Unpack(t.step.Arg)
	y.follow(t)
	x := txnLine{step: t.number, op: name}
	switch r, sends := y.request(t, name, args); {
	case name == "deliver-marker":
		y.marked(t, args)
	case name == "transaction-timeout":
		x.r.Step.Op, x.id = txnTimer, args.A
		y.lines = append(y.lines, x)
	case sends && (r.API.Part() == model.TransactionsPart || r.API == model.OffsetFetch && y.cfg.Transactional):
		x.late = name == "decide-late"
		y.toCoordinators(t, &x, r)
		y.lines = append(y.lines, x)
	default:
		if q, ok := requestOf(y.cfg, t.step, &t.before, &t.after); ok {
			x.group = &told{t.number, name, q, t.after}
			y.lines = append(y.lines, x)
		}
	}
	y.learns(t, args)
	if n := len(y.lines); n > 0 {
		y.lines[n-1].committed, y.lines[n-1].logs = t.after.Offsets, y.logs
		for id := range t.after.Txns.IDs {
			y.lines[n-1].states[id] = t.after.Txns.IDs[id].Txn.State
		}
	}
}

// follow notes transactions that begin, and producer ids that are given.
func (y *txnStory) follow(t *took) {
	for i := range y.cfg.Clients() {
		p, q := &t.before.Clients[i].Producer, &t.after.Clients[i].Producer
		begins := q.Work != 0 && q.Work != p.Work
		if !begins {
			continue
		}
		nth := 1
		for _, w := range y.works {
			if int(w.client) == i {
				nth++
			}
		}
		w := work{client: uint8(i), nth: nth}
		for o := range w.offsets {
			w.offsets[o] = model.NoOffset
		}
		y.current[q.Work] = len(y.works)
		y.works = append(y.works, w)
	}
	for id := range t.after.Txns.IDs {
		if pid := t.after.Txns.IDs[id].Txn.PID; pid != t.before.Txns.IDs[id].Txn.PID {
			y.given++
			y.pids[pid] = y.given
		}
	}
}

// request is the request that a step decides; false where it decides none.
func (y *txnStory) request(t *took, name string, args ops.Args) (model.Request, bool) {
	switch name {
	case "decide":
		if args.B == 1 || t.after.Clients[args.A].App.Status == model.Admitted {
			return model.Request{}, false
		}
		return t.before.Clients[args.A].App, true
	case "decide-late":
		return t.before.Late[args.A], true
	}
	if ops.Table[t.step.Op].Params[0] != ops.Client {
		return model.Request{}, false
	}
	var sent model.State
	if _, ok := y.sender.Take(&t.before, &sent, t.step.Op, args); !ok {
		return model.Request{}, false
	}
	r := sent.Clients[args.A].App
	fresh := r.API != model.NoAPI && t.before.Clients[args.A].App.API == model.NoAPI
	return r, fresh && !y.cfg.Travels[r.API] && t.after.Last.API == r.API && t.after.Clients[args.A].App.Status != model.Admitted
}

// txnOpOf is by request.
var txnOpOf = map[model.API]txnOp{model.InitProducerID: initProducer, model.AddPartitionsToTxn: addPartition, model.AddOffsetsToTxn: addOffsets,
	model.Produce: produce, model.TxnOffsetCommit: txnCommit, model.EndTxn: endTxn, model.OffsetFetch: readOffset}

// styled is the first way to speak in the scenario's style.
func styled(op txnOp, v model.TransactionVersion) uint8 {
	for i, s := range speech[op] {
		if s.txnV == v && !s.verify {
			return uint8(i)
		}
	}
	return 0
}

// toCoordinators is a request of a producer, and its answer in the story.
func (y *txnStory) toCoordinators(t *took, x *txnLine, q model.Request) {
	op := txnOpOf[q.API]
	x.client, x.id, x.offsets = q.Client, y.cfg.IDs[q.Client], q.Offsets
	x.r = txnRequest{Step: txnStep{Op: op, Style: styled(op, y.cfg.Version), Commit: q.Commit, Place: q.Log}, PID: y.pids[q.PID], Epoch: q.Epoch,
		Sequence: int32(q.Sequence), Member: q.ID, Generation: q.Generation}
	x.expected.Err = t.after.Last.Err.Told(q.API, x.r.spoken().version)
	if q.API == model.OffsetFetch {
		x.expected.Err = t.after.Last.Err
		for p := range x.offsets {
			if x.offsets[p] = model.NoOffset; t.before.Clients[q.Client].Unfetched.Has(p) {
				x.offsets[p] = t.before.Offsets[p] + 1
			}
		}
		return
	}
	for p := y.cfg.AllPartitions(); p < len(x.offsets); p++ {
		x.offsets[p] = model.NoOffset
	}
	wrote := t.after.Last.Err == model.None
	switch q.API {
	case model.InitProducerID:
		if txn := &t.after.Txns.IDs[x.id].Txn; wrote {
			x.expected.PID, x.expected.Epoch = y.pids[txn.PID], txn.Epoch
		}
	case model.EndTxn:
		if wrote && !x.late {
			x.expected.PID, x.expected.Epoch = y.renewed(t, q.Client)
		}
	case model.Produce:
		y.produced(x, q, wrote && !t.after.Last.Repeated)
	case model.TxnOffsetCommit:
		if w, ok := y.current[q.Work]; ok && wrote {
			y.works[w].offsets = x.offsets
		}
	}
}

// renewed is the pair that a client is given at the end of a transaction.
func (y *txnStory) renewed(t *took, client uint8) (model.ProducerID, model.Epoch) {
	cl := &t.after.Clients[client]
	pid, epoch := cl.App.NewPID, cl.App.NewEpoch
	if cl.App.API == model.NoAPI {
		pid, epoch = cl.Producer.PID, cl.Producer.Epoch
	}
	if !y.cfg.Version.Adds() || pid == 0 {
		return 0, 0
	}
	return y.pids[pid], epoch
}

// produced numbers a record: one that is sent again has the number that it had.
func (y *txnStory) produced(x *txnLine, q model.Request, appended bool) {
	w := y.current[q.Work]
	at := workPlace{w, q.Log}
	if y.numbers[at] == 0 {
		y.numbers[at] = int32(len(y.numbers) + 1)
		y.works[w].records = append(y.works[w].records, workRecord{q.Log, y.numbers[at], q.Value})
	}
	x.number = y.numbers[at]
	if appended {
		y.logs[q.Log] = append(y.logs[q.Log], logged{Kind: model.TransactionalRecord, PID: x.r.PID, Epoch: q.Epoch, Value: x.number})
	}
}

// marked notes a marker.
func (y *txnStory) marked(t *took, args ops.Args) {
	if args.B >= outs || t.after.Last.Err != model.None {
		return
	}
	kind := model.AbortMarker
	if t.before.Txns.IDs[args.A].Outbox.Commit {
		kind = model.CommitMarker
	}
	y.logs[args.B] = append(y.logs[args.B], logged{Kind: kind, PID: y.pids[t.after.Last.PID], Epoch: t.after.Last.Epoch})
}

// learns: an application is told the outcome of its transaction.
func (y *txnStory) learns(t *took, args ops.Args) {
	e := &t.after.Last
	if e.Received != model.EndTxn || e.ToldErr != model.None {
		return
	}
	p := &t.before.Clients[args.A].Producer
	w, ok := y.current[p.Work]
	if !ok {
		return
	}
	y.works[w].told = model.ToldAborted
	if phase := t.before.Clients[args.A].Producer.Phase; phase == model.Committing || counterexamples.OpName(t.step) == "commit-transaction" {
		y.works[w].told = model.ToldCommitted
	}
}
