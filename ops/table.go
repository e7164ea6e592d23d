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
	// who tells which clients may take the step; nil: all. At the moments of when they may
	// do so; 0: at all.
	who  func(c *model.Config, client int) bool
	when moments
	step func(x *Exec, a Args) bool
	// urgent tells for which clients the step is one of the client alone, so that
	// a search need not try it at every later moment too. nil: for none.
	urgent func(x *Exec, cl *model.Client) bool
}

func always(*model.Config) bool { return true }

func budget(b model.Budget) func(*model.Config) bool {
	return func(c *model.Config) bool { return c.MayHappen(b) }
}

func producerBudget(b model.Budget) func(*model.Config) bool {
	return func(c *model.Config) bool { return c.Producing() && c.MayHappen(b) }
}

func travels(c *model.Config) bool { return c.Travels != [model.NumAPIs]bool{} }

func heartbeats(c *model.Config) bool { return c.Travels[model.Heartbeat] }

// Table has every operation. Its order is the order in which a search tries
// them, and so decides between counterexamples of equal length: ordinary
// steps come first, faults after them.
var Table = [...]Op{
	{Name: "join", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: consumers, who: (*model.Config).IsMember, when: when(idle), step: (*Exec).join, urgent: (*Exec).urgentJoin,
		Doc:    "the application polls: an eager client gives up its partitions and sends JoinGroup; the first time this is subscribe()",
		Source: "AbstractCoordinator.sendJoinGroupRequest, ConsumerCoordinator.onJoinPrepare; groups.md 8.1",
		Omits:  "finding the coordinator, back-off"},
	{Name: "sync", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: consumers, when: idleIn(model.Joined), step: (*Exec).sync,
		Doc:    "a client whose JoinGroup was answered sends SyncGroup, the leader with the plan that it computed",
		Source: "AbstractCoordinator.onLeaderElected, onJoinFollower; groups.md 2.4",
		Omits:  "callbacks that fail"},
	{Name: "fetch", Actor: ByClient, Params: [2]Param{Client}, Asked: consumers, when: idleIn(model.MemberPhase), step: (*Exec).fetch,
		Doc:    "the application polls: the committed offsets of newly assigned partitions are fetched, 0 where there is none",
		Source: "ConsumerCoordinator.initWithCommittedOffsetsIfNeeded; groups.md 4.6",
		Omits:  "requireStable where there are no transactions, since nothing is pending then"},
	{Name: "take", Actor: ByClient, Params: [2]Param{Client, Partition}, Asked: commitsBefore, when: when(idle), step: (*Exec).takeRecord,
		Doc:    "at most once: the application takes the next record of a partition, and will commit before it processes it",
		Source: "KafkaConsumer.poll"},
	{Name: "process", Actor: ByClient, Params: [2]Param{Client, Partition}, Asked: hasRecords, when: when(idle), step: (*Exec).process,
		Doc:    "the application processes a record, and its output is durable at once; at least once: the next record of a partition; at most once: the record whose commit is confirmed; in transactions: the output of the next record is produced",
		Source: "KafkaConsumer.poll",
		Omits:  "batches: a poll returns one record"},
	{Name: "commit", Actor: ByClient, Params: [2]Param{Client}, Asked: commitsPlainly, when: when(idle), step: (*Exec).commit,
		Doc:    "the application sends OffsetCommit with its positions (commitSync)",
		Source: "ConsumerCoordinator.sendOffsetCommitRequest; groups.md 4.2",
		Omits:  "commitAsync: one commit of a client is outstanding at a time, unless it gave up on it"},
	{Name: "heartbeat", Actor: ByClient, Params: [2]Param{Client}, Asked: consumers, who: (*model.Config).IsMember, when: when(beating), step: (*Exec).heartbeat,
		Doc:    "the heartbeat thread sends Heartbeat",
		Source: "AbstractCoordinator.HeartbeatThread; groups.md 2.5",
		Omits:  "the interval between heartbeats"},
	{Name: "receive", Rare: true, Actor: ByClient, Params: [2]Param{Client, Lane}, Asked: always, when: when(awake), step: (*Exec).receive, urgent: (*Exec).urgentReceive,
		Doc:    "a client takes the answer to its request",
		Source: "groups.md 8.1"},
	{Name: "init-producer", Actor: ByClient, Params: [2]Param{Client}, Asked: producing, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).initProducer,
		Doc:    "a producer asks for its id and epoch, with the pair that it has where it must raise the epoch itself (initTransactions)",
		Source: "TransactionManager.initializeTransactions, KIP-360; transactions.md section 6",
		Omits:  "finding the coordinator, back-off"},
	{Name: "add-partition-to-txn", Actor: ByClient, Params: [2]Param{Client, Log}, Asked: plainStyle, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).addToTransaction,
		Doc:    "a producer of the plain style tells the coordinator of a partition before it writes there: AddPartitionsToTxn, or AddOffsetsToTxn for the group's offsets",
		Source: "TransactionManager.addPartitionsToTransactionHandler; transactions.md 1.5",
		Omits:  "several partitions in one request"},
	{Name: "produce", Actor: ByClient, Params: [2]Param{Client, Output}, Asked: writers, who: (*model.Config).IsWriter, when: when(idle), step: (*Exec).produce,
		Doc:    "a writer writes its transaction's record to an output, and begins the transaction with the first one",
		Source: "KafkaProducer.send; transactions.md 2.2",
		Omits:  "batches of several records, several batches in flight"},
	{Name: "resend", Rare: true, Actor: ByClient, Params: [2]Param{Client, Output}, Asked: producing, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).resend,
		Doc:    "a producer sends a batch again that was refused for now, or whose answer did not come",
		Source: "Sender.canRetry; transactions.md section 6"},
	{Name: "send-offsets", Actor: ByClient, Params: [2]Param{Client}, Asked: transactional, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).sendOffsets,
		Doc:    "a member brings its positions into its transaction, with the group metadata of the last generation that it joined (sendOffsetsToTransaction)",
		Source: "KIP-447, KafkaProducer.sendOffsetsToTransaction; transactions.md 3.1"},
	{Name: "commit-transaction", Actor: ByClient, Params: [2]Param{Client}, Asked: producing, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).commitTransaction,
		Doc:    "a producer that has written everything asks to commit; it repeats what was not answered",
		Source: "TransactionManager.beginCommit; transactions.md section 6"},
	{Name: "abort-transaction", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: producing, who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).abortTransaction,
		Doc:    "a producer aborts after an error; it repeats what was not answered",
		Source: "TransactionManager.beginAbort; transactions.md section 6"},
	{Name: "deliver-marker", Actor: ByCoordinator, Params: [2]Param{TransactionalID, Log}, Asked: producing, step: (*Exec).deliverMarker,
		Doc:    "the transaction coordinator writes a marker to a partition; after the last one the transaction is complete",
		Source: "TransactionMarkerChannelManager; transactions.md 1.9"},
	{Name: "transaction-timeout", Rare: true, Actor: ByCoordinator, Params: [2]Param{TransactionalID}, Asked: producing, step: (*Exec).transactionTimeout,
		Doc:    "transaction.timeout.ms is over, and the coordinator aborts the transaction",
		Source: "KIP-588, TransactionCoordinator.abortTimedOutTransactions; transactions.md 1.8"},
	{Name: "load", Actor: ByCoordinator, Asked: producerBudget(model.Failovers), step: (*Exec).load,
		Doc:    "a new coordinator has read its log to the end",
		Source: "TransactionStateManager.loadTransactionsForTxnTopicPartition; transactions.md section 5"},
	{Name: "elect-leaders", Rare: true, Actor: ByCoordinator, Asked: skipsMarkers, step: (*Exec).electLeaders,
		Doc:    "after a restart of everything the partitions have leaders again",
		Source: "KAFKA-20734; transactions.md section 5"},
	{Name: "decide", Actor: ByCoordinator, Params: [2]Param{Client, Lane}, Picks: true, Asked: travels, step: (*Exec).decide,
		Doc:    "the coordinator decides the first request in flight on a client's connection",
		Source: "groups.md E2"},
	{Name: "decide-late", Actor: ByCoordinator, Params: [2]Param{Late}, Picks: true, Asked: budget(model.LateRequests), step: (*Exec).decideLate,
		Doc:    "the coordinator decides a request whose sender gave up on it; between connections there is no order",
		Source: "groups.md E2; museum M04"},
	{Name: "initial-delay", Actor: ByCoordinator, Picks: true, Asked: consumers, step: (*Exec).initialDelay,
		Doc:    "the initial delay of a group that was empty ends, or is extended because somebody joined",
		Source: "KIP-134, GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule"},
	{Name: "rebalance-timeout", Rare: true, Actor: ByCoordinator, Picks: true, Asked: consumers, step: (*Exec).rebalanceTimeout,
		Doc:    "the coordinator waits no longer for members to join",
		Source: "GroupMetadataManager.completeClassicGroupJoin; groups.md 2.7"},
	{Name: "sync-timeout", Rare: true, Actor: ByCoordinator, Picks: true, Asked: consumers, step: (*Exec).syncTimeout,
		Doc:    "the coordinator waits no longer for members to send SyncGroup, and removes them",
		Source: "KAFKA-12890, GroupMetadataManager.expirePendingSync; groups.md 2.7"},
	{Name: "session-timeout", Rare: true, Actor: ByCoordinator, Params: [2]Param{Member}, Picks: true, Asked: consumers, step: (*Exec).sessionTimeout,
		Doc:    "the session of a member, or of an id that was handed out, ends",
		Source: "GroupMetadataManager.expireClassicGroupMemberHeartbeat; groups.md 2.7"},
	{Name: "poll-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: budget(model.Stalls), when: when(func(cl *model.Client) bool { return cl.Process == model.Stalled && inGroup(cl) }), step: (*Exec).pollTimeout,
		Doc:    "max.poll.interval.ms is over: the heartbeat thread sends LeaveGroup and forgets the membership; the application learns of it in its next poll",
		Source: "AbstractCoordinator.HeartbeatThread, maybeLeaveGroup; groups.md 8.1"},
	{Name: "notice-partitions", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: budget(model.AddedPartitions), when: idleIn(model.MemberPhase), step: (*Exec).noticePartitions,
		Doc:    "the leader sees in its metadata that a topic has more partitions than its plan knew",
		Source: "ConsumerCoordinator.rejoinNeededOrPending"},
	{Name: "assign", Actor: ByClient, Params: [2]Param{Client}, Asked: hasSimple, who: (*model.Config).IsSimple, when: idleIn(model.Outside), step: (*Exec).assign,
		Doc:    "a simple consumer takes all partitions by assign(); its commits carry no member and no generation",
		Source: "KafkaConsumer.assign; groups.md O4, O7"},
	{Name: "request-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: consumers, when: when(waiting), step: (*Exec).requestTimeout,
		Doc:    "a client gives up on a request that the coordinator no longer holds and will never answer",
		Source: "request.timeout.ms; groups.md 2.6"},
	{Name: "give-up", Actor: ByClient, Params: [2]Param{Client, Lane}, Fault: true, Asked: travels, step: (*Exec).giveUp,
		Doc:    "a client gives up on a request and opens a new connection; undecided, the request stays in flight; decided, its answer is lost",
		Source: "request.timeout.ms; groups.md 8.1"},
	{Name: "abort-anyway", Actor: ByClient, Params: [2]Param{Client}, Fault: true, Asked: producerBudget(model.Aborts), who: (*model.Config).HasProducer, when: when(idle), step: (*Exec).abortAnyway,
		Doc:    "an application aborts its transaction because it wants to",
		Source: "KafkaProducer.abortTransaction"},
	{Name: "lose-marker-answer", Actor: ByCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: markersTravel, step: (*Exec).loseMarkerAnswer,
		Doc:    "a partition decides a marker, and its answer is lost; the coordinator will send the marker again",
		Source: "TransactionMarkerRequestCompletionHandler; transactions.md 1.9"},
	{Name: "delay-marker", Actor: ByCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: markersTravel, step: (*Exec).delayMarker,
		Doc:    "the coordinator gives up on a marker that stays in flight, and will send it again",
		Source: "TransactionMarkerRequestCompletionHandler; transactions.md 1.9"},
	{Name: "lose-append", Actor: ByCoordinator, Params: [2]Param{Client, Choice}, Fault: true, Asked: producerBudget(model.LostAppends), step: (*Exec).loseAppend,
		Doc:    "the coordinator decides a request, and its log does not answer: the record was written (0) or was not (1); the client is told COORDINATOR_NOT_AVAILABLE",
		Source: "TransactionStateManager.appendTransactionToLog; transactions.md 1.3"},
	{Name: "fail-over", Actor: ByEnvironment, Params: [2]Param{Choice}, Fault: true, Asked: producerBudget(model.Failovers), step: (*Exec).failOver,
		Doc:    "another broker becomes the transaction coordinator; the one before notices (0) or goes on (1)",
		Source: "TransactionCoordinator.onElection; transactions.md section 5"},
	{Name: "decide-by-zombie", Actor: ByCoordinator, Params: [2]Param{Client}, Fault: true, Asked: producerBudget(model.Zombies), step: (*Exec).decideByZombie,
		Doc:    "a request is decided by the coordinator before, from what it has in memory; it can append nothing",
		Source: "transactions.md section 5, zombie"},
	{Name: "zombie-marker", Actor: ByCoordinator, Params: [2]Param{TransactionalID, Log}, Fault: true, Asked: producerBudget(model.Zombies), step: (*Exec).zombieMarker,
		Doc:    "the coordinator before writes a marker that it had to write",
		Source: "transactions.md section 5, zombie"},
	{Name: "fail-over-leader", Actor: ByEnvironment, Params: [2]Param{Log}, Fault: true, Asked: producerBudget(model.LeaderFailovers), step: (*Exec).failOverLeader,
		Doc:    "a partition gets another leader, which rebuilds what it knows of producers from the log",
		Source: "ProducerStateManager, replication; transactions.md 2.1",
		Omits:  "records that were not replicated: every append is, before the next step"},
	{Name: "expire-producers", Actor: ByEnvironment, Params: [2]Param{Log}, Fault: true, Asked: producerBudget(model.ProducerExpiries), step: (*Exec).expireProducers,
		Doc:    "a partition's leader forgets producers without an open transaction, and their epochs",
		Source: "producer.id.expiration.ms; transactions.md 2.1"},
	{Name: "expire-transactional-id", Actor: ByEnvironment, Params: [2]Param{TransactionalID}, Fault: true, Asked: producerBudget(model.IDExpiries), step: (*Exec).expireID,
		Doc:    "the coordinator forgets a transactional id that was idle",
		Source: "TransactionStateManager.removeExpiredTransactionalIds; transactions.md 1.10"},
	{Name: "subscribe", Actor: ByClient, Params: [2]Param{Client, Topics}, Fault: true, Asked: budget(model.Subscriptions), who: (*model.Config).IsMember, when: idleIn(model.MemberPhase), step: (*Exec).subscribe,
		Doc:    "the application subscribes to other topics, and must join again",
		Source: "KafkaConsumer.subscribe"},
	{Name: "leave", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Fault: true, Asked: budget(model.Leaves), when: when(idle), step: (*Exec).leave,
		Doc:    "the application unsubscribes: its partitions are taken away, LeaveGroup is sent, and nobody waits for the answer",
		Source: "KafkaConsumer.unsubscribe, AbstractCoordinator.maybeLeaveGroup; groups.md 2.6"},
	{Name: "pause", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Pauses), when: processIs(model.Running), step: (*Exec).pause,
		Doc:    "a process stops, both threads: a long garbage collection, a suspended machine",
		Source: "groups.md 8.1, threads"},
	{Name: "resume", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Pauses), when: processIs(model.Paused), step: (*Exec).goOn,
		Doc:    "a paused process goes on where it stopped",
		Source: "groups.md 8.1, threads"},
	{Name: "stall", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Stalls), when: processIs(model.Running), step: (*Exec).stall,
		Doc:    "an application thread stands still; its heartbeats go on",
		Source: "groups.md 8.1, threads"},
	{Name: "unstall", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Stalls), when: processIs(model.Stalled), step: (*Exec).goOn,
		Doc:    "a stalled application thread goes on",
		Source: "groups.md 8.1, threads"},
	{Name: "crash", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Crashes), when: when(func(cl *model.Client) bool { return cl.Process != model.Down }), step: (*Exec).crash,
		Doc:    "a process dies with all it knew; what it sent stays in flight while late_requests allows",
		Source: "museum, faults"},
	{Name: "restart", Actor: ByEnvironment, Params: [2]Param{Client}, Fault: true, Asked: budget(model.Crashes), when: processIs(model.Down), step: (*Exec).goOn,
		Doc:    "a new process takes the place of one that died, with no id",
		Source: "museum, faults"},
	{Name: "add-partition", Actor: ByEnvironment, Fault: true, Asked: budget(model.AddedPartitions), step: (*Exec).addPartition,
		Doc:    "an administrator adds a partition to the last topic",
		Source: "CreatePartitions"},
	{Name: "delete-group", Actor: ByEnvironment, Fault: true, Asked: budget(model.Deletions), step: (*Exec).deleteGroup,
		Doc:    "an administrator deletes the empty group with its offsets, or its retention is over",
		Source: "OffsetMetadataManager.cleanupExpiredOffsets, ClassicGroup.validateDeleteGroup; groups.md 4.7, 4.8"},
}

func consumers(c *model.Config) bool { return c.Consuming() }

func producing(c *model.Config) bool { return c.Producing() }

func plainStyle(c *model.Config) bool { return c.Producing() && !c.Version.Adds() }

func writers(c *model.Config) bool { return c.Writers > 0 }

func transactional(c *model.Config) bool { return c.Transactional }

func markersTravel(c *model.Config) bool { return c.Producing() && c.Travels[model.WriteTxnMarkers] }

func skipsMarkers(c *model.Config) bool { return c.Producing() && c.Rules.Off.Has(model.MarkerSkipBug) }

func commitsPlainly(c *model.Config) bool { return c.Records > 0 && (!c.Transactional || c.Simple > 0) }

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
