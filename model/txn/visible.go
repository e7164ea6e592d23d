package txn

import "fencecheck/model"

// RecordKind says what an entry of a log is.
type RecordKind uint8

// The kinds. The zero value is a free place.
const (
	NoRecord RecordKind = iota
	PlainRecord
	TransactionalRecord
	CommitMarker
	AbortMarker
)

// Record is one entry of a partition's log, as far as readers can tell.
type Record struct {
	Kind RecordKind
	PID  model.ProducerID
}

// Outcome is what becomes of a record.
type Outcome uint8

// The outcomes.
const (
	Undecided Outcome = iota
	Committed
	Aborted
)

// OutcomeOf is the outcome of the record at place i: that of the next marker of
// its producer, whatever epoch or transaction it was meant for. at is the
// marker's place.
func OutcomeOf[R interface{ Record() Record }](log []R, i int) (o Outcome, at int) {
	r := log[i].Record()
	if r.Kind == PlainRecord {
		return Committed, i
	}
	for at := i + 1; at < len(log); at++ {
		next := log[at].Record()
		if next.PID != r.PID {
			continue
		}
		switch next.Kind {
		case CommitMarker:
			return Committed, at
		case AbortMarker:
			return Aborted, at
		}
	}
	return Undecided, len(log)
}

// LastStableOffset is the place up to which a read_committed reader reads: before
// the first record whose transaction is open, or whose marker is not replicated
// (UnifiedLog.lastStableOffset; transactions.md 2.6). hw is the place up to
// which everything is replicated.
func LastStableOffset[R interface{ Record() Record }](rules *model.Rules, log []R, hw int) int {
	for i := range hw {
		if log[i].Record().Kind != TransactionalRecord {
			continue
		}
		o, at := OutcomeOf(log, i)
		if o == Undecided && !rules.Off.Has(model.LSOOpenTransaction) || o != Undecided && at >= hw && !rules.Off.Has(model.LSOMarkerReplicated) {
			return i
		}
	}
	return hw
}

// Reads tells whether a read_committed reader gets the record at place i, which
// must lie before the last stable offset (CompletedFetch; transactions.md 2.6).
func Reads[R interface{ Record() Record }](rules *model.Rules, log []R, i int) bool {
	switch log[i].Record().Kind {
	case PlainRecord:
		return true
	case TransactionalRecord:
		o, _ := OutcomeOf(log, i)
		return o != Aborted || rules.Off.Has(model.AbortedIndexFilter)
	}
	return false
}
