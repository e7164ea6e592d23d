package ops

import "fencecheck/model"

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
)

// String is the parameter's key in a saved counterexample.
func (p Param) String() string {
	return [...]string{"", "client", "partition", "lane", "late", "member", "topics"}[p]
}

// Actor says who takes an operation's step.
type Actor uint8

// The actors.
const (
	ByClient Actor = iota
	ByCoordinator
	ByEnvironment
)

// Op is one nondeterministic operation. All of its nondeterminism is in its
// parameters, so that it has at most one successor for each choice of them.
type Op struct {
	Name   string
	Doc    string
	Source string // Kafka method, KIP, or section of the protocol pages
	Omits  string // what it does not model
	Actor  Actor
	Params [2]Param
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
	Asked func(c *model.Config) bool
	step  func(x *Exec, a Args) bool
	// urgent tells for which clients the step is one of the client alone, so that
	// a search need not try it at every later moment too. nil: for none.
	urgent func(x *Exec, cl *model.Client) bool
}

func always(*model.Config) bool { return true }

func budget(b model.Budget) func(*model.Config) bool {
	return func(c *model.Config) bool { return c.MayHappen(b) }
}

func travels(c *model.Config) bool { return c.Travels != [model.NumAPIs]bool{} }

func heartbeats(c *model.Config) bool { return c.Travels[model.Heartbeat] }

