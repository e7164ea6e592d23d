// Package invariants has the properties that are checked, one named entry
// each. They are stated on what members believe and on ghost truth, which no
// broker sees; never on the check that enforces them.
package invariants

import (
	"fencecheck/model"
	"fencecheck/model/classic"
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

// All has every invariant.
var All = [...]Invariant{
	{Name: "single-owner", Museum: "I1", State: singleOwner, Witness: "takeover", Ending: twoOwners,
		Doc:    "no two members believe that they own one partition in one generation, and no two members whose assignments both stand own it at all",
		Source: "groups.md section 10; the shared premise of every consumer group"},
	{Name: "no-stale-commit", Museum: "I2", Step: noStaleCommit, Witness: "stale-commit-refused", Ending: staleCommit,
		Doc:    "no offset commit takes effect that rests on an assignment which was replaced, because the group completed a rebalance or removed the member since",
		Source: "groups.md section 10, G2"},
	{Name: "offset-monotone", Museum: "I4", Step: offsetMonotone, Witness: "smaller-commit-refused", Ending: movedBack,
		Doc:    "a committed offset never moves back, unless the group is deleted",
		Source: "groups.md section 10, N2: Kafka itself does not promise it"},
	{Name: "no-rewind-by-marker", Museum: "I4", Step: noRewindByMarker, Witness: "offset-committed", Ending: markerMovedBack,
		Doc:    "no marker moves a committed offset back",
		Source: "groups.md 4.5"},
	{Name: "no-stranger-commit", Museum: "I2", Step: noStrangerCommit, Witness: "simple-commit-decided", Ending: strangersCommit,
		Doc:    "while the group has a member, no offset commit without member and generation takes effect",
		Source: "groups.md O7"},
	{Name: "no-lost-input", Museum: "I6", State: noLostInput, Witness: "record-processed-again", Ending: lostInput,
		Doc:    "at least once, and in transactions: the committed offset never passes a record that has no output",
		Source: "the delivery guarantee of commit after processing"},
	{Name: "no-duplicate-output", Museum: "I5", State: noDuplicateOutput, Witness: "record-processed", Ending: duplicateOutput,
		Doc:    "at most once, and in transactions: no record has output twice, as committed readers see it",
		Source: "the delivery guarantee of commit before processing, and of exactly once"},
	{Name: "generation-monotone", Step: generationMonotone, Witness: "rebalance-completed", Ending: sameGeneration,
		Doc:    "every completed rebalance has a larger generation than the one before, until the group is deleted",
		Source: "groups.md 2.8"},
	{Name: "no-ghost-member", Museum: "M27", State: noGhostMember, Witness: "answer-lost", Ending: ghostMember,
		Doc:    "where no process dies, every member that the coordinator counts is one that some process acts as, or is about to learn that it is",
		Source: "KIP-394; groups.md J10"},
	{Name: "no-stale-write", Museum: "I3", Step: noStaleWrite, Witness: "old-epoch-refused", Ending: says("readers have got {fenced} after InitProducerId had answered NONE to the next owner of the transactional id: the fence came first, and did not hold"),
		Doc:    "no record of a transaction that began before its transactional id got another owner is committed after that owner was initialised",
		Source: "KIP-98; transactions.md 1.8: a fence is final when InitProducerId has answered NONE"},
	{Name: "no-torn-transaction", Museum: "I8", Step: noTornTransaction, Witness: "transaction-ended", Ending: tornTransaction,
		Doc:    "the records and offsets of one transaction share one outcome, and no marker commits records of several",
		Source: "KIP-98, KIP-890; transactions.md section 3"},
	{Name: "truthful-outcome", Museum: "I9", State: truthfulOutcome, Witness: "outcome-told", Ending: untrueOutcome,
		Doc:    "nothing is aborted of a transaction whose application was told that it is committed, and nothing visible of one that it was told is aborted",
		Source: "KIP-98; transactions.md 1.7"},
	{Name: "epoch-monotone", Step: epochMonotone, Witness: "transaction-ended", Ending: epochWentBack,
		Doc:    "the epoch of a producer id never goes back, neither at the coordinator nor at a partition, unless it is forgotten",
		Source: "KIP-98, KIP-360, KIP-890"},
	{Name: "tokens-unique-durable", Museum: "I12", State: tokensUniqueDurable, Witness: "producer-initialised-again", Ending: tokenNotUnique,
		Doc:    "no two processes have the same producer id and epoch, and the coordinator never has a smaller epoch than one that it gave out",
		Source: "KIP-98, KIP-360; transactions.md 1.4"},
	{Name: "replay-equals-live", Museum: "I13", State: replayEqualsLive, Witness: "transaction-ended", Ending: replayDiffers,
		Doc:    "what a coordinator answers from is what another one would read from its log, unless it was not told what became of a record",
		Source: "transactions.md 1.1, two-step rule"},
	{Name: "fence-is-final", Museum: "I12", Step: fenceIsFinal, Witness: "producer-initialised-again", Ending: fenceLifted,
		Doc:    "once InitProducerId has answered NONE to another owner of a transactional id, the one before is given no further pair",
		Source: "KIP-360; transactions.md 1.8"},
	{Name: "no-duplicate-record", Museum: "I5", Step: noDuplicateRecord, Witness: "repeat-recognised", Ending: duplicateRecord,
		Doc:    "no batch is in a log twice, however often it is sent",
		Source: "KIP-98, idempotent producer; transactions.md 2.3"},
	{Name: "no-false-abort", Museum: "I11", Step: noFalseAbort, Witness: "transaction-ended", Ending: falseAbort,
		Doc:    "no batch and no offsets are refused of a transaction that nobody fenced and that did not time out, and no offsets of an assignment that stands",
		Source: "KAFKA-19999, KAFKA-18202; transactions.md 2.3"},
	{Name: "timeout-is-no-fence", Museum: "I11", Step: timeoutIsNoFence, Witness: "transaction-timed-out", Ending: takenForFenced,
		Doc:    "no producer is told PRODUCER_FENCED whose transaction merely timed out, and whose transactional id nobody else asked for",
		Source: "KIP-588, KAFKA-19367; transactions.md 1.8"},
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

func singleOwner(c *cluster.Config, s *cluster.State) bool {
	for i := range c.Members {
		a := &s.Clients[i]
		if a.Owned == 0 || a.Generation < 0 {
			continue
		}
		for j := i + 1; j < c.Members; j++ {
			b := &s.Clients[j]
			if b.Generation < 0 {
				continue
			}
			if a.Generation == b.Generation && a.Life == b.Life && a.Owned&b.Owned != 0 || a.Owned&^a.Stale&b.Owned&^b.Stale != 0 {
				return false
			}
		}
	}
	return true
}

func noStaleCommit(_ *cluster.Config, _, after *cluster.State) bool {
	return after.Last.Committed&after.Last.Stale == 0
}

func offsetMonotone(c *cluster.Config, before, after *cluster.State) bool {
	return after.Last.Committed == 0 || movedBack(c, before, after) == ""
}

func noLostInput(c *cluster.Config, s *cluster.State) bool { return lostInput(c, s, s) == "" }

// done has the records whose output exists. In transactions, that is also output
// which is still to become visible, as part of what has become so.
func done(c *cluster.Config, s *cluster.State, p int) uint8 {
	set := s.Ghost.Done[p]
	if !c.Transactional {
		return set
	}
	for i := range s.Txns.Logs {
		for j := range s.Txns.Logs[i].Log {
			e := &s.Txns.Logs[i].Log[j]
			if w := s.Work(e.Work); w != nil && w.Committed != 0 && e.Value > 0 && int(e.Value-1)/cluster.MaxRecords == p {
				set |= 1 << (int(e.Value-1) % cluster.MaxRecords)
			}
		}
	}
	return set
}

func noDuplicateOutput(_ *cluster.Config, s *cluster.State) bool {
	return s.Ghost.Twice == [cluster.MaxPartitions]uint8{}
}

func generationMonotone(_ *cluster.Config, before, after *cluster.State) bool {
	if after.Last.Completed {
		return after.Group.Generation > before.Group.Generation
	}
	return after.Group.Generation >= before.Group.Generation || after.Last.API == model.DeleteGroups
}

func noFalseFence(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Fenced == 0 }

func noGhostMember(c *cluster.Config, s *cluster.State) bool { return ghostMember(c, s, s) == "" }

// live tells whether a process takes part: it runs and is subscribed.
func live(cl *cluster.Client) bool {
	return cl.Process == cluster.Running && cl.Phase != cluster.Outside && cl.Phase != cluster.Failed
}

// settled tells whether a client is a member of the stable generation.
func settled(s *cluster.State, cl *cluster.Client) bool {
	return cl.Phase == cluster.MemberPhase && !cl.Rejoin && cl.Generation == s.Group.Generation && s.Group.State == classic.Stable
}

func groupSettles(c *cluster.Config, s *cluster.State) bool {
	for i := range c.Members {
		if cl := &s.Clients[i]; live(cl) && !settled(s, cl) {
			return false
		}
	}
	return true
}

func groupRecovers(c *cluster.Config, s *cluster.State) bool {
	var owned, wanted model.PartSet
	for i := range c.Members {
		cl := &s.Clients[i]
		if !live(cl) {
			continue
		}
		if !settled(s, cl) || owned&cl.Owned != 0 {
			return false
		}
		owned |= cl.Owned
		for p := range s.Partitions(c) {
			if cl.Topics>>c.TopicOf(p)&1 == 1 {
				wanted |= model.Part(p)
			}
		}
	}
	return owned&wanted == wanted
}

func noStrangerCommit(c *cluster.Config, before, after *cluster.State) bool {
	if after.Last.Committed == 0 || !c.IsSimple(int(after.Last.Client)) {
		return true
	}
	for i := range before.Members {
		if m := &before.Members[i]; m.ID != 0 && !m.Is(classic.Pending) {
			return false
		}
	}
	return true
}
