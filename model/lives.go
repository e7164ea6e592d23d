package model

import "math/bits"

// lives gives the ids of each client new numbers: first those that the client
// itself goes by, then those that it left behind, in the order that they have. It
// tells whether any of them changes. Ids are random, so that none is more than a name.
func (s *State) lives(c *Config, to *[MaxClients][maxLives]uint8) (changed bool) {
	var names known
	for i := range s.Members {
		names.add(s.Members[i].ID)
	}
	for i := range s.Late {
		names.request(&s.Late[i])
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		names.add(cl.ID)
		names.plan(&cl.Plan)
		names.request(&cl.App)
		names.request(&cl.Beat)
	}
	for i := range c.Clients() {
		next := uint8(0)
		give := func(id MemberID) {
			if !names.take(i, id) {
				return
			}
			to[i][LifeOf(id)] = next
			changed = changed || next != uint8(LifeOf(id))
			next++
		}
		cl := &s.Clients[i]
		for _, id := range [...]MemberID{cl.ID, cl.App.NewID, cl.App.ID, cl.Beat.ID} {
			give(id)
		}
		for names[i] != 0 {
			give(NewMemberID(i, bits.TrailingZeros8(names[i])))
		}
	}
	return changed
}

// known has the ids that a state mentions: by client, a bit a life.
type known [MaxClients]uint8

func (k *known) add(id MemberID) {
	if id != 0 {
		k[ClientOf(id)] |= 1 << LifeOf(id)
	}
}

func (k *known) plan(owners *[MaxPartitions]MemberID) {
	for _, id := range owners {
		k.add(id)
	}
}

func (k *known) request(r *Request) {
	if r.API != NoAPI {
		k.add(r.ID)
		k.add(r.NewID)
		k.plan(&r.Plan)
	}
}

// take removes an id of a client, and tells whether it was there.
func (k *known) take(client int, id MemberID) bool {
	if id == 0 || ClientOf(id) != client || k[client]>>LifeOf(id)&1 == 0 {
		return false
	}
	k[client] &^= 1 << LifeOf(id)
	return true
}
