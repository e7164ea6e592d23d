package txns

import (
	"slices"

	"fencecheck/model"
	"fencecheck/model/offsets"
	"fencecheck/model/txn"
)

// What a play of transactions has: one transactional id, output partitions, and
// the offsets partition of a group with one member.
const (
	numOutputs = 2
	offsetsLog = numOutputs // among the leaders
	remembered = 4          // producers that a leader remembers in a play
)

// logIndex is a log in the coordinator's sets.
func logIndex(log uint8) int {
	if log == offsetsLog {
		return txn.OffsetsPartition
	}
	return int(log)
}

// The group's one member, and a member that it does not have.
const (
	theMember    model.MemberID   = 1
	notAMember   model.MemberID   = 9
	strangerPID  model.ProducerID = 1000
	noCoordEpoch int16            = -1
)

// state is what the coordinators and leaders around one transactional id
// hold, markers delivered. Logs are never written in place, so that a copy of
// the state is a copy.
type state struct {
	Txn     txn.Transaction
	Outbox  txn.Marker // only of a transaction that is stuck
	Entries [numOutputs + 1][remembered]txn.ProducerEntry
	Logs    [numOutputs][]logged

	Offset   model.Offset // committed, of the one partition that the group reads
	OffsetAt uint32
	Pending  [remembered]offsets.Pending

	Given   model.ProducerID // the last id that was given
	Numbers int32            // of records and commits, so that each shows
}

// logged is an entry of an output partition's log.
type logged struct {
	Kind     txn.RecordKind
	PID      model.ProducerID
	Epoch    model.Epoch
	Sequence int32
	Value    int32 // of a record
}

// Record is the entry as readers are told of it.
func (l logged) Record() txn.Record { return txn.Record{Kind: l.Kind, PID: l.PID} }

// start is a transactional id that nobody has used.
func start() state { return state{Offset: model.NoOffset} }

func (s *state) append(log uint8, l logged) {
	s.Logs[log] = append(slices.Clip(s.Logs[log]), l)
}

// entry is what the leader of a log knows of a producer; one that it does not
// know has no epoch.
func (s *state) entry(log uint8, pid model.ProducerID) txn.ProducerEntry {
	for _, e := range s.Entries[log] {
		if e.PID == pid && pid != 0 {
			return e
		}
	}
	return txn.ProducerEntry{PID: pid, Epoch: model.NoEpoch, CoordinatorEpoch: noCoordEpoch, Last: txn.NoSequence}
}

// clean tells whether the partitions can be used by another producer: no
// transaction is open that nobody will end.
func (s *state) clean() bool {
	for _, leader := range s.Entries {
		for _, e := range leader {
			if e.Open {
				return false
			}
		}
	}
	return s.Pending[0].PID == 0 && s.Txn.State != txn.Ongoing
}

// canonical forgets how often things have happened: two states with one
// canonical form answer all requests of a plan alike. Epochs are compared, and
// their successors, so that their order stays, and which follow one another.
func (s *state) canonical(base int16) state {
	c := *s
	c.compressEpochs()
	for log := range c.Entries {
		for i := range c.Entries[log] {
			c.Entries[log][i] = plainEntry(c.Entries[log][i], base)
		}
	}
	for i, log := range c.Logs {
		c.Logs[i] = undecided(log)
	}
	c.forgetOffsets()
	c.Given, c.Numbers = min(c.Given, c.Txn.PID), 0
	return c
}

// plainEntry: a stranger's verification is forgotten, it leads nowhere.
func plainEntry(e txn.ProducerEntry, base int16) txn.ProducerEntry {
	if e.PID == strangerPID {
		return txn.ProducerEntry{}
	}
	e.CoordinatorEpoch = min(e.CoordinatorEpoch, base+1)
	above := min(e.Lowest-e.Last, 3) // sequences are the next, one beyond, or older
	e.Last, e.Kept = min(e.Last, 1), min(e.Kept, 2)
	switch {
	case e.Guard == 0:
	case above > 0:
		e.Lowest = e.Last + above
	default:
		e.Lowest = min(e.Lowest, 1)
	}
	return e
}

// undecided is a record that holds readers back, if there is one.
func undecided(log []logged) []logged {
	for i, l := range log {
		if l.Kind != txn.TransactionalRecord {
			continue
		}
		if o, _ := txn.OutcomeOf(log, i); o == txn.Undecided {
			return []logged{{Kind: l.Kind, PID: l.PID}}
		}
	}
	return nil
}

func (s *state) forgetOffsets() {
	newer := s.Pending[0].At > s.OffsetAt
	s.Offset, s.OffsetAt = min(s.Offset, 1), 0
	for i := range s.Pending {
		if p := &s.Pending[i]; p.PID != 0 {
			p.Offset, p.At = 2, 1
			if !newer {
				s.OffsetAt = 1
			}
		}
	}
}

// compressEpochs brings the epochs together without changing their order, nor
// which is the successor of which.
func (s *state) compressEpochs() {
	all := []*model.Epoch{&s.Txn.Epoch, &s.Txn.LastEpoch, &s.Outbox.Epoch}
	for log := range s.Entries {
		for i := range s.Entries[log] {
			e := &s.Entries[log][i]
			all = append(all, &e.Epoch, &e.GuardEpoch)
		}
	}
	slices.SortFunc(all, func(a, b *model.Epoch) int { return int(*a) - int(*b) })
	last, to := model.NoEpoch, model.NoEpoch
	for _, e := range all {
		if *e >= model.MaxEpoch-2 { // the last ones stand for themselves
			break
		}
		if *e > last {
			to += min(*e-last, 2)
			last = *e
		}
		if *e >= 0 {
			*e = to
		}
	}
}
