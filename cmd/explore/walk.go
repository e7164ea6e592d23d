package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// A walker is `explore walk`.
type walker struct {
	*app
	settings *settings
	limits   *limits
	seed     uint64
	runs     int
	steps    int
	save     string
}

func (a *app) walkCommand() *cobra.Command {
	w := &walker{app: a}
	cmd := &cobra.Command{
		Use:   "walk SCENARIO",
		Short: "take random runs through a scenario",
		Long: `Walk takes random runs, where a scenario is too large to be searched. It checks
the invariants, not the goals. A failure prints the seed that repeats it, and the
minimised counterexample.
` + statuses,
		Example: "  explore walk classic-eager --members 5 --partitions 4 --records 6 --pauses 3 --runs 10000",
	}
	w.settings = newSettings(cmd)
	w.limits = &limits{}
	f := cmd.Flags()
	f.Uint64Var(&w.seed, "seed", 0, "where the random numbers begin; drawn and printed if it is left out")
	f.IntVar(&w.runs, "runs", 1000, "how many runs to take")
	f.IntVar(&w.steps, "steps", 100, "how long a run may become")
	f.DurationVar(&w.limits.timeout, "timeout", 0, "stop after this time, such as 10m; 0 for no limit")
	f.StringVar(&w.save, "save", "", "write the counterexample to this file")
	f.BoolVar(&a.out.json, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("seed") {
			w.seed = rand.Uint64N(1 << 32)
		}
		return w.walk(args)
	}
	return cmd
}

// A walkReport is what `walk --json` prints.
type walkReport struct {
	Scenario  string         `json:"scenario"`
	Verdict   string         `json:"verdict"`
	Complete  bool           `json:"complete"` // always false: random runs prove nothing
	Seed      uint64         `json:"seed"`     // of the run that failed, if one did
	Runs      int            `json:"runs"`
	Steps     int64          `json:"steps"`
	Seconds   float64        `json:"seconds"`
	Bounds    map[string]any `json:"bounds"`
	Coverage  coverage       `json:"coverage"`
	Mutations []string       `json:"mutations"`
	Violation *violation     `json:"violation,omitempty"`
}

func (w *walker) walk(names []string) error {
	if len(names) != 1 {
		return errors.New("walk: name one scenario; explore list scenarios has them")
	}
	err := errors.Join(atLeast("runs", w.runs, 1), atLeast("steps", w.steps, 1), atLeast("timeout", w.limits.timeout, 0))
	if err != nil {
		return err
	}
	s, err := w.settings.open(names[0])
	if err != nil {
		return err
	}
	if len(s.Invariants) == 0 {
		return fmt.Errorf("walk: %s checks goals only, which random runs cannot; use: explore run %s", s.ID, names[0])
	}
	sys, o := s.System(), s.Options()
	ctx, cancel := w.limits.context(w.ctx)
	defer cancel()
	r := search.Walk(ctx, sys, search.WalkOptions[cluster.State]{
		Invariants: o.Invariants, Sometimes: o.Sometimes, Seed: w.seed, Runs: w.runs, Steps: w.steps})
	return w.report(names[0], s, &r, sys)
}

func (w *walker) report(name string, s *scenarios.Scenario, r *search.WalkResult[cluster.State], sys *scenarios.System) error {
	rep := walkReport{Scenario: s.ID, Verdict: r.Verdict.String(), Seed: w.seed, Runs: r.Runs, Steps: r.Steps, Seconds: rounded(r.Elapsed.Seconds()),
		Bounds: boundsOf(s, modelBounds(sys)), Coverage: newCoverage(s, r.OpCounts, r.OutcomeCounts, sys.Delivered(), r.Seen), Mutations: mutationNames(s)}
	w.status = statusOf(r.Verdict)
	c, err := w.minimal(s, r.Violation)
	if err != nil {
		return err
	}
	if c != nil {
		rep.Seed, rep.Violation = r.Seed, newViolation(c)
	}
	if !w.out.json {
		w.tell(name, s, &rep, r)
	}
	return w.result(rep, c, "text", w.save)
}

func (w *walker) tell(name string, s *scenarios.Scenario, rep *walkReport, r *search.WalkResult[cluster.State]) {
	o := w.out
	switch r.Verdict {
	case search.Violated:
		o.linef("%s  violated: %s, in run %d after %d steps, %d when minimised", s.ID, rep.Violation.Invariant, r.Run+1, len(r.Violation.Trace.Steps), rep.Violation.Length)
		o.field("repeat", "explore walk %s --seed %d --runs 1 --steps %d%s", name, rep.Seed, w.steps, w.settings.repeat())
	case search.Incomplete:
		o.linef("%s  incomplete: nothing found before it stopped (%s)", s.ID, r.Stopped)
	case search.Vacuous:
		o.linef("%s  vacuous: nothing was violated, but these witnesses were never seen: %s", s.ID, strings.Join(rep.Coverage.unseen(s), ", "))
	default:
		o.linef("%s  nothing found, which is no proof", s.ID)
	}
	o.field("walked", "%s runs, %s steps, in %.2f s, seed %d", thousands(int64(r.Runs)), thousands(r.Steps), rep.Seconds, rep.Seed)
	o.field("within", "%s", s.Within())
	if len(s.Goals) > 0 {
		o.field("unchecked", "%s: random runs cannot; use explore run", strings.Join(s.Definition.Goals, ", "))
	}
}
