// Package model is what every part of the protocol shares: ids, errors, the
// table of requests (APIs), the registry of rules that can be switched off
// (Registry), and Rules, which says which of them are in force. It imports
// nothing. The parts lie below it, each with its state, its requests, one Decide
// that lets a request meet the rules, its timers, and what a load reads:
//
//	model/offsets   what a group has committed, and what transactions have pending for it
//	model/classic   the classic group: members, rebalances; whether a commit is valid
//	model/txn       the transaction coordinator, the leaders of partitions, what readers see
//	model/cluster   the whole system in one comparable value: brokers, clients, requests
//	                on their way, ghost truth; its configuration and its encoding
//
// A decision is written here once. Exploration (package ops), histories (package
// linearize) and conformance (package conform) apply it. A coordinator's memory
// belongs to the caller, who shows it to the rules:
//
//	var group classic.Group
//	members := make([]classic.Member, 4)
//	c := classic.Coordinator{Rules: &model.Rules{}, Group: &group, Members: members}
//	answer, _ := c.Decide(&classic.Request{API: model.JoinGroup, Protocols: model.ProtocolList(model.Range), Fresh: 1})
//	fmt.Println(answer.Err) // MEMBER_ID_REQUIRED
//
// The rules are those of Apache Kafka 4.4.0 as it is meant to be. Each names
// its source: the method in Kafka, the KIP, and the row of the protocol pages
// that this project keeps (groups.md: J1 to J20 JoinGroup, Y1 to Y12 SyncGroup,
// O1 to O9 OffsetCommit and TxnOffsetCommit; transactions.md: I8 to I11
// InitProducerId, A2 to A8 AddPartitionsToTxn, P1 to P7 and E1 to E11 EndTxn, V3
// to V7 and L1 to L6 a partition's leader, M1 to M4 markers).
//
// # Seams
//
// Parts import this package, and each other only here: a commit asks its group,
// of whatever kind, through offsets.Group, which classic.Coordinator implements; a
// TxnOffsetCommit asks the group's offsets through txn.Offsets, which
// offsets.Store implements. An Incarnation says which broker is a coordinator,
// whatever it coordinates. Package cluster puts the parts together and imports
// them all.
//
// # How to add a request
//
//  1. Its row in APIs, with its part.
//  2. Its rule: a method of the part's coordinator, and its case in Decide.
//     Fields that only it has go into the part's Request.
//  3. Its section in groups.md or transactions.md, with Kafka's method; a test of
//     the package holds that what is cited exists.
//  4. Its test beside the part's other tests.
//  5. Its row in the part's table of package conform, which sends it to a broker
//     and compares the answer; of package linearize, if histories have it; and an
//     operation of package ops, if clients send it in exploration.
//
// TestRowsHaveNoOrder gives the rows of APIs and budgets another order, adds rows
// of a part that does not exist, and runs the tests.
//
// # How to add a rule that can be switched off
//
// A constant and its row in Registry, with its part, and the one if that it
// guards: enforces(ID). Its id goes into the page, where the tests look for it,
// and some scenario's caught list, unless its row says why it is redundant.
//
// # How to add a part
//
// A folder here, with a Request, a Reply and a Decide; a constant of
// ProtocolPart, and what Config.Has says of it; its state in cluster.State, with
// the fields in its list of the encoding. Then its tables: ops, invariants,
// conform, linearize each have a folder or a file a part.
//
// # How the rest will enter
//
// Static members: an instance id in classic.Member and in the requests, checked
// first in validateMember; replacement is a file of its own, called where
// JoinGroup has no member id and a known instance; dropUnjoined keeps static
// members, and completeJoin already waits on when only absent members are left.
//
// Failover of the group coordinator: an Incarnation in cluster.State, beside the
// transaction coordinator's. Group gets a second copy, the last GroupMetadata
// record, as Transaction has its Log, and the offsets an applied and an
// acknowledged value; SyncGroup and OffsetCommit then end in two steps, apply and
// ack. Coordinator.Load reads a record already.
//
// Replication: a log gets a high watermark, which LastStableOffset takes
// already, and a leader that fails over may lose what is above it.
//
// KIP-848: a consumer group is another part, model/consumer, that implements
// offsets.Group; the pages' tables of commits gain its rows (O10 to O18).
//
// KIP-939: a second pair in Transaction, which clients see, and a transaction
// that no timeout ends.
package model
