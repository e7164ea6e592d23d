package model

// A Permutation gives every client, every partition, and every id of a client a
// new number.
type Permutation struct {
	Clients    [MaxClients]uint8
	Partitions [MaxPartitions]uint8
	Lives      [MaxClients][maxLives]uint8 // by the old number of the client
}

// Identity leaves every number as it is.
func Identity() (g Permutation) {
	for i := range g.Clients {
		g.Clients[i] = uint8(i)
	}
	for p := range g.Partitions {
		g.Partitions[p] = uint8(p)
	}
	for i := range g.Lives {
		for j := range g.Lives[i] {
			g.Lives[i][j] = uint8(j)
		}
	}
	return g
}

// ID is the member id in the place of another.
func (g *Permutation) ID(id MemberID) MemberID {
	if id == 0 {
		return 0
	}
	return NewMemberID(int(g.Clients[ClientOf(id)]), int(g.Lives[ClientOf(id)][LifeOf(id)]))
}

// Work is the transaction in the place of another.
func (g *Permutation) Work(w WorkID) WorkID {
	if w == 0 {
		return 0
	}
	return NewWorkID(int(g.Clients[WorkClient(w)]), int(w-1)%MaxWorks)
}

// Parts is the set in the place of another.
func (g *Permutation) Parts(set PartSet) (moved PartSet) {
	if set == 0 {
		return 0
	}
	for p, to := range g.Partitions {
		moved |= set >> p & 1 << to
	}
	return moved
}

// Permute writes to t the state s with its numbers exchanged. Sorted parts are
// sorted again.
func (s *State) Permute(g *Permutation, t *State) {
	*t = State{Group: s.Group, Spent: s.Spent}
	t.Group.Leader = g.ID(s.Group.Leader)
	for i := range s.Members {
		m := s.Members[i]
		if m.ID == 0 {
			break
		}
		m.ID, m.Assignment = g.ID(m.ID), g.Parts(m.Assignment)
		for ; i > 0 && t.Members[i-1].ID > m.ID; i-- {
			t.Members[i] = t.Members[i-1]
		}
		t.Members[i] = m
	}
	for p, to := range g.Partitions {
		t.Offsets[to] = s.Offsets[p]
		t.Ghost.Done[to], t.Ghost.Twice[to] = s.Ghost.Done[p], s.Ghost.Twice[p]
	}
	for i, to := range g.Clients {
		s.Clients[i].permute(g, &t.Clients[to])
	}
	for i := range s.Late {
		if s.Late[i].API != NoAPI {
			r := s.Late[i]
			s.Late[i].permute(g, &r)
			t.AddLate(r)
		}
	}
	s.Txns.permute(g, &t.Txns)
	t.Last = s.Last
	t.Last.permute(g)
}

// permute changes what is the clients' only: partitions keep their numbers where
// there are transactions that name them.
func (t *TransactionSide) permute(g *Permutation, to *TransactionSide) {
	*to = *t
	for i, j := range g.Clients {
		to.Works[j] = t.Works[i]
	}
	for p := range to.Logs {
		for i := range to.Logs[p].Log {
			e := &to.Logs[p].Log[i]
			e.Work = g.Work(e.Work)
		}
	}
}

func (cl *Client) permute(g *Permutation, to *Client) {
	*to = *cl
	to.ID, to.MetaID, to.Producer.Work = g.ID(cl.ID), g.ID(cl.MetaID), g.Work(cl.Producer.Work)
	to.Owned, to.Unfetched, to.Dirty = g.Parts(cl.Owned), g.Parts(cl.Unfetched), g.Parts(cl.Dirty)
	to.Hand, to.Cleared, to.Stale = g.Parts(cl.Hand), g.Parts(cl.Cleared), g.Parts(cl.Stale)
	for p, q := range g.Partitions {
		to.Plan[q], to.Position[q] = g.ID(cl.Plan[p]), cl.Position[p]
	}
	if cl.App.API != NoAPI {
		cl.App.permute(g, &to.App)
	}
	if cl.Beat.API != NoAPI {
		cl.Beat.permute(g, &to.Beat)
	}
}

// permute expects that *to is a copy of *r.
func (r *Request) permute(g *Permutation, to *Request) {
	if r.API != WriteTxnMarkers { // no client's
		to.Client, to.Work = g.Clients[r.Client], g.Work(r.Work)
	}
	to.ID, to.NewID = g.ID(r.ID), g.ID(r.NewID)
	to.Assignment, to.Stale = g.Parts(r.Assignment), g.Parts(r.Stale)
	for p, q := range g.Partitions {
		to.Plan[q], to.Offsets[q] = g.ID(r.Plan[p]), r.Offsets[p]
	}
}

func (e *Event) permute(g *Permutation) {
	if e.API != NoAPI && !APIs[e.API].Admin {
		e.Client, e.ID = g.Clients[e.Client], g.ID(e.ID)
	}
	e.Stale, e.Backward, e.Committed = g.Parts(e.Stale), g.Parts(e.Backward), g.Parts(e.Committed)
	if fenced := e.Fenced; fenced != 0 {
		e.Fenced = 0
		for i, to := range g.Clients {
			e.Fenced |= fenced >> i & 1 << to
		}
	}
}
