package counterexamples

import (
	"fmt"
	"strings"

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
	if !t.g.cfg.Producing() {
		return t.groupGlance(s)
	}
	var words []string
	if t.g.cfg.Members+t.g.cfg.Simple > 0 {
		words = append(words, t.groupGlance(s))
	}
	words = append(words, "transaction coordinator: "+t.transactionGlance(s))
	for i := range t.g.cfg.Clients() {
		if p := &s.Clients[i].Producer; t.g.cfg.HasProducer(i) {
			words = append(words, t.client(i)+" "+t.producerStanding(p))
		}
	}
	for p := range s.Txns.Logs {
		for i := range s.Txns.Logs[p].Entries {
			if e := &s.Txns.Logs[p].Entries[i]; e.Open {
				words = append(words, fmt.Sprintf("%s has a transaction open for %s", markedName(uint8(p)), t.pair(e.PID, e.Epoch)))
			}
		}
	}
	return strings.Join(words, "; ")
}

func (t *teller) groupGlance(s *model.State) string {
	return fmt.Sprintf("%s at generation %d with %s; %s", s.Group.State, s.Group.Generation, t.roster(s), t.standings(s))
}
