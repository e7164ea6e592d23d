package invariants

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

// ofTransactions has the invariants of transactions.
var ofTransactions = []Invariant{
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
}

// The properties of transactions. They are stated on cluster.Work, the truth about
// each transaction as its application sees it, which no request names.

func noStaleWrite(_ *cluster.Config, _, after *cluster.State) bool { return !after.Last.StaleWrite }

func timeoutIsNoFence(_ *cluster.Config, _, after *cluster.State) bool {
	return !after.Last.TakenForFenced
}

func noRewindByMarker(_ *cluster.Config, _, after *cluster.State) bool {
	return after.Last.API != model.WriteTxnMarkers || after.Last.Backward == 0
}

func fenceIsFinal(_ *cluster.Config, _, after *cluster.State) bool { return !after.Last.Returned }

func noDuplicateRecord(_ *cluster.Config, _, after *cluster.State) bool { return !after.Last.Doubled }

func noFalseAbort(_ *cluster.Config, _, after *cluster.State) bool { return !after.Last.FalseAbort }

func noTornTransaction(c *cluster.Config, before, after *cluster.State) bool {
	return tornTransaction(c, before, after) == ""
}

func truthfulOutcome(c *cluster.Config, s *cluster.State) bool { return untrueOutcome(c, s, s) == "" }

func epochMonotone(c *cluster.Config, before, after *cluster.State) bool {
	return epochWentBack(c, before, after) == ""
}

func tokensUniqueDurable(c *cluster.Config, s *cluster.State) bool {
	return tokenNotUnique(c, s, s) == ""
}

func replayEqualsLive(c *cluster.Config, s *cluster.State) bool { return replayDiffers(c, s, s) == "" }

// noHangingTransaction: nothing is left that readers wait for.
func noHangingTransaction(c *cluster.Config, s *cluster.State) bool {
	for p := range s.Txns.Logs {
		for i := range s.Txns.Logs[p].Entries {
			if s.Txns.Logs[p].Entries[i].Open {
				return false
			}
		}
	}
	return s.Txns.Pending == [cluster.MaxPending]offsets.Pending{}
}

// producerRecovers: whoever was not replaced can begin a transaction.
func producerRecovers(c *cluster.Config, s *cluster.State) bool {
	if s.Txns.Loading {
		return false
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		p := &cl.Producer
		if !c.HasProducer(i) || cl.Process != cluster.Running || p.Replaced || p.Phase == cluster.FatalError || p.Phase == cluster.Uninitialized && cl.App.API == model.NoAPI && !p.Renew {
			continue
		}
		t := &s.Txns.IDs[c.IDs[i]].Txn
		if p.Phase != cluster.Ready || p.PID != t.PID || p.Epoch != t.Epoch || t.Pending != txn.NoTransaction {
			return false
		}
	}
	return true
}
