package offsets

import "fencecheck/model"

// OffsetsGroup is what the offsets of a group ask the group, of whatever kind
// it is. A commit is valid if the group says so (Group.validateOffsetCommit), and
// a group is deleted together with its offsets.
type Group interface {
	// Exists tells whether the coordinator has the group.
	Exists() bool
	// CheckCommit is the group's answer to a commit, plain or in a transaction.
	CheckCommit(id model.MemberID, generation model.Generation, transactional bool) model.Error
	// Touch makes a group without members, where there is none, to hold offsets.
	Touch()
	// Subscribes tells whether offsets of a topic are still needed.
	Subscribes(topic uint8) bool
	// Delete deletes the group if it may be deleted.
	Delete() model.Error
}

// OffsetsRequest is a request for a group's offsets. Fields that a request does
// not have are not looked at.
type Request struct {
	API        model.API
	MemberID   model.MemberID
	Generation model.Generation
	// Offsets has an entry a partition. OffsetCommit: NoOffset for those that the
	// request does not name. OffsetFetch: the committed offsets are written here.
	Offsets []model.Offset
	// Partitions are those that an OffsetFetch with Stable waits for, or those of
	// Topic that an OffsetDelete names.
	Partitions model.PartSet
	Topic      uint8
	Stable     bool // OffsetFetch with RequireStable (KIP-447)
}

// OffsetStore is a view on the offsets of one group, in its coordinator's memory.
// The storage is the caller's.
type Store struct {
	Rules     *model.Rules
	Group     Group
	Committed []model.Offset // by partition, NoOffset for none
	// Pending has the offsets of open transactions, and At the order of the commit
	// records; both nil where there are no transactions.
	Pending []Pending // sorted, free places last
	At      []uint32
	Full    bool // Pending had no free place; the call is void
}

func (s *Store) enforces(id model.Mutation) bool { return !s.Rules.Off.Has(id) }

// Decide decides a request. It is the one place where requests for a group's
// offsets meet their rules.
func (s *Store) Decide(r *Request) model.Error {
	switch r.API {
	case model.OffsetCommit:
		return s.commit(r)
	case model.OffsetFetch:
		return s.fetch(r)
	case model.OffsetDelete:
		return s.delete(r)
	case model.DeleteGroups:
		return s.deleteGroup()
	}
	panic("offsets: " + r.API.String() + " is not for a group's offsets")
}

// commit decides a plain OffsetCommit v9 and stores what it accepts. Source:
// OMM.validateOffsetCommit; groups.md 4.2, rows O1 to O9. Nobody checks that an
// offset is not smaller than the one it replaces, nor that the member owns the
// partition.
func (s *Store) commit(r *Request) model.Error {
	if err := s.Group.CheckCommit(r.MemberID, r.Generation, false); err != model.None {
		return err
	}
	s.Group.Touch()
	for p, o := range r.Offsets {
		if o != model.NoOffset {
			s.set(p, o)
		}
	}
	return model.None
}

// fetch answers with the committed offset of each partition, NoOffset where
// there is none. A classic group does not look at the member (groups.md 4.6).
// Source: OffsetMetadataManager.fetchOffsets.
func (s *Store) fetch(r *Request) (err model.Error) {
	exists := s.Group.Exists()
	for p := range r.Offsets {
		switch {
		case r.Stable && s.enforces(model.RequireStable) && s.Unstable(p):
			r.Offsets[p] = model.NoOffset
			if r.Partitions.Has(p) {
				err = model.UnstableOffsetCommit
			}
		case exists:
			r.Offsets[p] = s.Committed[p]
		default:
			r.Offsets[p] = model.NoOffset
		}
	}
	return err
}

// delete decides OffsetDelete of one topic's partitions: an administrator takes
// offsets away, those that transactions have pending too. Groups of another
// protocol type than "consumer" are not modelled. Source: CG.validateOffsetDelete,
// OMM.deleteOffsets; groups.md 4.7.
func (s *Store) delete(r *Request) model.Error {
	switch {
	case !s.Group.Exists():
		return model.GroupIDNotFound
	case s.Group.Subscribes(r.Topic):
		return model.GroupSubscribedToTopic
	}
	for p := range s.Committed {
		if r.Partitions.Has(p) {
			s.set(p, model.NoOffset)
		}
	}
	s.keepPending(func(o Pending) bool { return !r.Partitions.Has(int(o.Partition)) })
	return model.None
}

// deleteGroup decides DeleteGroups for this group: an administrator's request,
// or the sweep that deletes an empty group once no offset is left (groups.md
// 4.7, 4.8).
func (s *Store) deleteGroup() model.Error {
	if err := s.Group.Delete(); err != model.None {
		return err
	}
	for p := range s.Committed {
		s.Committed[p] = model.NoOffset
	}
	clear(s.At)
	clear(s.Pending)
	return model.None
}
