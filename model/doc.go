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
//	answer, _ := c.JoinGroup(model.JoinGroupRequest{Protocols: model.ProtocolList(model.Range), Fresh: 1})
//	fmt.Println(answer.Err) // MEMBER_ID_REQUIRED
//
// The rules are those of Apache Kafka 4.4.0 as it is meant to be. Each names
// its source: the method in Kafka, the KIP, and the row of the protocol pages
// that this project keeps (groups.md: J1 to J20 JoinGroup, Y1 to Y12 SyncGroup,
// O1 to O9 OffsetCommit). Each check that fences somebody can be switched off
// by its entry in Registry.
//
// # What is here
//
// The classic group with dynamic members and eager rebalancing, and plain
// offset commits: group.go, join.go, sync.go, heartbeat.go, leave.go,
// offsets.go, timers.go, assignor.go, load.go; the client's rules: client.go; the state
// that exploration works on: state.go, config.go, encode.go.
//
// # How the rest will enter
//
// Static members: an instance id in Member and in the requests, checked first
// in validateMember; replacement is a file of its own, called where JoinGroup
// has no member id and a known instance; dropUnjoined keeps static members, and
// completeJoin already waits on when only absent members are left.
//
// Failover: what is durable is what records hold. Group gets a second copy, the
// last GroupMetadata record, and the offsets an applied and an acknowledged
// value; SyncGroup and OffsetCommit then end in two steps, apply and ack. A
// load replaces Group by its record. A deposed coordinator is a second
// Coordinator view on memory of its own.
//
// Transactions: a TransactionCoordinator view and partition leaders beside
// Coordinator, each in files of its own; pending offsets beside Offsets, and
// TxnOffsetCommit beside OffsetCommit in the same decision table. State gets
// producers beside Clients; what a scenario does not ask for is not encoded and
// costs no states.
//
// KIP-848: a consumer group is another kind of Group with a view of its own;
// the commit and fetch tables gain its rows (O10 to O18).
package model
