package groups

import (
	"fmt"
	"slices"
	"strings"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/proof"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
	"fencecheck/model/classic"
)

// projection is one partition's offsets without the group: the accepted commits
// and the fetches, as if the group took every commit.
type projection struct {
	h  *kfh.History
	c  kfh.Component
	tp string
}

// Projections lists one for each partition of a group.
func Projections(h *kfh.History, c kfh.Component) []projection {
	var all []projection
	for _, tp := range kfh.SortedKeys(intern(h, c).partitions) {
		all = append(all, project(h, c, tp))
	}
	return all
}

func project(h *kfh.History, c kfh.Component, tp string) projection {
	v := *h
	v.Ops = slices.Clone(h.Ops)
	p := projection{&v, kfh.Component{Name: c.Name}, tp}
	only := func(offsets map[string]int64) (map[string]int64, bool) {
		o, named := offsets[tp]
		return map[string]int64{tp: o}, named
	}
	for i, o := range v.Each(c.Ops) {
		named := false
		switch {
		case o.Local:
		case o.F == kfh.Commit && (o.Open() || o.Outcome == kfh.OK):
			o.In.Offsets, named = only(o.In.Offsets)
		case o.F == kfh.OffsetFetch && o.Outcome == kfh.OK:
			o.Out.Offsets, named = only(o.Out.Offsets)
		}
		if named {
			p.c.Ops = append(p.c.Ops, i)
		}
	}
	return p
}

// Spec is the specification of a group that takes every commit.
func (p projection) Spec() sequential.Specification {
	s := newSpec(Compile(p.h, p.c))
	for _, m := range []model.Mutation{model.OffsetCommitMemberCheck, model.OffsetCommitGenerationCheck, model.OffsetCommitCompletingCheck, model.OffsetCommitEmptyGroupOnly} {
		s.rules.Off = s.rules.Off.With(m)
	}
	s.starts = []state{{group: classic.Group{State: classic.Empty}}}
	s.boundless()
	return s
}

// Fewest leaves out fetches as long as the projection stays illegal.
func (p projection) Fewest(illegal func(sequential.Specification) bool) projection {
	for k := len(p.c.Ops) - 1; k >= 0; k-- {
		if p.h.Ops[p.c.Ops[k]].F != kfh.OffsetFetch {
			continue
		}
		less := projection{p.h, kfh.Component{Name: p.c.Name, Ops: slices.Delete(slices.Clone(p.c.Ops), k, k+1)}, p.tp}
		if illegal(less.Spec()) {
			p = less
		}
	}
	return p
}

// Proof words an illegal projection and lists the events that prove it.
func (p projection) Proof() (why string, events []int) {
	read := map[int64]bool{}
	var reads []string
	for _, o := range p.h.Each(p.c.Ops) {
		if o.F == kfh.OffsetFetch {
			read[o.Out.Offsets[p.tp]] = true
			reads = append(reads, fmt.Sprintf("%d (op %d)", o.Out.Offsets[p.tp], o.ID))
		}
	}
	all := proof.Conflict{}
	for i, o := range p.h.Each(p.c.Ops) {
		if o.F == kfh.OffsetFetch || read[o.In.Offsets[p.tp]] {
			all = all.With(i)
		}
	}
	return fmt.Sprintf("no order of the accepted commits of %s explains the fetches that returned %s", p.tp, strings.Join(reads, ", ")), all.Events(p.h)
}
