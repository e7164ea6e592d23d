package groups

import (
	"slices"
	"strconv"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
)

// maxPartitions is what a model.PartSet can hold.
const maxPartitions = 64

// maxMemberIDs leaves room for the ids that no answer tells.
const maxMemberIDs = 30_000

// anonymous stands for the ids that a coordinator handed out and that no
// request ever names again; the model sorts it last.
const anonymous model.MemberID = 1<<16 - 1

// tables maps the names and numbers of one component to the model's small
// ones.
type tables struct {
	members    map[string]model.MemberID
	names      []string // by member id
	partitions map[string]int
	protocols  map[string]model.Protocol
	metas      map[string]model.Meta
	offsets    map[int64]model.Offset
}

func intern(h *kfh.History, c kfh.Component) *tables {
	v := &tables{
		members: map[string]model.MemberID{"": 0}, names: []string{""},
		partitions: map[string]int{}, protocols: map[string]model.Protocol{"range": model.Range, "roundrobin": model.RoundRobin},
		metas: map[string]model.Meta{"": 0}, offsets: map[int64]model.Offset{-1: model.NoOffset},
	}
	for _, i := range c.Ops {
		v.addOp(&h.Ops[i])
	}
	return v
}

func (v *tables) addOp(o *kfh.Op) {
	v.addMember(o.In.Member)
	v.addMember(o.Out.Member)
	if o.Out.Leader != nil {
		v.addMember(*o.Out.Leader)
	}
	for _, m := range o.Out.Members {
		v.addMember(m)
	}
	for _, m := range kfh.SortedKeys(o.In.Assign) {
		v.addMember(m)
		v.addPartitions(o.In.Assign[m])
	}
	v.addPartitions(o.In.Partitions)
	v.addPartitions(o.Out.Partitions)
	for _, all := range []map[string]int64{o.In.Offsets, o.Out.Offsets} {
		tps := kfh.SortedKeys(all)
		v.addPartitions(tps)
		for _, tp := range tps {
			if _, known := v.offsets[all[tp]]; !known {
				v.offsets[all[tp]] = model.Offset(len(v.offsets))
			}
		}
	}
	for _, p := range protocolNames(o) {
		if _, known := v.protocols[p]; !known {
			v.protocols[p] = model.Protocol(len(v.protocols) + 1)
		}
	}
	if _, known := v.metas[o.In.Meta]; !known {
		v.metas[o.In.Meta] = model.Meta(len(v.metas))
	}
}

// protocolNames are the protocols that a request offers or an answer chooses.
// A JoinGroup that does not list them offers one without a name.
func protocolNames(o *kfh.Op) []string {
	names := o.In.Protocols
	if o.F == kfh.Join && names == nil {
		names = []string{""}
	}
	if o.Out.Protocol != nil {
		names = append(slices.Clone(names), *o.Out.Protocol)
	}
	return names
}

func (v *tables) addMember(name string) {
	if _, known := v.members[name]; !known {
		v.members[name] = model.MemberID(len(v.names))
		v.names = append(v.names, name)
	}
}

// newMember makes an id for a member whose name no answer tells.
func (v *tables) newMember(name string) model.MemberID {
	v.names = append(v.names, name)
	return model.MemberID(len(v.names) - 1)
}

func (v *tables) addPartitions(tps []string) {
	for _, tp := range tps {
		if _, known := v.partitions[tp]; !known {
			v.partitions[tp] = len(v.partitions)
		}
	}
}

func (v *tables) parts(tps []string) model.PartSet {
	var s model.PartSet
	for _, tp := range tps {
		s |= model.Part(v.partitions[tp])
	}
	return s
}

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
