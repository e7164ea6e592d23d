package counterexamples

import (
	"fmt"

	"fencecheck/model"
	"fencecheck/scenarios"
)

// Glances says in one line each where the group and its clients are, for the
// first few states that look different from one another at a glance: offsets,
// positions and what is on its way are left out.
func Glances(s *scenarios.Scenario, states []model.State, most int) []string {
	t := &teller{g: &stage{cfg: &s.Config}}
	var lines []string
	seen := map[string]bool{}
	for i := range states {
		line := t.glance(&states[i])
		if len(lines) < most && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}

// glance is a state in one line.
func (t *teller) glance(s *model.State) string {
	return fmt.Sprintf("%s at generation %d with %s; %s", s.Group.State, s.Group.Generation, t.roster(s), t.standings(s))
}
