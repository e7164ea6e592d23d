package invariants

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
	"fencecheck/model/txn"
)

// Witness is an event that must have been seen for a result to mean anything:
// a property that holds because nothing happened is not a result.
type Witness struct {
	Name string
	Doc  string
	Step func(c *cluster.Config, before, after *cluster.State) bool
}

// Witnesses has every witness.
var Witnesses = [...]Witness{
	{"rebalance-completed", "a join phase was completed",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Completed }},
	{"takeover", "a partition came to a member while another process still believed to own it",
		func(c *cluster.Config, before, after *cluster.State) bool {
			return overlaps(c, after) && !overlaps(c, before)
		}},
	{"offset-committed", "a commit was accepted",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Committed != 0 }},
	{"smaller-commit-refused", "a commit of a smaller offset than the committed one reached the coordinator and was refused",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return after.Last.API == model.OffsetCommit && after.Last.Backward != 0 && after.Last.Committed == 0
		}},
	{"stale-commit-refused", "a commit that rests on a replaced assignment reached the coordinator and was refused",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.API == model.OffsetCommit && after.Last.Stale != 0 && after.Last.Committed == 0
		}},
	{"completing-commit-refused", "a commit reached the coordinator while it waited for the leader's plan, and was refused",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.API == model.OffsetCommit && after.Last.Err == model.RebalanceInProgress
		}},
	{"late-commit-decided", "a commit was decided whose sender had given up on it",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.API == model.OffsetCommit && after.Last.Late
		}},
	{"simple-commit-decided", "a commit without member and generation was decided",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.API == model.OffsetCommit && after.Last.ID == 0
		}},
	{"record-processed", "a record was processed",
		func(_ *cluster.Config, before, after *cluster.State) bool { return before.Ghost != after.Ghost }},
	{"record-processed-again", "a record was processed a second time",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return before.Ghost.Twice != after.Ghost.Twice
		}},
	{"member-removed", "the coordinator removed a member that had not left",
		func(_ *cluster.Config, before, after *cluster.State) bool { return removed(before, after) }},
	{"answer-lost", "a client gave up on a request, undecided or decided",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.GaveUp }},
	{"group-emptied", "the last member went",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return before.Group.State != classic.Empty && after.Group.State == classic.Empty && before.Group.State != classic.Absent
		}},
	{"heartbeat-refused", "a heartbeat was refused because its member or generation had been replaced",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			l := &after.Last
			return l.API == model.Heartbeat && (l.Err == model.UnknownMemberID || l.Err == model.IllegalGeneration)
		}},
	{"transaction-ended", "a marker ended an open transaction",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Closed }},
	{"outcome-told", "a producer was told that its transaction is committed",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return after.Last.ToldCommit && after.Last.ToldErr == model.None
		}},
	{"producer-initialised-again", "a transactional id got another owner",
		func(c *cluster.Config, before, after *cluster.State) bool {
			l := &after.Last
			return l.API == model.InitProducerID && l.Err == model.None && l.PID == 0 && before.Txns.IDs[c.IDs[l.Client]].Txn.PID != 0
		}},
	{"old-epoch-refused", "a request or marker of a replaced epoch was refused",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.OldEpoch && after.Last.Err != model.None
		}},
	{"producer-fenced", "a producer was told PRODUCER_FENCED or INVALID_PRODUCER_EPOCH",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.ToldErr == model.ProducerFenced || after.Last.ToldErr == model.InvalidProducerEpoch
		}},
	{"transaction-timed-out", "the coordinator aborted a transaction of its own accord",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.TimedOut }},
	{"coordinator-failed-over", "another broker became the transaction coordinator while a transaction was under way",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return after.Last.FailedOver && openTransaction(before)
		}},
	{"repeat-recognised", "a request or marker was recognised as a repeat",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Repeated }},
	{"producer-id-rotated", "an exhausted producer id was replaced by a fresh one",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Rotated }},
	{"late-end-txn-decided", "an EndTxn was decided whose sender had given up on it",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.Late && after.Last.API == model.EndTxn
		}},
	{"late-produce-decided", "a batch was decided whose sender had given up on it",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.Late && after.Last.API == model.Produce
		}},
	{"fenced-producer-went-on", "a producer that had been fenced, or had timed out, ended its transaction and went on with the next epoch",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Revived }},
	{"offsets-unstable", "a member asked for offsets that were not decided",
		func(_ *cluster.Config, _, after *cluster.State) bool { return after.Last.Unstable }},
	{"stale-txn-commit-decided", "a TxnOffsetCommit that rests on a replaced assignment was decided",
		func(_ *cluster.Config, _, after *cluster.State) bool {
			return after.Last.API == model.TxnOffsetCommit && after.Last.Stale != 0
		}},
	{"revoked-commit-accepted", "a commit was accepted while a rebalance was being prepared",
		func(_ *cluster.Config, before, after *cluster.State) bool {
			return before.Group.State == classic.PreparingRebalance && after.Last.Committed != 0
		}},
}

func openTransaction(s *cluster.State) bool {
	for i := range s.Txns.IDs {
		if t := &s.Txns.IDs[i].Txn; t.State == txn.Ongoing || t.Pending != txn.NoTransaction {
			return true
		}
	}
	return false
}

// overlaps tells whether two processes believe to own one partition.
func overlaps(c *cluster.Config, s *cluster.State) bool {
	var owned model.PartSet
	for i := range c.Members {
		if owned&s.Clients[i].Owned != 0 {
			return true
		}
		owned |= s.Clients[i].Owned
	}
	return false
}

func removed(before, after *cluster.State) bool {
	if before.Members == after.Members {
		return false
	}
	for i := range before.Members {
		m := &before.Members[i]
		if m.ID != 0 && !m.Is(classic.Pending) && !after.Last.Left(m.ID) && after.Member(m.ID) == nil {
			return true
		}
	}
	return false
}

// ByName finds an invariant.
func ByName(name string) (*Invariant, bool) {
	for i := range All {
		if All[i].Name == name {
			return &All[i], true
		}
	}
	return nil, false
}

// GoalByName finds a goal.
func GoalByName(name string) (*Goal, bool) {
	for i := range Goals {
		if Goals[i].Name == name {
			return &Goals[i], true
		}
	}
	return nil, false
}

// WitnessByName finds a witness.
func WitnessByName(name string) (*Witness, bool) {
	for i := range Witnesses {
		if Witnesses[i].Name == name {
			return &Witnesses[i], true
		}
	}
	return nil, false
}
