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
	for m := range NumMutations {
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
	InitBumpEpoch
	InitAbortOngoing
	InitWaitPrepare
	InitExpectedPIDCheck
	InitExpectedEpochCheck
	InitResetLastEpoch
	InitRetryDetection
	InitPendingCheck
	AddPartitionsEpochCheck
	AddPartitionsPIDCheck
	AddPartitionsPrepareCheck
	PendingCheckFirst
	EndTxnEpochCheck
	EndTxnPIDCheck
	EndTxnStateCheck
	EndTxnRetryDetection
	EndTxnBumpEpoch
	PrepareBeforeMarkers
	CompleteAfterAllMarkers
	EpochExhaustionRotation
	FenceBumpsEpoch
	TimeoutAbort
	DoubleFenceBumpBug
	EndTxnRetryAfterFence
	TidExpiryOnlyIdle
	PIDMappingFatal
	TCAppendCECheck
	TCLoadCompletesPrepare
	TCLoadGate
	MarkerSkipBug
	MarkerCoordinatorEpochCheck
	MarkerEpochCheck
	MarkerStrictEpochTV2
	MarkerRepeatAccept
	MarkerRaisesEpoch
	PartitionEpochCheck
	VerifyBeforeFirstAppend
	VerificationGuardUnique
	GuardClearedByMarker
	GuardKeptForNextTV2
	EpochBeforeGuard
	ImplicitAddTV2
	SequenceCheck
	SequenceZeroOnNewEpoch
	SequenceZeroTV2NoState
	LowestSequenceHold
	DuplicateWindow
	NontxnInTxnCheck
	LSOOpenTransaction
	LSOMarkerReplicated
	AbortedIndexFilter
	TxnOffsetCommitMemberCheck
	TxnOffsetCommitGenerationCheck
	TxnOffsetCommitAbsentGroup
	TxnOffsetCommitProducerEpoch
	TxnOffsetNewestPositionWins
	TxnOffsetHiddenUntilMarker
	TxnOffsetBareGroupAllowed
	TxnOffsetRegisterPartition
	PendingOffsetMarkerApply
	RequireStable
	NumMutations
)

// MutationInfo describes one entry of the registry.
type MutationInfo struct {
	ID     string // as --mutate takes it
	Part   ProtocolPart
	Rule   string // the rule that is removed, or the defect that is added
	Source string // KIP, issue or method, and where groups.md or transactions.md has it
	Breaks string // what a checker should then find
	// Redundant says within which bounds no scenario needs the rule, and why;
	// empty where some scenario finds its absence.
	Redundant string
}

