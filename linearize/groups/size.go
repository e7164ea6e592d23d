package groups

import (
	"strconv"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
)

// TooLarge says what of a group does not fit into the model, "" for nothing.
func TooLarge(h *kfh.History, group kfh.Component) string {
	v := intern(h, group)
	switch {
	case len(v.names) > maxMemberIDs:
		return "more than " + strconv.Itoa(maxMemberIDs) + " member ids in one group"
	case oldJoinWithoutAnswer(h, group):
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
func oldJoinWithoutAnswer(h *kfh.History, c kfh.Component) bool {
	version, known := h.Header.API[kfh.Join]
	old, open := known && version < 4, false
	for _, o := range h.Each(c.Ops) {
		if o.F == kfh.Join && o.In.Member == "" {
			old = old || !known && o.Outcome == kfh.OK
			open = open || o.Open() && !o.Local
		}
	}
	return old && open
}
