package linearize

import (
	"slices"
	"strconv"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/txns"
	"fencecheck/model"
)

// requests are the requests that kfh/1 knows, modelled or not.
var requests = slices.Concat(groups.Requests, txns.Requests, kfh.Table{
	{Name: "cg-heartbeat"}, {Name: "begin"}, {Name: "poll"}, {Name: "offset-delete"}, {Name: "delete-groups"},
})

// supported is nil if every part of the history is modelled, else an
// *UnsupportedError about the first that is not. A history is never judged in
// part: what a part that is left out did could explain, or forbid, any answer.
func supported(h *kfh.History) error {
	refuse := func(line int, what string) error {
		return &kfh.UnsupportedError{File: h.Name, Line: line, What: what}
	}
	switch d := &h.Header; {
	case d.GroupProtocol != "" && d.GroupProtocol != "classic":
		return refuse(1, "group_protocol "+d.GroupProtocol+" (KIP-848)")
	case d.Level != "" && d.Level != "wire":
		return refuse(1, "level "+d.Level)
	case d.Start != "" && d.Start != "empty":
		return refuse(1, "start "+d.Start)
	case d.Restarts > 0 && len(h.Lives()) == 1:
		return refuse(1, "broker restarts without notes that say when")
	}
	for i := range h.Ops {
		o := &h.Ops[i]
		if what := unsupportedOp(o); what != "" {
			return refuse(o.Line, what)
		}
		if v, known := h.Header.API[o.F]; known && v < o.Row.Oldest {
			return refuse(o.Line, o.F+" before version "+strconv.FormatInt(o.Row.Oldest, 10))
		}
	}
	if i := txns.PlainWrite(h); i >= 0 {
		return refuse(h.Ops[i].Line, "a Produce without transactional id by a transactional producer id")
	}
	return checkSizes(h)
}

// unsupportedOp is what of a request is not modelled, "" for nothing.
func unsupportedOp(o *kfh.Op) string {
	switch {
	case o.F == "cg-heartbeat":
		return "cg-heartbeat (KIP-848)"
	case o.Row.In == nil:
		return "request " + o.F
	case o.In.Instance != nil || o.Out.Skip || o.Out.Err == "FENCED_INSTANCE_ID":
		return "static members (inst)"
	case len(o.Out.Errs) > 0 && !onlyUnstable(o):
		return "errors of single partitions (errs)"
	case len(o.In.Protocols) > 8:
		return "more than 8 protocols in one JoinGroup"
	case o.Outcome == kfh.Failed && !o.Local && !kfh.OpenError(o.Out.Err):
		if _, known := model.ErrorByName(o.Out.Err); !known {
			return "error " + o.Out.Err
		}
	}
	return ""
}

// onlyUnstable tells of a stable fetch whose single partitions wait for a
// transaction.
func onlyUnstable(o *kfh.Op) bool {
	for _, err := range o.Out.Errs {
		if err != kfh.UnstableOffsetCommit {
			return false
		}
	}
	return o.F == kfh.OffsetFetch && o.In.Stable
}

// checkSizes refuses groups and transactional ids that do not fit into the
// model's sets.
func checkSizes(h *kfh.History) error {
	for _, c := range kfh.Split(h) {
		for _, p := range c.Groups(h) {
			if what := groups.TooLarge(h, p); what != "" {
				return &kfh.UnsupportedError{File: h.Name, Line: h.Ops[p.Ops[0]].Line, What: what}
			}
		}
		for _, p := range c.Producers(h) {
			if what := txns.TooLarge(h, p); what != "" {
				return &kfh.UnsupportedError{File: h.Name, Line: h.Ops[p.Ops[0]].Line, What: what}
			}
		}
	}
	return nil
}
