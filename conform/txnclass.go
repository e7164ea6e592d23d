package conform

import (
	"strings"

	"fencecheck/model"
)

// txnTriple classifies one step of the model.
func (g *txnGame) triple(before *txnState, r txnRequest, a *txnAnswer) Triple {
	return Triple{before.txnRequestClass(r), before.txnStateClass(r, g), a.class(r)}
}

var (
	nthNames        = [numNths]string{"next sequence", "last sequence again", "sequence with a gap", "sequence too old to be remembered", "oldest remembered sequence"}
	credentialNames = [numCredential]string{"a member", "newer generation", "a stranger", "bare group id", "a member without generation", "absent group"}
	rankNames       = [numRanks]string{"same", "smaller", "larger"}
	outcomeNames    = map[bool]string{true: "commit", false: "abort"}
)

// txnRequestClass says what kind of request it is, by its tokens.
func (s *txnState) txnRequestClass(r txnRequest) string {
	st := r.Step
	words := []string{txnTitle(r)}
	switch st.Op {
	case initProducer, addPartition, addOffsets, produce, txnCommit, endTxn:
		words = append(words, s.pairClass(r))
	}
	switch st.Op {
	case produce:
		words = append(words, nthNames[st.Nth])
	case txnCommit:
		words = append(words, credentialNames[st.Cred])
	case writeMarker:
		words = append(words, rankNames[st.Epoch]+" epoch", rankNames[st.Coord]+" coordinator epoch")
		if st.Place == offsetsPlace {
			words = append(words, "offsets partition")
		}
	}
	return strings.Join(words, ", ")
}

// txnTitle names a request, its version, and what it is for.
func txnTitle(r txnRequest) string {
	var title string
	switch r.Step.Op {
	case txnTimer:
		return "transaction timeout"
	case restart:
		return "restart of the broker"
	case lateRestart:
		return "restart of the broker after the timeout"
	case exhaust:
		return "InitProducerId v4 until no epoch is left"
	case readRecords:
		title = "Fetch"
	case lastOffset:
		title = "ListOffsets"
	case readOffset:
		title = "OffsetFetch"
	case describe:
		return "DescribeTransactions"
	default:
		title = txnAPIs[r.Step.Op].String()
	}
	words := []string{title}
	if v := r.spoken().name; v != "" {
		words = append(words, v)
	}
	switch {
	case r.Step.Op == endTxn, r.Step.Op == writeMarker:
		words = append(words, outcomeNames[r.Step.Commit])
	case r.Step.Op == readOffset && r.Step.Stable:
		words = append(words, "stable")
	case r.Step.Stable:
		words = append(words, "read_committed")
	}
	return strings.Join(words, " ")
}

func (s *txnState) pairClass(r txnRequest) string {
	switch t := &s.Txn; {
	case r.PID == 0:
		return "no pair"
	case r.PID == strangerPID:
		return "a stranger"
	case r.PID != t.PID:
		return "the id before"
	case r.Epoch == t.Epoch:
		return "current epoch"
	case r.Epoch == t.LastEpoch:
		return "last epoch"
	case r.Epoch < t.Epoch:
		return "older epoch"
	}
	return "newer epoch"
}

// txnStateClass is what decides: the coordinator's state, and that of the
// partition where there is one.
func (s *txnState) txnStateClass(r txnRequest, g *txnGame) string {
	switch r.Step.Op {
	case initProducer, endTxn, exhaust, txnTimer, restart, lateRestart, describe:
		return s.coordinatorClass(g)
	case addPartition, addOffsets:
		return s.coordinatorClass(g) + s.partOf(r)
	case produce:
		return s.coordinatorClass(g) + "; " + s.leaderClass(r.Step.Place, r)
	case txnCommit:
		return s.coordinatorClass(g) + "; " + s.leaderClass(offsetsPlace, r)
	case writeMarker:
		return s.leaderClass(r.Step.Place, r)
	case readRecords, lastOffset:
		if undecided(s.Logs[r.Step.Place]) != nil {
			return "undecided records"
		}
		return "nothing undecided"
	}
	if s.Pending[0].PID != 0 {
		return "offset pending"
	}
	return "no offset pending"
}

func (s *txnState) coordinatorClass(g *txnGame) string {
	name := s.Txn.State.String()
	if s.Outbox.Stuck {
		name += " for ever"
	}
	if s.Txn.State != model.NoTransaction && s.Txn.Epoch >= model.MaxEpoch-1 && g.rules.MaxEpoch == 0 {
		name += ", no epoch left"
	}
	return name
}

// partOf tells whether the partition is part of the transaction already.
func (s *txnState) partOf(r txnRequest) string {
	place := r.Step.Place
	if r.Step.Op == addOffsets {
		place = offsetsPlace
	}
	if s.Txn.Partitions.Has(coordinatorsName(place)) {
		return ", the partition in it"
	}
	return ""
}

// leaderClass is what the partition's leader has of the request's producer.
func (s *txnState) leaderClass(place uint8, r txnRequest) string {
	e := s.entry(place, r.PID)
	var words []string
	switch {
	case e.Epoch == model.NoEpoch:
		words = append(words, "producer unknown")
	case r.Step.Op == writeMarker:
	case e.Epoch < r.Epoch:
		words = append(words, "older epoch here")
	case e.Epoch > r.Epoch:
		words = append(words, "newer epoch here")
	default:
		words = append(words, "same epoch here")
	}
	if e.Open {
		words = append(words, "open")
	} else if r.Step.Op == writeMarker && len(words) == 0 {
		words = append(words, "closed")
	}
	if e.Guard != 0 && r.Step.Op != writeMarker && r.PID != strangerPID { // a stranger gets no further
		words = append(words, "being verified")
	}
	return strings.Join(words, ", ")
}

// class is the answer's error, and what else a reader would ask.
func (a *txnAnswer) class(r txnRequest) string {
	class := errorName(a.Err)
	switch {
	case !r.Step.Op.request():
		if class = "fires"; a.Ignored {
			class = "nothing"
		}
	case a.Again:
		class += ", not appended again"
	}
	if a.Stuck && a.Moved {
		class += ", a marker is refused"
	}
	if a.Odd != "" {
		class += ", " + a.Odd
	}
	return class
}
