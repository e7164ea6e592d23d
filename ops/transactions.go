package ops

import "fencecheck/model"

// This file has what the transaction coordinator and the partitions' leaders
// do. What they answer is decided in package model.

// coordinator gives the rules access to a transactional id in the successor.
func (x *Exec) coordinator(id uint8) *model.TransactionCoordinator {
	t := &x.n.Txns.IDs[id]
	x.tc = model.TransactionCoordinator{
		Rules: &x.cfg.Rules, Txn: &t.Txn, Log: &t.Log, Outbox: &t.Outbox,
		Epoch: x.n.Txns.Epoch, Loading: x.n.Txns.Loading, Leaderless: x.n.Txns.Leaderless,
		Appends: x.appends, Fresh: x.n.FreshProducerID(x.cfg),
	}
	return &x.tc
}

// zombie gives access to what the coordinator before has in memory. What it
// appends is refused; without tc-append-ce-check it is not, and the two are one
// broker that was elected again.
func (x *Exec) zombie(id uint8) *model.TransactionCoordinator {
	c := x.coordinator(id)
	old := &x.n.Txns.Old[id]
	c.Txn, c.Outbox, c.Epoch, c.Loading, c.Appends = &old.Txn, &old.Outbox, c.Epoch-1, false, model.Deposed
	return c
}

// leader gives the rules access to a partition's producers in the successor.
func (x *Exec) leader(p uint8) *model.PartitionLeader {
	x.pl = model.PartitionLeader{Rules: &x.cfg.Rules, Entries: x.n.Txns.Logs[p].Entries[:], Fresh: x.n.FreshGuard(x.cfg, int(p))}
	return &x.pl
}

// decideProducer lets the transaction coordinator, or a partition's leader,
// decide a producer's request. It is false where the model has no room.
func (x *Exec) decideProducer(r *model.Request) bool {
	id := x.cfg.IDs[r.Client]
	ev := &x.n.Last
	ev.API, ev.Client, ev.ID, ev.Generation, ev.Stale = r.API, r.Client, r.ID, r.Generation, r.Stale
	ev.PID, ev.Epoch, ev.Log = r.PID, r.Epoch, r.Log
	if t := &x.s.Txns.IDs[id].Txn; r.PID != 0 && t.State != model.NoTransaction {
		ev.OldEpoch = r.PID != t.PID || r.Epoch < t.Epoch
	}
	switch r.API {
	case model.Produce, model.TxnOffsetCommit:
		if !x.decideBatch(r, id) {
			return false
		}
	default:
		c := x.coordinator(id)
		if x.byZombie {
			c = x.zombie(id)
		}
		x.decideTransaction(c, r, id)
	}
	if r.Status == model.Answered {
		ev.Err = r.Err
		x.outcome = outcomeOf(r.API, r.Err, false)
	}
	return x.fits()
}

// decideTransaction decides what is for the coordinator alone.
func (x *Exec) decideTransaction(c *model.TransactionCoordinator, r *model.Request, id uint8) {
	before := *c.Txn
	var a model.TransactionReply
	switch r.API {
	case model.InitProducerID:
		a = c.InitProducerID(model.InitProducerIDRequest{PID: r.PID, Epoch: r.Epoch})
		if a.Err == model.None || c.Txn.State != before.State {
			x.replaceProducers(id, int(r.Client))
		}
		if a.Err == model.None {
			x.fenceWorks(id)
			x.n.Last.Returned = x.n.Clients[r.Client].Producer.Succeeded && !x.n.Last.Late
			x.succeed(id, int(r.Client))
			x.n.Last.Repeated = before.State != model.NoTransaction && a.PID == before.PID && a.Epoch == before.Epoch
		}
	case model.AddPartitionsToTxn, model.AddOffsetsToTxn:
		a.Err = c.AddPartitions(model.AddPartitionsRequest{PID: r.PID, Epoch: r.Epoch, Partitions: model.Part(int(r.Log)), Version: model.TV1})
	case model.EndTxn:
		a = c.EndTxn(model.EndTxnRequest{PID: r.PID, Epoch: r.Epoch, Commit: r.Commit, Version: x.cfg.Version})
		x.n.Last.Repeated = a.Err == model.None && *c.Txn == before
		x.n.Last.Returned = a.Err == model.None && a.PID != 0 && x.n.Clients[r.Client].Producer.Succeeded && !x.n.Last.Late
	}
	x.n.Last.Rotated = a.Err == model.None && before.PID != 0 && a.PID != 0 && a.PID != before.PID
	x.noteAppend(id)
	r.Status, r.Err, r.Work = model.Answered, a.Err, 0
	r.NewPID, r.NewEpoch = a.PID, a.Epoch
	if a.Err != model.None {
		r.NewPID, r.NewEpoch = 0, model.NoEpoch
	}
}

