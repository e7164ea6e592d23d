package linearize

import (
	"slices"
	"strconv"

	"fencecheck/model"
)

// Supported is nil if every part of the history is modelled, else an
// *UnsupportedError about the first that is not. A history is never judged in
// part: what a part that is left out did could explain, or forbid, any answer.
func (h *History) Supported() error {
	refuse := func(line int, what string) error {
		return &UnsupportedError{File: h.Name, Line: line, What: what}
	}
	switch d := &h.Header; {
	case d.GroupProtocol != "" && d.GroupProtocol != "classic":
		return refuse(1, "group_protocol "+d.GroupProtocol+" (KIP-848)")
	case d.Level != "" && d.Level != "wire":
		return refuse(1, "level "+d.Level)
	case d.Start != "" && d.Start != "empty":
		return refuse(1, "start "+d.Start)
	case d.Restarts > 0 && len(h.lives()) == 1:
		return refuse(1, "broker restarts without notes that say when")
	}
	for i := range h.Ops {
		o := &h.Ops[i]
		if what := unsupportedOp(o); what != "" {
			return refuse(o.Line, what)
		}
		if v, known := h.Header.API[o.F]; known && v < oldestVersion[o.F] {
			return refuse(o.Line, o.F+" before version "+strconv.FormatInt(oldestVersion[o.F], 10))
		}
	}
	if i := h.plainWrite(); i >= 0 {
		return refuse(h.Ops[i].Line, "a Produce without transactional id by a transactional producer id")
	}
	return h.checkSizes()
}

// oldestVersion: older requests are answered with older errors
// (transactions.md section 0, 2.2).
var oldestVersion = map[string]int64{fInit: 4, fAddParts: 2, fAddOffsets: 2, fEnd: 2, fProduce: 11, fTxnCommit: 4}

// plainWrite finds a Produce outside of transactions by a producer id that a
// transaction coordinator gave out; -1 if there is none.
func (h *History) plainWrite() int {
	given := map[int64]bool{}
	for i := range h.Ops {
		if o := &h.Ops[i]; o.In.Txn != "" && o.isTxn() {
			given[o.In.PID], given[o.Out.PID] = true, true
		}
	}
	return slices.IndexFunc(h.Ops, func(o Op) bool { return o.F == fProduce && o.In.Txn == "" && o.In.PID >= 0 && given[o.In.PID] })
}

// unsupportedOp is what of a request is not modelled, "" for nothing.
func unsupportedOp(o *Op) string {
	switch o.F {
	case fJoin, fSync, fHeartbeat, fLeave, fCommit, fFetch, fInit, fAddParts, fAddOffsets, fTxnCommit, fEnd, fProduce, fRead:
	case "cg-heartbeat":
		return "cg-heartbeat (KIP-848)"
	default:
		return "request " + o.F
	}
	switch {
	case o.In.Instance != nil || o.Out.Skip || o.Out.Err == "FENCED_INSTANCE_ID":
		return "static members (inst)"
	case len(o.Out.Errs) > 0 && !onlyUnstable(o):
		return "errors of single partitions (errs)"
	case len(o.In.Protocols) > 8:
		return "more than 8 protocols in one JoinGroup"
	case o.Outcome == Failed && !o.Local && !openError(o.Out.Err):
		if _, known := model.ErrorByName(o.Out.Err); !known {
			return "error " + o.Out.Err
		}
	}
	return ""
}

// onlyUnstable tells of a stable fetch whose single partitions wait for a
// transaction.
func onlyUnstable(o *Op) bool {
	for _, err := range o.Out.Errs {
		if err != unstable {
			return false
		}
	}
	return o.F == fFetch && o.In.Stable
}

const unstable = "UNSTABLE_OFFSET_COMMIT"

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

// checkSizes refuses groups and transactional ids that do not fit into the
// model's sets.
func (h *History) checkSizes() error {
	for _, c := range split(h) {
		for _, p := range c.groups(h) {
			if what := h.tooLarge(p); what != "" {
				return &UnsupportedError{File: h.Name, Line: h.Ops[p.ops[0]].Line, What: what}
			}
		}
		for _, p := range c.producers(h) {
			if what := newTxnWords(h, p).tooLarge(); what != "" {
				return &UnsupportedError{File: h.Name, Line: h.Ops[p.ops[0]].Line, What: what}
			}
		}
	}
	return nil
}

func (h *History) tooLarge(group component) string {
	v := intern(h, group)
	switch {
	case len(v.names) > maxMemberIDs:
		return "more than " + strconv.Itoa(maxMemberIDs) + " member ids in one group"
	case h.oldJoinWithoutAnswer(group):
		return "JoinGroup before version 4 without an answer"
	case len(v.partitions) > maxPartitions:
		return "more than " + strconv.Itoa(maxPartitions) + " partitions in one group"
	case len(v.protocols) > int(model.MaxProtocol):
		return "more than 15 protocols in one group"
	}
	return ""
}

// oldJoinWithoutAnswer: such a request may have made a member whose id nobody
// was told.
func (h *History) oldJoinWithoutAnswer(c component) bool {
	version, known := h.Header.API[fJoin]
	old, open := known && version < 4, false
	for _, i := range c.ops {
		if o := &h.Ops[i]; o.F == fJoin && o.In.Member == "" {
			old = old || !known && o.Outcome == OK
			open = open || o.open() && !o.Local
		}
	}
	return old && open
}
