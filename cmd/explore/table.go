package main

import (
	"fmt"
	"strings"

	"fencecheck/model"
	"fencecheck/search"
)

// A rowReport is what `matrix --json` prints for each scenario as it is, and
// for each row.
type rowReport struct {
	Kind      string       `json:"kind"` // scenario, or mutation
	Scenario  string       `json:"scenario,omitempty"`
	Mutations []string     `json:"mutations"`
	Rule      string       `json:"rule,omitempty"`
	Verdict   string       `json:"verdict,omitempty"`
	Caught    []cellReport `json:"caught,omitempty"`
	Redundant string       `json:"redundant,omitempty"`
	Stopped   []string     `json:"stopped,omitempty"` // scenarios whose search was stopped
	Problem   string       `json:"problem,omitempty"`
	Cells     []cellReport `json:"cells,omitempty"` // with --full
}

type cellReport struct {
	Scenario string  `json:"scenario"`
	Verdict  string  `json:"verdict"`
	Property string  `json:"property,omitempty"`
	Length   int     `json:"length,omitempty"`
	States   int64   `json:"states"`
	Seconds  float64 `json:"seconds"`
}

func newCellReport(c *cell) cellReport {
	property, length := c.found()
	return cellReport{c.scenario.ID, c.result.Verdict.String(), property, length, c.result.States, rounded(c.result.Elapsed.Seconds())}
}

// report prints the table and sets the exit status.
func (m *matrix) report() {
	if !m.out.json {
		m.out.linef("scenarios as they are")
	}
	for _, c := range m.baselines {
		m.reportBaseline(c)
	}
	if !m.out.json {
		m.out.linef("\nmutations, and the scenarios that find them (property, steps)")
	}
	for _, r := range m.rows {
		m.reportRow(r)
	}
}

func (m *matrix) reportBaseline(c *cell) {
	problem := c.problem()
	if problem != "" {
		m.status = worst(m.status, statusAfter(c.result.Verdict == search.Incomplete))
	}
	if m.out.json {
		m.out.object(rowReport{Kind: "scenario", Scenario: c.scenario.ID, Mutations: mutationNames(c.scenario),
			Verdict: c.result.Verdict.String(), Problem: problem, Cells: []cellReport{newCellReport(c)}})
		return
	}
	text := fmt.Sprintf("%s, as expected", c.outcome())
	if problem != "" {
		text = "PROBLEM: " + problem
	}
	m.out.linef("  %-32s  %s", c.scenario.ID, text)
}

// statusAfter tells a failure from a search that might have found more.
func statusAfter(stopped bool) int {
	if stopped {
		return statusIncomplete
	}
	return statusViolated
}

func (m *matrix) reportRow(r *row) {
	caught, redundant, stopped := m.caughtBy(r), r.redundant(), r.stopped()
	problem := m.judge(r, caught)
	if m.out.json {
		rep := rowReport{Kind: "mutation", Mutations: r.names(), Caught: mapped(caught, newCellReport), Redundant: redundant, Stopped: stopped, Problem: problem}
		if len(r.mutations) == 1 {
			rep.Rule = model.Registry[r.mutations[0]].Rule
		}
		if m.full {
			rep.Cells = mapped(r.cells, newCellReport)
		}
		m.out.object(rep)
		return
	}
	const shown = 3
	var words []string
	for _, c := range caught[:min(shown, len(caught))] {
		property, length := c.found()
		words = append(words, fmt.Sprintf("%s (%s, %d)", c.scenario.ID, property, length))
	}
	if more := len(caught) - shown; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	if redundant != "" {
		words = append(words, "redundant: "+redundant)
	}
	if problem != "" {
		words = append(words, "PROBLEM: "+problem)
	}
	if len(words) == 0 {
		words = append(words, "found by none of these scenarios")
	}
	m.out.linef("  %-32s  %s", strings.Join(r.names(), " + "), strings.Join(words, ", "))
	if m.full {
		for _, c := range r.cells {
			m.out.linef("      %-28s  %s, %s states", c.scenario.ID, c.outcome(), thousands(c.result.States))
		}
	}
}

// judge says what is wrong with a row, and sets the exit status.
func (m *matrix) judge(r *row, caught []*cell) string {
	var problems []string
	for _, c := range r.cells {
		if text := c.surprise(); text != "" {
			problems = append(problems, text)
			m.status = worst(m.status, statusAfter(c.result.Verdict == search.Incomplete))
		}
	}
	if m.all && len(caught) == 0 && r.redundant() == "" {
		stopped := r.stopped()
		m.status = worst(m.status, statusAfter(len(stopped) > 0))
		text := "found by no scenario, and not declared redundant"
		if len(stopped) > 0 {
			text += "; stopped before the end: " + strings.Join(stopped, ", ")
		}
		problems = append(problems, text)
	}
	return strings.Join(problems, "; ")
}
