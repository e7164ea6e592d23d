package cluster

import (
	"math/bits"

	"fencecheck/model"
)

// lives gives the ids of each client new numbers: first those that the client
// itself goes by, then those that it left behind, in the order that they have. It
// tells whether any of them changes. Ids are random, so that none is more than a name.
func (s *State) lives(c *Config, to *[MaxClients][maxLives]uint8) (changed bool) {
	var names known
	names.collect(s, c)
	for i := range c.Clients() {
		next := uint8(0)
		give := func(id model.MemberID) {
			if !names.take(i, id) {
				return
			}
			to[i][LifeOf(id)] = next
			changed = changed || next != uint8(LifeOf(id))
			next++
		}
		cl := &s.Clients[i]
		for _, id := range [...]model.MemberID{cl.ID, cl.App.NewID, cl.App.ID, cl.Beat.ID} {
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

func (k *known) add(id model.MemberID) {
	if id != 0 {
		k[ClientOf(id)] |= 1 << LifeOf(id)
	}
}

// collect adds the ids of s.
func (k *known) collect(s *State, c *Config) {
	namesGroup(k, &s.Group)
	for i := range s.Members {
		namesMember(k, &s.Members[i])
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		namesClientState(k, &cl.ClientState)
		k.request(&cl.App)
		k.request(&cl.Beat)
	}
	for i := range s.Late {
		k.request(&s.Late[i])
	}
}

func (k *known) request(r *Request) {
	if r.API != model.NoAPI {
		namesRequest(k, r)
	}
}

// take removes an id of a client, and tells whether it was there.
func (k *known) take(client int, id model.MemberID) bool {
	if id == 0 || ClientOf(id) != client || k[client]>>LifeOf(id)&1 == 0 {
		return false
	}
	k[client] &^= 1 << LifeOf(id)
	return true
}

// FreshID is the first id of a client that nothing in the state refers to:
// Kafka's ids are random and never come back, and one that nobody knows any
// more cannot be told from a new one. It is 0 if all are in use.
func (s *State) FreshID(c *Config, client int) model.MemberID {
	var names known
	names.collect(s, c)
	if life := bits.TrailingZeros8(^names[client]); life < maxLives {
		return NewMemberID(client, life)
	}
	return 0
}
