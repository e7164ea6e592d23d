package cluster

import (
	"fencecheck/model"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

// This file has the part of a State that transactions need. Where a scenario has
// no producers it is empty, not encoded, and costs no states.

// The largest system of producers that a State has room for.
const (
	MaxOutputs        = 2 // output partitions
	MaxTransactionals = 2 // transactional ids
	MaxProducerIDs    = 4 // that one leader remembers at once
	MaxLog            = 8 // records that readers wait for, and markers behind them, of one partition
	MaxPending        = 6 // offsets of open transactions
	MaxWorks          = 3 // transactions of one client that can still come to something
	// OffsetsLog is the place of the group's offsets partition among the logs.
	OffsetsLog = MaxOutputs
	NumLogs    = MaxOutputs + 1
	// MaxSmallEpoch is the largest bound on epochs in exploration, where an epoch
	// is a byte.
	MaxSmallEpoch model.Epoch = 100
)

// WorkID names one transaction as its application sees it; 0 is none. It is
// ghost: on the wire nothing says which transaction a request belongs to.
type WorkID uint8

// NewWorkID is the id of a client's transaction in one of its MaxWorks places.
func NewWorkID(client, place int) WorkID { return WorkID(client*MaxWorks + place + 1) }

// WorkClient is the client whose transaction it is.
func WorkClient(w WorkID) int { return int(w-1) / MaxWorks }

// Told is what an application was told of its transaction.
type Told uint8

// What it can be told. NoWork is a free place.
const (
	NoWork Told = iota
	ToldNothing
	ToldCommitted
	ToldAborted
)

// Work is the truth about one transaction, a bit for each log.
type Work struct {
	Told      Told
	Fenced    bool  // a later owner of its transactional id has been initialised
	Committed uint8 // some of it was visible to a committed reader
	Aborted   uint8 // some of it was aborted
}

// Torn: a transaction has two outcomes.
func (w *Work) Torn() bool { return w.Committed != 0 && w.Aborted != 0 }

// Untrue: an application was told the outcome that its transaction does not
// have.
func (w *Work) Untrue() bool {
	return w.Told == ToldCommitted && w.Aborted != 0 || w.Told == ToldAborted && w.Committed != 0
}

// Entry is a record of a partition's log, of those that are still undecided or
// stand behind one that is.
type Entry struct {
	Rec   txn.Record
	Work  WorkID // ghost
	Value uint8  // which input record it is the output of, plus one; 0 for none
	Read  bool   // a committed reader has read it
	Stale model.PartSet
}

// Record is what readers see of the entry.
func (e Entry) Record() txn.Record { return e.Rec }

// PartitionLog is one output partition, or the group's offsets partition, at
// its leader.
type PartitionLog struct {
	Entries [MaxProducerIDs]txn.ProducerEntry
	Log     [MaxLog]Entry
}

// Len is the number of entries that are left to be decided.
func (l *PartitionLog) Len() int {
	n := 0
	for n < MaxLog && l.Log[n].Rec.Kind != txn.NoRecord {
		n++
	}
	return n
}

// Transactional is what a coordinator and its log hold of one transactional id.
type Transactional struct {
	Txn, Log txn.Transaction
	Outbox   txn.Marker
	// Unsure is ghost: a record may be in the log that the coordinator takes for
	// failed.
	Unsure bool
}

// Forget leaves what another coordinator will find: the log.
func (t *Transactional) Forget() { t.Txn, t.Outbox = txn.Transaction{}, txn.Marker{} }

// TransactionSide is the part of a State that transactions need.
type TransactionSide struct {
	model.Incarnation // of the transaction coordinator
	IDs, Old          [MaxTransactionals]Transactional
	// Leaderless: the partitions have no leaders yet.
	Leaderless bool
	Logs       [NumLogs]PartitionLog
	Pending    [MaxPending]offsets.Pending
	OffsetsAt  [MaxPartitions]uint32
	Works      [MaxClients][MaxWorks]Work // ghost
}

// Producer is the transactional producer of a client.
type Producer struct {
	Phase     ProducerPhase
	PID       model.ProducerID
	Epoch     model.Epoch
	Next      [MaxOutputs]int8 // sequence of the next batch
	Added     uint8            // plain style: logs that the coordinator was told of
	Written   uint8            // logs that hold something of this transaction
	Value     [MaxOutputs]uint8
	Sending   uint8 // outputs whose batch was sent and is not acknowledged
	Renew     bool  // InitProducerId with the pair that it has
	Failing   bool  // it gave up on a batch, and must abort
	Begun     uint8 // transactions of a writer
	Work      WorkID
	Replaced  bool // ghost: somebody else asked for its transactional id
	Overdue   bool // ghost: its transaction timed out, or its id was forgotten
	Succeeded bool // ghost: another owner of its transactional id has been initialised since it got its pair
}

// Works finds the truth about a transaction; nil for none.
func (s *State) Work(w WorkID) *Work {
	if w == 0 {
		return nil
	}
	return &s.Txns.Works[WorkClient(w)][int(w-1)%MaxWorks]
}

// Consuming tells whether a configuration has a group.
func (c *Config) Consuming() bool { return c.Members+c.Simple > 0 }

// Producing tells whether a configuration has transactions.
func (c *Config) Producing() bool { return c.Writers > 0 || c.Transactional }

// IsWriter tells whether a client produces and does not consume.
func (c *Config) IsWriter(client int) bool { return client >= c.Members+c.Simple }

// HasProducer tells whether a client has a transactional producer.
func (c *Config) HasProducer(client int) bool {
	return c.IsWriter(client) || c.Transactional && client < c.Members
}

// Produces tells whether a client has a producer with a transactional id.
func (c *Config) Produces(client int, id uint8) bool {
	return c.HasProducer(client) && c.IDs[client] == id
}

// TransactionalIDs is the number of transactional ids.
func (c *Config) TransactionalIDs() int {
	n := 0
	for i := range c.Clients() {
		if c.HasProducer(i) {
			n = max(n, int(c.IDs[i])+1)
		}
	}
	return n
}

// HasLog tells whether a log is part of the system.
func (c *Config) HasLog(p int) bool {
	if p == OffsetsLog {
		return c.Transactional
	}
	return c.Producing() && p < c.Outputs
}

// ProducerIDs has the ids that something in the state refers to, a bit each.
func (s *State) ProducerIDs(c *Config) uint64 {
	var used uint64
	for i := range s.Txns.IDs {
		for _, t := range [...]*txn.Transaction{&s.Txns.IDs[i].Txn, &s.Txns.IDs[i].Log, &s.Txns.Old[i].Txn} {
			used |= 1<<t.PID | 1<<t.Prev | 1<<t.Next
		}
		used |= 1<<s.Txns.IDs[i].Outbox.PID | 1<<s.Txns.Old[i].Outbox.PID
	}
	for p := range s.Txns.Logs {
		for i := range s.Txns.Logs[p].Entries {
			used |= 1 << s.Txns.Logs[p].Entries[i].PID
		}
	}
	for i := range s.Txns.Pending {
		used |= 1 << s.Txns.Pending[i].PID
	}
	for i := range c.Clients() {
		used |= 1<<s.Clients[i].Producer.PID | 1<<s.Clients[i].App.PID | 1<<s.Clients[i].App.NewPID
	}
	for i := range s.Late {
		used |= 1 << s.Late[i].PID
	}
	return used &^ 1
}

// FreshProducerID is the first id that nothing in the state refers to; see
// FreshID.
func (s *State) FreshProducerID(c *Config) model.ProducerID {
	used := s.ProducerIDs(c)
	id := model.ProducerID(1)
	for used>>id&1 == 1 {
		id++
	}
	return id
}

// FreshGuard is the first number that no verification at a log has.
func (s *State) FreshGuard(c *Config, p int) uint8 {
	var used uint64
	for i := range c.Clients() {
		used |= 1 << s.Clients[i].App.Guard
	}
	for i := range s.Late {
		used |= 1 << s.Late[i].Guard
	}
	return txn.FreshGuard(s.Txns.Logs[p].Entries[:], used)
}

// FreshWork takes a free place for a client's next transaction; 0 if there is
// none.
func (s *State) FreshWork(client int) WorkID {
	for i := range s.Txns.Works[client] {
		if s.Txns.Works[client][i].Told == NoWork {
			return NewWorkID(client, i)
		}
	}
	return 0
}

// ForgetWorks frees the places of transactions that nothing can come to any
// more: nobody works on them, and no record, request or pending offset is
// theirs.
func (s *State) ForgetWorks(c *Config) {
	var used uint64
	for p := range s.Txns.Logs {
		for i := range s.Txns.Logs[p].Log {
			used |= 1 << s.Txns.Logs[p].Log[i].Work
		}
	}
	for i := range c.Clients() {
		used |= 1<<s.Clients[i].Producer.Work | 1<<s.Clients[i].App.Work
	}
	for i := range s.Late {
		used |= 1 << s.Late[i].Work
	}
	for client := range c.Clients() {
		for i := range s.Txns.Works[client] {
			if w := &s.Txns.Works[client][i]; used>>NewWorkID(client, i)&1 == 0 && !w.Torn() && !w.Untrue() {
				*w = Work{}
			}
		}
	}
}

// RankOffsets replaces the places of commit records by their ranks, partition by
// partition, since only their order matters.
func (s *State) RankOffsets(c *Config) {
	t := &s.Txns
	for p := range c.AllPartitions() {
		rank := func(at uint32) uint32 {
			n := uint32(0)
			if t.OffsetsAt[p] > 0 && t.OffsetsAt[p] < at {
				n++
			}
			for i := range t.Pending {
				if o := &t.Pending[i]; o.PID != 0 && int(o.Partition) == p && o.At < at {
					n++
				}
			}
			return n + 1
		}
		var ranks [MaxPending]uint32
		for i := range t.Pending {
			if o := &t.Pending[i]; o.PID != 0 && int(o.Partition) == p {
				ranks[i] = rank(o.At)
			}
		}
		if t.OffsetsAt[p] > 0 {
			t.OffsetsAt[p] = rank(t.OffsetsAt[p])
		}
		for i, r := range ranks {
			if r > 0 {
				t.Pending[i].At = r
			}
		}
	}
}
