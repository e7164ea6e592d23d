package ops

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
)

// open gives the rules access to the successor's coordinator.
func (x *Exec) open(a Args) *classic.Coordinator {
	n := x.n
	x.co = classic.Coordinator{Rules: &x.cfg.Rules, Group: &n.Group, Members: n.Members[:], Replies: x.replies[:0], Pick: int(a.Pick)}
	return &x.co
}

// openOffsets gives the rules access to the offsets of the successor's group.
func (x *Exec) openOffsets() *offsets.Store {
	n := x.n
	x.store = offsets.Store{Rules: &x.cfg.Rules, Group: x.open(Args{}), Committed: n.Offsets[:x.parts]}
	if x.cfg.Transactional {
		x.store.Pending, x.store.At = n.Txns.Pending[:], n.Txns.OffsetsAt[:x.parts]
	}
	return &x.store
}

// decideGroup lets the coordinator decide a request of a member, which becomes
// Answered or Parked. It is false where the model has no room for what follows.
func (x *Exec) decideGroup(r *cluster.Request, a Args) bool {
	if r.API == model.JoinGroup && r.ID == 0 {
		if r.NewID = x.n.FreshID(x.cfg, int(r.Client)); r.NewID == 0 {
			x.seen.Members = true
			return false
		}
	}
	q := classic.Request{API: r.API, MemberID: r.ID, Generation: r.Generation}
	switch r.API {
	case model.JoinGroup:
		q.Session, q.Protocols, q.Meta, q.OldVersion, q.Fresh = x.cfg.Sessions[r.Client], x.cfg.Protocols[r.Client], r.Meta, x.cfg.OldJoin, r.NewID
	case model.SyncGroup:
		q.Protocol, q.Plan = r.Protocol, x.planOf(r)
	}
	x.sent(r)
	answer, parked := x.open(a).Decide(&q)
	return x.decided(r, &answer, parked)
}

// decideOffsets lets the coordinator decide a request for the group's offsets.
func (x *Exec) decideOffsets(r *cluster.Request) bool {
	s := x.openOffsets()
	q := offsets.Request{API: r.API, MemberID: r.ID, Generation: r.Generation, Offsets: r.Offsets[:x.parts]}
	x.sent(r)
	switch r.API {
	case model.OffsetCommit:
		x.n.Last.Backward = backward(r, s.Committed)
	case model.OffsetFetch: // producers' members ask for stable offsets, and ask again while any is not
		q.Stable, q.Partitions = x.cfg.Transactional, x.n.Clients[r.Client].Unfetched
	}
	answer := classic.Reply{To: r.ID, API: r.API, Err: s.Decide(&q)}
	switch {
	case r.API == model.OffsetCommit && answer.Err == model.None:
		x.n.Last.Committed = committed(r, x.parts)
	case answer.Err == model.UnstableOffsetCommit:
		x.n.Last.Unstable = true
	}
	return x.decided(r, &answer, false)
}

// sent notes which request the step decides.
func (x *Exec) sent(r *cluster.Request) {
	ev := &x.n.Last
	ev.API, ev.Client, ev.ID, ev.Generation, ev.Stale = r.API, r.Client, r.ID, r.Generation, r.Stale
}

// decided notes what a group's request was answered, and follows up on it.
func (x *Exec) decided(r *cluster.Request, answer *classic.Reply, parked bool) bool {
	x.n.Last.Err, x.n.Last.Parked = answer.Err, parked
	x.outcome = outcomeOf(r.API, answer.Err, parked)
	if parked {
		r.Status = cluster.Parked
	} else {
		x.answer(r, answer)
	}
	return x.settle()
}

// backward has the partitions of a commit whose committed offset is larger.
func backward(r *cluster.Request, offsets []model.Offset) model.PartSet {
	var set model.PartSet
	for p, o := range offsets {
		if r.Offsets[p] != model.NoOffset && r.Offsets[p] < o {
			set |= model.Part(p)
		}
	}
	return set
}

func committed(r *cluster.Request, parts int) model.PartSet {
	var set model.PartSet
	for p := range parts {
		if r.Offsets[p] != model.NoOffset {
			set |= model.Part(p)
		}
	}
	return set
}

// planOf turns the owner of each partition into a row a member.
func (x *Exec) planOf(r *cluster.Request) []classic.MemberAssignment {
	plan := x.plan[:0]
next:
	for p := range int(r.Seen) {
		for i := range plan {
			if plan[i].ID == r.Plan[p] {
				plan[i].Parts |= model.Part(p)
				continue next
			}
		}
		if r.Plan[p] != 0 {
			plan = append(plan, classic.MemberAssignment{ID: r.Plan[p], Parts: model.Part(p)})
		}
	}
	return plan
}

