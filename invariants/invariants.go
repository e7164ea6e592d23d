// Package invariants has the properties that are checked, one named entry
// each. They are stated on what members believe and on ghost truth, which no
// broker sees; never on the check that enforces them.
package invariants

import (
	"slices"

	"fencecheck/model/cluster"
)

// Invariant is a property of every state (State) or of every step (Step);
// exactly one of the two is set.
type Invariant struct {
	Name   string
	Doc    string
	Source string
	Museum string // the number in the catalogue of real bugs, where it has one
	State  func(c *cluster.Config, s *cluster.State) bool
	Step   func(c *cluster.Config, before, after *cluster.State) bool
	// Witness is the event that shows that the property was put to the test.
	Witness string
	Ending  Ending
}

// Goal is a property that must stay reachable from every state, once faults
// stop.
type Goal struct {
	Name   string
	Doc    string
	Source string
	Museum string
	State  func(c *cluster.Config, s *cluster.State) bool
	// Witness is the event that shows that the property was put to the test.
	Witness string
	Ending  Ending
}

// All has every invariant. Of several that one step violates, the first is told.
var All = slices.Concat(ofGroups, ofTransactions, ofBoth)

// ofBoth has those that members and producers are both held to.
var ofBoth = []Invariant{
	{Name: "no-false-fence", Museum: "I11", Step: noFalseFence, Witness: "member-removed", Ending: falseFence,
		Doc:    "no member is removed, nor brought to fail, that runs, wants to be a member and is not late; no producer fails for good that nobody has replaced and whose transaction did not time out",
		Source: "the promise of session.timeout.ms and rebalance.timeout.ms"},
}

// Goals has every goal.
var Goals = [...]Goal{
	{Name: "group-settles", Museum: "I10", State: groupSettles, Witness: "rebalance-completed", Ending: groupStuck,
		Doc:    "from every state every process that runs and is subscribed can become a stable member, whatever partitions a stalled one keeps",
		Source: "KAFKA-12890; the purpose of the sync timer"},
	{Name: "no-hanging-transaction", Museum: "I7", State: noHangingTransaction, Witness: "transaction-ended", Ending: hangingTransaction,
		Doc:    "from every state all open transactions can end, on every partition, and all pending offsets be decided",
		Source: "KIP-890; transactions.md 2.6"},
	{Name: "producer-recovers", Museum: "I10", State: producerRecovers, Witness: "transaction-ended", Ending: producerStuck,
		Doc:    "from every state every producer that runs and was not replaced can be ready for another transaction",
		Source: "KIP-360; transactions.md section 6"},
	{Name: "group-recovers", Museum: "I10", State: groupRecovers, Witness: "member-removed", Ending: groupStuck,
		Doc:    "from every state the group can come to rest: every process that runs and is subscribed is a stable member, and every partition that they subscribe to has exactly one of them as its owner",
		Source: "the purpose of a rebalance"},
}
