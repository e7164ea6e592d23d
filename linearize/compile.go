package linearize

import (
	"maps"
	"slices"
	"strconv"

	"fencecheck/model"
)

// call is a request with its answer in the model's numbers.
type call struct {
	op      int // index into History.Ops
	api     model.API
	unknown bool // no answer that settles the outcome
	member  model.MemberID
	gen     model.Generation
	protos  model.Protocols
	meta    model.Meta
	plan    []model.MemberAssignment
	values  []reading // offsets that are committed, or that a fetch returned
	stable  bool
	fresh   model.MemberID // JoinGroup without id: the id that was made up
	old     bool           // JoinGroup before version 4
	err     model.Error
	answer  joined        // JoinGroup
	parts   model.PartSet // SyncGroup
	parks   bool          // decided in one step, answered in a later one
	seenAt  int           // the event by which a commit without answer was read, 0 for none
}

// reading is the offset of one partition.
type reading struct {
	part  int
	value model.Offset
}

// joined is what a JoinGroup's answer says about a generation.
type joined struct {
	gen      model.Generation
	member   model.MemberID
	leader   model.MemberID   // 0: not told
	protocol model.Protocol   // 0: not told
	members  []model.MemberID // nil: not told; sorted
}

// problem is a component in the model's numbers.
type problem struct {
	h     *History
	words *vocabulary
	told  heard
	calls []call
	gens  map[model.Generation]*generation
	// bare: offsets are left out.
	bare bool
}

// generation is what all answers together say about one generation.
type generation struct {
	leader   model.MemberID   // 0: not told
	protocol model.Protocol   // 0: not told
	members  []model.MemberID // nil: not told
	joiners  []model.MemberID // were told to be in it
	lived    bool             // something was accepted in it
}

// compile translates a component. Requests that change nothing and tell
// nothing are left out: they fit everywhere.
func compile(h *History, c component) *problem { return compileWith(h, c, false) }

// compileMembership leaves offsets out: commits tell who is a member, and store
// nothing.
func compileMembership(h *History, c component) *problem { return compileWith(h, c, true) }

func compileWith(h *History, c component, bare bool) *problem {
	p := &problem{h: h, words: intern(h, c), gens: map[model.Generation]*generation{}, bare: bare}
	p.told = hearsay(h, c)
	for _, i := range c.ops {
		o := &h.Ops[i]
		if o.Local || p.told.silent(o) || bare && p.mute(o) {
			continue
		}
		p.calls = append(p.calls, p.call(i))
	}
	for i := range p.calls {
		p.learn(&p.calls[i])
	}
	return p
}

// heard is what the answers of a component say here and there.
type heard struct {
	values  map[place]int    // the event by which a fetch first returned an offset
	writers map[place]int    // how many commits may have written it
	leaders map[int32]string // leader by generation
}

// place is an offset of a partition.
type place struct {
	tp     string
	offset int64
}

func hearsay(h *History, c component) heard {
	t := heard{values: map[place]int{}, writers: map[place]int{}, leaders: map[int32]string{}}
	for _, i := range c.ops {
		o := &h.Ops[i]
		for tp, v := range o.Out.Offsets {
			if at, known := t.values[place{tp, v}]; !known || o.Ret < at {
				t.values[place{tp, v}] = o.Ret
			}
		}
		for tp, v := range o.In.Offsets {
			if o.open() || o.Outcome == OK {
				t.writers[place{tp, v}]++
			}
		}
		if o.Out.Leader != nil {
			t.leaders[o.Out.Generation] = *o.Out.Leader
		}
	}
	return t
}

// silent tells of requests without answer whose effect nobody can see: reads,
// heartbeats (the timers they reset have no clock here), members' commits of
// values that nobody read, and the SyncGroup of a follower, which only keeps its own session
// alive.
func (t heard) silent(o *Op) bool {
	if !o.open() {
		return false
	}
	switch o.F {
	case fFetch, fHeartbeat:
		return true
	case fSync:
		leader, known := t.leaders[o.In.Generation]
		return known && leader != o.In.Member
	case fCommit:
		return t.unread(o) && o.In.Generation >= 0
	}
	return false
}

// unread tells that nobody read what a commit brought.
func (t heard) unread(o *Op) bool {
	for tp, v := range o.In.Offsets {
		if _, read := t.values[place{tp, v}]; read {
			return false
		}
	}
	return true
}

