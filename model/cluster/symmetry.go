package cluster

import (
	"bytes"
	"slices"

	"fencecheck/model"
	"fencecheck/model/classic"
)

// Symmetry has the permutations of clients, and those of partitions, that no
// rule of a configuration can tell apart: each of the first together with each
// of the second commutes with every step. So do, under AnyOrder, all
// permutations of the ids that one client was given.
type Symmetry struct {
	cfg        *Config
	layout     *Layout
	clients    [][]uint8 // the new number of each, a permutation after another
	partitions [][]uint8
}

// Symmetry finds what a configuration cannot tell apart. Where there is
// nothing, why says so.
//
// Clients are alike if they are configured alike, and producers share a
// transactional id; members, besides, only under
// AnyOrder, since an assignor deals partitions out by the order of members. Ids
// are, too.
// Which partitions are alike the assignors themselves are asked.
func (c *Config) Symmetry() (y *Symmetry, why string) {
	y = &Symmetry{cfg: c, layout: NewLayout(c)}
	g := Identity()
	clients, partitions := g.Clients[:c.Clients()], g.Partitions[:c.AllPartitions()]
	eachOrder(clients, func() {
		if c.alike(clients) {
			y.clients = append(y.clients, slices.Clone(clients))
		}
	})
	eachOrder(partitions, func() {
		if c.exchangeable(&g) {
			y.partitions = append(y.partitions, slices.Clone(partitions))
		}
	})
	if y.Size() > 1 || c.AnyOrder {
		return y, ""
	}
	return nil, "assignors deal partitions out in the order of the members, so members with numbers can be told apart; with any_order: true they are listed in any order"
}

// Size is the number of permutations, the one that changes nothing included, and
// those of ids left out.
func (y *Symmetry) Size() int { return len(y.clients) * len(y.partitions) }

// Each calls visit with every permutation.
func (y *Symmetry) Each(visit func(g *Permutation)) {
	for _, clients := range y.clients {
		for _, partitions := range y.partitions {
			g := Identity()
			copy(g.Clients[:], clients)
			copy(g.Partitions[:], partitions)
			visit(&g)
		}
	}
}

// eachOrder calls visit with the numbers in every order, and leaves them as
// they were. The first call is with the order that they have.
func eachOrder(numbers []uint8, visit func()) {
	if len(numbers) < 2 {
		visit()
		return
	}
	for i := range numbers {
		numbers[0], numbers[i] = numbers[i], numbers[0]
		eachOrder(numbers[1:], visit)
		numbers[0], numbers[i] = numbers[i], numbers[0]
	}
}

// alike tells whether clients that change places are configured alike.
func (c *Config) alike(clients []uint8) bool {
	for i, to := range clients {
		j := int(to)
		if c.IsSimple(i) != c.IsSimple(j) || c.IsWriter(i) != c.IsWriter(j) || c.IDs[i] != c.IDs[j] || c.Protocols[i] != c.Protocols[j] || c.Sessions[i] != c.Sessions[j] ||
			i != j && c.IsMember(i) && !c.AnyOrder {
			return false
		}
	}
	return true
}

// exchangeable tells whether assignors deal the same shares when partitions
// change places, however many members there are: to the same members or, if
// members come in any order, to any. Members that may subscribe to single topics
// tell partitions apart by their topics.
func (c *Config) exchangeable(g *Permutation) bool {
	topics := make([]uint8, c.AllPartitions())
	for p := range topics {
		topics[p] = c.TopicOf(p)
		to := int(g.Partitions[p])
		if to != p && (c.Producing() || c.MayHappen(Subscriptions) || p >= c.Partitions || c.FirstSubscription()>>topics[p]&1 != c.FirstSubscription()>>c.TopicOf(to)&1) {
			return false
		}
	}
	for protocol := model.Protocol(1); protocol <= model.MaxProtocol; protocol++ {
		for seen := c.Partitions; seen <= len(topics); seen++ {
			for n := 1; n <= MaxMembers; n++ {
				if c.offers(protocol) && !c.sharesKept(g, protocol, topics[:seen], n) {
					return false
				}
			}
		}
	}
	return true
}

