package cluster

import "fencecheck/model"

// Budget names a kind of event that a run may contain a bounded number of.
type Budget uint8

// The budgets. What a scenario does not ask for costs no states.
const (
	Pauses Budget = iota
	Stalls
	Crashes
	Leaves
	LateRequests
	LostAnswers
	Subscriptions
	AddedPartitions
	Deletions
	Expiries
	Aborts
	Failovers
	Zombies
	LostAppends
	LeaderFailovers
	ProducerExpiries
	IDExpiries
	NumBudgets
)

// BudgetInfo describes one budget.
type BudgetInfo struct {
	Key  string // in a scenario file
	Doc  string // what it bounds
	Part model.ProtocolPart
}

// BudgetRows has a row for every budget, at its own index.
var BudgetRows = [NumBudgets]BudgetInfo{
	Pauses:           {"pauses", "a process stops, both threads (a long garbage collection)", model.AnyPart},
	Stalls:           {"stalls", "an application thread stops, heartbeats go on", model.AnyPart},
	Crashes:          {"crashes", "a process dies; it may start again as a new one", model.AnyPart},
	Leaves:           {"leaves", "a member unsubscribes or closes", model.ClassicPart},
	LateRequests:     {"late_requests", "a client gives up on a request that is still in flight", model.AnyPart},
	LostAnswers:      {"lost_answers", "a client gives up on a request that was decided", model.AnyPart},
	Subscriptions:    {"subscriptions", "a member changes the topics that it subscribes to", model.ClassicPart},
	AddedPartitions:  {"added_partitions", "an administrator adds a partition", model.ClassicPart},
	Deletions:        {"deletions", "an empty group is deleted, by an administrator or by the expiry sweep", model.OffsetsPart},
	Expiries:         {"expiries", "a timer fires without a reason (async clock)", model.AnyPart},
	Aborts:           {"aborts", "an application aborts a transaction of its own accord", model.TransactionsPart},
	Failovers:        {"coordinator_failovers", "another broker becomes transaction coordinator, and reads the log", model.TransactionsPart},
	Zombies:          {"zombie_coordinators", "the coordinator before a failover goes on with what it has in memory", model.TransactionsPart},
	LostAppends:      {"lost_appends", "a coordinator does not learn whether its record was written", model.TransactionsPart},
	LeaderFailovers:  {"leader_failovers", "a partition gets another leader", model.TransactionsPart},
	ProducerExpiries: {"producer_expiries", "a partition's leader forgets producers without an open transaction (producer.id.expiration.ms)", model.TransactionsPart},
	IDExpiries:       {"id_expiries", "the coordinator forgets a transactional id that was idle (transactional.id.expiration.ms)", model.TransactionsPart},
}

// String is the budget's key in a scenario file.
func (b Budget) String() string { return BudgetRows[b].Key }

// Doc says what the budget bounds.
func (b Budget) Doc() string { return BudgetRows[b].Doc }

// Part is the part of the protocol whose fault it is.
func (b Budget) Part() model.ProtocolPart { return BudgetRows[b].Part }
