package model

// PendingOffset is an offset that a transaction has brought and not yet decided
// (OffsetMetadataManager.PendingTransactionalOffsets; groups.md 4.5). They are
// kept by producer id, whatever its epoch. The zero value is a free place.
type PendingOffset struct {
	PID       ProducerID
	Partition uint8
	Offset    Offset
	// At orders the commit records of one partition, those in OffsetsAt included.
	At uint32
}

// TxnOffsetCommitRequest is TxnOffsetCommit v3 and later. Generation -1 and id 0
// are the defaults of whoever has nothing but a group id.
type TxnOffsetCommitRequest struct {
	PID        ProducerID
	MemberID   MemberID
	Generation Generation
	Offsets    []Offset // by partition, NoOffset for those that are not named
}

// CheckTxnOffsetCommit is the group's side of TxnOffsetCommit: nothing is
// stored. Source: ClassicGroup.validateOffsetCommit; groups.md 4.2, 4.3, rows O1
// to O9 as they stand for transactions.
func (c *Coordinator) CheckTxnOffsetCommit(r TxnOffsetCommitRequest) Error {
	return c.checkCommit(r.MemberID, r.Generation, true)
}

// StoreTxnOffsets takes the offsets of a TxnOffsetCommit that the group and the
// log have accepted. A later one of the same producer replaces an earlier one.
// It is false, and Full set, where Pending has no room.
func (c *Coordinator) StoreTxnOffsets(r TxnOffsetCommitRequest) bool {
	if c.Group.State == Absent {
		*c.Group = Group{State: Empty}
	}
	for p, o := range r.Offsets {
		if o == NoOffset {
			continue
		}
		if !c.guard(TxnOffsetHiddenUntilMarker) {
			c.setOffset(p, o)
		}
		if !c.addPending(PendingOffset{r.PID, uint8(p), o, c.lastAt(p) + 1}) {
			c.Full = true
			return false
		}
	}
	return true
}

// addPending keeps Pending sorted by producer and partition.
func (c *Coordinator) addPending(n PendingOffset) bool {
	i := 0
	for i < len(c.Pending) && c.Pending[i].PID != 0 && c.Pending[i].before(n) {
		i++
	}
	switch last := len(c.Pending) - 1; {
	case i > last:
		return false
	case c.Pending[i].PID == n.PID && c.Pending[i].Partition == n.Partition:
	case c.Pending[last].PID != 0:
		return false
	default:
		copy(c.Pending[i+1:], c.Pending[i:])
	}
	c.Pending[i] = n
	return true
}

func (o PendingOffset) before(n PendingOffset) bool {
	return o.PID < n.PID || o.PID == n.PID && o.Partition < n.Partition
}

// lastAt is the place of the newest commit record of a partition.
func (c *Coordinator) lastAt(p int) uint32 {
	at := c.OffsetsAt[p]
	for _, o := range c.Pending {
		if o.PID != 0 && int(o.Partition) == p {
			at = max(at, o.At)
		}
	}
	return at
}

// setOffset stores a committed offset whose record is the newest.
func (c *Coordinator) setOffset(p int, o Offset) {
	if c.OffsetsAt != nil {
		c.OffsetsAt[p] = c.lastAt(p) + 1
	}
	c.Offsets[p] = o
}

// EndTransaction takes a marker that the log of the offsets partition has
// accepted: what a producer has pending is committed or dropped, in every
// partition. An offset is committed only if its record is newer than that of
// the present one: the later record wins, not the later marker. Source:
// OffsetMetadataManager.replayEndTransactionMarker; groups.md 4.5.
func (c *Coordinator) EndTransaction(pid ProducerID, commit bool) (committed PartSet) {
	n := 0
	for _, o := range c.Pending {
		if o.PID != pid {
			c.Pending[n] = o
			n++
			continue
		}
		p := int(o.Partition)
		newer := o.At > c.OffsetsAt[p] || !c.guard(TxnOffsetNewestPositionWins)
		if commit && newer && c.guard(PendingOffsetMarkerApply) {
			c.Offsets[p], c.OffsetsAt[p] = o.Offset, o.At
			committed |= Part(p)
		}
	}
	clear(c.Pending[n:])
	return committed
}

// Unstable tells whether a partition has offsets that no marker has decided
// (groups.md 4.6).
func (c *Coordinator) Unstable(p int) bool {
	for _, o := range c.Pending {
		if o.PID != 0 && int(o.Partition) == p {
			return true
		}
	}
	return false
}

// OffsetFetchStable answers OffsetFetch with RequireStable
// (OffsetMetadataManager.fetchOffsets; KIP-447).
func (c *Coordinator) OffsetFetchStable(p int) (Offset, Error) {
	if c.guard(RequireStable) && c.Unstable(p) {
		return NoOffset, UnstableOffsetCommit
	}
	return c.OffsetFetch(p), None
}
