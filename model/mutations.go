package model

// Mutation is a check or defect that can be switched, by its place in the
// registry.
type Mutation uint8

// Mutations is a set of mutations.
type Mutations [2]uint64

// Has tells whether m is in the set.
func (s *Mutations) Has(m Mutation) bool { return s[m>>6]>>(m&63)&1 == 1 }

// With is the set with m added.
func (s Mutations) With(m Mutation) Mutations { s[m>>6] |= 1 << (m & 63); return s }

// Without is the set with m taken out.
func (s Mutations) Without(m Mutation) Mutations { s[m>>6] &^= 1 << (m & 63); return s }

// List is the set's members in the registry's order.
func (s Mutations) List() []Mutation {
	var all []Mutation
	for m := Mutation(0); m < NumMutations; m++ {
		if s.Has(m) {
			all = append(all, m)
		}
	}
	return all
}

// The mutations, in the order of the registry.
const (
	JoinSessionBounds Mutation = iota
	JoinKnownIDAbsentGroup
	JoinProtocolCheck
	JoinMemberIDRequired
	JoinLeaderStableRebalance
	JoinMetadataChangeRebalance
	JoinWaitAllMembers
	JoinPendingBlocksCompletion
	JoinDropUnjoinedDynamic
	JoinGenerationIncrement
	EmptyGenerationIncrement
	PrepareFailParkedSyncs
	SyncMemberCheck
	SyncGenerationCheck
	SyncLeaderOnlyAssign
	SyncTimeout
	HeartbeatMemberCheck
	HeartbeatGenerationCheck
	HeartbeatRebalanceSignal
	SessionExpiry
	SessionSkipParked
	OffsetCommitMemberCheck
	OffsetCommitGenerationCheck
	OffsetCommitCompletingCheck
	OffsetCommitEmptyGroupOnly
	ClientResetOnUnknownMember
	ClientLostOnReset
	ClientCommitOnlyStable
	ClientCommitProcessed
	ClientPollTimeout
	NumMutations
)

// MutationInfo describes one entry of the registry.
type MutationInfo struct {
	ID     string // as --mutate takes it
	Rule   string // the rule that is removed, or the defect that is added
	Source string // KIP, issue or method, and where groups.md has it
	Breaks string // what a checker should then find
	// Redundant says within which bounds no scenario needs the rule, and why;
	// empty where some scenario finds its absence.
	Redundant string
}

