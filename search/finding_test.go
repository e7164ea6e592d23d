package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFindingOrder: the shortest first, then in the order of the search, then
// in the order in which the properties were given.
func TestFindingOrder(t *testing.T) {
	ordered := []finding{
		{Deadlock, 0, 4, 9, 0},
		{Invariant, 1, 5, 2, 7},
		{Invariant, 2, 5, 2, 7},
		{Invariant, 0, 5, 2, 8},
		{Invariant, 0, 5, 3, 1},
		{Invariant, 0, 6, 1, 1},
	}
	for i := range ordered {
		for j := range i {
			assert.Negative(t, ordered[j].compare(ordered[i]))
			assert.Positive(t, ordered[i].compare(ordered[j]))
			assert.Same(t, &ordered[j], least(&ordered[i], &ordered[j]))
			assert.Same(t, &ordered[j], least(&ordered[j], &ordered[i]))
		}
		assert.Same(t, &ordered[i], least(nil, &ordered[i]))
		assert.Same(t, &ordered[i], least(&ordered[i], nil))
	}
}
