package counterexamples

import (
	"cmp"
	"slices"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/search"
)

// A pass tries changes until one of them is taken, and tells whether one was.
type pass func(steps []search.Step, try func([]search.Step) bool) bool

// shrink leaves out of a violation all that it does not need, by trial: no step of
// what remains can be left out. It does not look for other ways to the same
// violation. It goes through its passes, cheap ones first, and begins again
// whenever one of them helps.
func (g *trial) shrink(steps []search.Step) []search.Step {
	passes := [...]pass{dropChunks, dropPairs, g.rename, g.replace}
	try := func(candidate []search.Step) bool {
		taken, ok := g.try(candidate)
		if !ok || compareSteps(taken, steps) >= 0 {
			return false
		}
		steps = taken
		return true
	}
	for i := 0; i < len(passes); {
		if passes[i](steps, try) {
			i = 0
		} else {
			i++
		}
	}
	return steps
}

// compareSteps orders sequences: the shorter first, then in the order of the
// operations' table and of the parameters.
func compareSteps(a, b []search.Step) int {
	if c := cmp.Compare(len(a), len(b)); c != 0 {
		return c
	}
	return slices.CompareFunc(a, b, compareStep)
}

func compareStep(a, b search.Step) int {
	x, y := ops.Unpack(a.Arg), ops.Unpack(b.Arg)
	return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B), cmp.Compare(x.Pick, y.Pick), cmp.Compare(x.Order, y.Order))
}

// dropChunks leaves out runs of steps, long ones first, to single ones.
func dropChunks(steps []search.Step, try func([]search.Step) bool) bool {
	for n := (len(steps) + 1) / 2; n >= 1; n /= 2 {
		for i := 0; i+n <= len(steps); i++ {
			if try(slices.Concat(steps[:i], steps[i+n:])) {
				return true
			}
		}
	}
	return false
}

// dropPairs leaves out two steps that need each other, such as a pause and its
// end.
func dropPairs(steps []search.Step, try func([]search.Step) bool) bool {
	for i := range steps {
		for j := i + 1; j < len(steps); j++ {
			if try(slices.Concat(steps[:i], steps[i+1:j], steps[j+1:])) {
				return true
			}
		}
	}
	return false
}

// rename lets two clients, two partitions, two outputs or two transactional ids
// change places.
func (g *trial) rename(steps []search.Step, try func([]search.Step) bool) bool {
	return swaps(g.cfg.Clients(), func(a, b uint8) bool {
		return try(mapped(steps, func(kind ops.Param, v uint8) uint8 { return swapClient(kind, v, a, b) }))
	}) || swaps(g.cfg.AllPartitions(), func(a, b uint8) bool {
		return try(swapped(steps, a, b, ops.Partition))
	}) || swaps(g.cfg.Outputs, func(a, b uint8) bool {
		return try(swapped(steps, a, b, ops.Output, ops.Log))
	}) || swaps(g.cfg.TransactionalIDs(), func(a, b uint8) bool {
		return try(swapped(steps, a, b, ops.TransactionalID))
	})
}

// swapped lets two values of some kinds of parameters change places.
func swapped(steps []search.Step, a, b uint8, kinds ...ops.Param) []search.Step {
	return mapped(steps, func(kind ops.Param, v uint8) uint8 {
		if slices.Contains(kinds, kind) {
			return swap(v, a, b)
		}
		return v
	})
}

func swaps(n int, try func(a, b uint8) bool) bool {
	for a := range n {
		for b := a + 1; b < n; b++ {
			if try(uint8(a), uint8(b)) {
				return true
			}
		}
	}
	return false
}

func swap(v, a, b uint8) uint8 {
	switch v {
	case a:
		return b
	case b:
		return a
	}
	return v
}

func swapClient(kind ops.Param, v, a, b uint8) uint8 {
	switch kind {
	case ops.Client:
		return swap(v, a, b)
	case ops.Member:
		id := model.MemberID(v)
		return uint8(cluster.NewMemberID(int(swap(uint8(cluster.ClientOf(id)), a, b)), cluster.LifeOf(id)))
	}
	return v
}

// mapped changes the parameters of all steps.
func mapped(steps []search.Step, change func(kind ops.Param, v uint8) uint8) []search.Step {
	changed := slices.Clone(steps)
	for i, st := range steps {
		kinds, a := ops.Table[st.Op].Params, ops.Unpack(st.Arg)
		a.A, a.B = change(kinds[0], a.A), change(kinds[1], a.B)
		changed[i].Arg = a.Pack()
	}
	return changed
}

// replace gives single steps other parameters, or the coordinator's choice
// another outcome.
func (g *trial) replace(steps []search.Step, try func([]search.Step) bool) bool {
	s := g.start()
	var next cluster.State
	for i, st := range steps {
		var others []search.Step
		g.sys.Next(&s, &next, func(other search.Step) {
			if other.Op == st.Op && compareStep(other, st) < 0 {
				others = append(others, other)
			}
		})
		for _, other := range others {
			if try(slices.Concat(steps[:i], []search.Step{other}, steps[i+1:])) {
				return true
			}
		}
		if _, ok := g.sys.Take(&s, &next, st); !ok {
			return false
		}
		s = next
	}
	return false
}
