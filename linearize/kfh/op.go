package kfh

import (
	"cmp"
	"slices"
	"strconv"
)

// Open tells that an answer, if there is one, leaves the outcome open.
func (o *Op) Open() bool {
	return o.Outcome == Unknown || o.Outcome == Failed && OpenError(o.Out.Err)
}

// AnsweredAt is the index of the event at which the request was certainly
// decided.
func (o *Op) AnsweredAt() int {
	if o.Open() {
		return Never
	}
	return o.Ret
}

// Never is the time of an answer that did not come.
const Never = 1 << 62

// RefusedAs tells that the request was answered with this error.
func (o *Op) RefusedAs(err string) bool { return o.Outcome == Failed && o.Out.Err == err }

// Rebalancing tells of an answer that says: your member and generation are
// right, but the group is between two states.
func (o *Op) Rebalancing() bool { return o.RefusedAs("REBALANCE_IN_PROGRESS") }

// OfGroup tells of requests that a group coordinator decides, at least in part.
func (o *Op) OfGroup() bool { return o.In.Group != "" && o.F != AddOffsets }

// keys are the things that a request names; there is at least one.
func (o *Op) keys() []string {
	var all []string
	add := func(kind, name string) {
		if name != "" {
			all = append(all, kind+name)
		}
	}
	add("group ", o.In.Group)
	add("transactional id ", o.In.Txn)
	add("partition ", o.In.Log)
	if o.F == AddParts {
		for _, tp := range o.In.Partitions {
			add("partition ", tp)
		}
	}
	if o.Row.OfProducer && o.In.PID >= 0 {
		add("producer id ", strconv.FormatInt(o.In.PID, 10))
	}
	if o.F == InitPID && o.Outcome == OK {
		add("producer id ", strconv.FormatInt(o.Out.PID, 10))
	}
	if len(all) == 0 {
		all = append(all, "op "+strconv.Itoa(o.ID))
	}
	return all
}

// Kind names a request for an anomaly: both requests that commit offsets do one
// thing.
func (o *Op) Kind() string {
	if o.F == TxnCommit {
		return Commit
	}
	return o.F
}

// Member is the id that a request speaks for.
func (o *Op) Member() string {
	if o.In.Member == "" && o.F == Join && o.Outcome == OK {
		return o.Out.Member
	}
	return o.In.Member
}

// Next is the offset after what a fetch read.
func (o *Op) Next() int64 {
	next := max(o.Out.Next, o.In.From)
	if n := len(o.Out.Records); n > 0 {
		next = max(next, o.Out.Records[n-1].Offset+1)
	}
	return next
}

// Returned tells whether a fetch returned the record at an offset.
func (o *Op) Returned(offset int64) bool {
	_, found := slices.BinarySearchFunc(o.Out.Records, offset, func(r LogRecord, at int64) int { return cmp.Compare(r.Offset, at) })
	return found
}

// OpenError tells of errors that say nothing about the group: the request may
// have been applied or not (groups.md E7), or a coordinator was loading.
func OpenError(name string) bool {
	switch name {
	case "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "UNKNOWN_SERVER_ERROR", "REQUEST_TIMED_OUT",
		"NOT_ENOUGH_REPLICAS", "COORDINATOR_LOAD_IN_PROGRESS", "NETWORK_EXCEPTION", "NOT_LEADER_OR_FOLLOWER",
		"NOT_ENOUGH_REPLICAS_AFTER_APPEND", "UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE",
		"OFFSET_OUT_OF_RANGE", "KAFKA_STORAGE_ERROR":
		return true
	}
	return false
}

// StyleOf is the transaction.version that a broker reads off a request.
func (h *History) StyleOf(o *Op) int64 {
	bumping := o.Row.Bumping
	if v, known := h.Header.API[o.F]; known {
		if bumping > 0 && v >= bumping {
			return 2
		}
		return 1
	}
	if bumping == 0 {
		return 1
	}
	return max(1, h.Header.TxnVersion)
}

// UnstableOffsetCommit refuses a stable fetch while a transaction is undecided.
const UnstableOffsetCommit = "UNSTABLE_OFFSET_COMMIT"
