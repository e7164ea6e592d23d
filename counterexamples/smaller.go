package counterexamples

import (
	"maps"
	"slices"

	"fencecheck/model"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// maxStates bounds the search of one smaller scenario: one that is too large
// is not proposed.
const maxStates = 300_000

// without is a scenario with one mutation taken back.
func without(s *scenarios.Scenario, m model.Mutation) (*scenarios.Scenario, error) {
	return s.Change(func(d *scenarios.Definition) {
		d.Mutations = slices.DeleteFunc(slices.Clone(d.Mutations), func(id string) bool { return id == m.String() })
	})
}

// A reduction makes a definition smaller; it is false where there is nothing
// to take away.
type reduction func(d *scenarios.Definition) bool

// reductions are tried in this order, each as often as it helps.
func reductions(d *scenarios.Definition) []reduction {
	var all []reduction
	for _, id := range d.Mutations {
		all = append(all, func(d *scenarios.Definition) bool { return removeWord(&d.Mutations, id) })
	}
	for i := range d.Members {
		all = append(all, func(d *scenarios.Definition) bool { return removeMember(d, i) })
	}
	for i := range d.Writers {
		all = append(all, func(d *scenarios.Definition) bool { return removeWriter(d, i) })
	}
	all = append(all,
		func(d *scenarios.Definition) bool { // with fewer transactions to come, more is out of reach
			return len(d.Goals) == 0 && lower(&d.Transactions, 1)
		},
		func(d *scenarios.Definition) bool { return lower(&d.Outputs, 1) },
		func(d *scenarios.Definition) bool { return forget(&d.Feature, 0) },
		func(d *scenarios.Definition) bool { return lower(&d.Simple, 0) },
		func(d *scenarios.Definition) bool { return lower(&d.Partitions, 1) },
		func(d *scenarios.Definition) bool { return lower(&d.Topics, 1) },
		func(d *scenarios.Definition) bool { return lower(&d.Records, 0) },
	)
	for _, key := range d.Unbounded {
		for n := range 4 {
			all = append(all, func(d *scenarios.Definition) bool { return boundFault(d, key, n) })
		}
	}
	all = append(all, func(d *scenarios.Definition) bool { return forget(&d.Ranks, false) })
	for _, key := range slices.Sorted(maps.Keys(d.Faults)) {
		all = append(all, func(d *scenarios.Definition) bool { return removeFault(d, key) })
	}
	for _, api := range d.Travels {
		all = append(all, func(d *scenarios.Definition) bool { return removeWord(&d.Travels, api) })
	}
	return append(all,
		func(d *scenarios.Definition) bool { return forget(&d.Clock, "timely") },
		func(d *scenarios.Definition) bool { return forget(&d.Commit, "after") },
		func(d *scenarios.Definition) bool { return lower(&d.InitialDelays, 0) },
		func(d *scenarios.Definition) bool { return forget(&d.GroupMaxSize, 0) },
		func(d *scenarios.Definition) bool { return forget(&d.JoinV3, false) },
		func(d *scenarios.Definition) bool { return forget(&d.FirstTopicOnly, false) },
		func(d *scenarios.Definition) bool { return forgetList(&d.Assignors) },
		func(d *scenarios.Definition) bool { return forgetList(&d.Sessions) },
	)
}

func removeWord(words *[]string, word string) bool {
	n := len(*words)
	*words = slices.DeleteFunc(slices.Clone(*words), func(w string) bool { return w == word })
	return len(*words) < n
}

// removeMember takes away one member with its entry in the lists. Members
// without such entries are alike, so that only the last one is tried.
func removeMember(d *scenarios.Definition, i int) bool {
	alike := len(d.Assignors) == 0 && len(d.Sessions) == 0 && len(d.IDs) == 0
	if d.Members == 1 || i >= d.Members || alike && i < d.Members-1 {
		return false
	}
	if len(d.IDs) > d.Writers { // members have some, too
		d.IDs = slices.Delete(slices.Clone(d.IDs), i, i+1)
	}
	d.Members--
	if len(d.Assignors) > 0 {
		d.Assignors = slices.Delete(slices.Clone(d.Assignors), i, i+1)
	}
	if len(d.Sessions) > 0 {
		d.Sessions = slices.Delete(slices.Clone(d.Sessions), i, i+1)
	}
	return true
}

// removeWriter takes away one writer with its transactional id.
func removeWriter(d *scenarios.Definition, i int) bool {
	if d.Members == 0 && d.Writers == 1 || i >= d.Writers || len(d.IDs) == 0 && i < d.Writers-1 {
		return false
	}
	if n := len(d.IDs); n > 0 {
		at := n - d.Writers + i // writers come last
		d.IDs = slices.Delete(slices.Clone(d.IDs), at, at+1)
	}
	if d.Writers--; d.Writers == 0 {
		d.Transactions = 0
	}
	return true
}

// boundFault lets a fault that may happen any number of times happen n times.
func boundFault(d *scenarios.Definition, key string, n int) bool {
	if !removeWord(&d.Unbounded, key) {
		return false
	}
	if n > 0 {
		if d.Faults == nil {
			d.Faults = map[string]int{}
		}
		d.Faults[key] = n
	}
	return true
}

func removeFault(d *scenarios.Definition, key string) bool {
	if d.Faults[key] == 0 {
		return false
	}
	if d.Faults[key]--; d.Faults[key] == 0 {
		delete(d.Faults, key)
	}
	return true
}

func lower(n *int, least int) bool {
	if *n <= least {
		return false
	}
	*n--
	return true
}

// forget gives a key the value that it has when it is left out.
func forget[T comparable](v *T, plain T) bool {
	var none T
	if *v == none || *v == plain {
		return false
	}
	*v = plain
	return true
}

func forgetList[T any](list *[]T) bool {
	if len(*list) == 0 {
		return false
	}
	*list = nil
	return true
}

// smallest looks for the smallest scenario that still violates the property,
// in no more steps than are known.
func (g *stage) smallest(steps []search.Step) (*stage, []search.Step) {
	for changed := true; changed; {
		changed = false
		for _, reduce := range reductions(&g.scenario.Definition) {
			for {
				smaller, shorter, ok := g.reduced(reduce, steps)
				if !ok {
					break
				}
				g, steps, changed = smaller, shorter, true
			}
		}
	}
	return g, steps
}

// reduced tries one reduction.
func (g *stage) reduced(reduce reduction, steps []search.Step) (*stage, []search.Step, bool) {
	applies := false
	s, err := g.scenario.Change(func(d *scenarios.Definition) { applies = reduce(d) })
	if err != nil || !applies {
		return nil, nil, false
	}
	smaller, err := newStage(g.ctx, s, g.property())
	if err != nil {
		return nil, nil, false
	}
	if shorter, ok := smaller.shortest(len(steps)); ok {
		return smaller, shorter, true
	}
	if taken, ok := smaller.try(steps); ok && len(taken) <= len(steps) {
		return smaller, taken, true
	}
	return nil, nil, false
}

func (g *stage) property() string {
	if g.goal != nil {
		return g.goal.Name
	}
	return g.invariant.Name
}

// shortest searches for a violation of at most so many steps.
func (g *stage) shortest(most int) ([]search.Step, bool) {
	o := g.scenario.Options()
	o.MaxStates = maxStates
	if g.goal == nil { // a trap shows only when everything has been explored
		o.MaxDepth = most
	}
	r := search.BreadthFirst(g.ctx, search.System[model.State](g.sys), o)
	if r.Violation == nil || len(r.Violation.Trace.Steps) > most {
		return nil, false
	}
	return r.Violation.Trace.Steps, true
}