// readAt is the event by which a commit was certainly applied, because a fetch
// had returned an offset that nobody else wrote; 0 if there is none.
func (t heard) readAt(o *Op) int {
	first := 0
	for tp, v := range o.In.Offsets {
		at, read := t.values[place{tp, v}]
		if read && t.writers[place{tp, v}] == 1 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// mute tells of requests that say nothing about the members of a group: reads,
// and commits of offsets that the producer's side refused.
func (p *problem) mute(o *Op) bool {
	switch o.F {
	case fFetch:
		return true
	case fCommit:
		return o.open() && o.In.Generation >= 0
	case fTxnCommit:
		return !o.open() && o.Outcome == Failed && o.Out.Err != "ILLEGAL_GENERATION" && o.Out.Err != "UNKNOWN_MEMBER_ID"
	}
	return false
}

func (p *problem) call(i int) call {
	o, v := &p.h.Ops[i], p.words
	c := call{op: i, unknown: o.open(), member: v.members[o.In.Member], gen: model.Generation(o.In.Generation)}
	if o.Outcome == Failed && !c.unknown {
		c.err, _ = model.ErrorByName(o.Out.Err)
	}
	switch o.F {
	case fJoin:
		p.joinCall(&c, o)
	case fSync:
		c.api = model.SyncGroup
		c.parts = v.parts(o.Out.Partitions)
		for _, m := range slices.Sorted(maps.Keys(o.In.Assign)) {
			c.plan = append(c.plan, model.MemberAssignment{ID: v.members[m], Parts: v.parts(o.In.Assign[m])})
		}
		c.parks = c.err == model.None || c.err == model.RebalanceInProgress
	case fHeartbeat:
		c.api = model.Heartbeat
	case fLeave:
		c.api = model.LeaveGroup
	case fCommit:
		if c.unknown && (p.bare || p.told.unread(o)) { // it may have made the group (O1), as a transactional one may
			c.api = model.TxnOffsetCommit
			break
		}
		c.api = model.OffsetCommit
		c.values = v.readings(o.In.Offsets)
		c.parks = c.err == model.None
		if p.bare {
			c.values, c.parks = nil, false
			break
		}
		if at := p.told.readAt(o); c.unknown && at > 0 {
			c.unknown, c.parks, c.seenAt = false, false, at
		}
	case fTxnCommit:
		c.api = model.TxnOffsetCommit
	case fFetch:
		c.api = model.OffsetFetch
		c.values = v.readings(o.Out.Offsets)
		c.stable = o.In.Stable
		c.parks = c.stable && c.err == model.None
	}
	c.parks = c.parks && !c.unknown
	return c
}

func (v *vocabulary) readings(offsets map[string]int64) []reading {
	var all []reading
	for _, tp := range slices.Sorted(maps.Keys(offsets)) {
		all = append(all, reading{v.partitions[tp], v.offsets[offsets[tp]]})
	}
	return all
}

func (p *problem) joinCall(c *call, o *Op) {
	v := p.words
	c.api = model.JoinGroup
	c.meta = v.metas[o.In.Meta]
	var list []model.Protocol
	for _, name := range protocolNames(&Op{F: fJoin, In: o.In}) {
		list = append(list, v.protocols[name])
	}
	c.protos = model.ProtocolList(list...)
	c.answer.member = v.members[o.Out.Member]
	if o.In.Member == "" {
		version, known := p.h.Header.API[fJoin]
		c.old = known && version < 4 || !known && o.Outcome == OK
		if c.fresh = c.answer.member; c.fresh == 0 {
			c.fresh = v.newMember("the member of op " + strconv.Itoa(o.ID))
		}
	}
	c.parks = c.err == model.None || c.err == model.UnknownMemberID
	if c.unknown || c.err != model.None {
		return
	}
	c.answer.gen = model.Generation(o.Out.Generation)
	if o.Out.Leader != nil {
		c.answer.leader = v.members[*o.Out.Leader]
	}
	if o.Out.Protocol != nil {
		c.answer.protocol = v.protocols[*o.Out.Protocol]
	}
	if o.Out.Members != nil {
		c.answer.members = []model.MemberID{}
		for _, m := range o.Out.Members {
			c.answer.members = append(c.answer.members, v.members[m])
		}
		slices.Sort(c.answer.members)
	}
}

// learn collects what answers say about the generations. Where two answers
// differ the first is kept: the other cannot be explained then, whatever is
// kept.
func (p *problem) learn(c *call) {
	if c.unknown {
		return
	}
	switch {
	case c.api == model.JoinGroup && c.err == model.None:
		g := p.generation(c.answer.gen)
		if g.leader == 0 {
			g.leader = c.answer.leader
		}
		if g.protocol == 0 {
			g.protocol = c.answer.protocol
		}
		if g.members == nil {
			g.members = c.answer.members
		}
		if !slices.Contains(g.joiners, c.answer.member) {
			g.joiners = append(g.joiners, c.answer.member)
		}
		g.lived = true
	case c.livesIn():
		p.generation(c.gen).lived = true
	}
}

func (p *problem) generation(g model.Generation) *generation {
	if p.gens[g] == nil {
		p.gens[g] = &generation{}
	}
	return p.gens[g]
}

// livesIn tells that the answer proves the request's generation to be the
// group's when it was decided, with the request's member in the group.
func (c *call) livesIn() bool {
	if c.unknown || c.gen < 0 {
		return false
	}
	switch c.api {
	case model.SyncGroup, model.Heartbeat, model.OffsetCommit, model.TxnOffsetCommit:
		return c.err == model.None || c.err == model.RebalanceInProgress
	}
	return false
}

// needsMember tells that the answer proves the request's member, or pending
// id, to be in the group when the request was decided.
func (c *call) needsMember() bool {
	if c.unknown || c.member == 0 {
		return false
	}
	switch c.api {
	case model.JoinGroup, model.LeaveGroup:
		return c.err == model.None
	case model.SyncGroup, model.Heartbeat:
		return c.err != model.UnknownMemberID
	case model.OffsetCommit:
		return c.err == model.IllegalGeneration || c.livesIn()
	case model.TxnOffsetCommit:
		return c.livesIn()
	}
	return false
}
