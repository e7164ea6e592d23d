package model

// The encoding of a state is a byte for nearly every field that can matter
// under the configuration, so that equal states have equal encodings and a
// frontier of millions fits in memory. Numbers that may be -1 are kept plus
// one; MaxGeneration and MaxRecords keep them below 256.

// A Layout is what of a State can differ from zero under a configuration, which
// must not change. Whatever it does leaves the rest alone: that must be zero, and
// stays so.
type Layout struct {
	cfg        *Config
	clients    int
	partitions int
	spent      []Budget // those that are counted
	late       bool
	producing  bool
}

// NewLayout prepares the layout of a configuration.
func NewLayout(c *Config) *Layout {
	l := &Layout{cfg: c, clients: c.Clients(), partitions: c.AllPartitions(), late: c.MayHappen(LateRequests), producing: c.Producing()}
	for b, most := range c.Budgets {
		if most > 0 && !c.Unbounded[b] {
			l.spent = append(l.spent, Budget(b))
		}
	}
	return l
}

// Copy makes one state equal to another, but for what the last step did.
func (l *Layout) Copy(to, from *State) {
	to.Group = from.Group // one by one, since assigned together they would be copied twice
	to.Members = from.Members
	to.Offsets = from.Offsets
	to.Spent = from.Spent
	to.Ghost = from.Ghost
	for i := range to.Clients[:l.clients] {
		a, b := &to.Clients[i], &from.Clients[i]
		a.ClientState = b.ClientState
		a.App.become(&b.App)
		a.Beat.become(&b.Beat)
	}
	if l.late {
		to.Late = from.Late
	}
	if l.producing {
		to.Txns = from.Txns
	}
}

// become copies a request, or that there is none.
func (r *Request) become(o *Request) {
	if r.API|o.API != NoAPI {
		*r = *o
	}
}

// Append writes the encoding of s behind dst. What the last step did is left
// out.
func (l *Layout) Append(dst []byte, s *State) []byte {
	var r ranks
	if l.cfg.Ranks {
		r.collect(s, l.cfg)
	}
	dst = s.appendGroup(dst, &r)
	for p := range s.Offsets[:l.partitions] {
		dst = append(dst, byte(s.Offsets[p]+1), s.Ghost.Done[p], s.Ghost.Twice[p])
	}
	for i := range s.Clients[:l.clients] {
		dst = s.Clients[i].append(dst, l.partitions, &r)
	}
	if l.late {
		for i := range s.Late {
			dst = s.Late[i].append(dst, l.partitions, &r)
		}
	}
	for _, b := range l.spent {
		dst = append(dst, s.Spent[b])
	}
	if l.producing {
		dst = s.appendTransactions(dst, l.cfg)
	}
	return dst
}

// Decode is the inverse of Append.
func (l *Layout) Decode(src []byte, s *State) {
	s.Spent = [NumBudgets]uint8{}
	s.Ghost = Ghost{}
	s.Last = Event{}
	src = s.decodeGroup(src)
	for p := range s.Offsets {
		s.Offsets[p] = NoOffset
	}
	for p := range s.Offsets[:l.partitions] {
		s.Offsets[p] = Offset(src[0]) - 1
		s.Ghost.Done[p], s.Ghost.Twice[p] = src[1], src[2]
		src = src[3:]
	}
	for i := range s.Clients[:l.clients] {
		src = s.Clients[i].decode(src, l.partitions)
	}
	if l.late {
		for i := range s.Late {
			src = s.Late[i].decode(src, l.partitions)
		}
	}
	for _, b := range l.spent {
		s.Spent[b] = src[0]
		src = src[1:]
	}
	if l.producing {
		s.Txns = TransactionSide{}
		s.decodeTransactions(src, l.cfg)
	}
}

func (s *State) appendGroup(dst []byte, r *ranks) []byte {
	g := &s.Group
	n := 0
	for n < MaxMembers && s.Members[n].ID != 0 {
		n++
	}
	dst = append(dst, byte(g.State)|byte(n)<<4, byte(r.of(g.Generation)), byte(g.Leader),
		byte(g.Protocol)|bit(g.Typed, 4)|bit(g.InitialDelay, 5)|bit(g.NewMemberAdded, 6), g.DelaysLeft)
	for i := range n {
		m := &s.Members[i]
		dst = append(dst, byte(m.ID), byte(m.Flags), byte(m.Protocols), byte(m.Meta)|byte(m.Assignment)<<4)
	}
	return dst
}

