package offsets

import "fencecheck/model"

// PendingOffset is an offset that a transaction has brought and not yet decided
// (OffsetMetadataManager.PendingTransactionalOffsets; groups.md 4.5). They are
// kept by producer id, whatever its epoch. The zero value is a free place.
type Pending struct {
	PID       model.ProducerID
	Partition uint8
	Offset    model.Offset
	// At orders the commit records of one partition, those in At included.
	At uint32
}

// CheckTxn is the group's side of TxnOffsetCommit v3 and later: nothing is stored.
// Generation -1 and id 0 are the defaults of whoever has nothing but a group id. Source:
// OffsetMetadataManager.validateTransactionalOffsetCommit; groups.md 4.2, 4.3,
// rows O1 to O9 as they stand for transactions.
func (s *Store) CheckTxn(id model.MemberID, generation model.Generation) model.Error {
	return s.Group.CheckCommit(id, generation, true)
}

// StoreTxn takes the offsets of a TxnOffsetCommit that the group and the log have
// accepted, by partition, NoOffset for those that it does not name. A later one of the same producer replaces an earlier one. Full
// is set where Pending has no room.
func (s *Store) StoreTxn(pid model.ProducerID, offsets []model.Offset) {
	s.Group.Touch()
	for p, at := range offsets {
		if at == model.NoOffset {
			continue
		}
		if !s.enforces(model.TxnOffsetHiddenUntilMarker) {
			s.set(p, at)
		}
		if !s.addPending(Pending{pid, uint8(p), at, s.lastAt(p) + 1}) {
			s.Full = true
			return
		}
	}
}

// addPending keeps Pending sorted by producer and partition.
func (s *Store) addPending(n Pending) bool {
	i := 0
	for i < len(s.Pending) && s.Pending[i].PID != 0 && s.Pending[i].before(n) {
		i++
	}
	switch last := len(s.Pending) - 1; {
	case i > last:
		return false
	case s.Pending[i].PID == n.PID && s.Pending[i].Partition == n.Partition:
	case s.Pending[last].PID != 0:
		return false
	default:
		copy(s.Pending[i+1:], s.Pending[i:])
	}
	s.Pending[i] = n
	return true
}

func (o Pending) before(n Pending) bool {
	return o.PID < n.PID || o.PID == n.PID && o.Partition < n.Partition
}

// lastAt is the place of the newest commit record of a partition.
func (s *Store) lastAt(p int) uint32 {
	at := s.At[p]
	for _, o := range s.Pending {
		if o.PID != 0 && int(o.Partition) == p {
			at = max(at, o.At)
		}
	}
	return at
}

// set stores a committed offset whose record is the newest.
func (s *Store) set(p int, o model.Offset) {
	if s.At != nil {
		s.At[p] = s.lastAt(p) + 1
	}
	s.Committed[p] = o
}

// EndTransaction takes a marker that the log of the offsets partition has
// accepted: what a producer has pending is committed or dropped, in every
// partition. An offset is committed only if its record is newer than that of
// the present one: the later record wins, not the later marker. Source:
// OffsetMetadataManager.replayEndTransactionMarker; groups.md 4.5.
func (s *Store) EndTransaction(pid model.ProducerID, commit bool) (committed model.PartSet) {
	s.keepPending(func(o Pending) bool {
		if o.PID != pid {
			return true
		}
		p := int(o.Partition)
		newer := o.At > s.At[p] || !s.enforces(model.TxnOffsetNewestPositionWins)
		if commit && newer && s.enforces(model.PendingOffsetMarkerApply) {
			s.Committed[p], s.At[p] = o.Offset, o.At
			committed |= model.Part(p)
		}
		return false
	})
	return committed
}

// keepPending drops the pending offsets that are not to be kept.
func (s *Store) keepPending(keep func(Pending) bool) {
	n := 0
	for _, o := range s.Pending {
		if keep(o) {
			s.Pending[n] = o
			n++
		}
	}
	clear(s.Pending[n:])
}

// Unstable tells whether a partition has offsets that no marker has decided
// (groups.md 4.6).
func (s *Store) Unstable(p int) bool {
	for _, o := range s.Pending {
		if o.PID != 0 && int(o.Partition) == p {
			return true
		}
	}
	return false
}
