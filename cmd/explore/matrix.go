package main

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// A matrix is `explore matrix`.
type matrix struct {
	*app
	maxStates int64
	timeout   time.Duration
	workers   int
	full      bool

	scenarios []*scenarios.Scenario
	all       bool // every ready scenario takes part
	baselines []*cell
	rows      []*row
}

// A cell is one search: a scenario with some mutations on top of its own.
type cell struct {
	scenario  *scenarios.Scenario
	mutations model.Mutations
	result    search.Result[cluster.State]
	expected  *scenarios.Caught // what the scenario file says, nil if nothing
}

// A row is one mutation, or several together, against the scenarios.
type row struct {
	mutations []model.Mutation
	cells     []*cell
}

const matrixHelp = `Matrix searches every scenario with each mutation on, alone and in the
combinations that the scenario names, and so shows which check protects what: the
necessity table. Each cell is bounded by --max-states; a mutation that nothing
finds within that is looked for again without the bound.

Exit status 1 if a scenario does not give what its file expects, or if, with all
scenarios, a mutation is neither found nor declared redundant; 3 if searches were
stopped and might still find it.`

func (a *app) matrixCommand() *cobra.Command {
	m := &matrix{app: a}
	cmd := &cobra.Command{
		Use:     "matrix [SCENARIO...]",
		Short:   "search every scenario with every mutation: the necessity table",
		Long:    matrixHelp,
		Example: "  explore matrix\n  explore matrix zombie-commit late-commit --full",
	}
	f := cmd.Flags()
	f.Int64Var(&m.maxStates, "max-states", 100_000, "bound each cell; 0 for no bound")
	f.DurationVar(&m.timeout, "timeout", time.Minute, "bound each search; 0 for no bound")
	f.IntVar(&m.workers, "workers", 0, "how many searches run at the same time; 0 for one a processor")
	f.BoolVar(&m.full, "full", false, "show every cell, not only those that find something")
	f.BoolVar(&a.out.json, "json", false, "print one JSON object a row")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return m.run(args) }
	return cmd
}

func (m *matrix) run(names []string) error {
	err := errors.Join(atLeast("max-states", m.maxStates, 0), workersWithin(m.workers), atLeast("timeout", m.timeout, 0))
	if err != nil {
		return err
	}
	if m.scenarios, err = openAll(names, scenarios.Open); err != nil {
		return err
	}
	if m.all = len(names) == 0; m.all {
		m.scenarios = scenarios.All()
	}
	m.lay()
	m.fill()
	m.report()
	return nil
}

// lay makes the cells.
func (m *matrix) lay() {
	for _, s := range m.scenarios {
		m.baselines = append(m.baselines, &cell{scenario: s})
	}
	for id := range model.NumMutations {
		r := &row{mutations: []model.Mutation{id}}
		set := model.Mutations{}.With(id)
		for _, s := range m.scenarios {
			if !s.Config.Rules.Off.Has(id) { // else it is the baseline
				r.cells = append(r.cells, &cell{scenario: s, mutations: set, expected: expectedOf(s, set)})
			}
		}
		m.rows = append(m.rows, r)
	}
	for _, s := range m.scenarios {
		for i := range s.Caught {
			if set := s.Caught[i].Mutations; len(set.List()) > 1 {
				m.rows = append(m.rows, &row{mutations: set.List(), cells: []*cell{{scenario: s, mutations: set, expected: &s.Caught[i]}}})
			}
		}
	}
}

// expectedOf is what a scenario's file says about a set of mutations.
func expectedOf(s *scenarios.Scenario, set model.Mutations) *scenarios.Caught {
	for i := range s.Caught {
		if s.Caught[i].Mutations == set {
			return &s.Caught[i]
		}
	}
	return nil
}

// fill searches all cells, and then once more, without the bound on states,
// those that matter and were stopped by it.
func (m *matrix) fill() {
	m.searchAll(m.baselines, 0)
	var first, again []*cell
	for _, r := range m.rows {
		first = append(first, r.cells...)
	}
	m.searchAll(first, m.maxStates)
	for _, r := range m.rows {
		missed := len(m.caughtBy(r)) == 0 && r.redundant() == ""
		for _, c := range r.cells {
			if c.result.Stopped == search.StoppedStates && (missed || c.expected != nil) {
				again = append(again, c)
			}
		}
	}
	m.searchAll(again, 0)
}

