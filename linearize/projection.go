package linearize

import (
	"fencecheck/model"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// projection is one partition's offsets without the group: the accepted commits
// and the fetches, as if the group took every commit.
type projection struct {
	h  *History
	c  component
	tp string
}

// projections lists one for each partition of a group.
func projections(h *History, c component) []projection {
	var all []projection
	for _, tp := range slices.Sorted(maps.Keys(intern(h, c).partitions)) {
		all = append(all, project(h, c, tp))
	}
	return all
}

func project(h *History, c component, tp string) projection {
	v := *h
	v.Ops = slices.Clone(h.Ops)
	p := projection{&v, component{name: c.name}, tp}
	only := func(offsets map[string]int64) (map[string]int64, bool) {
		o, named := offsets[tp]
		return map[string]int64{tp: o}, named
	}
	for _, i := range c.ops {
		o := &v.Ops[i]
		named := false
		switch {
		case o.Local:
		case o.F == fCommit && (o.open() || o.Outcome == OK):
			o.In.Offsets, named = only(o.In.Offsets)
		case o.F == fFetch && o.Outcome == OK:
			o.Out.Offsets, named = only(o.Out.Offsets)
		}
		if named {
			p.c.ops = append(p.c.ops, i)
		}
	}
	return p
}

// spec is the specification of a group that takes every commit.
func (p projection) spec() searcher {
	s := newSpec(compile(p.h, p.c))
	for _, m := range []model.Mutation{model.OffsetCommitMemberCheck, model.OffsetCommitGenerationCheck, model.OffsetCommitCompletingCheck, model.OffsetCommitEmptyGroupOnly} {
		s.rules.Off = s.rules.Off.With(m)
	}
	s.starts = []world{{group: model.Group{State: model.Empty}}}
	s.boundless()
	return s
}

// fewest leaves out fetches as long as the projection stays illegal.
func (p projection) fewest(illegal func(searcher) bool) projection {
	for k := len(p.c.ops) - 1; k >= 0; k-- {
		if p.h.Ops[p.c.ops[k]].F != fFetch {
			continue
		}
		less := projection{p.h, component{p.c.name, slices.Delete(slices.Clone(p.c.ops), k, k+1)}, p.tp}
		if illegal(less.spec()) {
			p = less
		}
	}
	return p
}

// proof words an illegal projection and lists the events that prove it.
func (p projection) proof() (why string, events []int) {
	read := map[int64]bool{}
	var reads []string
	for _, i := range p.c.ops {
		if o := &p.h.Ops[i]; o.F == fFetch {
			read[o.Out.Offsets[p.tp]] = true
			reads = append(reads, fmt.Sprintf("%d (op %d)", o.Out.Offsets[p.tp], o.ID))
		}
	}
	all := conflict{}
	for _, i := range p.c.ops {
		if o := &p.h.Ops[i]; o.F == fFetch || read[o.In.Offsets[p.tp]] {
			all = all.with(i)
		}
	}
	return fmt.Sprintf("no order of the accepted commits of %s explains the fetches that returned %s", p.tp, strings.Join(reads, ", ")), all.events(p.h)
}