func (s *State) decodeGroup(src []byte) []byte {
	g := &s.Group
	n := int(src[0] >> 4)
	g.State, g.Generation, g.Leader = GroupState(src[0]&15), Generation(src[1]), MemberID(src[2])
	g.Protocol, g.Typed, g.InitialDelay, g.NewMemberAdded = Protocol(src[3]&15), has(src[3], 4), has(src[3], 5), has(src[3], 6)
	g.DelaysLeft = src[4]
	src = src[5:]
	for i := range n {
		m := &s.Members[i]
		m.ID, m.Flags, m.Protocols, m.Meta, m.Assignment = MemberID(src[0]), MemberFlags(src[1]), Protocols(src[2]), Meta(src[3]&15), PartSet(src[3]>>4)
		src = src[4:]
	}
	for i := n; i < MaxMembers && s.Members[i].ID != 0; i++ {
		s.Members[i] = Member{}
	}
	return src
}

func (cl *Client) append(dst []byte, partitions int, r *ranks) []byte {
	dst = append(dst, byte(cl.Process)|byte(cl.Phase)<<2|bit(cl.Rejoin, 5)|bit(cl.Leads, 6)|bit(cl.Revoked, 7),
		byte(cl.ID), byte(r.of(cl.Generation)+1), byte(cl.Protocol)|byte(cl.Topics)<<4,
		byte(cl.Owned)|byte(cl.Unfetched)<<4, byte(cl.Dirty)|byte(cl.Stale)<<4,
		byte(cl.Hand)|byte(cl.Cleared)<<4, cl.Seen|cl.Life<<4|bit(cl.BeatFirst, 7))
	for p, at := range cl.Position[:partitions] {
		dst = append(dst, byte(at+1), byte(cl.Plan[p]))
	}
	if cl.App.API|cl.Beat.API == NoAPI {
		return append(dst, 0, 0)
	}
	dst = cl.App.append(dst, partitions, r)
	return cl.Beat.append(dst, partitions, r)
}

func (cl *Client) decode(src []byte, partitions int) []byte {
	cl.ClientState = ClientState{}
	b := src[0]
	cl.Process, cl.Phase, cl.Rejoin, cl.Leads, cl.Revoked = Process(b&3), Phase(b>>2&7), has(b, 5), has(b, 6), has(b, 7)
	cl.ID, cl.Generation = MemberID(src[1]), Generation(src[2])-1
	cl.Protocol, cl.Topics = Protocol(src[3]&15), Meta(src[3]>>4)
	cl.Owned, cl.Unfetched = PartSet(src[4]&15), PartSet(src[4]>>4)
	cl.Dirty, cl.Stale = PartSet(src[5]&15), PartSet(src[5]>>4)
	cl.Hand, cl.Cleared = PartSet(src[6]&15), PartSet(src[6]>>4)
	cl.Seen, cl.Life, cl.BeatFirst = src[7]&15, src[7]>>4&7, has(src[7], 7)
	src = src[8:]
	for p := range cl.Position[:partitions] {
		cl.Position[p], cl.Plan[p] = Offset(src[0])-1, MemberID(src[1])
		src = src[2:]
	}
	if src[0]|src[1]|byte(cl.App.API|cl.Beat.API) == 0 { // there is no request, and was none before
		return src[2:]
	}
	src = cl.App.decode(src, partitions)
	return cl.Beat.decode(src, partitions)
}

// append writes a request: one byte where there is none.
func (r *Request) append(dst []byte, partitions int, rank *ranks) []byte {
	if r.API == NoAPI {
		return append(dst, 0)
	}
	dst = append(dst, byte(r.API)|byte(r.Status)<<4|bit(r.Leads, 7), r.Client, byte(r.ID), byte(rank.of(r.Generation)+1),
		byte(r.Err), byte(r.Protocol)|byte(r.Meta)<<4, byte(r.NewID), byte(rank.of(r.NewGen)+1),
		byte(r.Assignment)|byte(r.Stale)<<4, r.Seen|r.Life<<4)
	for p := range r.Offsets[:partitions] {
		dst = append(dst, byte(r.Offsets[p]+1), byte(r.Plan[p]))
	}
	if r.API.Part() == TransactionsPart {
		dst = append(dst, byte(r.PID)|byte(r.NewPID)<<4, byte(r.Epoch), byte(r.NewEpoch), r.Log|bit(r.Commit, 2)|bit(r.Plain, 3)|r.Guard<<4,
			byte(r.Sequence), r.Value, byte(r.Elected), byte(r.Work))
	}
	return dst
}

