package conform

import "fencecheck/model"

// txnOp is a kind of step of a transaction's play.
type txnOp uint8

// The steps.
const (
	initProducer txnOp = iota
	addPartition
	addOffsets
	produce
	txnCommit // TxnOffsetCommit
	endTxn
	writeMarker // WriteTxnMarkers, as a coordinator or an administrator sends it
	memberCommit
	readRecords // Fetch
	lastOffset  // ListOffsets
	readOffset  // OffsetFetch
	describe    // DescribeTransactions
	exhaust     // InitProducerId, until no epoch is left
	txnTimer    // the transaction takes longer than its timeout
	restart     // the broker is killed and started again
	lateRestart // it is started again when the transaction is overdue
	numTxnOps
)

// txnOpNames is by op.
var txnOpNames = [numTxnOps]string{"init", "add-partition", "add-offsets", "produce", "txn-commit", "end", "marker", "commit",
	"fetch", "list-offsets", "fetch-offset", "describe", "exhaust", "timeout", "restart", "late-restart"}

// requests tells whether a step is a request, and not time or fate.
func (o txnOp) request() bool { return o < txnTimer }

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
	member        credentials = iota
	wrongGen                  // a generation that is yet to come
	wrongMember               // a member that the group does not have
	bare                      // nothing but the group id
	withoutGen                // a member, and no generation
	absentGroup               // a group that does not exist, and a generation
	numCredential             // how many there are
)

// rank is how a marker's epoch stands to the one that the leader has.
type rank uint8

const (
	same rank = iota
	smaller
	larger
	numRanks
)

// txnStep is a step by its tokens.
type txnStep struct {
	Op     txnOp
	Style  uint8 // row of speech
	Pair   pair
	Place  uint8 // output partition, or offsetsPlace
	Nth    nth
	Cred   credentials
	Commit bool
	Epoch  rank // of a marker
	Coord  rank // of its coordinator
	Stable bool // read_committed, or RequireStable
}

// pack is the step without its op as one number.
func (s txnStep) pack() uint32 {
	return uint32(s.Style) | uint32(s.Pair)<<3 | uint32(s.Place)<<6 | uint32(s.Nth)<<9 | uint32(s.Cred)<<12 |
		uint32(bit(s.Commit))<<15 | uint32(s.Epoch)<<16 | uint32(s.Coord)<<18 | uint32(bit(s.Stable))<<20
}

func unpackTxn(o txnOp, n uint32) txnStep {
	return txnStep{o, uint8(n & 7), pair(n >> 3 & 7), uint8(n >> 6 & 7), nth(n >> 9 & 7), credentials(n >> 12 & 7),
		n>>15&1 != 0, rank(n >> 16 & 3), rank(n >> 18 & 3), n>>20&1 != 0}
}

// spoken is a version in which a request is sent, and its style.
type spoken struct {
	version int16
	txnV    model.TransactionVersion // 0: no transaction is meant
	verify  bool                     // AddPartitionsToTxn: only ask
	name    string
}

// speech has the versions of each request, the newest first: those of either
// style, and those that are told other errors.
var speech = [numTxnOps][]spoken{
	initProducer: {{version: 4, name: "v4"}, {version: 3, name: "v3"}},
	addPartition: {{version: 3, txnV: model.TV1, name: "v3"}, {version: 1, txnV: model.TV1, name: "v1"},
		{version: 5, txnV: model.TV2, name: "v5"}, {version: 5, txnV: model.TV1, verify: true, name: "v5 verify-only"}},
	addOffsets: {{version: 4, txnV: model.TV1, name: "v4"}, {version: 1, txnV: model.TV1, name: "v1"}},
	produce: {{version: 12, txnV: model.TV2, name: "v12"}, {version: 11, txnV: model.TV1, name: "v11"},
		{version: 10, txnV: model.TV1, name: "v10"}, {version: 12, name: "v12 without transaction"}},
	txnCommit: {{version: 5, txnV: model.TV2, name: "v5"}, {version: 4, txnV: model.TV1, name: "v4"}, {version: 3, txnV: model.TV1, name: "v3"}},
	endTxn:    {{version: 5, txnV: model.TV2, name: "v5"}, {version: 4, txnV: model.TV1, name: "v4"}, {version: 1, txnV: model.TV1, name: "v1"}},
	writeMarker: {{version: 2, txnV: model.TV2, name: "v2"}, {version: 2, name: "v2 of style 0"},
		{version: 1, name: "v1"}},
	memberCommit: {{version: 9}},
	readRecords:  {{version: 12}},
	lastOffset:   {{version: 7}},
	readOffset:   {{version: 9}},
	describe:     {{version: 0}},
	exhaust:      {{version: 4}},
	txnTimer:     {{}},
	restart:      {{}},
	lateRestart:  {{}},
}

// txnAPIs is by op.
var txnAPIs = [numTxnOps]model.API{model.InitProducerID, model.AddPartitionsToTxn, model.AddOffsetsToTxn, model.Produce,
	model.TxnOffsetCommit, model.EndTxn, model.WriteTxnMarkers, model.OffsetCommit}

// txnRequest is a step whose tokens have been replaced by what they stand for.
type txnRequest struct {
	Step       txnStep
	PID        model.ProducerID
	Epoch      model.Epoch
	Sequence   int32
	Member     model.MemberID
	Generation model.Generation
	Coord      int16 // the marker's coordinator epoch
}

func (r *txnRequest) spoken() spoken { return speech[r.Step.Op][r.Step.Style] }

// resolve replaces a step's tokens in a state; false where they stand for
// nothing there, or for what another token stands for.
func (s *txnState) resolveTxn(st txnStep, g *txnGame) (txnRequest, bool) {
	r := txnRequest{Step: st, Sequence: model.NoSequence}
	ok := s.resolvePair(st.Pair, &r)
	switch st.Op {
	case addPartition, addOffsets, endTxn:
		return r, ok && st.Pair != noPair
	case produce:
		return r, ok && st.Pair != noPair && s.resolveSequence(&r, g)
	case txnCommit:
		r.Generation, r.Member = g.credentials(st.Cred)
		return r, ok && st.Pair != noPair
	case writeMarker:
		return r, s.resolveMarker(&r, g)
	case memberCommit:
		r.Generation, r.Member = g.credentials(member)
	case describe:
		return r, s.Txn.State != model.NoTransaction
	case exhaust:
		return r, s.Txn.State == model.NoTransaction
	case txnTimer, lateRestart:
		return r, s.Txn.State == model.Ongoing
	}
	return r, ok
}

func (s *txnState) resolvePair(p pair, r *txnRequest) bool {
	t := &s.Txn
	known := t.State != model.NoTransaction
	r.PID, r.Epoch = t.PID, t.Epoch
	switch p {
	case noPair:
		r.PID, r.Epoch = 0, model.NoEpoch
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
func (s *txnState) resolveSequence(r *txnRequest, g *txnGame) bool {
	e := s.entry(r.Step.Place, r.PID)
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
func (s *txnState) resolveMarker(r *txnRequest, g *txnGame) bool {
	if s.Txn.State == model.NoTransaction {
		return false
	}
	r.PID = s.Txn.PID
	e := s.entry(r.Step.Place, r.PID)
	r.Epoch, r.Coord = max(e.Epoch, 0), max(e.CoordinatorEpoch, g.coordinator)
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
		r.Coord--
	case larger:
		r.Coord++
	}
	return r.Epoch >= 0 && r.Coord >= g.coordinator
}