// searchAll searches cells side by side, each with one worker.
func (m *matrix) searchAll(cells []*cell, maxStates int64) {
	workers := m.workers
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var done atomic.Int64
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		var group errgroup.Group
		group.SetLimit(workers)
		for _, c := range cells {
			group.Go(func() error {
				m.search(c, maxStates)
				done.Add(1)
				return nil
			})
		}
		group.Wait()
	}()
	tick := time.NewTicker(m.out.progressEvery())
	defer tick.Stop()
	for {
		select {
		case <-finished:
			return
		case <-tick.C:
			m.out.progress(fmt.Sprintf("matrix: %d of %d searches", done.Load(), len(cells)))
		}
	}
}

func (m *matrix) search(c *cell, maxStates int64) {
	if !c.concerned() {
		c.result = m.baseline(c.scenario).result
		return
	}
	ctx, cancel := (&limits{timeout: m.timeout}).context(m.ctx)
	defer cancel()
	s := c.scenario.With(c.mutations)
	o := s.Options()
	o.Workers, o.MaxStates = 1, maxStates
	c.result = search.BreadthFirst(ctx, s.System(), o)
}

// concerned tells whether a cell's mutations can make a difference to its scenario.
func (c *cell) concerned() bool {
	return len(c.mutations.List()) == 0 || slices.ContainsFunc(c.mutations.List(), c.scenario.Config.Concerns)
}

// found is what a cell's search found, in words.
func (c *cell) found() (property string, length int) {
	if v := c.result.Violation; v != nil {
		return v.Property, len(v.Trace.Steps)
	}
	return "", 0
}

// caughtBy lists the cells of a row that find its mutations, shortest first.
// A scenario that is violated anyway must show something else, or show it in
// fewer steps.
func (m *matrix) caughtBy(r *row) []*cell {
	var all []*cell
	for _, c := range r.cells {
		property, length := c.found()
		baseProperty, baseLength := m.baseline(c.scenario).found()
		if property != "" && (property != baseProperty || length < baseLength) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *cell) int {
		_, x := a.found()
		_, y := b.found()
		return cmp.Compare(x, y)
	})
	return all
}

func (m *matrix) baseline(s *scenarios.Scenario) *cell {
	return m.baselines[slices.Index(m.scenarios, s)]
}

// redundant is why nothing needs a row's rule, "" if something does.
func (r *row) redundant() string {
	if len(r.mutations) > 1 {
		return ""
	}
	return model.Registry[r.mutations[0]].Redundant
}

func (r *row) names() []string { return mapped(r.mutations, model.Mutation.String) }

// stopped lists the scenarios whose search was stopped.
func (r *row) stopped() []string {
	var names []string
	for _, c := range r.cells {
		if c.result.Verdict == search.Incomplete {
			names = append(names, c.scenario.ID)
		}
	}
	return names
}

// problem is what is wrong with a baseline, "" if nothing.
func (c *cell) problem() string {
	property, length := c.found()
	want := c.scenario.Expect
	switch got := c.result.Verdict; {
	case got == want.Verdict && property == want.Property && length == want.Length:
		return ""
	case got == search.Incomplete:
		return "not finished: " + c.result.Stopped
	case want.Verdict == search.Violated:
		return fmt.Sprintf("expected %s in %d steps, found %s", want.Property, want.Length, c.outcome())
	}
	return fmt.Sprintf("expected %s, found %s", want.Verdict, c.outcome())
}

// outcome is what a search came to, in words.
func (c *cell) outcome() string {
	if property, length := c.found(); property != "" {
		return fmt.Sprintf("%s in %d steps", property, length)
	}
	if c.result.Stopped != "" {
		return "nothing before it stopped (" + c.result.Stopped + ")"
	}
	return strings.ToLower(c.result.Verdict.String())
}

// surprise is where a cell is not as its scenario's file says, "" if it is.
func (c *cell) surprise() string {
	property, length := c.found()
	if c.expected == nil || property == c.expected.Property && length == c.expected.Length {
		return ""
	}
	return fmt.Sprintf("%s: expected %s in %d steps, found %s", c.scenario.ID, c.expected.Property, c.expected.Length, c.outcome())
}
