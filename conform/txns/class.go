package txns

import (
	"strings"

	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// triple classifies one step of the model.
func (g *game) triple(before *state, r *request, a *answer) frame.Triple {
	return frame.Triple{Request: before.requestClass(r), State: r.row().class(before, r, g), Answer: a.class(r)}
}

var (
	nthNames        = [numNths]string{"next sequence", "last sequence again", "sequence with a gap", "sequence too old to be remembered", "oldest remembered sequence"}
	credentialNames = [numCredentials]string{"a member", "newer generation", "a stranger", "bare group id", "a member without generation", "absent group"}
	rankNames       = [numRanks]string{"same", "smaller", "larger"}
	outcomeNames    = map[bool]string{true: "commit", false: "abort"}
)

// requestClass says what kind of request it is, by its tokens.
func (s *state) requestClass(r *request) string {
	words := []string{r.title()}
	if r.row().pairs != withoutPair {
		words = append(words, s.pairClass(r))
	}
	if r.row().words != nil {
		words = append(words, r.row().words(r)...)
	}
	return strings.Join(words, ", ")
}

func (r *request) sequenceWords() []string { return []string{nthNames[r.Step.Nth]} }

func (r *request) credentialWords() []string { return []string{credentialNames[r.Step.Cred]} }

func (r *request) markerWords() []string {
	words := []string{rankNames[r.Step.Epoch] + " epoch", rankNames[r.Step.Coord] + " coordinator epoch"}
	if r.Step.Log == offsetsLog {
		words = append(words, "offsets partition")
	}
	return words
}

// title names a request, its version, and what it is for.
func (r *request) title() string {
	row := r.row()
	words := []string{row.title}
	if row.title == "" {
		words[0] = row.api.String()
	}
	if name := r.version().name; name != "" {
		words = append(words, name)
	}
	if row.outcome {
		words = append(words, outcomeNames[r.Step.Commit])
	}
	if r.Step.Stable {
		words = append(words, row.stable)
	}
	return strings.Join(words, " ")
}

func (s *state) pairClass(r *request) string {
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

// batchClass is the coordinator's state, and that of the leader of the log.
func (s *state) batchClass(r *request, g *game) string {
	return s.coordinatorClass(r, g) + "; " + s.leaderClass(r, g)
}

func (s *state) undecidedClass(r *request, _ *game) string {
	if undecided(s.Logs[r.Step.Log]) != nil {
		return "undecided records"
	}
	return "nothing undecided"
}

func (s *state) offsetClass(*request, *game) string {
	if s.Pending[0].PID != 0 {
		return "offset pending"
	}
	return "no offset pending"
}

func (s *state) coordinatorClass(_ *request, g *game) string {
	name := s.Txn.State.String()
	if s.Outbox.Stuck {
		name += " for ever"
	}
	if s.Txn.State != txn.NoTransaction && s.Txn.Epoch >= model.MaxEpoch-1 && g.rules.MaxEpoch == 0 {
		name += ", no epoch left"
	}
	return name
}

// partitionClass is the coordinator's state, and whether the partition is part of
// the transaction already.
func (s *state) partitionClass(r *request, g *game) string {
	class := s.coordinatorClass(r, g)
	if s.Txn.Partitions.Has(logIndex(r.Step.Log)) {
		class += ", the partition in it"
	}
	return class
}

// leaderClass is what the partition's leader has of the request's producer.
func (s *state) leaderClass(r *request, _ *game) string {
	e := s.entry(r.Step.Log, r.PID)
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
func (a *answer) class(r *request) string {
	class := frame.ErrorName(a.Err)
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
		class += ", " + string(a.Odd)
	}
	return class
}
