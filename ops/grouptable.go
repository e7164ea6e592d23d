package ops

import (
	"fmt"
	"math/bits"

	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// groupSteps are what members of a group do of their own accord.
var groupSteps = []Op{
	{Name: "join", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Picks: true, Asked: consumers, who: (*cluster.Config).IsMember, when: when(idle), step: (*Exec).join, urgent: (*Exec).urgentJoin,
		Doc:    "the application polls: an eager client gives up its partitions and sends JoinGroup; the first time this is subscribe()",
		Tells:  joins,
		Source: "AbstractCoordinator.sendJoinGroupRequest, ConsumerCoordinator.onJoinPrepare; groups.md 8.1",
		Omits:  "finding the coordinator, back-off"},
	{Name: "sync", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Picks: true, Asked: consumers, when: idleIn(cluster.Joined), step: (*Exec).sync,
		Doc:    "a client whose JoinGroup was answered sends SyncGroup, the leader with the plan that it computed",
		Tells:  syncs,
		Source: "AbstractCoordinator.onLeaderElected, onJoinFollower; groups.md 2.4",
		Omits:  "callbacks that fail"},
	{Name: "fetch", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: consumers, when: idleIn(cluster.MemberPhase), step: (*Exec).fetch,
		Doc:    "the application polls: the committed offsets of newly assigned partitions are fetched, 0 where there is none",
		Tells:  says("asks where to start reading"),
		Source: "ConsumerCoordinator.initWithCommittedOffsetsIfNeeded; groups.md 4.6",
		Omits:  "requireStable where there are no transactions, since nothing is pending then"},
	{Name: "take", Actor: ByClient, Params: [2]Param{Client, Partition}, Asked: commitsBefore, when: when(idle), step: (*Exec).takeRecord,
		Doc:    "at most once: the application takes the next record of a partition, and will commit before it processes it",
		Tells:  takes,
		Source: "KafkaConsumer.poll"},
	{Name: "process", Actor: ByClient, Sends: true, Params: [2]Param{Client, Partition}, Asked: hasRecords, when: when(idle), step: (*Exec).process,
		Doc:    "the application processes a record, and its output is durable at once; at least once: the next record of a partition; at most once: the record whose commit is confirmed; in transactions: the output of the next record is produced",
		Tells:  processes,
		Source: "KafkaConsumer.poll",
		Omits:  "batches: a poll returns one record"},
	{Name: "commit", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: commitsPlainly, when: when(idle), step: (*Exec).commit,
		Doc:    "the application sends OffsetCommit with its positions (commitSync)",
		Tells:  says("commits what it has consumed"),
		Source: "ConsumerCoordinator.sendOffsetCommitRequest; groups.md 4.2",
		Omits:  "commitAsync: one commit of a client is outstanding at a time, unless it gave up on it"},
	{Name: "heartbeat", Actor: ByClient, Sends: true, Params: [2]Param{Client}, Asked: consumers, who: (*cluster.Config).IsMember, when: when(beating), step: (*Exec).heartbeat,
		Doc:    "the heartbeat thread sends Heartbeat",
		Tells:  says("sends a heartbeat"),
		Source: "AbstractCoordinator.HeartbeatThread; groups.md 2.5",
		Omits:  "the interval between heartbeats"},
}

// groupTimers are the timers of the group coordinator and of its members.
var groupTimers = []Op{
	{Name: "initial-delay", Actor: ByGroupCoordinator, Picks: true, Asked: consumers, step: (*Exec).initialDelay,
		Doc:    "the initial delay of a group that was empty ends, or is extended because somebody joined",
		Tells:  delays,
		Source: "KIP-134, GroupMetadataManager.tryCompleteInitialRebalanceElseSchedule"},
	{Name: "rebalance-timeout", Rare: true, Actor: ByGroupCoordinator, Picks: true, Asked: consumers, step: (*Exec).rebalanceTimeout,
		Doc:    "the coordinator waits no longer for members to join",
		Tells:  says("the rebalance timeout is over: it waits no longer for members to join"),
		Source: "GroupMetadataManager.completeClassicGroupJoin; groups.md 2.7"},
	{Name: "sync-timeout", Rare: true, Actor: ByGroupCoordinator, Picks: true, Asked: consumers, step: (*Exec).syncTimeout,
		Doc:    "the coordinator waits no longer for members to send SyncGroup, and removes them",
		Tells:  says("the sync timeout is over: it removes the members that did not send SyncGroup"),
		Source: "KAFKA-12890, GroupMetadataManager.expirePendingSync; groups.md 2.7"},
	{Name: "session-timeout", Rare: true, Actor: ByGroupCoordinator, Params: [2]Param{Member}, Picks: true, Asked: consumers, step: (*Exec).sessionTimeout,
		Doc:    "the session of a member, or of an id that was handed out, ends",
		Tells:  expires,
		Source: "GroupMetadataManager.expireClassicGroupMemberHeartbeat; groups.md 2.7"},
	{Name: "poll-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Picks: true, Asked: budget(cluster.Stalls), when: when(func(cl *cluster.Client) bool { return cl.Process == cluster.Stalled && inGroup(cl) }), Request: leaveRequest, step: (*Exec).pollTimeout,
		Doc:    "max.poll.interval.ms is over: the heartbeat thread sends LeaveGroup and forgets the membership; the application learns of it in its next poll",
		Tells:  says("has not polled for max.poll.interval.ms: its heartbeat thread leaves the group"),
		Source: "AbstractCoordinator.HeartbeatThread, maybeLeaveGroup; groups.md 8.1"},
	{Name: "notice-partitions", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: budget(cluster.AddedPartitions), when: idleIn(cluster.MemberPhase), step: (*Exec).noticePartitions,
		Doc:    "the leader sees in its metadata that a topic has more partitions than its plan knew",
		Tells:  says("sees as the leader that there are more partitions, and must join again"),
		Source: "ConsumerCoordinator.rejoinNeededOrPending"},
	{Name: "assign", Actor: ByClient, Params: [2]Param{Client}, Asked: hasSimple, who: (*cluster.Config).IsSimple, when: idleIn(cluster.Outside), step: (*Exec).assign,
		Doc:    "a simple consumer takes all partitions by assign(); its commits carry no member and no generation",
		Tells:  assigns,
		Source: "KafkaConsumer.assign; groups.md O4, O7"},
	{Name: "request-timeout", Rare: true, Actor: ByClient, Params: [2]Param{Client}, Asked: consumers, when: when(waiting), step: (*Exec).requestTimeout,
		Doc:    "a client gives up on a request that the coordinator no longer holds and will never answer",
		Tells:  says("waits no longer for an answer that will never come"),
		Source: "request.timeout.ms; groups.md 2.6"},
}

// groupFaults are what members do that keeps a group from coming to rest.
var groupFaults = []Op{
	{Name: "subscribe", Actor: ByClient, Params: [2]Param{Client, Topics}, Fault: true, Asked: budget(cluster.Subscriptions), who: (*cluster.Config).IsMember, when: idleIn(cluster.MemberPhase), step: (*Exec).subscribe,
		Doc:    "the application subscribes to other topics, and must join again",
		Tells:  says("subscribes to {topics}"),
		Source: "KafkaConsumer.subscribe"},
	{Name: "leave", Actor: ByClient, Params: [2]Param{Client}, Picks: true, Fault: true, Asked: budget(cluster.Leaves), when: when(idle), Request: leaveRequest, step: (*Exec).leave,
		Doc:    "the application unsubscribes: its partitions are taken away, LeaveGroup is sent, and nobody waits for the answer",
		Tells:  says("leaves the group"),
		Source: "KafkaConsumer.unsubscribe, AbstractCoordinator.maybeLeaveGroup; groups.md 2.6"},
}

// administration is what an administrator does.
var administration = []Op{
	{Name: "add-partition", Actor: ByAdministrator, Fault: true, Asked: budget(cluster.AddedPartitions), step: (*Exec).addPartition,
		Doc:    "an administrator adds a partition to the last topic",
		Tells:  says("adds a partition"),
		Source: "CreatePartitions"},
	{Name: "delete-group", Actor: ByAdministrator, Fault: true, Asked: budget(cluster.Deletions), step: (*Exec).deleteGroup,
		Doc:    "an administrator deletes the empty group with its offsets, or its retention is over",
		Tells:  says("deletes the empty group with its offsets"),
		Source: "OffsetMetadataManager.cleanupExpiredOffsets, ClassicGroup.validateDeleteGroup; groups.md 4.7, 4.8"},
}

func consumers(c *cluster.Config) bool { return c.Consuming() }

func commitsPlainly(c *cluster.Config) bool {
	return c.Records > 0 && (!c.Transactional || c.Simple > 0)
}

func commitsBefore(c *cluster.Config) bool { return c.Commit == cluster.CommitBefore }

func hasRecords(c *cluster.Config) bool { return c.Records > 0 }

func hasSimple(c *cluster.Config) bool { return c.Simple > 0 }

func joins(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	cl := &before.Clients[a.A]
	text := "joins the group"
	if cl.ID != 0 {
		text = "joins under its member id"
	}
	if cl.Owned != 0 {
		return fmt.Sprintf("gives up {partitions %d} and %s", cl.Owned, text)
	}
	return text
}

func syncs(_ *cluster.Config, before, after *cluster.State, a Args) string {
	switch {
	case after.Clients[a.A].Phase == cluster.Failed:
		return "finds no assignor for the generation"
	case before.Clients[a.A].Leads:
		return "computes the plan as the leader and sends it"
	}
	return "asks for its assignment"
}

func takes(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	return fmt.Sprintf("takes record %d of {partition}, to commit before it processes it", before.Clients[a.A].Position[a.B])
}

func processes(c *cluster.Config, before, after *cluster.State, a Args) string {
	if c.HasProducer(int(a.A)) {
		return fmt.Sprintf("{begins}reads {partition}@%d and writes its output to {log %d}, in {transaction}",
			before.Clients[a.A].Position[a.B], int(a.B)%c.Outputs)
	}
	p := a.B
	if again := after.Ghost.Twice[p] &^ before.Ghost.Twice[p]; again != 0 {
		return fmt.Sprintf("processes record %d of {partition}, which had been processed before", bits.TrailingZeros8(again))
	}
	if first := after.Ghost.Done[p] &^ before.Ghost.Done[p]; first != 0 {
		return fmt.Sprintf("processes record %d of {partition}", bits.TrailingZeros8(first))
	}
	return "processes a record of {partition} once more"
}

func delays(_ *cluster.Config, _, after *cluster.State, _ Args) string {
	if after.Last.Completed {
		return "the initial delay is over, and so is the join phase"
	}
	return "the initial delay is extended, because somebody joined"
}

func expires(_ *cluster.Config, before, _ *cluster.State, a Args) string {
	if m := before.Member(model.MemberID(a.A)); m != nil && m.Is(classic.Pending) {
		return "the id {member}, which never joined, expires"
	}
	return "the session of {member} is over: it has been silent for too long, and is removed"
}

func assigns(_ *cluster.Config, _, after *cluster.State, a Args) string {
	return fmt.Sprintf("assigns itself {partitions %d}, outside any group membership", after.Clients[a.A].Owned)
}

// leaveRequest is the LeaveGroup of a client that has a member id.
func leaveRequest(s *cluster.State, a Args) cluster.Request {
	if id := s.Clients[a.A].ID; id != 0 {
		return cluster.Request{API: model.LeaveGroup, Client: a.A, ID: id}
	}
	return cluster.Request{}
}
