package main

import (
	"fmt"
	"slices"
	"testing"
)

// walk climbs where the budgets that completes accepts can be completed, and
// returns those that were searched.
func (c *climb) walk(completes func(b budgets) bool) (searched []budgets) {
	for b, ok := c.next(); ok; b, ok = c.next() {
		searched = append(searched, b)
		if completes(b) {
			c.done = append(c.done, b)
		} else {
			c.failed = append(c.failed, b)
		}
	}
	return searched
}

func TestClimbTakesTurns(t *testing.T) {
	c := climb{from: budgets{1, 1}, to: budgets{3, 3}}
	got := c.walk(func(budgets) bool { return true })
	if want := []budgets{{1, 1}, {2, 1}, {2, 2}, {3, 2}, {3, 3}}; !slices.Equal(got, want) {
		t.Errorf("searched %v", got)
	}
	if got := c.largest(); !slices.Equal(got, []budgets{{3, 3}}) {
		t.Errorf("largest %v", got)
	}
}

func TestClimbGoesAround(t *testing.T) {
	c := climb{from: budgets{1, 1}, to: budgets{3, 3}}
	got := c.walk(func(b budgets) bool { return b[0] == 1 || b[1] == 1 })
	if want := []budgets{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {3, 1}, {1, 3}}; !slices.Equal(got, want) {
		t.Errorf("searched %v", got)
	}
	if got := c.largest(); !slices.Equal(got, []budgets{{3, 1}, {1, 3}}) {
		t.Errorf("largest %v", got)
	}
	if got := c.smallestFailed(); !slices.Equal(got, []budgets{{2, 2}}) {
		t.Errorf("not completed %v", got)
	}
}

// From below: what could not be completed is the upper end.
func TestClimbFromBelow(t *testing.T) {
	c := climb{to: budgets{2, 1}, failed: []budgets{{2, 1}}}
	got := c.walk(func(b budgets) bool { return b[0] < 2 })
	if want := []budgets{{0, 0}, {1, 0}, {1, 1}, {2, 0}}; !slices.Equal(got, want) {
		t.Errorf("searched %v", got)
	}
}

func TestClimbNothingCompleted(t *testing.T) {
	c := climb{from: budgets{1}, to: budgets{9}}
	if got := c.walk(func(budgets) bool { return false }); len(got) != 1 || c.largest() != nil {
		t.Errorf("searched %v, largest %v", got, c.largest())
	}
}

// Whatever can be completed, where less can be completed too: the largest are
// those that trying all would give, and nothing is searched whose outcome is known.
func TestClimbFindsAllLargest(t *testing.T) {
	from, to := budgets{1, 0, 2}, budgets{4, 3, 4}
	var all []budgets
	for i := from[0]; i <= to[0]; i++ {
		for j := from[1]; j <= to[1]; j++ {
			for k := from[2]; k <= to[2]; k++ {
				all = append(all, budgets{i, j, k})
			}
		}
	}
	order := func(a, b budgets) int { return slices.Compare(a[:], b[:]) }
	for weights := range 4 * 4 * 4 {
		for limit := range 24 {
			completes := func(b budgets) bool {
				return int(b[0])*(weights%4)+int(b[1])*(weights/4%4)+int(b[2])*(weights/16) <= limit
			}
			c := climb{from: from, to: to}
			for searched := 1; ; searched++ {
				b, ok := c.next()
				if !ok {
					break
				}
				if !from.below(b) || !c.open(b) || searched > len(all) {
					t.Fatalf("weights %d, limit %d: searched %v", weights, limit, b)
				}
				if completes(b) {
					c.done = append(c.done, b)
				} else {
					c.failed = append(c.failed, b)
				}
			}
			var can []budgets
			for _, b := range all {
				if completes(b) {
					can = append(can, b)
				}
			}
			want, got := extreme(can, budgets.below), c.largest()
			slices.SortFunc(want, order)
			slices.SortFunc(got, order)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("weights %d, limit %d: %v, right would be %v", weights, limit, got, want)
			}
		}
	}
}
