package linearize

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/offsets"
)

// Run describes a simulated run: several clients, a network that delays and
// loses, and one coordinator that is package model.
type Run struct {
	Seed     uint64
	Rules    model.Rules
	Clients  int // members-to-be; 2 to 4 are usual
	Simple   int // processes that commit with generation -1
	Requests int // stop inviting requests after this many
	// UnknownPercent of the requests end without an answer.
	UnknownPercent int
	// DelayPercent of the requests are held back on their way.
	DelayPercent int
	// Kills is how often the broker is killed and started again.
	Kills int
}

// Record simulates a run and returns its history. Equal runs give equal
// histories. Without mutated rules the history is legal by construction: the
// coordinator decided each request between its invocation and its answer.
func Record(r Run) *kfh.History {
	s := &simulation{
		run: r, rng: rand.New(rand.NewPCG(r.Seed, 0x6b6668)), names: []string{""},
		parked: map[parkingPlace]*message{}, given: map[int]int{},
	}
	s.build = NewBuilder(fmt.Sprintf("run-%d", r.Seed),
		field("seed", r.Seed), field("api", map[string]int{"join": 9, "commit": 9}))
	s.build.h.Header.API = map[string]int64{"join": 9, "commit": 9}
	s.memory = classic.Coordinator{Rules: &s.run.Rules, Group: &classic.Group{}, Members: make([]classic.Member, 64)}
	s.offsets = offsets.Store{Rules: &s.run.Rules, Group: &s.memory, Committed: make([]model.Offset, recordedPartitions)}
	for p := range s.offsets.Committed {
		s.offsets.Committed[p] = model.NoOffset
	}
	s.covered = append([]model.Offset(nil), s.offsets.Committed...)
	for i := range r.Clients + r.Simple {
		s.clients = append(s.clients, &client{index: i, p: s.newProcess(), simple: i >= r.Clients})
	}
	for s.tick() {
	}
	return s.build.History()
}

// recordedPartitions is the number of partitions in a simulated run.
const recordedPartitions = 3

// simulation is a run in progress.
type simulation struct {
	run       Run
	rng       *rand.Rand
	build     *Builder
	memory    classic.Coordinator
	offsets   offsets.Store
	names     []string       // of member ids
	given     map[int]int    // ids handed out, by client
	covered   []model.Offset // what plain fetches see
	appended  []*message     // commits and stable fetches above the high watermark
	clients   []*client
	network   []*message // sent, not arrived
	parked    map[parkingPlace]*message
	answers   []*message // answered, on the way back
	processes int
	offset    int64
	stuck     int

	logged        classic.Group
	loggedMembers []classic.Member
}

// parkingPlace is where the coordinator keeps a parked request.
type parkingPlace struct {
	api model.API
	id  model.MemberID
}

// message is a request on its way, and its answer on the way back.
type message struct {
	from    *client
	op      int
	f       string
	in      kfh.Request
	outcome kfh.Outcome
	out     kfh.Answer
	lost    bool // the client gave up waiting
	held    int  // ticks to wait before it may arrive
}

func (s *simulation) newProcess() int {
	s.processes++
	return s.processes - 1
}

func (s *simulation) percent(p int) bool { return s.rng.IntN(100) < p }

// tick lets one thing happen; false ends the run.
func (s *simulation) tick() bool {
	s.log()
	s.build.Advance(int64(1 + s.rng.IntN(1_000_000)))
	inviting := len(s.build.h.Ops) < s.run.Requests
	switch n := s.rng.IntN(100); {
	case n < 30 && s.arrive():
	case n < 60 && s.deliver():
	case n < 68 && s.advance():
	case n < 69 && s.timer():
	case n < 70 && s.run.Kills > 0 && s.percent(30) && s.kill():
	case inviting && s.invite():
	case s.arrive(), s.deliver(), s.advance():
	case inviting:
		s.timer()
		s.stuck++
		return s.stuck < 100
	default:
		return false
	}
	s.stuck = 0
	return true
}

// invite lets an idle client send its next request.
func (s *simulation) invite() bool {
	c := s.clients[s.rng.IntN(len(s.clients))]
	switch {
	case c.waits != nil:
		if s.percent(2) { // waited too long
			s.giveUp(c.waits)
			return true
		}
		return false
	case c.paused > 0:
		c.paused--
		return true
	case s.percent(2):
		c.paused = 1 + s.rng.IntN(30)
		s.build.Note("pause", c.member)
		return true
	}
	f, in := c.next(s)
	m := &message{from: c, f: f, in: in, op: s.build.Invoke(c.p, f, in)}
	if s.percent(s.run.DelayPercent) {
		m.held = s.rng.IntN(20)
	}
	c.waits = m
	s.network = append(s.network, m)
	if s.percent(s.run.UnknownPercent) {
		s.giveUp(m)
	}
	return true
}

// giveUp ends a request without an answer; the client goes on as a new process.
func (s *simulation) giveUp(m *message) {
	m.lost = true
	s.build.Complete(m.op, kfh.Unknown, kfh.Answer{}, "timeout")
	m.from.waits = nil
	m.from.p = s.newProcess()
	m.from.unanswered()
}

// take removes a random element.
func take[M any](rng *rand.Rand, list *[]M) M {
	i := rng.IntN(len(*list))
	m := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return m
}

// arrive lets a request reach the coordinator. One that the client gave up may
// be lost on the way.
func (s *simulation) arrive() bool {
	if len(s.network) == 0 {
		return false
	}
	m := take(s.rng, &s.network)
	switch {
	case m.held > 0:
		m.held--
		s.network = append(s.network, m)
	case m.lost && s.percent(50):
	default:
		s.decide(m)
	}
	return true
}

// deliver lets an answer reach its client.
func (s *simulation) deliver() bool {
	if len(s.answers) == 0 {
		return false
	}
	m := take(s.rng, &s.answers)
	if m.lost {
		return true
	}
	s.build.Complete(m.op, m.outcome, m.out, "")
	m.from.waits = nil
	m.from.answered(m)
	return true
}

// advance moves the high watermark over one record.
func (s *simulation) advance() bool {
	if len(s.appended) == 0 {
		return false
	}
	m := s.appended[0]
	s.appended = s.appended[1:]
	for tp, v := range m.in.Offsets {
		s.covered[partitionNumber(tp)] = model.Offset(v)
	}
	s.answers = append(s.answers, m)
	return true
}

// timer fires a timer: the join timer, or the session of a member, mostly one
// whose client is silent.
func (s *simulation) timer() bool {
	c := &s.memory
	c.Pick = s.rng.IntN(4)
	fired := false
	switch n := s.rng.IntN(20); {
	case n < 2 || c.Group.InitialDelay && n < 12:
		fired = c.FireJoinTimer()
	case n == 2:
		fired = c.FireSyncTimer()
	default:
		if m := c.Members[s.rng.IntN(8)]; m.ID != 0 && (s.silent(m.ID) || s.percent(2)) {
			fired = c.ExpireSession(m.ID)
		}
	}
	s.reply()
	return fired
}

// silent tells that no client that is awake speaks for the id.
func (s *simulation) silent(id model.MemberID) bool {
	for _, c := range s.clients {
		if c.member == s.names[id] && c.paused == 0 {
			return false
		}
	}
	return true
}
