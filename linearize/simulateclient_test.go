package linearize

import (
	"strconv"

	"fencecheck/linearize/kfh"
)

// client is one simulated client: a member-to-be that follows the rules of
// groups.md 8.1 but for the zombie that it sometimes plays, or a process that
// commits without a group.
type client struct {
	index   int
	p       int
	simple  bool
	member  string
	gen     int32
	version int      // of its subscription, its JoinGroup's metadata
	members []string // told to the leader
	stage   stage
	waits   *message
	paused  int
	past    []pair
}

// stage is what a client does next.
type stage uint8

const (
	mustJoin stage = iota
	mustSync
	stableStage
)

// pair is an identity that a zombie remembers.
type pair struct {
	member string
	gen    int32
}

const recordedGroup = "g"

// next chooses the client's next request.
func (c *client) next(s *simulation) (string, kfh.Request) {
	r := kfh.Request{Group: recordedGroup, Member: c.member, Generation: c.gen}
	switch {
	case c.simple:
		return c.nextSimple(s)
	case len(c.past) > 0 && s.percent(10):
		old := c.past[s.rng.IntN(len(c.past))]
		r.Member, r.Generation = old.member, old.gen
		return zombie(s, r)
	case c.stage == mustJoin:
		return c.join(s, r)
	case c.stage == mustSync && s.percent(90):
		r.Assign = c.plan()
		return kfh.Sync, r
	}
	switch n := s.rng.IntN(100); {
	case n < 30:
		return kfh.Heartbeat, r
	case n < 65:
		r.Offsets = s.newOffsets()
		return kfh.Commit, r
	case n < 85:
		return fetchRequest(s)
	case n < 88:
		return kfh.Leave, kfh.Request{Group: recordedGroup, Member: c.member}
	case n < 92:
		c.version++ // another subscription
		return c.join(s, r)
	case n < 96:
		return c.join(s, r)
	}
	return kfh.Sync, r
}

// join keeps its metadata now and then, as a retry does.
func (c *client) join(s *simulation, r kfh.Request) (string, kfh.Request) {
	if s.percent(60) {
		c.version++
	}
	return kfh.Join, kfh.Request{Group: r.Group, Member: c.member, Protocols: []string{"range"}, Meta: strconv.Itoa(100*c.index + c.version)}
}

// plan deals the partitions to the members, if the client leads.
func (c *client) plan() map[string][]string {
	if c.members == nil {
		return nil
	}
	plan := map[string][]string{}
	for p := range recordedPartitions {
		m := c.members[p%len(c.members)]
		plan[m] = append(plan[m], partitionName(p))
	}
	return plan
}

// nextSimple: commits with generation -1, some under the id of another, and
// fetches.
func (c *client) nextSimple(s *simulation) (string, kfh.Request) {
	if s.percent(30) {
		return fetchRequest(s)
	}
	r := kfh.Request{Group: recordedGroup, Generation: -1, Offsets: s.newOffsets()}
	if s.percent(30) {
		r.Member = s.names[s.rng.IntN(len(s.names))]
	}
	return kfh.Commit, r
}

func zombie(s *simulation, r kfh.Request) (string, kfh.Request) {
	switch s.rng.IntN(4) {
	case 0:
		return kfh.Heartbeat, r
	case 1:
		return kfh.Sync, r
	}
	r.Offsets = s.newOffsets()
	return kfh.Commit, r
}

func fetchRequest(s *simulation) (string, kfh.Request) {
	r := kfh.Request{Group: recordedGroup, Stable: s.percent(40)}
	for p := range recordedPartitions {
		r.Partitions = append(r.Partitions, partitionName(p))
	}
	return kfh.OffsetFetch, r
}

// newOffsets makes a commit of one or two partitions; the numbers are unique.
func (s *simulation) newOffsets() map[string]int64 {
	all := map[string]int64{}
	for range 1 + s.rng.IntN(2) {
		s.offset++
		all[partitionName(s.rng.IntN(recordedPartitions))] = s.offset
	}
	return all
}

// unanswered: the client does not know what became of its request, and joins
// again.
func (c *client) unanswered() { c.stage = mustJoin }

// answered follows groups.md 8.1. Answers to a zombie's requests are ignored.
func (c *client) answered(m *message) {
	mine := m.in.Member == c.member
	switch {
	case !mine || c.simple:
	case m.f == kfh.Join && m.out.Err == "MEMBER_ID_REQUIRED":
		c.member = m.out.Member
	case m.f == kfh.Join && m.outcome == kfh.OK:
		c.gen, c.members, c.stage = m.out.Generation, m.out.Members, mustSync
		c.past = append(c.past, pair{c.member, c.gen})
	case m.f == kfh.Leave && m.outcome == kfh.OK, m.out.Err == "UNKNOWN_MEMBER_ID":
		c.member, c.gen, c.stage = "", -1, mustJoin
	case m.in.Generation != c.gen:
	case m.f == kfh.Sync && m.outcome == kfh.OK:
		c.stage = stableStage
	case m.out.Err == "ILLEGAL_GENERATION":
		c.gen, c.stage = -1, mustJoin
	case m.out.Err == "REBALANCE_IN_PROGRESS":
		c.stage = mustJoin
	}
}