func (r *Request) decode(src []byte, partitions int) []byte {
	if r.API != NoAPI {
		*r = Request{}
	}
	if src[0] == 0 {
		return src[1:]
	}
	r.API, r.Status, r.Leads = API(src[0]&15), Status(src[0]>>4&7), has(src[0], 7)
	r.Client, r.ID, r.Generation = src[1], MemberID(src[2]), Generation(src[3])-1
	r.Err, r.Protocol, r.Meta = Error(int8(src[4])), Protocol(src[5]&15), Meta(src[5]>>4)
	r.NewID, r.NewGen = MemberID(src[6]), Generation(src[7])-1
	r.Assignment, r.Stale, r.Seen = PartSet(src[8]&15), PartSet(src[8]>>4), src[9]&15
	r.Life = src[9] >> 4
	src = src[10:]
	for p := range r.Offsets[:partitions] {
		r.Offsets[p], r.Plan[p] = Offset(src[0])-1, MemberID(src[1])
		src = src[2:]
	}
	if r.API.Part() == TransactionsPart {
		r.PID, r.NewPID, r.Epoch, r.NewEpoch = ProducerID(src[0]&15), ProducerID(src[0]>>4), Epoch(int8(src[1])), Epoch(int8(src[2]))
		r.Log, r.Commit, r.Plain, r.Guard = src[3]&3, has(src[3], 2), has(src[3], 3), src[3]>>4
		r.Sequence, r.Value, r.Elected, r.Work = int8(src[4]), src[5], int16(src[6]), WorkID(src[7])
		src = src[8:]
	}
	return src
}

func bit(b bool, n uint) byte {
	var one byte
	if b {
		one = 1
	}
	return one << n
}

func has(b byte, n uint) bool { return b>>n&1 == 1 }

// less orders requests, so that equal bags of them are equal arrays.
func (r *Request) less(o *Request) bool {
	a, b := r.key(), o.key()
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

// key has every field that distinguishes two undecided requests.
func (r *Request) key() (k [7]uint64) {
	k[0] = uint64(r.Client)<<56 | uint64(r.API)<<48 | uint64(r.ID)<<32 | uint64(uint32(r.Generation))
	k[1] = uint64(r.Protocol)<<56 | uint64(r.Seen)<<48 | uint64(r.Meta)<<16
	for p := range r.Offsets {
		k[2] = k[2]<<16 | uint64(uint16(r.Offsets[p]))
		k[3] = k[3]<<16 | uint64(r.Plan[p])
	}
	k[4] = uint64(r.PID)<<48 | uint64(uint16(r.Epoch))<<32 | uint64(uint8(r.Sequence))<<24 | uint64(r.Value)<<16 | uint64(r.Work)<<8 | uint64(r.Guard)<<4 | uint64(r.Log)
	k[5] = uint64(uint16(r.Elected))<<16 | uint64(bit(r.Commit, 0)|bit(r.Plain, 1))<<8 | uint64(r.Status)
	k[6] = uint64(r.Stale) // last: it can change in place, for equal requests together
	return k
}

// AddLate puts a request into the bag of those whose senders gave up; false
// where it has no room.
func (s *State) AddLate(r Request) bool {
	i := MaxLate - 1
	if s.Late[i].API != NoAPI {
		return false
	}
	for i > 0 && (s.Late[i-1].API == NoAPI || r.less(&s.Late[i-1])) {
		s.Late[i] = s.Late[i-1]
		i--
	}
	s.Late[i] = r
	return true
}

// TakeLate removes the request at place i of that bag.
func (s *State) TakeLate(i int) Request {
	r := s.Late[i]
	copy(s.Late[i:], s.Late[i+1:])
	s.Late[MaxLate-1] = Request{}
	return r
}
