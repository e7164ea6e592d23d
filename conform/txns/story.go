package txns

import (
	"fmt"

	"fencecheck/conform/frame"
	"fencecheck/conform/groups"
	"fencecheck/conform/wire"
	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
	"fencecheck/ops"
)

// A storyLine is one step of a story of transactions, as a broker sees it.
type storyLine struct {
	step     int
	op       string
	group    *groups.Line // a request or timer of the group; else:
	r        request
	id       uint8 // transactional id
	client   uint8
	late     bool  // its sender gave up on it
	number   int32 // Produce: of the record
	expected answer

	states    [cluster.MaxTransactionals]txn.TransactionState // when its markers have been written
	committed [cluster.MaxPartitions]model.Offset
	logs      [numOutputs][]logged // so far
}

// work is one transaction as its application sees it.
type work struct {
	client  uint8
	nth     int // of the client, from 1
	records []workRecord
	offsets [cluster.MaxPartitions]model.Offset
	outcome cluster.Told // as the application was told
}

// workRecord is a record that a transaction wrote.
type workRecord struct {
	log    uint8
	number int32
	value  uint8 // the input record that it is the output of, plus one
}

// A Story is a counterexample as a broker sees it.
type Story struct {
	c     *counterexamples.Counterexample
	cfg   *cluster.Config
	lines []storyLine
	works []work
	logs  [numOutputs][]logged
	last  cluster.State

	sender  *ops.Exec // in which every request stays in flight
	current map[cluster.WorkID]int
	numbers map[workLog]int32
	pids    map[model.ProducerID]model.ProducerID // the model gives a number again
	given   model.ProducerID
}

type workLog struct {
	work int
	log  uint8
}

// Tell puts a counterexample into an order that a broker can follow: it
// writes markers as soon as a transaction is decided.
func Tell(c *counterexamples.Counterexample) (*Story, error) {
	var acts []act
	for i, st := range c.Steps {
		name := counterexamples.OpName(st)
		if why := outOfReach[name]; why != "" {
			return nil, &frame.Unplayable{Step: i + 1, Op: name, Why: why}
		}
		if name != "deliver-marker" {
			acts = append(acts, act{i + 1, st})
		}
	}
	cfg := c.Scenario.Config
	switch {
	case cfg.Rules.MaxEpoch != 0:
		return nil, &frame.Unplayable{Why: fmt.Sprintf("its epochs end at %d, a broker's at %d", cfg.Rules.MaxEpoch, model.MaxEpoch)}
	case cfg.AllPartitions() > wire.Partitions:
		return nil, fmt.Errorf("it has %d partitions, at most %d are played", cfg.AllPartitions(), wire.Partitions)
	}
	trail, err := arrange(c, acts)
	if err != nil {
		return nil, err
	}
	travelling := cfg
	for api := range travelling.Travels {
		travelling.Travels[api] = true
	}
	y := &Story{c: c, cfg: &cfg, sender: ops.NewExec(&travelling), current: map[cluster.WorkID]int{}, numbers: map[workLog]int32{},
		pids: map[model.ProducerID]model.ProducerID{}}
	for i := range trail {
		y.add(&trail[i])
	}
	if len(y.lines) == 0 {
		return nil, &frame.Unplayable{Why: "nothing is sent in it"}
	}
	y.last = trail[len(trail)-1].after
	return y, nil
}