// Registry has an entry for every mutation, at its own index.
var Registry = [NumMutations]MutationInfo{
	JoinSessionBounds:           {ID: "join-session-bounds", Rule: "a session timeout outside the broker's bounds is refused with INVALID_SESSION_TIMEOUT", Source: "GroupCoordinatorService.joinGroup; groups.md J1", Breaks: "members that never expire"},
	JoinKnownIDAbsentGroup:      {ID: "join-known-id-absent-group", Rule: "a group that does not exist is not created for a request that names a member id: UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.classicGroupJoin; groups.md J3", Breaks: "a zombie revives a deleted group under its old id"},
	JoinProtocolCheck:           {ID: "join-protocol-check", Rule: "a member must offer a protocol that every member supports: INCONSISTENT_GROUP_PROTOCOL", Source: "ClassicGroup.supportsProtocols; groups.md J7", Breaks: "a generation without a protocol, so nobody can compute a plan"},
	JoinMemberIDRequired:        {ID: "join-member-id-required", Rule: "a new dynamic member joins only with an id that it was given before: MEMBER_ID_REQUIRED", Source: "KIP-394, GroupMetadataManager.classicGroupJoinNewMember; groups.md J10", Breaks: "retried joins leave ghost members that stall rebalances"},
	JoinLeaderStableRebalance:   {ID: "join-leader-stable-rebalance", Rule: "a leader that joins again in Stable begins a rebalance, even with the same bytes", Source: "GroupMetadataManager.classicGroupJoinExistingMember; groups.md J17", Breaks: "partitions that are added are never assigned"},
	JoinMetadataChangeRebalance: {ID: "join-metadata-change-rebalance", Rule: "a member that joins again with other bytes begins a rebalance", Source: "GroupMetadataManager.classicGroupJoinExistingMember; groups.md J16, J19", Breaks: "a generation keeps an assignment that does not fit the subscriptions"},
	JoinWaitAllMembers:          {ID: "join-wait-all-members", Rule: "the join phase ends early only when every member has joined", Source: "ClassicGroup.hasAllMembersJoined; groups.md 2.2", Breaks: "live members are dropped while they use their partitions"},
	JoinPendingBlocksCompletion: {ID: "join-pending-blocks-completion", Rule: "the join phase does not end early while an id that was handed out has not come back", Source: "KIP-394, ClassicGroup.hasAllMembersJoined; groups.md 2.2", Breaks: "a second rebalance right after the first", Redundant: "costs time, no property: whoever comes back too late joins the next generation. No scenario is violated without it"},
	JoinDropUnjoinedDynamic:     {ID: "join-drop-unjoined-dynamic", Rule: "dynamic members that did not join in time are removed when the join phase ends", Source: "GroupMetadataManager.completeClassicGroupJoin; groups.md 2.3 step 2", Breaks: "dead members keep partitions", Redundant: "sync-timeout and session-expiry remove the dead member later, and its old generation fences it meanwhile; sync-timeout is the younger rule (KAFKA-12890). No scenario is violated without it"},
	JoinGenerationIncrement:     {ID: "join-generation-increment", Rule: "the generation rises when the join phase ends", Source: "ClassicGroup.initNextGeneration; groups.md 2.3 step 4", Breaks: "two owners in one generation"},
	EmptyGenerationIncrement:    {ID: "empty-generation-increment", Rule: "the generation rises also when the join phase ends with no members", Source: "ClassicGroup.initNextGeneration; groups.md 2.8", Breaks: "a generation is used again after the group was empty"},
	PrepareFailParkedSyncs:      {ID: "prepare-fail-parked-syncs", Rule: "a rebalance answers the SyncGroups that wait with REBALANCE_IN_PROGRESS", Source: "GroupMetadataManager.prepareRebalance; groups.md 2.2", Breaks: "a follower hangs, or takes the plan of another generation"},
	SyncMemberCheck:             {ID: "sync-member-check", Rule: "SyncGroup of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.validateSyncGroup; groups.md Y3", Breaks: "a stranger sets the assignment"},
	SyncGenerationCheck:         {ID: "sync-generation-check", Rule: "SyncGroup of another generation is refused with ILLEGAL_GENERATION", Source: "GroupMetadataManager.validateSyncGroup; groups.md Y4", Breaks: "the plan of one generation is installed in another"},
	SyncLeaderOnlyAssign:        {ID: "sync-leader-only-assign", Rule: "only the leader's SyncGroup sets the assignment", Source: "GroupMetadataManager.classicGroupSyncToClassicGroup; groups.md Y8", Breaks: "a follower's empty plan is installed"},
	SyncTimeout:                 {ID: "sync-timeout", Rule: "members that do not send SyncGroup in time are removed", Source: "KAFKA-12890, GroupMetadataManager.expirePendingSync; groups.md 2.7", Breaks: "a member that joined and never synced keeps the group waiting"},
	HeartbeatMemberCheck:        {ID: "heartbeat-member-check", Rule: "Heartbeat of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.validateClassicGroupHeartbeat; groups.md 2.5", Breaks: "a removed member believes that it is alive"},
	HeartbeatGenerationCheck:    {ID: "heartbeat-generation-check", Rule: "Heartbeat of another generation is refused with ILLEGAL_GENERATION", Source: "GroupMetadataManager.validateClassicGroupHeartbeat; groups.md 2.5", Breaks: "a stale member believes that it is alive"},
	HeartbeatRebalanceSignal:    {ID: "heartbeat-rebalance-signal", Rule: "Heartbeat in PreparingRebalance is answered REBALANCE_IN_PROGRESS", Source: "GroupMetadataManager.classicGroupHeartbeatToClassicGroup; groups.md 2.5", Breaks: "members never learn of a rebalance"},
	SessionExpiry:               {ID: "session-expiry", Rule: "a member that is silent for its session timeout is removed", Source: "GroupMetadataManager.expireClassicGroupMemberHeartbeat; groups.md 2.7", Breaks: "a dead member keeps its partitions"},
	SessionSkipParked:           {ID: "session-skip-parked", Rule: "a member that waits in a parked request does not expire", Source: "ClassicGroupMember.hasSatisfiedHeartbeat; groups.md 2.7", Breaks: "live members are expelled during long rebalances"},
	OffsetCommitMemberCheck:     {ID: "offset-commit-member-check", Rule: "OffsetCommit of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "ClassicGroup.validateOffsetCommit; groups.md O5", Breaks: "a removed member overwrites offsets"},
	OffsetCommitGenerationCheck: {ID: "offset-commit-generation-check", Rule: "OffsetCommit of another generation is refused with ILLEGAL_GENERATION", Source: "ClassicGroup.validateOffsetCommit; groups.md O6", Breaks: "a member of generation n commits over n+1"},
	OffsetCommitCompletingCheck: {ID: "offset-commit-completing-check", Rule: "OffsetCommit while the plan is awaited is refused with REBALANCE_IN_PROGRESS", Source: "ClassicGroup.validateOffsetCommit; groups.md O8", Breaks: "a commit in a generation that has no assignment yet"},
	OffsetCommitEmptyGroupOnly:  {ID: "offset-commit-empty-group-only", Rule: "OffsetCommit without generation and member is taken by an empty group only", Source: "ClassicGroup.validateOffsetCommit; groups.md O7", Breaks: "a simple consumer overwrites a live group's offsets"},
	ClientResetOnUnknownMember:  {ID: "client-reset-on-unknown-member", Rule: "a client drops its member id on UNKNOWN_MEMBER_ID", Source: "AbstractCoordinator.resetStateAndRejoin; groups.md 8.1", Breaks: "a client asks for ever with a dead id"},
	ClientLostOnReset:           {ID: "client-lost-on-reset", Rule: "a client that lost its generation takes its partitions from the application before it joins (onPartitionsLost)", Source: "ConsumerCoordinator.onJoinPrepare; groups.md 8.1", Breaks: "the application keeps partitions after losing them"},
	ClientCommitOnlyStable:      {ID: "client-commit-only-stable", Rule: "a subscribed client sends commits only while it is a stable member", Source: "ConsumerCoordinator.sendOffsetCommitRequest; groups.md 8.1", Breaks: "the positions of an old assignment are sent with a new generation"},
	ClientPollTimeout:           {ID: "client-poll-timeout", Rule: "a heartbeat thread leaves the group for an application that does not poll within max.poll.interval.ms", Source: "KIP-62, AbstractCoordinator.HeartbeatThread; groups.md 8.1", Breaks: "a stalled application keeps its partitions while its heartbeats go on"},
	ClientCommitProcessed:       {ID: "client-commit-processed", Rule: "an at-least-once application commits the positions of processed records only (usage: enable.auto.commit with records handed to another thread breaks it)", Source: "KafkaConsumer, automatic offset committing; museum: commit-of-last-poll", Breaks: "records that are never processed"},
}

// String is the mutation's id.
func (m Mutation) String() string { return Registry[m].ID }

// MutationByID finds a mutation.
func MutationByID(id string) (Mutation, bool) {
	for m := Mutation(0); m < NumMutations; m++ {
		if Registry[m].ID == id {
			return m, true
		}
	}
	return 0, false
}