// noteAppend is ghost: is the log known to hold what the coordinator has?
func (x *Exec) noteAppend(id uint8) {
	t := &x.n.Txns.IDs[id]
	switch {
	case x.appends != model.Appended:
		t.Unsure = true
	case t.Log != x.s.Txns.IDs[id].Log:
		t.Unsure = false
	}
}

// decideBatch takes a batch through its two halves: it is admitted, and then
// appended. If AddPartitionsToTxn travels, each is a step of its own.
func (x *Exec) decideBatch(r *model.Request, id uint8) bool {
	l := x.leader(r.Log)
	b := x.batch(r)
	if r.Status == model.InFlight {
		c := x.coordinator(id)
		if x.byZombie {
			c = x.zombie(id)
		}
		err := l.Admit(&b, c, int(r.Log))
		x.noteAppend(id)
		switch {
		case err != model.None:
			x.answerBatch(r, err)
			return true
		case x.cfg.Travels[model.AddPartitionsToTxn]:
			r.Status, r.Guard = model.Admitted, b.Guard
			return true
		}
	}
	return x.appendBatch(l, r, b)
}

func (x *Exec) batch(r *model.Request) model.Batch {
	return model.Batch{PID: r.PID, Epoch: r.Epoch, Sequence: int32(r.Sequence), Transactional: true, Version: x.cfg.Version, Guard: r.Guard}
}

// Consults tells, for a story, whether a partition's leader asks the transaction
// coordinator about a batch before it appends it, and what that answers. scratch
// is overwritten.
func (x *Exec) Consults(s, scratch *model.State, r *model.Request, zombie bool) (asks bool, answer model.Error) {
	x.s, x.n = s, scratch
	*scratch = *s
	b := x.batch(r)
	if asks, _ = x.leader(r.Log).Begin(&b); !asks {
		return false, model.None
	}
	id := x.cfg.IDs[r.Client]
	c := x.coordinator(id)
	if zombie {
		c = x.zombie(id)
	}
	return true, b.Consult(c, int(r.Log))
}

func (x *Exec) appendBatch(l *model.PartitionLeader, r *model.Request, b model.Batch) bool {
	var err model.Error
	var duplicate bool
	if r.API == model.TxnOffsetCommit {
		c := x.open(Args{})
		before := x.n.Offsets
		err = l.CommitTxnOffsets(c, b, model.TxnOffsetCommitRequest{PID: r.PID, MemberID: r.ID, Generation: r.Generation, Offsets: r.Offsets[:x.parts]})
		if c.Full {
			x.seen.Producers = true
			return false
		}
		x.n.Last.FalseAbort = r.Stale == 0 && (err == model.UnknownMemberID || err == model.IllegalGeneration)
		if x.n.Offsets != before { // read before its marker
			x.n.Last.Committed = committed(r, x.parts)
		}
	} else {
		_, duplicate, err = l.Append(b)
	}
	x.n.Last.Repeated = duplicate
	if err == model.None && !duplicate {
		x.n.Last.Doubled = x.holdsEntry(r.Log, r.Work)
		e := model.Entry{Rec: model.Record{Kind: model.TransactionalRecord, PID: r.PID}, Work: r.Work, Value: r.Value, Stale: r.Stale}
		if !x.appendEntry(r.Log, e) {
			return false
		}
		x.read(r.Log)
	}
	x.answerBatch(r, err)
	return true
}

