package model

// The encoding of a state is a byte for nearly every field that can matter
// under the configuration, so that equal states have equal encodings and a
// frontier of millions fits in memory. Numbers that may be -1 are kept plus
// one; MaxGeneration and MaxRecords keep them below 256.

// Append writes the encoding of s behind dst. What the last step did is left
// out.
func (s *State) Append(dst []byte, c *Config) []byte {
	var r ranks
	if c.Ranks {
		r.collect(s, c)
	}
	dst = s.appendGroup(dst, &r)
	for p := range c.AllPartitions() {
		dst = append(dst, byte(s.Offsets[p]+1), s.Ghost.Done[p], s.Ghost.Twice[p])
	}
	for i := range c.Clients() {
		dst = s.Clients[i].append(dst, c, &r)
	}
	if c.MayHappen(LateRequests) {
		for i := range s.Late {
			dst = s.Late[i].append(dst, c, &r)
		}
	}
	for b, most := range c.Budgets {
		if most > 0 && !c.Unbounded[b] {
			dst = append(dst, s.Spent[b])
		}
	}
	if c.Producing() {
		dst = s.appendTransactions(dst, c)
	}
	return dst
}

// Decode is the inverse of Append; it fills what CopyFrom copies.
func (s *State) Decode(src []byte, c *Config) {
	s.Group, s.Members, s.Spent, s.Ghost, s.Last = Group{}, [MaxMembers]Member{}, [NumBudgets]uint8{}, Ghost{}, Event{}
	clear(s.Clients[:c.Clients()])
	if c.MayHappen(LateRequests) {
		s.Late = [MaxLate]Request{}
	}
	if c.Producing() {
		s.Txns = TransactionSide{}
	}
	src = s.decodeGroup(src)
	for p := range s.Offsets {
		s.Offsets[p] = NoOffset
	}
	for p := range c.AllPartitions() {
		s.Offsets[p] = Offset(src[0]) - 1
		s.Ghost.Done[p], s.Ghost.Twice[p] = src[1], src[2]
		src = src[3:]
	}
	for i := range c.Clients() {
		src = s.Clients[i].decode(src, c)
	}
	if c.MayHappen(LateRequests) {
		for i := range s.Late {
			src = s.Late[i].decode(src, c)
		}
	}
	for b, most := range c.Budgets {
		if most > 0 && !c.Unbounded[b] {
			s.Spent[b] = src[0]
			src = src[1:]
		}
	}
	if c.Producing() {
		s.decodeTransactions(src, c)
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
		s.Members[i] = Member{ID: MemberID(src[0]), Flags: MemberFlags(src[1]), Protocols: Protocols(src[2]), Meta: Meta(src[3] & 15), Assignment: PartSet(src[3] >> 4)}
		src = src[4:]
	}
	return src
}

func (cl *Client) append(dst []byte, c *Config, r *ranks) []byte {
	dst = append(dst, byte(cl.Process)|byte(cl.Phase)<<2|bit(cl.Rejoin, 5)|bit(cl.Leads, 6)|bit(cl.Revoked, 7),
		byte(cl.ID), byte(r.of(cl.Generation)+1), byte(cl.Protocol)|byte(cl.Topics)<<4,
		byte(cl.Owned)|byte(cl.Unfetched)<<4, byte(cl.Dirty)|byte(cl.Stale)<<4,
		byte(cl.Hand)|byte(cl.Cleared)<<4, cl.Seen|cl.Life<<4|bit(cl.BeatFirst, 7))
	for p := range c.AllPartitions() {
		dst = append(dst, byte(cl.Position[p]+1), byte(cl.Plan[p]))
	}
	dst = cl.App.append(dst, c, r)
	return cl.Beat.append(dst, c, r)
}

func (cl *Client) decode(src []byte, c *Config) []byte {
	b := src[0]
	cl.Process, cl.Phase, cl.Rejoin, cl.Leads, cl.Revoked = Process(b&3), Phase(b>>2&7), has(b, 5), has(b, 6), has(b, 7)
	cl.ID, cl.Generation = MemberID(src[1]), Generation(src[2])-1
	cl.Protocol, cl.Topics = Protocol(src[3]&15), Meta(src[3]>>4)
	cl.Owned, cl.Unfetched = PartSet(src[4]&15), PartSet(src[4]>>4)
	cl.Dirty, cl.Stale = PartSet(src[5]&15), PartSet(src[5]>>4)
	cl.Hand, cl.Cleared = PartSet(src[6]&15), PartSet(src[6]>>4)
	cl.Seen, cl.Life, cl.BeatFirst = src[7]&15, src[7]>>4&7, has(src[7], 7)
	src = src[8:]
	for p := range c.AllPartitions() {
		cl.Position[p], cl.Plan[p] = Offset(src[0])-1, MemberID(src[1])
		src = src[2:]
	}
	src = cl.App.decode(src, c)
	return cl.Beat.decode(src, c)
}

// append writes a request: one byte where there is none.
func (r *Request) append(dst []byte, c *Config, rank *ranks) []byte {
	if r.API == NoAPI {
		return append(dst, 0)
	}
	dst = append(dst, byte(r.API)|byte(r.Status)<<4|bit(r.Leads, 7), r.Client, byte(r.ID), byte(rank.of(r.Generation)+1),
		byte(r.Err), byte(r.Protocol)|byte(r.Meta)<<4, byte(r.NewID), byte(rank.of(r.NewGen)+1),
		byte(r.Assignment)|byte(r.Stale)<<4, r.Seen|r.Life<<4)
	for p := range c.AllPartitions() {
		dst = append(dst, byte(r.Offsets[p]+1), byte(r.Plan[p]))
	}
	if r.API >= InitProducerID {
		dst = append(dst, byte(r.PID)|byte(r.NewPID)<<4, byte(r.Epoch), byte(r.NewEpoch), r.Log|bit(r.Commit, 2)|bit(r.Plain, 3)|r.Guard<<4,
			byte(r.Sequence), r.Value, byte(r.Elected), byte(r.Work))
	}
	return dst
}

func (r *Request) decode(src []byte, c *Config) []byte {
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
	for p := range c.AllPartitions() {
		r.Offsets[p], r.Plan[p] = Offset(src[0])-1, MemberID(src[1])
		src = src[2:]
	}
	if r.API >= InitProducerID {
		r.PID, r.NewPID, r.Epoch, r.NewEpoch = ProducerID(src[0]&15), ProducerID(src[0]>>4), Epoch(int8(src[1])), Epoch(int8(src[2]))
		r.Log, r.Commit, r.Plain, r.Guard = src[3]&3, has(src[3], 2), has(src[3], 3), src[3]>>4
		r.Sequence, r.Value, r.Elected, r.Work = int8(src[4]), src[5], int16(src[6]), WorkID(src[7])
		src = src[8:]
	}
	return src
}

func bit(b bool, n uint) byte {
	if b {
		return 1 << n
	}
	return 0
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