// Registry has an entry for every mutation, at its own index.
var Registry = [NumMutations]MutationInfo{
	JoinSessionBounds:              {ID: "join-session-bounds", Part: ClassicPart, Rule: "a session timeout outside the broker's bounds is refused with INVALID_SESSION_TIMEOUT", Source: "GroupCoordinatorService.joinGroup; groups.md J1", Breaks: "members that never expire"},
	JoinKnownIDAbsentGroup:         {ID: "join-known-id-absent-group", Part: ClassicPart, Rule: "a group that does not exist is not created for a request that names a member id: UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.classicGroupJoin; groups.md J3", Breaks: "a zombie revives a deleted group under its old id"},
	JoinProtocolCheck:              {ID: "join-protocol-check", Part: ClassicPart, Rule: "a member must offer a protocol that every member supports: INCONSISTENT_GROUP_PROTOCOL", Source: "ClassicGroup.supportsProtocols; groups.md J7", Breaks: "a generation without a protocol, so nobody can compute a plan"},
	JoinMemberIDRequired:           {ID: "join-member-id-required", Part: ClassicPart, Rule: "a new dynamic member joins only with an id that it was given before: MEMBER_ID_REQUIRED", Source: "KIP-394, GroupMetadataManager.classicGroupJoinNewMember; groups.md J10", Breaks: "retried joins leave ghost members that stall rebalances"},
	JoinLeaderStableRebalance:      {ID: "join-leader-stable-rebalance", Part: ClassicPart, Rule: "a leader that joins again in Stable begins a rebalance, even with the same bytes", Source: "GroupMetadataManager.classicGroupJoinExistingMember; groups.md J17", Breaks: "partitions that are added are never assigned"},
	JoinMetadataChangeRebalance:    {ID: "join-metadata-change-rebalance", Part: ClassicPart, Rule: "a member that joins again with other bytes begins a rebalance", Source: "GroupMetadataManager.classicGroupJoinExistingMember; groups.md J16, J19", Breaks: "a generation keeps an assignment that does not fit the subscriptions"},
	JoinWaitAllMembers:             {ID: "join-wait-all-members", Part: ClassicPart, Rule: "the join phase ends early only when every member has joined", Source: "ClassicGroup.hasAllMembersJoined; groups.md 2.2", Breaks: "live members are dropped while they use their partitions"},
	JoinPendingBlocksCompletion:    {ID: "join-pending-blocks-completion", Part: ClassicPart, Rule: "the join phase does not end early while an id that was handed out has not come back", Source: "KIP-394, ClassicGroup.hasAllMembersJoined; groups.md 2.2", Breaks: "a second rebalance right after the first", Redundant: "costs time, no property: whoever comes back too late joins the next generation. No scenario is violated without it"},
	JoinDropUnjoinedDynamic:        {ID: "join-drop-unjoined-dynamic", Part: ClassicPart, Rule: "dynamic members that did not join in time are removed when the join phase ends", Source: "GroupMetadataManager.completeClassicGroupJoin; groups.md 2.3 step 2", Breaks: "dead members keep partitions", Redundant: "sync-timeout and session-expiry remove the dead member later, and its old generation fences it meanwhile; sync-timeout is the younger rule (KAFKA-12890). No scenario is violated without it"},
	JoinGenerationIncrement:        {ID: "join-generation-increment", Part: ClassicPart, Rule: "the generation rises when the join phase ends", Source: "ClassicGroup.initNextGeneration; groups.md 2.3 step 4", Breaks: "two owners in one generation"},
	EmptyGenerationIncrement:       {ID: "empty-generation-increment", Part: ClassicPart, Rule: "the generation rises also when the join phase ends with no members", Source: "ClassicGroup.initNextGeneration; groups.md 2.8", Breaks: "a generation is used again after the group was empty"},
	PrepareFailParkedSyncs:         {ID: "prepare-fail-parked-syncs", Part: ClassicPart, Rule: "a rebalance answers the SyncGroups that wait with REBALANCE_IN_PROGRESS", Source: "GroupMetadataManager.prepareRebalance; groups.md 2.2", Breaks: "a follower hangs, or takes the plan of another generation"},
	SyncMemberCheck:                {ID: "sync-member-check", Part: ClassicPart, Rule: "SyncGroup of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.validateSyncGroup; groups.md Y3", Breaks: "a stranger sets the assignment"},
	SyncGenerationCheck:            {ID: "sync-generation-check", Part: ClassicPart, Rule: "SyncGroup of another generation is refused with ILLEGAL_GENERATION", Source: "GroupMetadataManager.validateSyncGroup; groups.md Y4", Breaks: "the plan of one generation is installed in another"},
	SyncLeaderOnlyAssign:           {ID: "sync-leader-only-assign", Part: ClassicPart, Rule: "only the leader's SyncGroup sets the assignment", Source: "GroupMetadataManager.classicGroupSyncToClassicGroup; groups.md Y8", Breaks: "a follower's empty plan is installed"},
	SyncTimeout:                    {ID: "sync-timeout", Part: ClassicPart, Rule: "members that do not send SyncGroup in time are removed", Source: "KAFKA-12890, GroupMetadataManager.expirePendingSync; groups.md 2.7", Breaks: "a member that joined and never synced keeps the group waiting"},
	HeartbeatMemberCheck:           {ID: "heartbeat-member-check", Part: ClassicPart, Rule: "Heartbeat of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "GroupMetadataManager.validateClassicGroupHeartbeat; groups.md 2.5", Breaks: "a removed member believes that it is alive"},
	HeartbeatGenerationCheck:       {ID: "heartbeat-generation-check", Part: ClassicPart, Rule: "Heartbeat of another generation is refused with ILLEGAL_GENERATION", Source: "GroupMetadataManager.validateClassicGroupHeartbeat; groups.md 2.5", Breaks: "a stale member believes that it is alive"},
	HeartbeatRebalanceSignal:       {ID: "heartbeat-rebalance-signal", Part: ClassicPart, Rule: "Heartbeat in PreparingRebalance is answered REBALANCE_IN_PROGRESS", Source: "GroupMetadataManager.classicGroupHeartbeatToClassicGroup; groups.md 2.5", Breaks: "members never learn of a rebalance"},
	SessionExpiry:                  {ID: "session-expiry", Part: ClassicPart, Rule: "a member that is silent for its session timeout is removed", Source: "GroupMetadataManager.expireClassicGroupMemberHeartbeat; groups.md 2.7", Breaks: "a dead member keeps its partitions"},
	SessionSkipParked:              {ID: "session-skip-parked", Part: ClassicPart, Rule: "a member that waits in a parked request does not expire", Source: "ClassicGroupMember.hasSatisfiedHeartbeat; groups.md 2.7", Breaks: "live members are expelled during long rebalances"},
	OffsetCommitMemberCheck:        {ID: "offset-commit-member-check", Part: OffsetsPart, Rule: "OffsetCommit of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "ClassicGroup.validateOffsetCommit; groups.md O5", Breaks: "a removed member overwrites offsets"},
	OffsetCommitGenerationCheck:    {ID: "offset-commit-generation-check", Part: OffsetsPart, Rule: "OffsetCommit of another generation is refused with ILLEGAL_GENERATION", Source: "ClassicGroup.validateOffsetCommit; groups.md O6", Breaks: "a member of generation n commits over n+1"},
	OffsetCommitCompletingCheck:    {ID: "offset-commit-completing-check", Part: OffsetsPart, Rule: "OffsetCommit while the plan is awaited is refused with REBALANCE_IN_PROGRESS", Source: "ClassicGroup.validateOffsetCommit; groups.md O8", Breaks: "a commit in a generation that has no assignment yet"},
	OffsetCommitEmptyGroupOnly:     {ID: "offset-commit-empty-group-only", Part: OffsetsPart, Rule: "OffsetCommit without generation and member is taken by an empty group only", Source: "ClassicGroup.validateOffsetCommit; groups.md O7", Breaks: "a simple consumer overwrites a live group's offsets"},
	ClientResetOnUnknownMember:     {ID: "client-reset-on-unknown-member", Part: ClassicPart, Rule: "a client drops its member id on UNKNOWN_MEMBER_ID", Source: "AbstractCoordinator.resetStateAndRejoin; groups.md 8.1", Breaks: "a client asks for ever with a dead id"},
	ClientLostOnReset:              {ID: "client-lost-on-reset", Part: ClassicPart, Rule: "a client that lost its generation takes its partitions from the application before it joins (onPartitionsLost)", Source: "ConsumerCoordinator.onJoinPrepare; groups.md 8.1", Breaks: "the application keeps partitions after losing them"},
	ClientCommitOnlyStable:         {ID: "client-commit-only-stable", Part: ClassicPart, Rule: "a subscribed client sends commits only while it is a stable member", Source: "ConsumerCoordinator.sendOffsetCommitRequest; groups.md 8.1", Breaks: "the positions of an old assignment are sent with a new generation"},
	ClientPollTimeout:              {ID: "client-poll-timeout", Part: ClassicPart, Rule: "a heartbeat thread leaves the group for an application that does not poll within max.poll.interval.ms", Source: "KIP-62, AbstractCoordinator.HeartbeatThread; groups.md 8.1", Breaks: "a stalled application keeps its partitions while its heartbeats go on"},
	ClientCommitProcessed:          {ID: "client-commit-processed", Part: ClassicPart, Rule: "an at-least-once application commits the positions of processed records only (usage: enable.auto.commit with records handed to another thread breaks it)", Source: "KafkaConsumer, automatic offset committing; museum: commit-of-last-poll", Breaks: "records that are never processed"},
	InitBumpEpoch:                  {ID: "init-bump-epoch", Part: TransactionsPart, Rule: "InitProducerId raises the epoch", Source: "TransactionMetadata.prepareIncrementProducerEpoch; transactions.md 1.4", Breaks: "two producers share one epoch, and no fence is left"},
	InitAbortOngoing:               {ID: "init-abort-ongoing", Part: TransactionsPart, Rule: "InitProducerId aborts a transaction that is under way", Source: "TransactionCoordinator.prepareInitProducerIdTransit; transactions.md 1.4", Breaks: "a new owner begins beside the old one's open transaction"},
	InitWaitPrepare:                {ID: "init-wait-prepare", Part: TransactionsPart, Rule: "InitProducerId waits until a decided transaction is complete: CONCURRENT_TRANSACTIONS", Source: "TransactionCoordinator.prepareInitProducerIdTransit; transactions.md 1.4", Breaks: "a new owner begins before the old outcome is known", Redundant: "init-pending-check answers the same wherever a decision is under way: what is prepared is pending until it is complete. Without both, producer-zombie is violated"},
	InitExpectedPIDCheck:           {ID: "init-expected-pid-check", Part: TransactionsPart, Rule: "InitProducerId with an expected id that is not the current one, nor the one before a rotation, is refused with PRODUCER_FENCED", Source: "KIP-360, TransactionCoordinator.prepareInitProducerIdTransit; transactions.md 1.4 row 10", Breaks: "a zombie initialises itself again over the new owner"},
	InitExpectedEpochCheck:         {ID: "init-expected-epoch-check", Part: TransactionsPart, Rule: "InitProducerId with an expected epoch that is neither the current nor the last one is refused with PRODUCER_FENCED", Source: "KIP-360, TransactionMetadata.prepareIncrementProducerEpoch; transactions.md 1.4", Breaks: "a zombie with the same producer id initialises itself again over the new owner"},
	InitResetLastEpoch:             {ID: "init-reset-last-epoch", Part: TransactionsPart, Rule: "InitProducerId without an expected pair forgets the epoch before, so that its owner cannot repeat an InitProducerId", Source: "KIP-360, TransactionMetadata.prepareIncrementProducerEpoch; transactions.md 1.4", Breaks: "a former owner's repeat is answered with the new owner's epoch"},
	InitRetryDetection:             {ID: "init-retry-detection", Part: TransactionsPart, Rule: "InitProducerId with the epoch before the last bump is taken for a repeat, and answered with the current one", Source: "KIP-360, TransactionMetadata.prepareIncrementProducerEpoch; transactions.md 1.4", Breaks: "a healthy producer is fenced because an answer was lost"},
	InitPendingCheck:               {ID: "init-pending-check", Part: TransactionsPart, Rule: "InitProducerId is refused with CONCURRENT_TRANSACTIONS while a transition is under way", Source: "TransactionCoordinator.prepareInitProducerIdTransit; transactions.md 1.4 row 9", Breaks: "two transitions race on one transactional id", Redundant: "init-wait-prepare answers the same: nothing else is pending between two steps. Without both, producer-zombie is violated"},
	AddPartitionsEpochCheck:        {ID: "add-partitions-epoch-check", Part: TransactionsPart, Rule: "AddPartitionsToTxn and AddOffsetsToTxn of another epoch are refused with PRODUCER_FENCED", Source: "TransactionCoordinator.handleAddPartitionsToTransaction; transactions.md 1.5 row 5", Breaks: "a zombie adds partitions to its successor's transaction"},
	AddPartitionsPIDCheck:          {ID: "add-partitions-pid-check", Part: TransactionsPart, Rule: "AddPartitionsToTxn and AddOffsetsToTxn of another producer id are refused with INVALID_PRODUCER_ID_MAPPING", Source: "TransactionCoordinator.handleAddPartitionsToTransaction; transactions.md 1.5 row 4", Breaks: "a producer of an expired or rotated id joins a foreign transaction"},
	AddPartitionsPrepareCheck:      {ID: "add-partitions-prepare-check", Part: TransactionsPart, Rule: "no partition is added once the outcome is decided: CONCURRENT_TRANSACTIONS", Source: "TransactionCoordinator.handleAddPartitionsToTransaction; transactions.md 1.5 row 6", Breaks: "a partition that gets no marker: a hanging transaction", Redundant: "pending-check-first answers the same wherever a decision is under way"},
	PendingCheckFirst:              {ID: "pending-check-first", Part: TransactionsPart, Rule: "a transition under way is reported, with CONCURRENT_TRANSACTIONS, before producer id and epoch are compared", Source: "KAFKA-18464, KAFKA-18660; transactions.md 1.5 row 3, 1.7 row 2", Breaks: "a healthy producer is fenced right after its EndTxn rotated its id"},
	EndTxnEpochCheck:               {ID: "end-txn-epoch-check", Part: TransactionsPart, Rule: "EndTxn of another epoch is refused with PRODUCER_FENCED", Source: "TransactionCoordinator.endTransaction; transactions.md 1.6, 1.7 row 4", Breaks: "a zombie commits or aborts its successor's transaction"},
	EndTxnPIDCheck:                 {ID: "end-txn-pid-check", Part: TransactionsPart, Rule: "EndTxn of another producer id is refused with INVALID_PRODUCER_ID_MAPPING", Source: "TransactionCoordinator.endTransaction; transactions.md 1.7 row 3", Breaks: "the same across a rotation of the id"},
	EndTxnStateCheck:               {ID: "end-txn-state-check", Part: TransactionsPart, Rule: "EndTxn that asks for the other outcome than the one reached is refused with INVALID_TXN_STATE", Source: "TransactionCoordinator.endTransaction; transactions.md 1.6, 1.7", Breaks: "a client is told committed for an aborted transaction"},
	EndTxnRetryDetection:           {ID: "end-txn-retry-detection", Part: TransactionsPart, Rule: "EndTxn of the epoch before the bump is taken for a repeat, and answered with the outcome", Source: "KIP-890, TransactionCoordinator.endTransaction; transactions.md 1.7", Breaks: "a healthy producer is fenced because an answer was lost"},
	EndTxnBumpEpoch:                {ID: "end-txn-bump-epoch", Part: TransactionsPart, Rule: "the end of a transaction raises the epoch (transaction.version 2)", Source: "KIP-890, TransactionMetadata.prepareAbortOrCommit; transactions.md 1.7", Breaks: "late writes of one transaction join the next"},
	PrepareBeforeMarkers:           {ID: "prepare-before-markers", Part: TransactionsPart, Rule: "an outcome is logged before the first marker goes out", Source: "TransactionCoordinator.endTransaction; transactions.md 1.1", Breaks: "a crash between two markers: half committed, half aborted"},
	CompleteAfterAllMarkers:        {ID: "complete-after-all-markers", Part: TransactionsPart, Rule: "a transaction is complete when every partition has its marker", Source: "TransactionMarkerChannelManager.maybeWriteTxnCompletion; transactions.md 1.9", Breaks: "the next transaction begins while markers of the last one travel"},
	EpochExhaustionRotation:        {ID: "epoch-exhaustion-rotation", Part: TransactionsPart, Rule: "an exhausted epoch is followed by epoch 0 of a fresh producer id", Source: "TransactionMetadata.isEpochExhausted; transactions.md 1.4, 1.7", Breaks: "the epoch overflows and becomes negative"},
	FenceBumpsEpoch:                {ID: "fence-bumps-epoch", Part: TransactionsPart, Rule: "a coordinator that aborts a transaction of its own accord raises the epoch", Source: "KIP-588, TransactionMetadata.prepareFenceProducerEpoch; transactions.md 1.8", Breaks: "a producer that timed out keeps writing after its abort"},
	TimeoutAbort:                   {ID: "timeout-abort", Part: TransactionsPart, Rule: "a transaction that takes longer than its timeout is aborted", Source: "KIP-588, TransactionCoordinator.abortTimedOutTransactions; transactions.md 1.8", Breaks: "an abandoned transaction blocks readers for ever"},
	DoubleFenceBumpBug:             {ID: "double-fence-bump-bug", Part: TransactionsPart, Rule: "a fence raises the epoch once (4.0 raised it twice)", Source: "KAFKA-19367; transactions.md 1.8, section 10", Breaks: "a producer's own abort is answered PRODUCER_FENCED"},
	EndTxnRetryAfterFence:          {ID: "end-txn-retry-after-fence", Part: TransactionsPart, Rule: "an abort by the coordinator counts as the end that a producer's EndTxn repeats (since 4.1; without it 4.0's answer)", Source: "KAFKA-19367; transactions.md 1.8", Breaks: "a producer that was timed out cannot go on without initialising itself again"},
	TidExpiryOnlyIdle:              {ID: "tid-expiry-only-idle", Part: TransactionsPart, Rule: "only a transactional id without a transaction is forgotten after transactional.id.expiration.ms", Source: "TransactionStateManager.removeExpiredTransactionalIds; transactions.md 1.10", Breaks: "the coordinator forgets an open transaction: hanging"},
	PIDMappingFatal:                {ID: "pid-mapping-fatal", Part: TransactionsPart, Rule: "INVALID_PRODUCER_ID_MAPPING is fatal to a client", Source: "KAFKA-18019; transactions.md section 6", Breaks: "a zombie initialises itself again after its transactional id expired, and repeats its work"},
	TCAppendCECheck:                {ID: "tc-append-ce-check", Part: TransactionsPart, Rule: "a coordinator appends only under the epoch under which it prepared", Source: "TransactionStateManager.appendTransactionToLog; transactions.md 1.3", Breaks: "an old incarnation completes a transition over the new one's"},
	TCLoadCompletesPrepare:         {ID: "tc-load-completes-prepare", Part: TransactionsPart, Rule: "a new coordinator marks again whatever was decided", Source: "TransactionStateManager.loadTransactionsForTxnTopicPartition; transactions.md section 5", Breaks: "a transaction hangs after its decision"},
	TCLoadGate:                     {ID: "tc-load-gate", Part: TransactionsPart, Rule: "a coordinator answers COORDINATOR_LOAD_IN_PROGRESS until it has read its log", Source: "TransactionStateManager.getAndMaybeAddTransactionState; transactions.md 1.2", Breaks: "a transaction is lost because the answer came from a half-loaded state"},
	MarkerSkipBug:                  {ID: "marker-skip-bug", Part: TransactionsPart, Rule: "partitions that have no leader yet are waited for, not taken for deleted (4.4.0 takes them for deleted)", Source: "KAFKA-20734, KRaftMetadataCache.getPartitionLeaderEndpoint; transactions.md 1.9", Breaks: "an abort is complete without its markers, and the next transaction commits the aborted records"},
	MarkerCoordinatorEpochCheck:    {ID: "marker-coordinator-epoch-check", Part: TransactionsPart, Rule: "a marker of an older coordinator than the last one's is refused with TRANSACTION_COORDINATOR_FENCED", Source: "ProducerAppendInfo.checkCoordinatorEpoch; transactions.md 2.5", Breaks: "a late marker of a deposed coordinator ends a later transaction"},
	MarkerEpochCheck:               {ID: "marker-epoch-check", Part: TransactionsPart, Rule: "a marker of an older producer epoch is refused with INVALID_PRODUCER_EPOCH", Source: "ProducerAppendInfo.checkProducerEpoch; transactions.md 2.5", Breaks: "a stale marker ends the owner's transaction"},
	MarkerStrictEpochTV2:           {ID: "marker-strict-epoch-tv2", Part: TransactionsPart, Rule: "a marker of transaction.version 2 must raise the epoch", Source: "KIP-1228; transactions.md 2.5", Breaks: "a late repeat ends the next transaction early (4.0, 4.1)"},
	MarkerRepeatAccept:             {ID: "marker-repeat-accept", Part: TransactionsPart, Rule: "a marker of the current epoch is taken for a repeat where no transaction is open", Source: "KAFKA-19999; transactions.md 2.5", Breaks: "a transaction hangs in its decision after a failover or a lost answer"},
	MarkerRaisesEpoch:              {ID: "marker-raises-epoch", Part: TransactionsPart, Rule: "a marker raises the producer epoch of its partition", Source: "ProducerAppendInfo.appendEndTxnMarker; transactions.md 2.5", Breaks: "late data of the ended transaction is accepted"},
	PartitionEpochCheck:            {ID: "partition-epoch-check", Part: TransactionsPart, Rule: "a batch of an older epoch is refused with INVALID_PRODUCER_EPOCH", Source: "ProducerAppendInfo.checkProducerEpoch; transactions.md 2.2 row 5, 2.3 row 4", Breaks: "records of a fenced producer are appended"},
	VerifyBeforeFirstAppend:        {ID: "verify-before-first-append", Part: TransactionsPart, Rule: "the coordinator is asked before the first record of a transaction is appended", Source: "KIP-890, UnifiedLog.maybeStartTransactionVerification; transactions.md 2.2 row 7", Breaks: "a record without a transaction that knows it: hanging"},
	VerificationGuardUnique:        {ID: "verification-guard-unique", Part: TransactionsPart, Rule: "every verification has a guard of its own", Source: "VerificationGuard; transactions.md 2.3 row 3", Breaks: "verified, aborted, then written"},
	GuardClearedByMarker:           {ID: "guard-cleared-by-marker", Part: TransactionsPart, Rule: "a marker ends the verification under way", Source: "ProducerStateManager.update, VerificationStateEntry; transactions.md 2.3", Breaks: "verified, aborted, then written"},
	GuardKeptForNextTV2:            {ID: "guard-kept-for-next-tv2", Part: TransactionsPart, Rule: "a marker leaves the verification of the next transaction's first batch", Source: "UnifiedLog.updateProducers; transactions.md 2.3", Breaks: "the first write of the next transaction is refused with INVALID_TXN_STATE"},
	EpochBeforeGuard:               {ID: "epoch-before-guard", Part: TransactionsPart, Rule: "a stale epoch is reported before a missing verification", Source: "KAFKA-19690; transactions.md 2.3 row 2", Breaks: "INVALID_TXN_STATE in place of INVALID_PRODUCER_EPOCH", Redundant: "INVALID_TXN_STATE in place of INVALID_PRODUCER_EPOCH makes no difference to the clients of the model, which abort on both; older ones, and Kafka Streams, fail for good (KAFKA-19690)"},
	ImplicitAddTV2:                 {ID: "implicit-add-tv2", Part: TransactionsPart, Rule: "a leader adds its partition to the transaction (transaction.version 2)", Source: "KIP-890, ReplicaManager.handleProduceAppend; transactions.md 2.2", Breaks: "a partition that the coordinator does not know gets no marker"},
	SequenceCheck:                  {ID: "sequence-check", Part: TransactionsPart, Rule: "a batch must follow the last one: OUT_OF_ORDER_SEQUENCE_NUMBER", Source: "ProducerAppendInfo.checkSequence; transactions.md 2.4", Breaks: "gaps and duplicates after a repeat", Redundant: "a producer of the model has one batch at a time in flight to a partition, so that duplicates are recognised first. Without duplicate-window too, late-produce is violated"},
	SequenceZeroOnNewEpoch:         {ID: "sequence-zero-on-new-epoch", Part: TransactionsPart, Rule: "the first batch of an epoch has sequence 0", Source: "ProducerAppendInfo.checkSequence; transactions.md 2.4", Breaks: "a lost first batch goes unnoticed", Redundant: "a producer of the model has one batch at a time in flight to a partition, so the first one cannot be lost behind a second"},
	SequenceZeroTV2NoState:         {ID: "sequence-zero-tv2-no-state", Part: TransactionsPart, Rule: "the first batch of a producer that the leader does not know has sequence 0 (transaction.version 2)", Source: "KAFKA-18202; transactions.md 2.4", Breaks: "a lost first batch goes unnoticed", Redundant: "a producer of the model has one batch at a time in flight to a partition, so the first one cannot be lost behind a second"},
	LowestSequenceHold:             {ID: "lowest-sequence-hold", Part: TransactionsPart, Rule: "a batch waits while one with a smaller sequence is verified", Source: "VerificationStateEntry.maybeUpdateLowestSequenceAndEpoch; transactions.md 2.4", Breaks: "a later batch is appended before an earlier one", Redundant: "a producer of the model has one batch at a time in flight to a partition, so none waits for an earlier one"},
	DuplicateWindow:                {ID: "duplicate-window", Part: TransactionsPart, Rule: "a batch that is repeated is answered and not appended again", Source: "ProducerStateEntry.findDuplicateBatch; transactions.md 2.3 row 1", Breaks: "a repeated batch is refused, or appended twice"},
	NontxnInTxnCheck:               {ID: "nontxn-in-txn-check", Part: TransactionsPart, Rule: "a producer writes nothing outside its open transaction: INVALID_TXN_STATE", Source: "ProducerAppendInfo.appendDataBatch; transactions.md 2.3 row 6", Breaks: "a record that counts as inside, and was not", Redundant: "no producer of the model writes outside a transaction while it has one"},
	LSOOpenTransaction:             {ID: "lso-open-transaction", Part: TransactionsPart, Rule: "a read_committed reader stops before the first open transaction", Source: "UnifiedLog.lastStableOffset; transactions.md 2.6", Breaks: "undecided records are read"},
	LSOMarkerReplicated:            {ID: "lso-marker-replicated", Part: TransactionsPart, Rule: "a read_committed reader waits until a marker is replicated", Source: "UnifiedLog.lastStableOffset; transactions.md 2.6", Breaks: "an outcome is seen, and lost with its marker", Redundant: "replication is not modelled: every append is replicated before the next step. A marker that is lost with its leader is written again with the same outcome"},
	AbortedIndexFilter:             {ID: "aborted-index-filter", Part: TransactionsPart, Rule: "a read_committed reader drops aborted records", Source: "CompletedFetch; transactions.md 2.6", Breaks: "aborted records are read"},
	TxnOffsetCommitMemberCheck:     {ID: "txn-offset-commit-member-check", Part: TransactionsPart, Rule: "TxnOffsetCommit of a stranger is refused with UNKNOWN_MEMBER_ID", Source: "KIP-447, ClassicGroup.validateOffsetCommit; groups.md O5", Breaks: "a removed member with a live producer commits"},
	TxnOffsetCommitGenerationCheck: {ID: "txn-offset-commit-generation-check", Part: TransactionsPart, Rule: "TxnOffsetCommit of another generation is refused with ILLEGAL_GENERATION", Source: "KIP-447, ClassicGroup.validateOffsetCommit; groups.md O6", Breaks: "the same within one member id"},
	TxnOffsetCommitAbsentGroup:     {ID: "txn-offset-commit-absent-group", Part: TransactionsPart, Rule: "TxnOffsetCommit that names a generation is refused with ILLEGAL_GENERATION where the group does not exist", Source: "OffsetMetadataManager.validateTransactionalOffsetCommit; groups.md O2", Breaks: "a stale generation creates a deleted group again"},
	TxnOffsetCommitProducerEpoch:   {ID: "txn-offset-commit-producer-epoch", Part: TransactionsPart, Rule: "TxnOffsetCommit of an older producer epoch is refused with INVALID_PRODUCER_EPOCH", Source: "CoordinatorPartitionWriter.maybeStartTransactionVerification; groups.md 4.3", Breaks: "a fenced producer adds offsets to a newer transaction"},
	TxnOffsetNewestPositionWins:    {ID: "txn-offset-newest-position-wins", Part: TransactionsPart, Rule: "a marker commits an offset only over an older commit record", Source: "OffsetMetadataManager.replayEndTransactionMarker; groups.md 4.5", Breaks: "a marker moves the offset back behind a newer plain commit"},
	TxnOffsetHiddenUntilMarker:     {ID: "txn-offset-hidden-until-marker", Part: TransactionsPart, Rule: "offsets of a transaction are not read before its marker", Source: "OffsetMetadataManager.replay; groups.md 4.5", Breaks: "aborted offsets are read"},
	TxnOffsetBareGroupAllowed:      {ID: "txn-offset-bare-group-allowed", Part: TransactionsPart, Rule: "TxnOffsetCommit without member and generation is accepted in every state (removing this allowance is safe)", Source: "ClassicGroup.validateOffsetCommit; transactions.md 3.1, 4 z5", Breaks: "nothing but those who use it"},
	TxnOffsetRegisterPartition:     {ID: "txn-offset-register-partition", Part: TransactionsPart, Rule: "TxnOffsetCommit makes the offsets partition part of the transaction", Source: "CoordinatorPartitionWriter.maybeStartTransactionVerification; transactions.md 1.5, 2.2", Breaks: "offsets that are never decided: UNSTABLE_OFFSET_COMMIT for ever"},
	PendingOffsetMarkerApply:       {ID: "pending-offset-marker-apply", Part: TransactionsPart, Rule: "a COMMIT marker commits the offsets of its transaction", Source: "OffsetMetadataManager.replayEndTransactionMarker; transactions.md 3.2", Breaks: "committed output, old offset: duplicates"},
	RequireStable:                  {ID: "require-stable", Part: TransactionsPart, Rule: "a member's OffsetFetch waits for offsets that are not decided: UNSTABLE_OFFSET_COMMIT", Source: "KIP-447, OffsetMetadataManager.fetchOffsets; transactions.md 3.3", Breaks: "a new owner reads the old offset while its predecessor's commit is being decided"},
}

// String is the mutation's id.
func (m Mutation) String() string { return Registry[m].ID }

// MutationByID finds a mutation.
func MutationByID(id string) (Mutation, bool) {
	for m := range NumMutations {
		if Registry[m].ID == id {
			return m, true
		}
	}
	return 0, false
}
