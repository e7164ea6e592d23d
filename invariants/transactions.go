package invariants

import "fencecheck/model"

// The properties of transactions. They are stated on model.Work, the truth about
// each transaction as its application sees it, which no request names.

func noStaleWrite(_ *model.Config, _, after *model.State) bool { return !after.Last.StaleWrite }

func timeoutIsNoFence(_ *model.Config, _, after *model.State) bool { return !after.Last.TakenForFenced }

func noRewindByMarker(_ *model.Config, _, after *model.State) bool {
	return after.Last.API != model.WriteTxnMarkers || after.Last.Backward == 0
}

func fenceIsFinal(_ *model.Config, _, after *model.State) bool { return !after.Last.Returned }

func noDuplicateRecord(_ *model.Config, _, after *model.State) bool { return !after.Last.Doubled }

func noFalseAbort(_ *model.Config, _, after *model.State) bool { return !after.Last.FalseAbort }

func noTornTransaction(c *model.Config, before, after *model.State) bool {
	return tornTransaction(c, before, after) == ""
}

func truthfulOutcome(c *model.Config, s *model.State) bool { return untrueOutcome(c, s, s) == "" }

func epochMonotone(c *model.Config, before, after *model.State) bool {
	return epochWentBack(c, before, after) == ""
}

func tokensUniqueDurable(c *model.Config, s *model.State) bool { return tokenNotUnique(c, s, s) == "" }

func replayEqualsLive(c *model.Config, s *model.State) bool { return replayDiffers(c, s, s) == "" }

// noHangingTransaction: nothing is left that readers wait for.
func noHangingTransaction(c *model.Config, s *model.State) bool {
	for p := range s.Txns.Logs {
		for i := range s.Txns.Logs[p].Entries {
			if s.Txns.Logs[p].Entries[i].Open {
				return false
			}
		}
	}
	return s.Txns.Pending == [model.MaxPending]model.PendingOffset{}
}

// producerRecovers: whoever was not replaced can begin a transaction.
func producerRecovers(c *model.Config, s *model.State) bool {
	if s.Txns.Loading {
		return false
	}
	for i := range c.Clients() {
		cl := &s.Clients[i]
		p := &cl.Producer
		if !c.HasProducer(i) || cl.Process != model.Running || p.Replaced || p.Phase == model.FatalError || p.Phase == model.Uninitialized && cl.App.API == model.NoAPI && !p.Renew {
			continue
		}
		t := &s.Txns.IDs[c.IDs[i]].Txn
		if p.Phase != model.Ready || p.PID != t.PID || p.Epoch != t.Epoch || t.Pending != model.NoTransaction {
			return false
		}
	}
	return true
}
