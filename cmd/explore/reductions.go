package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// reductionFlags add the flags that ask for reductions.
func reductionFlags(cmd *cobra.Command) *scenarios.Reductions {
	r, f := &scenarios.Reductions{}, cmd.Flags()
	f.BoolVar(&r.Symmetry, "symmetry", false, "take states in which alike members or partitions have changed places for one")
	f.BoolVar(&r.PartialOrder, "partial-order", false, "take a step that concerns its client alone at once, not at every later moment too; a violation is minimised afterwards")
	return r
}

// reduced searches a scenario with reductions, and shows what is found as the
// scenario itself has it. With none it is a search like any other. Where a
// reduction is refused there is no system.
func reduced(ctx context.Context, s *scenarios.Scenario, want scenarios.Reductions, o search.Options[cluster.State]) (search.Result[cluster.State], *scenarios.System) {
	if want == (scenarios.Reductions{}) {
		sys := s.System()
		return search.BreadthFirst(ctx, sys, o), sys
	}
	small, err := s.Reduced(want)
	if err != nil {
		return search.Result[cluster.State]{Err: err}, nil
	}
	sys := search.System[cluster.State](small)
	r := search.BreadthFirst(ctx, sys, o)
	if r.Violation != nil {
		if r.Violation, err = search.Unfold(sys, r.Violation, o.Invariants); err != nil {
			panic(err) // that the reductions are sound is our promise
		}
	}
	return r, small.System
}

// A saving is `explore reductions`.
type saving struct {
	*app
	maxStates int64
	timeout   time.Duration
}

// savings are the ways in which a scenario is searched, beside as it is.
var savings = [...]struct {
	title    string
	anyOrder bool
	want     scenarios.Reductions
}{
	{"partial order", false, scenarios.Reductions{PartialOrder: true}},
	{"any order", true, scenarios.Reductions{}},
	{"+ symmetry", true, scenarios.Reductions{Symmetry: true}},
	{"+ both", true, scenarios.Reductions{Symmetry: true, PartialOrder: true}},
}

func (a *app) reductionsCommand() *cobra.Command {
	v := &saving{app: a}
	cmd := &cobra.Command{
		Use:   "reductions [SCENARIO...]",
		Short: "count the states of every scenario with and without reductions",
		Long: `Reductions searches scenarios as they are; by partial order; and with members that
a leader lists in any order, alone, by symmetry, and by both. It prints how many
states each search saw. "-" stands where a reduction is refused.

Exit status 1 if a search finds another verdict than that of the scenario as it is.`,
		Example: "  explore reductions zombie-commit lost-answers",
	}
	cmd.Flags().Int64Var(&v.maxStates, "max-states", 0, "bound each search; 0 for no bound")
	cmd.Flags().DurationVar(&v.timeout, "timeout", 0, "bound each search; 0 for no bound")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return v.run(args) }
	return cmd
}

func (v *saving) run(names []string) error {
	all, err := openAll(names, scenarios.Open)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		all = scenarios.All()
	}
	titles := []string{"scenario", "verdict", "states"}
	for _, way := range savings {
		titles = append(titles, way.title)
	}
	row := func(words []string) {
		line := fmt.Sprintf("%-28s%-10s  %10s", words[0], words[1], words[2])
		for _, word := range words[3:] {
			line += fmt.Sprintf("  %13s", word)
		}
		v.out.linef("%s", line)
	}
	row(titles)
	for _, s := range all {
		words, err := v.row(s)
		if err != nil {
			return err
		}
		if row(words); v.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// row has what the searches of one scenario saw.
func (v *saving) row(s *scenarios.Scenario) ([]string, error) {
	plain, err := v.search(s, scenarios.Reductions{})
	if err != nil {
		return nil, err
	}
	listed, err := s.Change(func(d *scenarios.Definition) { d.AnyOrder = true })
	if err != nil {
		return nil, err
	}
	words := []string{s.ID, plain.Verdict.String(), thousands(plain.States)}
	for _, way := range savings {
		at := s
		if way.anyOrder {
			at = listed
		}
		if _, err := at.Reduced(way.want); err != nil {
			words = append(words, "-")
			continue
		}
		r, err := v.search(at, way.want)
		if err != nil {
			return nil, err
		}
		text := thousands(r.States)
		switch {
		case r.Stopped != "":
			text = "over " + text
		case plain.Stopped == "" && r.Verdict != plain.Verdict:
			text = r.Verdict.String() + "!"
			v.status = worst(v.status, statusViolated)
		}
		words = append(words, text)
	}
	return words, nil
}

func (v *saving) search(s *scenarios.Scenario, want scenarios.Reductions) (search.Result[cluster.State], error) {
	o := s.Options()
	o.MaxStates = v.maxStates
	o.Progress = func(p search.Progress) { v.out.progress(progressLine(s.ID, p)) }
	o.ProgressEvery = v.out.progressEvery()
	ctx, cancel := (&limits{timeout: v.timeout}).context(v.ctx)
	defer cancel()
	r, _ := reduced(ctx, s, want, o)
	return r, r.Err
}