func (x *Exec) answerBatch(r *model.Request, err model.Error) {
	r.Status, r.Err, r.Guard, r.Work, r.Value, r.Stale = model.Answered, err, 0, 0, 0, 0
}

// holdsEntry is ghost: each transaction writes once to each output.
func (x *Exec) holdsEntry(p uint8, w model.WorkID) bool {
	for i := range x.n.Txns.Logs[p].Log {
		if e := &x.n.Txns.Logs[p].Log[i]; p != model.OffsetsLog && e.Work == w && e.Rec.Kind == model.TransactionalRecord {
			return true
		}
	}
	return false
}

func (x *Exec) appendEntry(p uint8, e model.Entry) bool {
	l := &x.n.Txns.Logs[p]
	n := l.Len()
	if n == model.MaxLog {
		x.seen.Log = true
		return false
	}
	l.Log[n] = e
	return true
}

// writeMarker lets a partition's leader decide a marker. It is false where the
// model has no room.
func (x *Exec) writeMarker(p uint8, m model.Marker) (model.Error, bool) {
	n := x.n
	ev := &n.Last
	ev.API, ev.Log, ev.PID, ev.Epoch = model.WriteTxnMarkers, p, m.PID, m.Epoch
	l := x.leader(p)
	if e := l.Find(m.PID); e != nil {
		ev.OldEpoch = m.Epoch < e.Epoch || m.CoordinatorEpoch < e.CoordinatorEpoch
		ev.Repeated = m.Epoch == e.Epoch && !e.Open
	}
	closed, err := l.WriteMarker(m)
	ev.Err, ev.Closed = err, closed
	x.outcome = outcomeOf(model.WriteTxnMarkers, err, false)
	if err != model.None {
		return err, true
	}
	if p == model.OffsetsLog {
		x.endOffsets(m)
		return err, true
	}
	if x.judge(p, m) {
		kind := model.AbortMarker
		if m.Commit {
			kind = model.CommitMarker
		}
		if !x.appendEntry(p, model.Entry{Rec: model.Record{Kind: kind, PID: m.PID}}) {
			return err, false
		}
	}
	x.read(p)
	return err, true
}

// judge is ghost: what a marker says of the transactions whose records it
// decides. It tells whether there are any.
func (x *Exec) judge(p uint8, m model.Marker) (any bool) {
	log := &x.n.Txns.Logs[p]
	entries := log.Log[:log.Len()]
	var first model.WorkID
	for i := range entries {
		e := &entries[i]
		if e.Rec.Kind != model.TransactionalRecord || e.Rec.PID != m.PID {
			continue
		}
		if o, _ := model.OutcomeOf(entries, i); o != model.Undecided {
			continue
		}
		if any && e.Work != first && m.Commit {
			x.n.Last.Mixed = true
		}
		any, first = true, e.Work
		if w := x.n.Work(e.Work); w != nil {
			if !m.Commit {
				w.Aborted |= 1 << p
			}
			x.n.Last.StaleWrite = x.n.Last.StaleWrite || m.Commit && w.Fenced
		}
	}
	return any
}

// endOffsets ends a transaction in the group's offsets. They are read at once.
func (x *Exec) endOffsets(m model.Marker) {
	n := x.n
	x.judge(model.OffsetsLog, m)
	committed := x.open(Args{}).EndTransaction(m.PID, m.Commit)
	log := &n.Txns.Logs[model.OffsetsLog].Log
	kept := 0
	for _, e := range log {
		if e.Rec.PID != m.PID {
			log[kept] = e
			kept++
			continue
		}
		if m.Commit {
			n.Last.Stale |= e.Stale
			x.show(model.OffsetsLog, &e)
		}
	}
	clear(log[kept:])
	n.Last.Committed = committed
	for p := range x.parts {
		if n.Offsets[p] < x.s.Offsets[p] {
			n.Last.Backward |= model.Part(p)
		}
	}
}