// Table has every operation. Its order is the order in which a search tries
// them, and so decides between counterexamples of equal length: ordinary
// steps come first, faults after them.
var Table = [...]Op{
	{Name: "join", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: always, step: (*Exec).join, urgent: (*Exec).urgentJoin,
		Doc:    "the application polls: an eager client gives up its partitions and sends JoinGroup; the first time this is subscribe()",
		Source: "AbstractCoordinator.sendJoinGroupRequest, ConsumerCoordinator.onJoinPrepare; groups.md 8.1",
		Omits:  "finding the coordinator, back-off"},
	{Name: "sync", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: always, step: (*Exec).sync,
		Doc:    "a client whose JoinGroup was answered sends SyncGroup, the leader with the plan that it computed",
		Source: "AbstractCoordinator.onLeaderElected, onJoinFollower; groups.md 2.4",
		Omits:  "callbacks that fail"},
	{Name: "fetch", Actor: ByClient, Params: [2]Param{Client}, Asked: always, step: (*Exec).fetch,
		Doc:    "the application polls: the committed offsets of newly assigned partitions are fetched, 0 where there is none",
		Source: "ConsumerCoordinator.initWithCommittedOffsetsIfNeeded; groups.md 4.6",
		Omits:  "requireStable, which matters with transactions only"},
	{Name: "take", Actor: ByClient, Params: [2]Param{Client, Partition}, Asked: commitsBefore, step: (*Exec).takeRecord,
		Doc:    "at most once: the application takes the next record of a partition, and will commit before it processes it",
		Source: "KafkaConsumer.poll"},
	{Name: "process", Actor: ByClient, Params: [2]Param{Client, Partition}, Asked: hasRecords, step: (*Exec).process,
		Doc:    "the application processes a record, and its output is durable at once; at least once: the next record of a partition; at most once: the record whose commit is confirmed",
		Source: "KafkaConsumer.poll",
		Omits:  "batches: a poll returns one record"},
	{Name: "commit", Actor: ByClient, Params: [2]Param{Client}, Asked: hasRecords, step: (*Exec).commit,
		Doc:    "the application sends OffsetCommit with its positions (commitSync)",
		Source: "ConsumerCoordinator.sendOffsetCommitRequest; groups.md 4.2",
		Omits:  "commitAsync: one commit of a client is outstanding at a time, unless it gave up on it"},
	{Name: "heartbeat", Actor: ByClient, Params: [2]Param{Client}, Asked: always, step: (*Exec).heartbeat,
		Doc:    "the heartbeat thread sends Heartbeat",
		Source: "AbstractCoordinator.HeartbeatThread; groups.md 2.5",
		Omits:  "the interval between heartbeats"},
	{Name: "receive", Rare: true, Actor: ByClient, Params: [2]Param{Client, Lane}, Asked: always, step: (*Exec).receive, urgent: (*Exec).urgentReceive,
		Doc:    "a client takes the answer to its request",
		Source: "groups.md 8.1"},
	{Name: "decide", Actor: ByCoordinator, Params: [2]Param{Client, Lane}, Picks: true, Asked: travels, step: (*Exec).decide,
		Doc:    "the coordinator decides the first request in flight on a client's connection",
		Source: "groups.md E2"},
	{Name: "decide-late", Actor: ByCoordinator, Params: [2]Param{Late}, Picks: true, Asked: budget(model.LateRequests), step: (*Exec).decideLate,
		Doc:    "the coordinator decides a request whose sender gave up on it; between connections there is no order",
		Source: "groups.md E2; museum M04"},
	{Name: "initial-delay", Actor: ByCoordinator, Picks: true, Asked: always, step: (*Exec).initialDelay,
		Doc:    "the initial delay of a group that was empty ends, or is extended because somebody joined",
		Source: "KIP-134, GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule"},
	{Name: "rebalance-timeout", Rare: true, Actor: ByCoordinator, Picks: true, Asked: always, step: (*Exec).rebalanceTimeout,
		Doc:    "the coordinator waits no longer for members to join",
		Source: "GroupMetadataManager.completeClassicGroupJoin; groups.md 2.7"},
	{Name: "sync-timeout", Rare: true, Actor: ByCoordinator, Picks: true, Asked: always, step: (*Exec).syncTimeout,
		Doc:    "the coordinator waits no longer for members to send SyncGroup, and removes them",
		Source: "KAFKA-12890, GroupMetadataManager.expirePendingSync; groups.md 2.7"},
	{Name: "session-timeout", Rare: true, Actor: ByCoordinator, Params: [2]Param{Member}, Picks: true, Asked: always, step: (*Exec).sessionTimeout,
		Doc:    "the session of a member, or of an id that was handed out, ends",
		Source: "GroupMetadataManager.expireClassicGroupMemberHeartbeat; groups.md 2.7"},
	{Name: "poll-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: budget(model.Stalls), step: (*Exec).pollTimeout,
		Doc:    "max.poll.interval.ms is over: the heartbeat thread sends LeaveGroup and forgets the membership; the application learns of it in its next poll",
		Source: "AbstractCoordinator.HeartbeatThread, maybeLeaveGroup; groups.md 8.1"},
	{Name: "notice-partitions", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: budget(model.AddedPartitions), step: (*Exec).noticePartitions,
		Doc:    "the leader sees in its metadata that a topic has more partitions than its plan knew",
		Source: "ConsumerCoordinator.rejoinNeededOrPending"},
	{Name: "assign", Actor: ByClient, Params: [2]Param{Client}, Asked: hasSimple, step: (*Exec).assign,
		Doc:    "a simple consumer takes all partitions by assign(); its commits carry no member and no generation",
		Source: "KafkaConsumer.assign; groups.md O4, O7"},
	{Name: "request-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: always, step: (*Exec).requestTimeout,
		Doc:    "a client gives up on a request that the coordinator no longer holds and will never answer",
		Source: "request.timeout.ms; groups.md 2.6"},
	{Name: "give-up", Actor: ByClient, Params: [2]Param{Client, Lane}, Fault: true, Asked: travels, step: (*Exec).giveUp,
		Doc:    "a client gives up on a request and opens a new connection; undecided, the request stays in flight; decided, its answer is lost",
		Source: "request.timeout.ms; groups.md 8.1"},
	{Name: "subscribe", Actor: ByClient, Params: [2]Param{Client, Topics}, Fault: true, Asked: budget(model.Subscriptions), step: (*Exec).subscribe,
		Doc:    "the application subscribes to other topics, and must join again",
		Source: "KafkaConsumer.subscribe"},
	{Name: "leave", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Fault: true, Asked: budget(model.Leaves), step: (*Exec).leave,
		Doc:    "the application unsubscribes: its partitions are taken away, LeaveGroup is sent, and nobody waits for the answer",
		Source: "KafkaConsumer.unsubscribe, AbstractCoordinator.maybeLeaveGroup; groups.md 2.6"},
	{Name: "pause", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Pauses), step: (*Exec).pause,
		Doc:    "a process stops, both threads: a long garbage collection, a suspended machine",
		Source: "groups.md 8.1, threads"},
	{Name: "resume", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Pauses), step: (*Exec).resume,
		Doc:    "a paused process goes on where it stopped",
		Source: "groups.md 8.1, threads"},
	{Name: "stall", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Stalls), step: (*Exec).stall,
		Doc:    "an application thread stands still; its heartbeats go on",
		Source: "groups.md 8.1, threads"},
	{Name: "unstall", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Stalls), step: (*Exec).unstall,
		Doc:    "a stalled application thread goes on",
		Source: "groups.md 8.1, threads"},
	{Name: "crash", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Crashes), step: (*Exec).crash,
		Doc:    "a process dies with all it knew; what it sent stays in flight while late_requests allows",
		Source: "museum, faults"},
	{Name: "restart", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Crashes), step: (*Exec).restart,
		Doc:    "a new process takes the place of one that died, with no id",
		Source: "museum, faults"},
	{Name: "add-partition", Actor: ByEnvironment, Fault: true, Asked: budget(model.AddedPartitions), step: (*Exec).addPartition,
		Doc:    "an administrator adds a partition to the last topic",
		Source: "CreatePartitions"},
	{Name: "delete-group", Actor: ByEnvironment, Fault: true, Asked: budget(model.Deletions), step: (*Exec).deleteGroup,
		Doc:    "an administrator deletes the empty group with its offsets, or its retention is over",
		Source: "OffsetMetadataManager.cleanupExpiredOffsets, ClassicGroup.validateDeleteGroup; groups.md 4.7, 4.8"},
}

func commitsBefore(c *model.Config) bool { return c.Commit == model.CommitBefore }

func hasRecords(c *model.Config) bool { return c.Records > 0 }

func hasSimple(c *model.Config) bool { return c.Simple > 0 }

// ByName finds an operation's index in Table.
func ByName(name string) (int, bool) {
	for i := range Table {
		if Table[i].Name == name {
			return i, true
		}
	}
	return 0, false
}
