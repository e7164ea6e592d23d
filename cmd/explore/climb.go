package main

import (
	"cmp"
	"fmt"
	"strings"

	"fencecheck/model/cluster"
)

// Budgets say how often each fault may happen.
type budgets [cluster.NumBudgets]uint8

// below tells whether whatever can happen within b can also happen within c.
func (b budgets) below(c budgets) bool {
	for i := range b {
		if b[i] > c[i] {
			return false
		}
	}
	return true
}

func (b budgets) with(fault cluster.Budget, n uint8) budgets {
	b[fault] = n
	return b
}

// meet is the most that is within both.
func (b budgets) meet(c budgets) budgets {
	for i := range b {
		b[i] = min(b[i], c[i])
	}
	return b
}

// words names the budgets of some faults; where there are none, nothing was changed.
func (b budgets) words(faults []cluster.Budget) string {
	var words []string
	for _, f := range faults {
		words = append(words, fmt.Sprintf("%s %d", strings.ReplaceAll(f.String(), "_", " "), b[f]))
	}
	if len(words) == 0 {
		return "its own bounds"
	}
	return strings.Join(words, ", ")
}

// keys has the budgets of some faults for programs.
func (b budgets) keys(faults []cluster.Budget) map[string]int {
	all := map[string]int{}
	for _, f := range faults {
		all[f.String()] = int(b[f])
	}
	return all
}

// A climb chooses which budgets to search next, from the lowest up. Who knows that
// some hold needs to search nothing below them, and who could not complete some
// nothing above them.
type climb struct {
	from, to budgets
	done     []budgets
	failed   []budgets
}

// next is the budgets to search next; ok is false where nothing is left. They have one
// fault more than something that is covered by what is done. The turns are fair, as
// before says.
func (c *climb) next() (best budgets, ok bool) {
	consider := func(b budgets) {
		if c.open(b) && (!ok || c.before(b, best)) {
			best, ok = b, true
		}
	}
	consider(c.from)
	for _, ceiling := range c.ceilings() {
		for _, d := range c.done {
			b := d.meet(ceiling)
			for f, n := range b {
				if n < ceiling[f] {
					consider(b.with(cluster.Budget(f), n+1))
				}
			}
		}
	}
	return best, ok
}

// ceilings are the largest budgets that are not above any that failed: whatever is
// still open is below one of them.
func (c *climb) ceilings() []budgets {
	all := []budgets{c.to}
	for _, x := range c.failed {
		var lower []budgets
		for _, b := range all {
			if !x.below(b) {
				lower = append(lower, b)
				continue
			}
			for f, n := range x {
				if n > c.from[f] {
					lower = append(lower, b.with(cluster.Budget(f), n-1))
				}
			}
		}
		all = extreme(lower, budgets.below)
	}
	return all
}

// open tells whether it is not known yet what budgets lead to.
func (c *climb) open(b budgets) bool {
	for _, d := range c.done {
		if b.below(d) {
			return false
		}
	}
	for _, f := range c.failed {
		if f.below(b) {
			return false
		}
	}
	return b.below(c.to)
}

// before says whose turn it is: first those whose most raised fault was raised the
// least; among them those that cover the most; and then the fault that comes first
// in a scenario.
func (c *climb) before(a, b budgets) bool {
	var more, first int
	for f := range a {
		d := int(a[f]) - int(b[f])
		more, first = more+d, cmp.Or(first, d)
	}
	return cmp.Or(c.farthest(b)-c.farthest(a), more, first) > 0
}

// farthest is how much the fault was raised that was raised the most.
func (c *climb) farthest(b budgets) (most int) {
	for f := range b {
		most = max(most, int(b[f])-int(c.from[f]))
	}
	return most
}

// largest lists what was completed and is not below something else that was.
func (c *climb) largest() []budgets { return extreme(c.done, budgets.below) }

// smallestFailed lists what was not completed and is not above something else
// that was not.
func (c *climb) smallestFailed() []budgets {
	return extreme(c.failed, func(a, b budgets) bool { return b.below(a) })
}

// extreme leaves out what is within something else, or there twice.
func extreme(all []budgets, within func(a, b budgets) bool) (some []budgets) {
	for i, a := range all {
		inside := false
		for j, b := range all {
			inside = inside || within(a, b) && (a != b || i > j)
		}
		if !inside {
			some = append(some, a)
		}
	}
	return some
}