// answer writes the coordinator's answer into its request. What the client
// sent matters no longer, but for what it must recognise.
func (x *Exec) answer(r *cluster.Request, a *classic.Reply) {
	r.Status, r.Err, r.Stale = cluster.Answered, a.Err, 0
	switch r.API {
	case model.JoinGroup:
		*r = cluster.Request{API: r.API, Status: cluster.Answered, Client: r.Client, ID: r.ID, Err: a.Err,
			Generation: r.Generation, NewID: a.MemberID, NewGen: a.Generation, Protocol: a.Protocol, Life: x.n.Spent[cluster.Deletions]}
		if a.Err == model.None && a.Leader == a.MemberID {
			x.computePlan(r)
		}
	case model.SyncGroup:
		*r = cluster.Request{API: r.API, Status: cluster.Answered, Client: r.Client, ID: r.ID, Err: a.Err,
			Generation: r.Generation, Assignment: a.Assignment}
	}
}

// computePlan is what a leader does with the members that its answer lists.
// They are those of this very moment, so the plan travels in their place.
func (x *Exec) computePlan(r *cluster.Request) {
	r.Leads, r.Seen = true, uint8(x.n.Partitions(x.cfg))
	if r.Protocol == 0 {
		return
	}
	subs := x.subs[:0]
	for i := range x.n.Members {
		if m := &x.n.Members[i]; m.ID != 0 && !m.Is(classic.Pending) {
			subs = append(subs, classic.Subscriber{ID: m.ID, Topics: m.Meta})
		}
	}
	if x.cfg.AnyOrder {
		x.arrange(subs)
	}
	plan := x.plan[:len(subs)]
	classic.Assign(r.Protocol, subs, x.topics[:r.Seen], plan)
	for p := range int(r.Seen) {
		for _, a := range plan {
			if a.Parts.Has(p) {
				r.Plan[p] = a.ID
			}
		}
	}
}

// settle follows up on what the coordinator did: it keeps the ghost truth, and
// delivers the answers to parked requests. It is false beyond a bound.
func (x *Exec) settle() bool {
	n := x.n
	if x.co.Full {
		x.seen.Members = true
		return false
	}
	if n.Group.Generation > x.cfg.MaxGeneration() {
		x.seen.Generations = true
		return false
	}
	x.noteRemoved()
	if x.co.Completed {
		n.Last.Completed = true
		x.replaceAssignments(0)
	}
	for i := range x.co.Replies {
		x.deliver(&x.co.Replies[i])
	}
	return true
}

// deliver brings the answer to a parked request to the client that awaits it,
// if one does.
func (x *Exec) deliver(a *classic.Reply) {
	cl := &x.n.Clients[cluster.ClientOf(a.To)]
	r := &cl.App
	if r.API != a.API || r.Status != cluster.Parked || r.ID != a.To && r.NewID != a.To {
		return
	}
	x.delivered[outcomeOf(a.API, a.Err, false)]++
	x.answer(r, a)
	if !x.cfg.Travels[r.API] && cl.Process == cluster.Running {
		x.receiveApp(cl)
	}
}

// noteRemoved is ghost: whoever held a member id that the coordinator removed
// has been replaced, and was fenced without a cause if it was healthy and did
// not leave.
func (x *Exec) noteRemoved() {
	for i := range x.s.Members {
		m := &x.s.Members[i]
		if m.ID == 0 {
			break
		}
		if m.ID == x.n.Members[i].ID || m.Is(classic.Pending) || x.co.Find(m.ID) != nil {
			continue
		}
		x.replaceAssignments(m.ID)
		holder := cluster.ClientOf(m.ID)
		if cl := &x.s.Clients[holder]; cl.ID == m.ID && x.healthy(cl) && !x.n.Last.Left(m.ID) {
			x.n.Last.Fenced |= 1 << holder
		}
	}
}

// replaceAssignments is ghost: the assignments of one member, or of all where
// id is 0, are replaced, in clients' hands and in flight.
func (x *Exec) replaceAssignments(id model.MemberID) {
	n := x.n
	for i := range x.cfg.Clients() {
		cl := &n.Clients[i]
		if id != 0 && cl.ID == id || id == 0 && !x.cfg.IsSimple(i) {
			cl.Stale = cl.Owned | cl.Dirty
		}
		replaceInFlight(&cl.App, id, x.parts)
	}
	for i := range n.Late {
		replaceInFlight(&n.Late[i], id, x.parts)
	}
}

func replaceInFlight(r *cluster.Request, id model.MemberID, parts int) {
	if id != 0 && r.ID != id || r.ID == 0 {
		return
	}
	switch {
	case (r.API == model.OffsetCommit || r.API == model.TxnOffsetCommit) && r.Status != cluster.Answered:
		r.Stale = committed(r, parts)
	case r.API == model.SyncGroup && r.Status == cluster.Answered:
		r.Stale = r.Assignment
	}
}

// healthy: the process runs and wants to be a member.
func (x *Exec) healthy(cl *cluster.Client) bool {
	return cl.Process == cluster.Running && cl.Phase != cluster.Outside && cl.Phase != cluster.Failed
}
