package linearize

import (
	"cmp"
	"slices"
	"strconv"
)

// open tells that an answer, if there is one, leaves the outcome open.
func (o *Op) open() bool {
	return o.Outcome == Unknown || o.Outcome == Failed && openError(o.Out.Err)
}

// answeredAt is the index of the event at which the request was certainly
// decided.
func (o *Op) answeredAt() int {
	if o.open() {
		return never
	}
	return o.Ret
}

// never is the time of an answer that did not come.
const never = 1 << 62

// refusedAs tells that the request was answered with this error.
func (o *Op) refusedAs(err string) bool { return o.Outcome == Failed && o.Out.Err == err }

// rebalancing tells of an answer that says: your member and generation are
// right, but the group is between two states.
func (o *Op) rebalancing() bool { return o.refusedAs("REBALANCE_IN_PROGRESS") }

// isTxn tells of requests that carry a producer.
func (o *Op) isTxn() bool {
	switch o.F {
	case fInit, fAddParts, fAddOffsets, fTxnCommit, fEnd, fProduce:
		return true
	}
	return false
}

// ofGroup tells of requests that a group coordinator decides, at least in part.
func (o *Op) ofGroup() bool { return o.In.Group != "" && o.F != fAddOffsets }

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
	if o.F == fAddParts {
		for _, tp := range o.In.Partitions {
			add("partition ", tp)
		}
	}
	if o.isTxn() && o.In.PID >= 0 {
		add("producer id ", strconv.FormatInt(o.In.PID, 10))
	}
	if o.F == fInit && o.Outcome == OK {
		add("producer id ", strconv.FormatInt(o.Out.PID, 10))
	}
	if len(all) == 0 {
		all = append(all, "op "+strconv.Itoa(o.ID))
	}
	return all
}

// kind names a request for an anomaly: both requests that commit offsets do one
// thing.
func (o *Op) kind() string {
	if o.F == fTxnCommit {
		return fCommit
	}
	return o.F
}

// member is the id that a request speaks for.
func (o *Op) member() string {
	if o.In.Member == "" && o.F == fJoin && o.Outcome == OK {
		return o.Out.Member
	}
	return o.In.Member
}

// next is the offset after what a fetch read.
func (o *Op) next() int64 {
	next := max(o.Out.Next, o.In.From)
	if n := len(o.Out.Records); n > 0 {
		next = max(next, o.Out.Records[n-1].Offset+1)
	}
	return next
}

// returned tells whether a fetch returned the record at an offset.
func (o *Op) returned(offset int64) bool {
	_, found := slices.BinarySearchFunc(o.Out.Records, offset, func(r LogRecord, at int64) int { return cmp.Compare(r.Offset, at) })
	return found
}

// openError tells of errors that say nothing about the group: the request may
// have been applied or not (groups.md E7), or a coordinator was loading.
func openError(name string) bool {
	switch name {
	case "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "UNKNOWN_SERVER_ERROR", "REQUEST_TIMED_OUT",
		"NOT_ENOUGH_REPLICAS", "COORDINATOR_LOAD_IN_PROGRESS", "NETWORK_EXCEPTION", "NOT_LEADER_OR_FOLLOWER",
		"NOT_ENOUGH_REPLICAS_AFTER_APPEND", "UNKNOWN_TOPIC_OR_PARTITION", "LEADER_NOT_AVAILABLE", "OFFSET_NOT_AVAILABLE",
		"OFFSET_OUT_OF_RANGE", "KAFKA_STORAGE_ERROR":
		return true
	}
	return false
}

// styleOf is the transaction.version that a broker reads off a request.
func (h *History) styleOf(o *Op) int64 {
	bumping := map[string]int64{fProduce: 12, fEnd: 5, fTxnCommit: 5}[o.F]
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

const unstable = "UNSTABLE_OFFSET_COMMIT"
