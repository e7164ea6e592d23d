package linearize

import (
	"fencecheck/model"
	"strconv"
)

func groupTooLarge(h *History, group component) string {
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
func oldJoinWithoutAnswer(h *History, c component) bool {
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