// read is ghost: a reader takes whatever the last stable offset lets it have,
// and the log forgets what is behind it.
func (x *Exec) read(p uint8) {
	if p == model.OffsetsLog {
		return
	}
	log := &x.n.Txns.Logs[p]
	entries := log.Log[:log.Len()]
	rules := &x.cfg.Rules
	for i := range model.LastStableOffset(rules, entries, len(entries)) {
		e := &entries[i]
		if e.Rec.Kind == model.TransactionalRecord && !e.Read && model.Reads(rules, entries, i) {
			e.Read = true
			x.show(p, e)
		}
	}
	drop := 0
	for drop < len(entries) {
		if entries[drop].Rec.Kind == model.TransactionalRecord {
			o, _ := model.OutcomeOf(entries, drop)
			if o == model.Undecided || o == model.Committed && !entries[drop].Read {
				break
			}
		}
		drop++
	}
	copy(entries, entries[drop:])
	clear(entries[len(entries)-drop:])
}

// show is ghost: a record is visible to committed readers.
func (x *Exec) show(p uint8, e *model.Entry) {
	if e.Value > 0 {
		v := int(e.Value - 1)
		x.n.Ghost.Output(v/model.MaxRecords, model.Offset(v%model.MaxRecords))
	}
	if w := x.n.Work(e.Work); w != nil {
		w.Committed |= 1 << p
	}
}

// fenceWorks is ghost: what was written under a transactional id before its new
// owner began is fenced, whatever can still arrive of it.
func (x *Exec) fenceWorks(id uint8) {
	for client := range x.cfg.Clients() {
		if !x.cfg.HasProducer(client) || x.cfg.IDs[client] != id {
			continue
		}
		for i := range x.n.Txns.Works[client] {
			if w := &x.n.Txns.Works[client][i]; w.Told != model.NoWork {
				w.Fenced = true
			}
		}
	}
}

// succeed is ghost: a fence of other producers is final.
func (x *Exec) succeed(id uint8, owner int) {
	for i := range x.cfg.Clients() {
		if i != owner && x.cfg.HasProducer(i) && x.cfg.IDs[i] == id && x.n.Clients[i].Producer.PID != 0 {
			x.n.Clients[i].Producer.Succeeded = true
		}
	}
}

// replaceProducers is ghost: other producers of a transactional id may be
// refused from now on, and rightly.
func (x *Exec) replaceProducers(id uint8, but int) {
	for i := range x.cfg.Clients() {
		if i != but && x.cfg.HasProducer(i) && x.cfg.IDs[i] == id {
			x.n.Clients[i].Producer.Replaced = true
		}
	}
}

// overdue is ghost: whoever held the transactional id did nothing for too long.
func (x *Exec) overdue(id uint8) {
	for i := range x.cfg.Clients() {
		if x.cfg.HasProducer(i) && x.cfg.IDs[i] == id {
			x.n.Clients[i].Producer.Overdue = true
		}
	}
}

// fits follows up on what the coordinators and leaders did: it forgets what can
// have no effect any more, and is false beyond a bound.
func (x *Exec) fits() bool {
	n := x.n
	switch {
	case x.pl.Full, x.tc.TakenTwice:
		x.seen.Producers = true
		return false
	}
	for i := range n.Txns.IDs {
		if n.Txns.IDs[i].Txn.Epoch > x.cfg.MaxProducerEpoch() {
			x.seen.Epochs = true
			return false
		}
	}
	if x.cfg.Transactional {
		n.RankOffsets(x.cfg)
	}
	return true
}

// deliverMarker: the coordinator writes a marker to a partition and learns the
// answer.
func (x *Exec) deliverMarker(a Args) bool {
	if !x.s.Txns.IDs[a.A].Outbox.To.Has(int(a.B)) || x.s.Txns.Loading {
		return false
	}
	m := x.begin().Txns.IDs[a.A].Outbox
	err, ok := x.writeMarker(a.B, m)
	if !ok {
		return false
	}
	x.coordinator(a.A).MarkerAnswered(int(a.B), err)
	x.noteAppend(a.A)
	return x.fits()
}

// loseMarkerAnswer: the marker is decided, its answer lost; it will be sent
// again.
func (x *Exec) loseMarkerAnswer(a Args) bool {
	if !x.s.Txns.IDs[a.A].Outbox.To.Has(int(a.B)) || x.s.Txns.Loading || !x.cfg.Travels[model.WriteTxnMarkers] || !x.s.Left(x.cfg, model.LostAnswers) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.LostAnswers)
	n.Last.GaveUp = true
	_, ok := x.writeMarker(a.B, n.Txns.IDs[a.A].Outbox)
	return ok && x.fits()
}

