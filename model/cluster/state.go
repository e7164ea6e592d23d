package cluster

import (
	"fencecheck/model"
	"fencecheck/model/classic"
)

// Process says which threads of a client run.
type Process uint8

// The states of a client process.
const (
	Running Process = iota
	// Stalled: the application thread stands still, heartbeats go on.
	Stalled
	// Paused: both threads stand still.
	Paused
	// Down: the process died.
	Down
)

// Phase is how far a client is in joining its group
// (AbstractCoordinator.MemberState; groups.md 8.1).
type Phase uint8

const (
	// Outside: not subscribed.
	Outside Phase = iota
	// Unjoined: JoinGroup must be sent.
	Unjoined
	// Joining: JoinGroup is sent, its answer awaited.
	Joining
	// Joined: JoinGroup is answered, SyncGroup must be sent.
	Joined
	// Syncing: SyncGroup is sent, its answer awaited.
	Syncing
	// Member: it has an assignment.
	MemberPhase
	// Failed: an error that the application must solve.
	Failed
)

// Status is how far a request has come.
type Status uint8

const (
	// InFlight: sent, not decided.
	InFlight Status = iota
	// Parked: the coordinator holds it.
	Parked
	// Answered: the answer is on its way to the client.
	Answered
	// Admitted: a partition's leader has asked the transaction coordinator about
	// a batch, and must append it.
	Admitted
	// Displaced: it was parked, and a later request of the same member took its
	// place, one that its sender had given up on; it will never be answered
	// (ClassicGroup.updateMember keeps one future a member).
	Displaced
)

// Request is one request of a client, and its answer once there is one. The
// zero value is no request.
type Request struct {
	API        model.API
	Status     Status
	Client     uint8
	ID         model.MemberID
	Generation model.Generation
	Meta       model.Meta                    // JoinGroup
	Protocol   model.Protocol                // SyncGroup; answer of JoinGroup
	Plan       [MaxPartitions]model.MemberID // SyncGroup of a leader, answer of JoinGroup to one: the owner of each partition
	Offsets    [MaxPartitions]model.Offset   // OffsetCommit; answer of OffsetFetch

	Err        model.Error
	NewID      model.MemberID   // answer of JoinGroup
	NewGen     model.Generation // answer of JoinGroup
	Leads      bool             // SyncGroup, answer of JoinGroup
	Seen       uint8            // SyncGroup, answer of JoinGroup: partitions that the leader's plan knows
	Assignment model.PartSet    // answer of SyncGroup

	// Stale is ghost: the partitions of a commit, or of an assignment on its
	// way, whose assignment has been replaced meanwhile.
	Stale model.PartSet
	// Life is ghost: how often the group had been deleted when the answer to a
	// JoinGroup was given.
	Life uint8

	// Of a producer's requests: the pair that it has, or in InitProducerId
	// expects, and the one that the answer brings.
	PID, NewPID     model.ProducerID
	Epoch, NewEpoch model.Epoch
	Log             uint8 // Produce, TxnOffsetCommit, AddPartitionsToTxn, WriteTxnMarkers: which log
	Sequence        int8  // Produce
	Value           uint8 // Produce: as in Entry
	Guard           uint8 // of a batch that was admitted and not appended
	Commit          bool  // EndTxn, WriteTxnMarkers
	Plain           bool  // WriteTxnMarkers: of a transaction whose style is TV1
	Elected         int16 // WriteTxnMarkers: the coordinator's epoch
	// Work is ghost: the transaction that it belongs to.
	Work WorkID
}

// Client is one client process: an application thread, a heartbeat thread, and
// their connection to the coordinator. A request without an API is none, and
// zero.
type Client struct {
	ClientState
	App  Request // of the application thread; one at a time
	Beat Request // of the heartbeat thread; one at a time
}

// ClientState is what a client is and knows.
type ClientState struct {
	Process    Process
	Phase      Phase
	Rejoin     bool // it knows that it must join again
	Leads      bool
	Revoked    bool // commit-on-revoke: the commit was tried
	BeatFirst  bool // the heartbeat in flight was sent before the application's request
	ID         model.MemberID
	Generation model.Generation
	Protocol   model.Protocol
	Topics     model.Meta
	Seen       uint8                         // partitions that its latest plan knew, while it leads
	Plan       [MaxPartitions]model.MemberID // of the leader, between JoinGroup and SyncGroup
	Owned      model.PartSet                 // what the application believes to own
	Unfetched  model.PartSet                 // owned, committed offset not fetched yet
	Dirty      model.PartSet                 // position moved since the last commit
	Hand       model.PartSet                 // at most once: a record is taken, not processed
	Cleared    model.PartSet                 // at most once: its commit is confirmed
	Position   [MaxPartitions]model.Offset
	Producer   Producer
	// MetaID and MetaGeneration are the group metadata that a producer sends: those
	// of the last generation joined, whatever became of it since (groups.md 8.1);
	// zero before the first.
	MetaID         model.MemberID
	MetaGeneration model.Generation

	// Stale is ghost: the partitions that it works on under an assignment that
	// has been replaced.
	Stale model.PartSet
	// Life is ghost: how often the group had been deleted when its membership
	// began; generation numbers begin again each time.
	Life uint8
}

