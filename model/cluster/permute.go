package cluster

import "fencecheck/model"

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
func (g *Permutation) ID(id model.MemberID) model.MemberID {
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
func (g *Permutation) Parts(set model.PartSet) (moved model.PartSet) {
	if set == 0 {
		return 0
	}
	for p, to := range g.Partitions {
		moved |= set >> p & 1 << to
	}
	return moved
}

// set is a set of clients, a bit each, in the place of another.
func (g *Permutation) set(clients uint8) (moved uint8) {
	for i, to := range g.Clients {
		moved |= clients >> i & 1 << to
	}
	return moved
}

// Permute writes to t the state s with its numbers exchanged. Sorted parts are
// sorted again.
func (s *State) Permute(g *Permutation, t *State) {
	*t = State{Group: s.Group, Spent: s.Spent, Last: s.Last}
	renumberGroup(g, &s.Group, &t.Group)
	for i := range s.Members {
		m := s.Members[i]
		if m.ID == 0 {
			break
		}
		renumberMember(g, &s.Members[i], &m)
		for ; i > 0 && t.Members[i-1].ID > m.ID; i-- {
			t.Members[i] = t.Members[i-1]
		}
		t.Members[i] = m
	}
	renumberState(g, s, t)
	for i, to := range g.Clients {
		s.Clients[i].permute(g, &t.Clients[to])
	}
	for i := range s.Late {
		if s.Late[i].API != model.NoAPI {
			r := s.Late[i]
			s.Late[i].permute(g, &r)
			t.AddLate(r)
		}
	}
	s.Txns.permute(g, &t.Txns)
	s.Last.permute(g, &t.Last)
}

// permute changes what is the clients' only: partitions keep their numbers where
// there are transactions that name them.
func (t *TransactionSide) permute(g *Permutation, to *TransactionSide) {
	*to = *t
	for i, j := range g.Clients {
		to.Works[j] = t.Works[i]
	}
	only := *g
	only.Partitions = Identity().Partitions
	for p := range t.Logs {
		for i := range t.Logs[p].Log {
			renumberEntry(&only, &t.Logs[p].Log[i], &to.Logs[p].Log[i])
		}
	}
}

func (cl *Client) permute(g *Permutation, to *Client) {
	*to = *cl
	renumberClientState(g, &cl.ClientState, &to.ClientState)
	renumberProducer(g, &cl.Producer, &to.Producer)
	cl.App.permute(g, &to.App)
	cl.Beat.permute(g, &to.Beat)
}

// permute expects that *to is a copy of *r.
func (r *Request) permute(g *Permutation, to *Request) {
	if r.API == model.NoAPI {
		return
	}
	renumberRequest(g, r, to)
	if r.API == model.WriteTxnMarkers { // no client's
		to.Client, to.Work = r.Client, r.Work
	}
}

func (e *Event) permute(g *Permutation, to *Event) {
	renumberEvent(g, e, to)
	if e.API == model.NoAPI || model.APIs[e.API].Admin { // no client's
		to.Client, to.ID = e.Client, e.ID
	}
}
