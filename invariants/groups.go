package invariants

import (
	"fencecheck/model"
	"fencecheck/model/classic"
	"fencecheck/model/cluster"
)

// ofGroups has the invariants of groups and of what they commit.
var ofGroups = []Invariant{
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