func (c *Config) offers(p model.Protocol) bool {
	return slices.ContainsFunc(c.Protocols[:c.Members], func(l model.Protocols) bool { return l.Has(p) })
}

func (c *Config) sharesKept(g *Permutation, protocol model.Protocol, topics []uint8, members int) bool {
	subs, plan := make([]classic.Subscriber, members), make([]classic.MemberAssignment, members)
	for i := range subs {
		subs[i] = classic.Subscriber{ID: model.MemberID(i + 1), Topics: c.FirstSubscription()}
	}
	classic.Assign(protocol, subs, topics, plan)
	var shares, moved []model.PartSet
	for _, a := range plan {
		shares, moved = append(shares, a.Parts), append(moved, g.Parts(a.Parts))
	}
	if c.AnyOrder {
		slices.Sort(shares)
		slices.Sort(moved)
	}
	return slices.Equal(shares, moved)
}

// A Canon brings states to a canonical form: of the states that a symmetry
// makes of one, that with the first encoding among those whose clients and
// partitions are sorted by what can be seen of them without their numbers. Before
// that ids get the numbers that lives gives them, which is no canonical form where a
// client has left several ids behind, but cheap. Each goroutine needs its own.
type Canon struct {
	y           *Symmetry
	trial, best State
	code, least []byte
}

// NewCanon prepares a Canon.
func (y *Symmetry) NewCanon() *Canon { return &Canon{y: y} }

// Canonize replaces s by its canonical form.
func (k *Canon) Canonize(s *State) {
	g, only := Identity(), Identity()
	if k.y.cfg.AnyOrder && s.lives(k.y.cfg, &g.Lives) {
		s.Permute(&g, &k.trial)
		*s, g.Lives = k.trial, only.Lives
	}
	var firstClients [MaxClients]uint64
	var firstPartitions [MaxPartitions]uint64
	clients, partitions := k.y.looks(s)
	first(k.y.clients, clients[:], firstClients[:])
	first(k.y.partitions, partitions[:], firstPartitions[:])
	found := 0
	for _, c := range k.y.clients {
		if !arranges(c, clients[:], firstClients[:]) {
			continue
		}
		copy(g.Clients[:], c)
		for _, p := range k.y.partitions {
			if !arranges(p, partitions[:], firstPartitions[:]) {
				continue
			}
			copy(g.Partitions[:], p)
			switch found++; found {
			case 1:
				only = g
			case 2:
				k.try(s, &only, true)
				k.try(s, &g, false)
			default:
				k.try(s, &g, false)
			}
		}
	}
	switch {
	case found > 1:
		*s = k.best
	case only != Identity():
		s.Permute(&only, &k.best)
		*s = k.best
	}
}

// try keeps what a permutation makes of s, if it is the first one or comes before
// what is kept.
func (k *Canon) try(s *State, g *Permutation, first bool) {
	s.Permute(g, &k.trial)
	k.code = k.y.layout.Append(k.code[:0], &k.trial)
	if first || bytes.Compare(k.code, k.least) < 0 {
		k.best, k.least, k.code = k.trial, k.code, k.least
	}
}

// first arranges looks as that of the permutations does which comes first in order.
func first(permutations [][]uint8, looks, least []uint64) {
	var arranged [max(MaxClients, MaxPartitions)]uint64
	for n, to := range permutations {
		for i, j := range to {
			arranged[j] = looks[i]
		}
		if n == 0 || slices.Compare(arranged[:len(to)], least[:len(to)]) < 0 {
			copy(least, arranged[:len(to)])
		}
	}
}

// arranges tells whether a permutation arranges looks in a certain way.
func arranges(to []uint8, looks, wanted []uint64) bool {
	for i, j := range to {
		if wanted[j] != looks[i] {
			return false
		}
	}
	return true
}

