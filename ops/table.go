package ops

import (
	"slices"

	"fencecheck/model/cluster"
)

// Param is what one parameter of an operation ranges over.
type Param uint8

// The kinds of parameters.
const (
	NoParam Param = iota
	// Client is a client process, counted from 0.
	Client
	// Partition is a partition, counted from 0.
	Partition
	// Lane is 0 for the application thread's request, 1 for the heartbeat
	// thread's.
	Lane
	// Late is a request whose sender gave up on it, by its place in the bag.
	Late
	// Member is an id that the coordinator remembers.
	Member
	// Topics is a subscription: a set of topics, not empty.
	Topics
	// Log is an output partition, or the group's offsets partition.
	Log
	// Output is an output partition.
	Output
	// TransactionalID is a transactional id, counted from 0.
	TransactionalID
	// Choice is 0 or 1.
	Choice
)

// String is the parameter's key in a saved counterexample.
func (p Param) String() string {
	return [...]string{"", "client", "partition", "lane", "late", "member", "topics", "log", "output", "transactional_id", "choice"}[p]
}

// Actor says whose step it is, and so in whose lane a story tells it.
type Actor uint8

// The actors.
const (
	// ByClient: by a client, or to its process.
	ByClient Actor = iota
	// ByBroker: by whoever the request was sent to that the step decides.
	ByBroker
	ByGroupCoordinator
	ByTransactionCoordinator
	// ByOldCoordinator: by a transaction coordinator that does not know of its
	// successor.
	ByOldCoordinator
	// ByLeader: by the leader of the partition that is the first parameter.
	ByLeader
	ByAdministrator
)

// Op is one nondeterministic operation. All of its nondeterminism is in its
// parameters, so that it has at most one successor for each choice of them.
type Op struct {
	Name   string
	Doc    string
	Tells  Words  // what its actor does, for stories
	Source string // Kafka method, KIP, or section of the protocol pages
	Omits  string // what it does not model
	Actor  Actor
	Params [2]Param
	// Sends: a client sends a request and waits for its answer.
	Sends bool
	// Request finds the request that the step is about, unless it sends one and
	// waits: which is decided, whose answer is taken, or which nobody awaits the
	// answer to. nil: there is none.
	Request func(s *cluster.State, a Args) cluster.Request
	// Picks: the coordinator may have to choose one of several members as the
	// next leader, or the leader may list the members in several orders
	// (Config.AnyOrder); each choice is a step of its own (groups.md E8).
	Picks bool
	// Fault: the step does not help anybody on. Goals that stay reachable must
	// be reached without such steps.
	Fault bool
	// Rare: a run in which all goes well has no such step, so that its absence
	// says nothing about a scenario.
	Rare bool
	// Asked tells whether a configuration asks for the operation at all.
	Asked func(c *cluster.Config) bool
	// who tells which clients may take the step; nil: all. At the moments of when they may
	// do so; 0: at all.
	who  func(c *cluster.Config, client int) bool
	when moments
	step func(x *Exec, a Args) bool
	// urgent tells for which clients the step is one of the client alone, so that
	// a search need not try it at every later moment too. nil: for none.
	urgent func(x *Exec, cl *cluster.Client) bool
}

// Table has every operation. Its order is the order in which a search tries
// them, and so decides between counterexamples of equal length: ordinary
// steps come first, faults after them.
var Table = slices.Concat(groupSteps, answers, transactionSteps, decisions, groupTimers,
	losses, transactionFaults, groupFaults, processFaults, administration)

// ByName finds an operation's index in Table.
func ByName(name string) (int, bool) {
	for i := range Table {
		if Table[i].Name == name {
			return i, true
		}
	}
	return 0, false
}