// add adds what a broker sees of one step.
func (y *Story) add(t *took) {
	name, args := counterexamples.OpName(t.step), ops.Unpack(t.step.Arg)
	y.follow(t)
	x := storyLine{step: t.number, op: name}
	switch r, sends := y.request(t, name, args); {
	case name == "deliver-marker":
		y.marked(t, args)
	case name == "transaction-timeout":
		x.r, x.id = newRequest(Step{Op: timeout}), args.A
		y.lines = append(y.lines, x)
	case sends && (r.API.Part() == model.TransactionsPart || r.API == model.OffsetFetch && y.cfg.Transactional):
		x.late = name == "decide-late"
		y.toCoordinators(t, &x, r)
		y.lines = append(y.lines, x)
	default:
		if l, ok := groups.LineOf(y.cfg, t.number, t.step, &t.before, &t.after); ok {
			x.group = &l
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
func (y *Story) follow(t *took) {
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
func (y *Story) request(t *took, name string, args ops.Args) (cluster.Request, bool) {
	switch name {
	case "decide":
		if args.B == 1 || t.after.Clients[args.A].App.Status == cluster.Admitted {
			return cluster.Request{}, false
		}
		return t.before.Clients[args.A].App, true
	case "decide-late":
		return t.before.Late[args.A], true
	}
	if ops.Table[t.step.Op].Params[0] != ops.Client {
		return cluster.Request{}, false
	}
	var sent cluster.State
	if _, ok := y.sender.Take(&t.before, &sent, t.step.Op, args); !ok {
		return cluster.Request{}, false
	}
	r := sent.Clients[args.A].App
	fresh := r.API != model.NoAPI && t.before.Clients[args.A].App.API == model.NoAPI
	return r, fresh && !y.cfg.Travels[r.API] && t.after.Last.API == r.API && t.after.Clients[args.A].App.Status != cluster.Admitted
}

// styled is the first way to speak in the scenario's style.
func styled(o op, v model.TransactionVersion) uint8 {
	for i, s := range o.row().versions {
		if s.style == v && !s.verify {
			return uint8(i)
		}
	}
	return 0
}

// toCoordinators is a request of a producer, and its answer in the story.
func (y *Story) toCoordinators(t *took, x *storyLine, q cluster.Request) {
	o, _ := opOf(q.API)
	x.client, x.id = q.Client, y.cfg.IDs[q.Client]
	offsets := q.Offsets
	x.r = newRequest(Step{Op: o, Style: styled(o, y.cfg.Version), Commit: q.Commit, Log: q.Log})
	x.r.PID, x.r.Epoch, x.r.Sequence, x.r.MemberID, x.r.Generation = y.pids[q.PID], q.Epoch, int32(q.Sequence), q.ID, q.Generation
	x.r.Offsets = offsets[:]
	x.expected.Err = t.after.Last.Err.Told(q.API, x.r.version().number)
	if q.API == model.OffsetFetch {
		x.expected.Err = t.after.Last.Err
		for p := range offsets {
			if offsets[p] = model.NoOffset; t.before.Clients[q.Client].Unfetched.Has(p) {
				offsets[p] = t.before.Offsets[p] + 1
			}
		}
		return
	}
	for p := y.cfg.AllPartitions(); p < len(offsets); p++ {
		offsets[p] = model.NoOffset
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
			y.works[w].offsets = offsets
		}
	}
}

// renewed is the pair that a client is given at the end of a transaction.
func (y *Story) renewed(t *took, client uint8) (model.ProducerID, model.Epoch) {
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
func (y *Story) produced(x *storyLine, q cluster.Request, appended bool) {
	w := y.current[q.Work]
	at := workLog{w, q.Log}
	if y.numbers[at] == 0 {
		y.numbers[at] = int32(len(y.numbers) + 1)
		y.works[w].records = append(y.works[w].records, workRecord{q.Log, y.numbers[at], q.Value})
	}
	x.number = y.numbers[at]
	if appended {
		y.logs[q.Log] = append(y.logs[q.Log], logged{Kind: txn.TransactionalRecord, PID: x.r.PID, Epoch: q.Epoch, Value: x.number})
	}
}

// marked notes a marker.
func (y *Story) marked(t *took, args ops.Args) {
	if args.B >= numOutputs || t.after.Last.Err != model.None {
		return
	}
	kind := txn.AbortMarker
	if t.before.Txns.IDs[args.A].Outbox.Commit {
		kind = txn.CommitMarker
	}
	y.logs[args.B] = append(y.logs[args.B], logged{Kind: kind, PID: y.pids[t.after.Last.PID], Epoch: t.after.Last.Epoch})
}

// learns: an application is told the outcome of its transaction.
func (y *Story) learns(t *took, args ops.Args) {
	e := &t.after.Last
	if e.Received != model.EndTxn || e.ToldErr != model.None {
		return
	}
	p := &t.before.Clients[args.A].Producer
	w, ok := y.current[p.Work]
	if !ok {
		return
	}
	y.works[w].outcome = cluster.ToldAborted
	if phase := t.before.Clients[args.A].Producer.Phase; phase == cluster.Committing || counterexamples.OpName(t.step) == "commit-transaction" {
		y.works[w].outcome = cluster.ToldCommitted
	}
}
