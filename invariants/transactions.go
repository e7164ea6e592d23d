package invariants

import (
	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

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
