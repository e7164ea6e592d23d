// Package model has the state of the modelled system and the protocol's
// decisions as pure functions: what a coordinator answers to a request, what a
// timer does, what a client makes of an answer. A decision is written here
// once. Exploration (package ops), histories (package linearize) and whatever
// else judges by the protocol's rules apply it.
//
// A coordinator's memory belongs to the caller, who shows it to the rules as a
// Coordinator:
//
//	var group model.Group
//	members := make([]model.Member, 4)
//	c := model.Coordinator{Rules: &model.Rules{}, Group: &group, Members: members}
//	answer, _ := c.Decide(&model.GroupRequest{API: model.JoinGroup, Protocols: model.ProtocolList(model.Range), Fresh: 1})
//	fmt.Println(answer.Err) // MEMBER_ID_REQUIRED
//
// The rules are those of Apache Kafka 4.4.0 as it is meant to be. Each names
// its source: the method in Kafka, the KIP, and the row of the protocol pages
// that this project keeps (groups.md: J1 to J20 JoinGroup, Y1 to Y12 SyncGroup,
// O1 to O9 OffsetCommit and TxnOffsetCommit; transactions.md: I8 to I11
// InitProducerId, A2 to A8 AddPartitionsToTxn, P1 to P7 and E1 to E11 EndTxn, V3
// to V7 and L1 to L6 a partition's leader, M1 to M4 markers). Each check that
// fences somebody can be switched off by its entry in Registry.
//
// # What is here
//
// The classic group with dynamic members and eager rebalancing, and plain
// offset commits: group.go, join.go, sync.go, heartbeat.go, leave.go,
// offsets.go, timers.go, assignor.go, load.go; the client's rules: client.go.
//
// Transactions in both styles: the coordinator is a TransactionCoordinator
// (transaction.go, initproducer.go, addpartitions.go, endtxn.go), a partition's
// leader a PartitionLeader (leader.go), what readers see is in visible.go,
// offsets in transactions are a Coordinator's (txnoffsets.go), and the
// producer's rules are in producer.go. oldversions.go has what old versions of a
// request are told.
//
// The state that exploration works on: state.go, config.go, encode.go, and of
// transactions txnstate.go, encodetxn.go; what of it can be exchanged without a
// difference: symmetry.go, permute.go, rank.go.
//
// # How the rest will enter
//
// Static members: an instance id in Member and in the requests, checked first
// in validateMember; replacement is a file of its own, called where JoinGroup
// has no member id and a known instance; dropUnjoined keeps static members, and
// completeJoin already waits on when only absent members are left.
//
// Failover of the group coordinator: what is durable is what records hold. Group
// gets a second copy, the last GroupMetadata record, as Transaction has its Log,
// and the offsets an applied and an acknowledged value; SyncGroup and
// OffsetCommit then end in two steps, apply and ack. Coordinator.Load reads a
// record already. A deposed coordinator is a second Coordinator view on memory
// of its own, as in transactions.
//
// Replication: a log gets a high watermark, which LastStableOffset takes
// already, and a leader that fails over may lose what is above it.
//
// KIP-848: a consumer group is another kind of Group with a view of its own;
// the commit and fetch tables, that of TxnOffsetCommit included, gain its rows
// (O10 to O18).
//
// KIP-939: a second pair in Transaction, which clients see, and a transaction
// that no timeout ends.
package model