// looks has for each client, and for each partition, a number that does not
// change when clients and partitions change their numbers, nor with the absolute
// values of generations. The more it tells apart, the fewer permutations must be
// tried.
func (y *Symmetry) looks(s *State) (clients [MaxClients]uint64, partitions [MaxPartitions]uint64) {
	n, parts := y.cfg.Clients(), y.cfg.AllPartitions()
	var held [MaxClients]model.PartSet
	for i := range s.Members {
		m := &s.Members[i]
		if m.ID == 0 {
			break
		}
		of := ClientOf(m.ID)
		held[of] |= m.Assignment
		clients[of] += mix(uint64(m.Flags)<<8 | uint64(LifeOf(m.ID))<<4 | uint64(bit(m.ID == s.Group.Leader)<<0))
	}
	for i := range s.Late {
		if r := &s.Late[i]; r.API != model.NoAPI {
			clients[r.Client] += mix(1<<32 | uint64(r.API))
		}
	}
	for p := range parts {
		partitions[p] = mix(uint64(uint16(s.Offsets[p]))<<16 | uint64(s.Ghost.Done[p])<<8 | uint64(s.Ghost.Twice[p]))
	}
	for i := range n {
		cl := &s.Clients[i]
		look := clients[i] + mix(cl.look(s.Group.Generation))
		for p := range parts {
			look += mix(partitions[p] ^ cl.hold(p, held[i]))
		}
		clients[i] = mix(look)
	}
	for p := range parts {
		for i := range n {
			partitions[p] += mix(clients[i] ^ s.Clients[i].hold(p, held[i]))
		}
	}
	return clients, partitions
}

// look is what a client looks like, its partitions aside.
func (cl *Client) look(current model.Generation) uint64 {
	return mix(cl.Producer.look()) ^ (uint64(cl.Process) | uint64(cl.Phase)<<2 | uint64(bit(cl.Rejoin)<<5|bit(cl.Leads)<<6|bit(cl.Revoked)<<7) |
		uint64(bit(cl.Generation == current)<<0|bit(cl.Generation < 0)<<1|bit(cl.App.Generation == cl.Generation)<<2|bit(cl.BeatFirst)<<3)<<8 |
		uint64(cl.App.API)<<16 | uint64(cl.App.Status)<<20 | uint64(cl.App.Err)<<24 |
		uint64(cl.Beat.API)<<32 | uint64(cl.Beat.Status)<<36 | uint64(cl.Beat.Err)<<40 | uint64(cl.Topics)<<48)
}

// look is what a producer looks like.
func (p *Producer) look() uint64 {
	return uint64(p.Phase) | uint64(p.PID)<<4 | uint64(uint16(p.Epoch))<<8 | uint64(p.Begun)<<24 | uint64(p.Added)<<32 | uint64(p.Written)<<40 | uint64(p.Sending)<<48 |
		uint64(bit(p.Renew)<<0|bit(p.Failing)<<1|bit(p.Replaced)<<2|bit(p.Overdue)<<3|bit(p.Succeeded)<<4)<<56
}

// hold is what a client has to do with a partition.
func (cl *Client) hold(p int, assigned model.PartSet) uint64 {
	in := func(set model.PartSet) uint64 { return uint64(set >> p & 1) }
	return in(cl.Owned) | in(cl.Unfetched)<<1 | in(cl.Dirty)<<2 | in(cl.Stale)<<3 | in(cl.Hand)<<4 | in(cl.Cleared)<<5 |
		in(cl.App.Assignment)<<6 | in(assigned)<<7 | uint64(uint8(cl.Position[p]))<<8 | uint64(uint8(cl.App.Offsets[p]))<<16 |
		plannedFor(cl.Plan[p], cl.ID)<<24 | plannedFor(cl.App.Plan[p], cl.ID)<<26
}

// plannedFor tells nobody, oneself and others apart.
func plannedFor(owner, self model.MemberID) uint64 {
	switch owner {
	case 0:
		return 0
	case self:
		return 1
	}
	return 2
}

// mix scatters the bits of a number (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