// delayMarker: the coordinator gives up on a marker that is still in flight, and
// sends it again.
func (x *Exec) delayMarker(a Args) bool {
	t := &x.s.Txns.IDs[a.A]
	if !t.Outbox.To.Has(int(a.B)) || x.s.Txns.Loading || !x.cfg.Travels[model.WriteTxnMarkers] || !x.s.Left(x.cfg, model.LateRequests) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.LateRequests)
	n.Last.GaveUp = true
	m := &t.Outbox
	r := model.Request{API: model.WriteTxnMarkers, PID: m.PID, Epoch: m.Epoch, Commit: m.Commit, Elected: m.CoordinatorEpoch, Log: a.B, Plain: m.Version < model.TV2}
	if !n.AddLate(r) {
		x.seen.Late = true
		return false
	}
	return true
}

// decideMarker decides a marker that its coordinator gave up on.
func (x *Exec) decideMarker(r *model.Request) bool {
	m := model.Marker{PID: r.PID, Epoch: r.Epoch, Commit: r.Commit, CoordinatorEpoch: r.Elected, Version: model.TV2}
	if r.Plain {
		m.Version = model.TV1
	}
	_, ok := x.writeMarker(r.Log, m)
	return ok && x.fits()
}

// transactionTimeout has a reason when nobody is about to end the transaction.
func (x *Exec) transactionTimeout(a Args) bool {
	t := &x.s.Txns.IDs[a.A].Txn
	if t.State != model.Ongoing || t.Pending != model.NoTransaction || !x.reason(!x.tended(a.A)) {
		return false
	}
	if !x.coordinator(a.A).Overdue() {
		return false
	}
	x.noteAppend(a.A)
	x.overdue(a.A)
	x.n.Last.TimedOut = true
	return x.fits()
}

// tended tells whether a running producer owns the open transaction of a
// transactional id.
func (x *Exec) tended(id uint8) bool {
	t := &x.s.Txns.IDs[id].Txn
	for i := range x.cfg.Clients() {
		cl := &x.s.Clients[i]
		p := &cl.Producer
		busy := p.Phase >= model.InTransaction && p.Phase < model.FatalError
		if x.cfg.HasProducer(i) && x.cfg.IDs[i] == id && cl.Process == model.Running && busy && p.PID == t.PID && p.Epoch == t.Epoch {
			return true
		}
	}
	return false
}

// failOver: another broker becomes the coordinator of all transactional ids.
// With 1 the one before does not notice.
func (x *Exec) failOver(a Args) bool {
	s := &x.s.Txns
	if s.Loading || s.Zombie || !x.s.Left(x.cfg, model.Failovers) || a.A == 1 && !x.s.Left(x.cfg, model.Zombies) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.Failovers)
	t := &n.Txns
	if a.A == 1 {
		n.Spend(x.cfg, model.Zombies)
		t.Zombie, t.Old = true, t.IDs
	}
	t.Epoch++
	t.Loading = true
	t.Leaderless = !x.skipsNoMarkers()
	for i := range t.IDs {
		t.IDs[i].Txn, t.IDs[i].Outbox = model.Transaction{}, model.Marker{}
	}
	n.Last.FailedOver = true
	return true
}

// skipsNoMarkers: that partitions have no leaders matters to marker-skip-bug
// alone.
func (x *Exec) skipsNoMarkers() bool { return !x.cfg.Rules.Off.Has(model.MarkerSkipBug) }

// load: the new coordinator has read its log.
func (x *Exec) load(Args) bool {
	if !x.s.Txns.Loading {
		return false
	}
	n := x.begin()
	n.Txns.Loading = false
	for id := range x.cfg.TransactionalIDs() {
		c := x.coordinator(uint8(id))
		if !x.cfg.Rules.Off.Has(model.TCLoadGate) || c.Txn.State == model.NoTransaction {
			c.Load()
		}
		n.Txns.IDs[id].Unsure = false
	}
	return x.fits()
}

