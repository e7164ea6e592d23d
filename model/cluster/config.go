package cluster

import (
	"fencecheck/model"
	"fencecheck/model/classic"
)

// The largest system that a State has room for.
const (
	MaxClients    = 5
	MaxPartitions = 4
	MaxRecords    = 8
	MaxMembers    = 8 // member ids that one coordinator remembers at once
	MaxLate       = 3 // requests in flight whose sender gave up on them
	MaxGeneration = 200
	MaxDeletions  = 7
	maxLives      = 8 // member ids of one client that are in use at once
)

// CommitMode says when an application commits what it consumed.
type CommitMode uint8

const (
	// CommitAfter: process, then commit; at least once.
	CommitAfter CommitMode = iota
	// CommitBefore: commit, then process; at most once.
	CommitBefore
	// CommitOnRevoke: process, and commit when partitions are taken away.
	CommitOnRevoke
)

// Clock says when a timer may fire.
type Clock uint8

const (
	// Timely: a timeout needs a reason, such as a paused or crashed process
	// that is waited for. A running process is never late.
	Timely Clock = iota
	// Async: a timer that is armed may fire at any time.
	Async
)

// Config is what a run does not change: who takes part, which faults may
// happen how often, and which rules are in force. It is never in the state.
type Config struct {
	Rules      model.Rules
	Members    int // clients that subscribe
	Simple     int // further clients that assign partitions to themselves
	Partitions int
	Topics     int // partition p belongs to topic p*Topics/Partitions
	Records    int // input records of each partition
	Commit     CommitMode
	Clock      Clock
	Travels    [model.NumAPIs]bool // requests that are decided and answered in steps of their own
	Budgets    [NumBudgets]uint8
	// Unbounded has the events that may happen any number of times.
	Unbounded [NumBudgets]bool
	// Ranks: states that differ only in the absolute values of generations
	// are one state, so that a search ends although the group rebalances for
	// ever. See Rankable.
	Ranks      bool
	Protocols  [MaxClients]model.Protocols
	Sessions   [MaxClients]classic.SessionTimeout
	Topic0Only bool // members subscribe to the first topic only, at first
	OldJoin    bool // members use JoinGroup v3, without MEMBER_ID_REQUIRED
	// AnyOrder: whenever a leader computes a plan, its list of members may be in
	// any order, each a step of its own; else members come in the order of their
	// numbers. Kafka's ids are random, and keep their order.
	AnyOrder bool
	// Generations bounds the group's generation; 0 is MaxGeneration.
	Generations model.Generation

	// Of transactions. Writers are further clients, which only produce.
	Writers       int
	Transactional bool // members consume, process and produce in transactions
	BareGroup     bool // they name their group and nothing else in TxnOffsetCommit
	Outputs       int  // output partitions
	Transactions  int  // that a writer begins
	IDs           [MaxClients]uint8
	Version       model.TransactionVersion // the style of all producers
	// EpochBound bounds producer epochs; 0 is MaxSmallEpoch.
	EpochBound model.Epoch
}

// MayHappen tells whether a configuration has a kind of event at all.
func (c *Config) MayHappen(b Budget) bool { return c.Unbounded[b] || c.Budgets[b] > 0 }

// Rankable tells whether only the order of generations matters, and if not,
// why. A rule compares a generation with the group's, or takes the next one
// after it; while that is the largest of all, replacing generations by their
// ranks commutes with every step. A group that is deleted begins again below
// generations that others still hold.
func (c *Config) Rankable() (ok bool, why string) {
	if c.MayHappen(Deletions) {
		return false, "a deleted group begins again at generation 1, so generations that others still hold are larger than the group's, and how much larger matters"
	}
	if c.Producing() {
		return false, "producer epochs are compared by their distance where an EndTxn is repeated (transactions.md section 9), so ranks would change answers"
	}
	return true, ""
}

// Clients is the number of client processes.
func (c *Config) Clients() int { return c.Members + c.Simple + c.Writers }

// AllPartitions counts also those that may be added later.
func (c *Config) AllPartitions() int { return c.Partitions + int(c.Budgets[AddedPartitions]) }

// TopicOf is the topic of a partition. Added partitions belong to the last.
func (c *Config) TopicOf(p int) uint8 {
	if p >= c.Partitions {
		return uint8(c.Topics - 1)
	}
	return uint8(p * c.Topics / c.Partitions)
}

// IsSimple tells whether a client assigns partitions to itself.
func (c *Config) IsSimple(client int) bool { return client >= c.Members && client < c.Members+c.Simple }

// IsMember tells whether a client subscribes.
func (c *Config) IsMember(client int) bool { return client < c.Members }

// MaxGeneration is the bound on the group's generation.
func (c *Config) MaxGeneration() model.Generation {
	if c.Generations == 0 {
		return MaxGeneration
	}
	return c.Generations
}

// MaxProducerEpoch is the bound on producer epochs.
func (c *Config) MaxProducerEpoch() model.Epoch {
	switch {
	case c.EpochBound > 0:
		return c.EpochBound
	case c.Rules.MaxEpoch > 0: // they end by themselves
		return c.Rules.MaxEpoch
	}
	return MaxSmallEpoch
}

// FirstSubscription is what members subscribe to at first.
func (c *Config) FirstSubscription() model.Meta {
	if c.Topic0Only {
		return 1
	}
	return c.EveryTopic()
}

// EveryTopic is the subscription to all topics.
func (c *Config) EveryTopic() model.Meta { return 1<<c.Topics - 1 }

// Has tells whether a configuration has a part of the protocol.
func (c *Config) Has(p model.ProtocolPart) bool {
	switch p {
	case model.ClassicPart, model.OffsetsPart:
		return c.Consuming()
	case model.TransactionsPart:
		return c.Producing()
	}
	return p == model.AnyPart
}

// Concerns tells whether a mutation can make a difference under a configuration.
func (c *Config) Concerns(m model.Mutation) bool { return c.Has(model.Registry[m].Part) }