// Ghost is the truth that no broker sees. Operations write it and never read
// it.
type Ghost struct {
	Done  [MaxPartitions]uint8 // records whose output exists, a bit each
	Twice [MaxPartitions]uint8 // records whose output exists more than once
}

// State is one state of the whole system: a comparable value without pointers.
type State struct {
	Group   classic.Group
	Members [MaxMembers]classic.Member
	Offsets [MaxPartitions]model.Offset // committed
	Clients [MaxClients]Client
	Late    [MaxLate]Request // given up by their senders, sorted, free places last
	Spent   [NumBudgets]uint8
	Ghost   Ghost
	Txns    TransactionSide

	// Last is what the step to this state did. It is not part of the state's
	// identity.
	Last Event
}

// Output notes that the output of a record has become durable.
func (g *Ghost) Output(p int, record model.Offset) {
	g.Twice[p] |= g.Done[p] & (1 << record)
	g.Done[p] |= 1 << record
}

// Event is what one step did, for invariants, witnesses and stories.
type Event struct {
	API            model.API   // the request that was decided, NoAPI if none was
	Err            model.Error // the answer; None also if it parked
	Parked         bool
	Late           bool  // its sender had given up on it
	Client         uint8 // who sent it
	ID             model.MemberID
	Generation     model.Generation
	Stale          model.PartSet // partitions of a commit whose assignment had been replaced
	Backward       model.PartSet // partitions of a commit whose committed offset was larger
	Committed      model.PartSet // partitions whose committed offset was set
	Completed      bool          // the join phase was completed
	Fenced         uint8         // healthy clients, a bit each, whose member was removed though they did not leave
	Received       model.API     // the answer that a client took
	ToldCommit     bool          // it was the answer to an EndTxn that asks for a commit
	ToldErr        model.Error   // what that answer was, of a producer's request
	Log            uint8         // Produce, TxnOffsetCommit, WriteTxnMarkers: which log
	PID            model.ProducerID
	Epoch          model.Epoch
	OldEpoch       bool // the request, or marker, was of an epoch that had been replaced
	Closed         bool // a marker ended an open transaction
	Mixed          bool // a marker committed records of several transactions
	StaleWrite     bool // a record of a fenced transaction was committed
	TimedOut       bool // the coordinator aborted a transaction of its own accord
	FailedOver     bool // a new coordinator was elected
	Repeated       bool // a request or marker was recognised as a repeat
	Rotated        bool // an exhausted producer id was replaced
	TakenForFenced bool // a producer that nobody replaced was told that somebody did
	Returned       bool // a producer whose successor had been initialised was given a pair
	FalseAbort     bool // a transaction that nobody disturbed was refused
	Doubled        bool // a batch is in the log twice
	Revived        bool // a producer that was fenced or timed out went on
	Unstable       bool // offsets were asked for that are not decided
	GaveUp         bool // a client gave up on a request
}

// Left tells whether the step decided the LeaveGroup of a member.
func (e *Event) Left(id model.MemberID) bool { return e.API == model.LeaveGroup && e.ID == id }

// Initial writes the state in which nobody has subscribed.
func (s *State) Initial(c *Config) {
	*s = State{}
	for p := range s.Offsets {
		s.Offsets[p] = model.NoOffset
	}
	for i := range c.Clients() {
		s.Clients[i].Reset(c)
	}
}

// Reset makes a client a process that has just started.
func (c *Client) Reset(cfg *Config) {
	*c = Client{ClientState: ClientState{Generation: model.NoGeneration, Topics: cfg.FirstSubscription()}}
}

// Partitions is the number of partitions that exist.
func (s *State) Partitions(c *Config) int { return c.Partitions + int(s.Spent[AddedPartitions]) }

// Left tells how much of a budget is left.
func (s *State) Left(c *Config, b Budget) bool { return c.Unbounded[b] || s.Spent[b] < c.Budgets[b] }

// Spend takes one from a budget. What is unbounded is not counted.
func (s *State) Spend(c *Config, b Budget) {
	if !c.Unbounded[b] {
		s.Spent[b]++
	}
}

// NewMemberID is the id with the given number of lives before it.
func NewMemberID(client, life int) model.MemberID { return model.MemberID(client*maxLives + life + 1) }

// ClientOf is the client that an id was made for.
func ClientOf(id model.MemberID) int { return int(id-1) / maxLives }

// LifeOf counts the ids of its client from 0.
func LifeOf(id model.MemberID) int { return int(id-1) % maxLives }

// Member is what the coordinator remembers of a member or pending id; nil if
// nothing.
func (s *State) Member(id model.MemberID) *classic.Member {
	return classic.FindMember(s.Members[:], id)
}

// Size is the number of members, pending ids not counted.
func (s *State) Size() int { return classic.CountMembers(s.Members[:]) }

// Holder is the client that acts under a member id, or is about to be given it;
// nil if there is none any more.
func (s *State) Holder(id model.MemberID) *Client {
	cl := &s.Clients[ClientOf(id)]
	if cl.ID == id || cl.App.API == model.JoinGroup && cl.App.NewID == id {
		return cl
	}
	return nil
}