// electLeaders: after a restart of everything the partitions have leaders again.
func (x *Exec) electLeaders(Args) bool {
	if !x.s.Txns.Leaderless || x.s.Txns.Loading {
		return false
	}
	x.begin().Txns.Leaderless = false
	return true
}

// loseAppend: a request is decided, and the log does not answer in time.
func (x *Exec) loseAppend(a Args) bool {
	r := &x.s.Clients[a.A].App
	if r.Status != model.InFlight || r.API < model.InitProducerID || !x.cfg.Travels[r.API] || !x.s.Left(x.cfg, model.LostAppends) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.LostAppends)
	x.appends = model.AppendUnknown + model.Appending(a.B)
	ok := x.decideProducer(&n.Clients[a.A].App)
	x.appends = model.Appended
	return ok && n.Clients[a.A].App.Err == model.CoordinatorNotAvailable
}

// decideByZombie: a request reaches the coordinator before, which does not know
// that it is deposed.
func (x *Exec) decideByZombie(a Args) bool {
	r := &x.s.Clients[a.A].App
	if !x.s.Txns.Zombie || r.Status != model.InFlight || r.API < model.InitProducerID || !x.cfg.Travels[r.API] {
		return false
	}
	x.byZombie = true
	n := x.begin()
	ok := x.decideProducer(&n.Clients[a.A].App)
	x.byZombie = false
	x.takeOver(x.cfg.IDs[a.A])
	return ok
}

// takeOver: without tc-append-ce-check, the transition of an old incarnation is
// completed in the memory that the new one uses.
func (x *Exec) takeOver(id uint8) {
	if t := &x.n.Txns.IDs[id]; t.Log != x.s.Txns.IDs[id].Log {
		t.Txn, t.Outbox = x.n.Txns.Old[id].Txn, x.n.Txns.Old[id].Outbox
	}
}

// zombieMarker: the coordinator before writes a marker of its own.
func (x *Exec) zombieMarker(a Args) bool {
	if !x.s.Txns.Zombie || !x.s.Txns.Old[a.A].Outbox.To.Has(int(a.B)) {
		return false
	}
	m := x.begin().Txns.Old[a.A].Outbox
	if _, ok := x.writeMarker(a.B, m); !ok {
		return false
	}
	x.n.Txns.Old[a.A].Outbox.To &^= model.Part(int(a.B))
	return x.fits()
}

// failOverLeader: a partition gets another leader, which knows what the log
// holds, and nothing of verifications under way.
func (x *Exec) failOverLeader(a Args) bool {
	if !x.cfg.HasLog(int(a.A)) || !x.s.Left(x.cfg, model.LeaderFailovers) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.LeaderFailovers)
	log := &n.Txns.Logs[a.A]
	kept := 0
	for _, e := range log.Entries {
		if e = e.Durable(); e.PID != 0 {
			log.Entries[kept] = e
			kept++
		}
	}
	clear(log.Entries[kept:])
	for i := range x.cfg.Clients() {
		if r := &n.Clients[i].App; r.Status == model.Admitted && r.Log == a.A {
			x.answerBatch(r, model.NotLeaderOrFollower)
		}
	}
	for i := model.MaxLate - 1; i >= 0; i-- {
		if r := &n.Late[i]; r.Status == model.Admitted && r.Log == a.A {
			n.TakeLate(i)
		}
	}
	return true
}

// expireProducers: a leader forgets producers that have no open transaction.
func (x *Exec) expireProducers(a Args) bool {
	if !x.cfg.HasLog(int(a.A)) || !x.s.Left(x.cfg, model.ProducerExpiries) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.ProducerExpiries)
	x.leader(a.A).ExpireProducers()
	return n.Txns.Logs[a.A].Entries != x.s.Txns.Logs[a.A].Entries
}

// expireID: the coordinator forgets a transactional id.
func (x *Exec) expireID(a Args) bool {
	if !x.s.Left(x.cfg, model.IDExpiries) {
		return false
	}
	n := x.begin()
	n.Spend(x.cfg, model.IDExpiries)
	if !x.coordinator(a.A).Expire() {
		return false
	}
	x.overdue(a.A)
	return true
}
