package txns

import (
	"fmt"
	"strings"

	"fencecheck/conform/groups"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// pairs says which pairs of producer id and epoch a request carries.
type pairs uint8

const (
	withoutPair pairs = iota
	aPair
	anyPair // or none
)

// logs are the partitions that a request can be for.
type logs uint8

const (
	outputs logs = 1 << iota
	groupOffsets
)

// receiver is whom a request is sent to.
type receiver uint8

const (
	toCoordinator receiver = iota
	toLeader               // of its log
	nobody                 // it is no request
)

// pair is the producer id and epoch that a request carries.
type pair uint8

const (
	noPair    pair = iota
	ours           // the current id and epoch
	stale          // the epoch before
	future         // the epoch after
	rotated        // the id before a rotation, with the last epoch that it can have had
	foreigner      // an id that the transactional id never had
	numPairs
)

// nth is a sequence number, in relation to what the leader remembers.
type nth uint8

const (
	next     nth = iota
	repeated     // the last one again
	gap          // one is missing
	evicted      // one that the leader has forgotten
	oldest       // the oldest that it remembers
	numNths
)

// credentials is what a TxnOffsetCommit says of the group.
type credentials uint8

const (
	member         credentials = iota
	wrongGen                   // a generation that is yet to come
	wrongMember                // a member that the group does not have
	bare                       // nothing but the group id
	withoutGen                 // a member, and no generation
	absentGroup                // a group that does not exist, and a generation
	numCredentials             // how many there are
)

// rank is how a marker's epoch stands to the one that the leader has.
type rank uint8

const (
	same rank = iota
	smaller
	larger
	numRanks
)

// Step is a step by its tokens.
type Step struct {
	Op     op
	Style  uint8 // index into the row's versions
	Pair   pair
	Log    uint8 // output partition, or offsetsLog
	Nth    nth
	Cred   credentials
	Commit bool
	Epoch  rank // of a marker
	Coord  rank // of its coordinator
	Stable bool // read_committed, or RequireStable
}

// waits tells whether a transaction has to time out.
func (s Step) waits() bool { return s.Op == timeout || s.Op == lateRestart }

// noTransaction is the version of Produce that brings records outside transactions.
const noTransaction = 3

// version is one in which a request is sent, in one of the two styles of
// transactions, and perhaps one that is told other errors. Rows have the newest
// first.
type version struct {
	number int16
	style  model.TransactionVersion // 0: no transaction is meant
	verify bool                     // AddPartitionsToTxn: only ask
	name   string
}

// request is a step whose tokens have been replaced by what they stand for.
type request struct {
	Step Step
	txn.Request
}

func (r *request) row() *row { return r.Step.Op.row() }

func (r *request) version() version { return r.row().versions[r.Step.Style] }

// newRequest is a request without a pair, and without what rows resolve.
func newRequest(st Step) request {
	if st.Op.row().logs == groupOffsets {
		st.Log = offsetsLog
	}
	r := request{Step: st}
	v := r.version()
	r.Request = txn.Request{API: st.Op.row().api, Epoch: model.NoEpoch, Version: v.style, Verify: v.verify, Commit: st.Commit,
		Partitions: model.Part(logIndex(st.Log)), Sequence: txn.NoSequence, Transactional: v.style != 0}
	r.Generation, r.MemberID = st.Cred.stand()
	return r
}

// stand is what credentials stand for.
func (c credentials) stand() (model.Generation, model.MemberID) {
	switch c {
	case wrongGen:
		return generation + 1, theMember
	case wrongMember:
		return generation, notAMember
	case bare:
		return model.NoGeneration, 0
	case withoutGen:
		return model.NoGeneration, theMember
	}
	return generation, theMember
}

// resolve replaces a step's tokens in a state; false where they stand for
// nothing there, or for what another token stands for.
func (s *state) resolve(st Step, g *game) (request, bool) {
	r := newRequest(st)
	row := r.row()
	ok := s.resolvePair(&r) && (row.pairs != aPair || st.Pair != noPair)
	if ok && row.resolve != nil {
		ok = row.resolve(s, &r, g)
	}
	return r, ok
}

func (s *state) resolvePair(r *request) bool {
	t := &s.Txn
	known := t.State != txn.NoTransaction
	if r.Step.Pair != noPair {
		r.PID, r.Epoch = t.PID, t.Epoch
	}
	switch r.Step.Pair {
	case noPair:
		return true
	case stale:
		r.Epoch--
		return known && r.Epoch >= 0
	case future:
		r.Epoch++
		return known && r.Epoch > 0
	case rotated:
		r.PID, r.Epoch = t.Prev, model.MaxEpoch-1
		return known && t.Prev != 0 && t.Prev != t.PID
	case foreigner:
		r.PID, r.Epoch = strangerPID, 0
		return true
	}
	return known
}

// resolveSequence: a producer that goes on numbers its batches on.
func (s *state) resolveSequence(r *request, _ *game) bool {
	e := s.entry(r.Step.Log, r.PID)
	goesOn := e.Epoch == r.Epoch
	switch r.Step.Nth {
	case next:
		if r.Sequence = 0; goesOn {
			r.Sequence = e.Last + 1
		}
	case repeated:
		r.Sequence = e.Last
		return goesOn && e.Kept > 0
	case gap:
		if r.Sequence = 2; goesOn {
			r.Sequence = e.Last + 2
		}
	case evicted:
		r.Sequence = e.Last - int32(e.Kept)
		return goesOn && e.Kept == keptBatches && r.Sequence >= 0
	case oldest:
		r.Sequence = e.Last - int32(e.Kept) + 1
		return goesOn && e.Kept > 1
	}
	return true
}

// keptBatches is how many batches a leader remembers.
const keptBatches = 5

// resolveMarker: a marker's epochs stand in relation to what the leader has, or,
// where it has nothing, to the transaction's.
func (s *state) resolveMarker(r *request, g *game) bool {
	if s.Txn.State == txn.NoTransaction {
		return false
	}
	r.PID = s.Txn.PID
	e := s.entry(r.Step.Log, r.PID)
	r.Epoch, r.CoordinatorEpoch = max(e.Epoch, 0), max(e.CoordinatorEpoch, g.coordinator)
	if e.Epoch == model.NoEpoch {
		r.Epoch = s.Txn.Epoch
	}
	switch r.Step.Epoch {
	case smaller:
		r.Epoch--
	case larger:
		r.Epoch++
	}
	switch r.Step.Coord {
	case smaller:
		r.CoordinatorEpoch--
	case larger:
		r.CoordinatorEpoch++
	}
	return r.Epoch >= 0 && r.CoordinatorEpoch >= g.coordinator
}

func (s *state) begun(*request, *game) bool   { return s.Txn.State != txn.NoTransaction }
func (s *state) unused(*request, *game) bool  { return s.Txn.State == txn.NoTransaction }
func (s *state) ongoing(*request, *game) bool { return s.Txn.State == txn.Ongoing }

// describe writes a request for a reader, with its values.
func (r *request) describe() string {
	row := r.row()
	words := []string{r.title()}
	if row.pairs == aPair || row.pairs == anyPair && r.PID != 0 {
		words = append(words, r.pairValues()...)
	}
	if row.values != nil {
		words = append(words, row.values(r)...)
	}
	return strings.Join(words, " ")
}

func (r *request) pairValues() []string {
	return []string{"pid=" + pidName(r.PID), fmt.Sprintf("epoch=%d", r.Epoch)}
}

func (r *request) logValue() []string { return []string{"partition=" + logName(r.Step.Log)} }

func (r *request) batchValues() []string {
	return append(r.logValue(), fmt.Sprintf("sequence=%d", r.Sequence))
}

func (r *request) markerValues() []string {
	return append(append(r.pairValues(), fmt.Sprintf("coordinatorEpoch=%d", r.CoordinatorEpoch)), r.logValue()...)
}

func (r *request) credentialValues() []string {
	return append([]string{fmt.Sprintf("generation=%d", r.Generation)}, r.memberValue()...)
}

func (r *request) memberValue() []string { return []string{"member=" + memberName(r.MemberID)} }

func memberName(id model.MemberID) string {
	if id == notAMember {
		return "stranger"
	}
	return groups.Name(id)
}
