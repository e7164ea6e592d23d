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

// eachWork tells whether a predicate holds for every transaction that can still
// come to something.
func eachWork(c *model.Config, s *model.State, ok func(*model.Work) bool) bool {
	for i := range c.Clients() {
		for n := range s.Txns.Works[i] {
			if !ok(&s.Txns.Works[i][n]) {
				return false
			}
		}
	}
	return true
}

func noTornTransaction(c *model.Config, _, after *model.State) bool {
	return !after.Last.Mixed && eachWork(c, after, func(w *model.Work) bool { return !w.Torn() })
}

func truthfulOutcome(c *model.Config, s *model.State) bool {
	return eachWork(c, s, func(w *model.Work) bool { return !w.Untrue() })
}

// epochMonotone looks at whoever enforces epochs: the coordinator, and each
// partition's leader.
func epochMonotone(c *model.Config, before, after *model.State) bool {
	for i := range c.TransactionalIDs() {
		a, b := &before.Txns.IDs[i].Txn, &after.Txns.IDs[i].Txn
		if a.PID != 0 && a.PID == b.PID && b.Epoch < a.Epoch {
			return false
		}
	}
	for p := range after.Txns.Logs {
		for i := range after.Txns.Logs[p].Entries {
			e := &after.Txns.Logs[p].Entries[i]
			if e.PID == 0 {
				continue
			}
			for j := range before.Txns.Logs[p].Entries {
				if old := &before.Txns.Logs[p].Entries[j]; old.PID == e.PID && e.Epoch < old.Epoch {
					return false
				}
			}
		}
	}
	return true
}

func tokensUniqueDurable(c *model.Config, s *model.State) bool {
	for i := range c.Clients() {
		a := &s.Clients[i].Producer
		if !c.HasProducer(i) || a.PID == 0 {
			continue
		}
		t := &s.Txns.IDs[c.IDs[i]]
		if !s.Txns.Loading && t.Txn.PID == a.PID && t.Txn.Epoch < a.Epoch {
			return false // the coordinator has forgotten what it gave out
		}
		for j := i + 1; j < c.Clients(); j++ {
			b := &s.Clients[j].Producer
			if c.HasProducer(j) && b.PID == a.PID && b.Epoch == a.Epoch {
				return false
			}
		}
	}
	return true
}

func replayEqualsLive(c *model.Config, s *model.State) bool {
	if s.Txns.Loading {
		return true
	}
	for i := range c.TransactionalIDs() {
		if t := &s.Txns.IDs[i]; !t.Unsure && t.Txn.Durable() != t.Log {
			return false
		}
	}
	return true
}

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
