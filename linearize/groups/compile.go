package groups

import (
	"cmp"
	"slices"
	"strconv"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// Call is a request with its answer in the model's numbers.
type Call struct {
	Op      int // index into History.Ops
	row     *row
	API     model.API
	Unknown bool // no answer that settles the outcome
	Member  model.MemberID
	Gen     model.Generation
	protos  model.Protocols
	meta    model.Meta
	plan    []classic.MemberAssignment
	Values  []reading // offsets that are committed, or that a fetch returned
	Stable  bool
	fresh   model.MemberID // JoinGroup without id: the id that was made up
	old     bool           // JoinGroup before version 4
	Err     model.Error
	Answer  joined        // JoinGroup
	Parts   model.PartSet // SyncGroup
	parks   bool          // decided in one step, answered in a later one
	seenAt  int           // the event by which a commit without answer was read, 0 for none
}

// reading is the offset of one partition.
type reading struct {
	Part  int
	Value model.Offset
}

// joined is what a JoinGroup's answer says about a generation.
type joined struct {
	Gen    model.Generation
	Member model.MemberID
	roster
}

// roster is who makes up a generation, as far as it was told.
type roster struct {
	Leader   model.MemberID   // 0: not told
	Protocol model.Protocol   // 0: not told
	Members  []model.MemberID // nil: not told; sorted
}

// fits tells whether nothing else was told.
func (r *roster) fits(leader model.MemberID, protocol model.Protocol, w *state) bool {
	return (r.Leader == 0 || r.Leader == leader) && (r.Protocol == 0 || r.Protocol == protocol) &&
		(r.Members == nil || slices.Equal(w.ids(), r.Members))
}

// add fills in what another answer tells.
func (r *roster) add(o *roster) {
	r.Leader, r.Protocol = cmp.Or(r.Leader, o.Leader), cmp.Or(r.Protocol, o.Protocol)
	if r.Members == nil {
		r.Members = o.Members
	}
}

// Problem is a component in the model's numbers.
type Problem struct {
	H        *kfh.History
	tables   *tables
	mentions mentions
	Calls    []Call
	gens     map[model.Generation]*generation
	// bare: offsets are left out.
	bare bool
}

// generation is what all answers together say about one generation.
type generation struct {
	roster
	joiners []model.MemberID // were told to be in it
	lived   bool             // something was accepted in it
}

// Compile translates a component. Requests that change nothing and tell
// nothing are left out: they fit everywhere.
func Compile(h *kfh.History, c kfh.Component) *Problem { return compileWith(h, c, false) }

// compileMembership leaves offsets out: commits tell who is a member, and store
// nothing.
func compileMembership(h *kfh.History, c kfh.Component) *Problem { return compileWith(h, c, true) }

func compileWith(h *kfh.History, c kfh.Component, bare bool) *Problem {
	p := &Problem{H: h, tables: intern(h, c), gens: map[model.Generation]*generation{}, bare: bare}
	p.mentions = mentioned(h, c)
	for i, o := range h.Each(c.Ops) {
		r := byName[o.F]
		switch {
		case o.Local, o.Open() && r.unseen != nil && r.unseen(o, p.mentions), bare && r.mute != nil && r.mute(o):
		default:
			p.Calls = append(p.Calls, p.call(i))
		}
	}
	for i := range p.Calls {
		p.learn(&p.Calls[i])
	}
	return p
}

// mentions is what the answers of a component say here and there.
type mentions struct {
	values  map[place]int    // the event by which a fetch first returned an offset
	writers map[place]int    // how many commits may have written it
	leaders map[int32]string // leader by generation
}

// place is an offset of a partition.
type place struct {
	tp     string
	offset int64
}

func mentioned(h *kfh.History, c kfh.Component) mentions {
	t := mentions{values: map[place]int{}, writers: map[place]int{}, leaders: map[int32]string{}}
	for _, o := range h.Each(c.Ops) {
		for tp, v := range o.Out.Offsets {
			if at, known := t.values[place{tp, v}]; !known || o.Ret < at {
				t.values[place{tp, v}] = o.Ret
			}
		}
		for tp, v := range o.In.Offsets {
			if o.Open() || o.Outcome == kfh.OK {
				t.writers[place{tp, v}]++
			}
		}
		if o.Out.Leader != nil {
			t.leaders[o.Out.Generation] = *o.Out.Leader
		}
	}
	return t
}

// unread tells that nobody read what a commit brought.
func (t mentions) unread(o *kfh.Op) bool {
	for tp, v := range o.In.Offsets {
		if _, read := t.values[place{tp, v}]; read {
			return false
		}
	}
	return true
}

// readAt is the event by which a commit was certainly applied, because a fetch
// had returned an offset that nobody else wrote; 0 if there is none.
func (t mentions) readAt(o *kfh.Op) int {
	first := 0
	for tp, v := range o.In.Offsets {
		at, read := t.values[place{tp, v}]
		if read && t.writers[place{tp, v}] == 1 && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

func (p *Problem) call(i int) Call {
	o := &p.H.Ops[i]
	r := byName[o.F]
	c := Call{Op: i, API: r.api, Unknown: o.Open(), Member: p.tables.members[o.In.Member], Gen: model.Generation(o.In.Generation)}
	if o.Outcome == kfh.Failed && !c.Unknown {
		c.Err, _ = model.ErrorByName(o.Out.Err)
	}
	if r.compile != nil {
		r.compile(p, &c, o)
	}
	c.parks = c.parks && !c.Unknown
	c.row = byAPI[c.API]
	return c
}

func (p *Problem) syncCall(c *Call, o *kfh.Op) {
	v := p.tables
	c.Parts = v.parts(o.Out.Partitions)
	for _, m := range kfh.SortedKeys(o.In.Assign) {
		c.plan = append(c.plan, classic.MemberAssignment{ID: v.members[m], Parts: v.parts(o.In.Assign[m])})
	}
	c.parks = c.Err == model.None || c.Err == model.RebalanceInProgress
}

// commitCall: one without an answer that nobody read may still have made the group
// (O1), as a transactional one may. One that was read was applied by then.
func (p *Problem) commitCall(c *Call, o *kfh.Op) {
	switch {
	case c.Unknown && (p.bare || p.mentions.unread(o)):
		c.API = model.TxnOffsetCommit
		return
	case p.bare:
		return
	}
	c.Values = p.tables.readings(o.In.Offsets)
	c.parks = c.Err == model.None
	if at := p.mentions.readAt(o); c.Unknown && at > 0 {
		c.Unknown, c.parks, c.seenAt = false, false, at
	}
}

func (p *Problem) fetchCall(c *Call, o *kfh.Op) {
	c.Values = p.tables.readings(o.Out.Offsets)
	c.Stable = o.In.Stable
	c.parks = c.Stable && c.Err == model.None
}

func (v *tables) readings(offsets map[string]int64) []reading {
	var all []reading
	for _, tp := range kfh.SortedKeys(offsets) {
		all = append(all, reading{v.partitions[tp], v.offsets[offsets[tp]]})
	}
	return all
}

func (p *Problem) joinCall(c *Call, o *kfh.Op) {
	v := p.tables
	c.meta = v.metas[o.In.Meta]
	var list []model.Protocol
	for _, name := range protocolNames(&kfh.Op{F: kfh.Join, In: o.In}) {
		list = append(list, v.protocols[name])
	}
	c.protos = model.ProtocolList(list...)
	c.Answer.Member = v.members[o.Out.Member]
	if o.In.Member == "" {
		version, known := p.H.Header.API[kfh.Join]
		c.old = known && version < 4 || !known && o.Outcome == kfh.OK
		if c.fresh = c.Answer.Member; c.fresh == 0 {
			c.fresh = v.newMember("the member of op " + strconv.Itoa(o.ID))
		}
	}
	c.parks = c.Err == model.None || c.Err == model.UnknownMemberID
	if c.Unknown || c.Err != model.None {
		return
	}
	c.Answer.Gen = model.Generation(o.Out.Generation)
	if o.Out.Leader != nil {
		c.Answer.Leader = v.members[*o.Out.Leader]
	}
	if o.Out.Protocol != nil {
		c.Answer.Protocol = v.protocols[*o.Out.Protocol]
	}
	if o.Out.Members != nil {
		c.Answer.Members = []model.MemberID{}
		for _, m := range o.Out.Members {
			c.Answer.Members = append(c.Answer.Members, v.members[m])
		}
		slices.Sort(c.Answer.Members)
	}
}

// learn collects what answers say about the generations. Where two answers
// differ the first is kept: the other cannot be explained then, whatever is
// kept.
func (p *Problem) learn(c *Call) {
	if c.Unknown {
		return
	}
	switch {
	case c.API == model.JoinGroup && c.Err == model.None:
		g := p.generation(c.Answer.Gen)
		g.add(&c.Answer.roster)
		if !slices.Contains(g.joiners, c.Answer.Member) {
			g.joiners = append(g.joiners, c.Answer.Member)
		}
		g.lived = true
	case c.livesIn():
		p.generation(c.Gen).lived = true
	}
}

func (p *Problem) generation(g model.Generation) *generation {
	if p.gens[g] == nil {
		p.gens[g] = &generation{}
	}
	return p.gens[g]
}

// livesIn tells that the answer proves the request's generation to be the
// group's when it was decided, with the request's member in the group.
func (c *Call) livesIn() bool {
	if c.Unknown || c.Gen < 0 {
		return false
	}
	return c.row.InGeneration && (c.Err == model.None || c.Err == model.RebalanceInProgress)
}

// needsMember tells that the answer proves the request's member, or pending
// id, to be in the group when the request was decided.
func (c *Call) needsMember() bool {
	return !c.Unknown && c.Member != 0 && c.row.needs != nil && c.row.needs(c)
}
