package linearize

import (
	"encoding/json"
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
	case d.Restarts > 0:
		return refuse(1, "broker restarts")
	}
	for i := range h.Ops {
		if what := unsupportedOp(&h.Ops[i]); what != "" {
			return h.firstOf(refuse(h.Ops[i].Line, what).(*UnsupportedError))
		}
	}
	if err := h.firstOf(nil); err != nil {
		return err
	}
	return h.checkSizes()
}

// firstOf is the first broker restart before the given refusal, else the
// refusal.
func (h *History) firstOf(refusal *UnsupportedError) error {
	for i := range h.Events {
		e := &h.Events[i]
		if refusal != nil && e.Line > refusal.Line {
			break
		}
		if e.K == "note" && brokerNote(e) {
			return &UnsupportedError{File: h.Name, Line: e.Line, What: "broker restart (note " + e.F + ")"}
		}
	}
	if refusal == nil {
		return nil
	}
	return refusal
}

// brokerNote tells of a note that a broker was killed or started.
func brokerNote(e *Event) bool {
	switch e.F {
	case "kill", "start", "crash", "restart":
		var in struct{ Who any }
		return json.Unmarshal(e.In, &in) == nil && in.Who == "broker"
	case "loaded":
		return true
	}
	return false
}

// unsupportedOp is what of a request is not modelled, "" for nothing.
func unsupportedOp(o *Op) string {
	switch o.F {
	case fJoin, fSync, fHeartbeat, fLeave, fCommit, fFetch:
	case "cg-heartbeat":
		return "cg-heartbeat (KIP-848)"
	case "init-pid", "add-parts", "add-offsets", "txn-commit", "end-txn", "begin":
		return o.F + " (transactions)"
	default:
		return "request " + o.F
	}
	switch {
	case o.In.Instance != nil || o.Out.Skip || o.Out.Err == "FENCED_INSTANCE_ID":
		return "static members (inst)"
	case len(o.Out.Errs) > 0:
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

// openError tells of errors that say nothing about the group: the request may
// have been applied or not (groups.md E7), or a coordinator was loading.
func openError(name string) bool {
	switch name {
	case "COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "UNKNOWN_SERVER_ERROR", "REQUEST_TIMED_OUT",
		"NOT_ENOUGH_REPLICAS", "COORDINATOR_LOAD_IN_PROGRESS", "NETWORK_EXCEPTION", "NOT_LEADER_OR_FOLLOWER":
		return true
	}
	return false
}

// checkSizes refuses groups that do not fit into the model's sets.
func (h *History) checkSizes() error {
	for _, c := range split(h) {
		v := intern(h, c)
		line := h.Ops[c.ops[0]].Line
		switch {
		case len(v.names) > maxMemberIDs:
			return &UnsupportedError{File: h.Name, Line: line, What: "more than " + strconv.Itoa(maxMemberIDs) + " member ids in one group"}
		case h.oldJoinWithoutAnswer(c):
			return &UnsupportedError{File: h.Name, Line: line, What: "JoinGroup before version 4 without an answer"}
		case len(v.partitions) > maxPartitions:
			return &UnsupportedError{File: h.Name, Line: line, What: "more than " + strconv.Itoa(maxPartitions) + " partitions in one group"}
		case len(v.protocols) > int(model.MaxProtocol):
			return &UnsupportedError{File: h.Name, Line: line, What: "more than 15 protocols in one group"}
		}
	}
	return nil
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
