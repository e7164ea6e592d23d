package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// minimising is how long a violation may be minimised.
const minimising = time.Minute

// limits are the flags that end a search early.
type limits struct {
	workers   int
	memory    size
	maxStates int64
	maxDepth  int
	timeout   time.Duration

	checkpoint string
	every      time.Duration
	resume     bool
}

func newLimits(cmd *cobra.Command) *limits {
	l, f := &limits{}, cmd.Flags()
	f.IntVar(&l.workers, "workers", 0, "how many processors to use; 0 for all")
	f.Var(&l.memory, "memory", "hold no more than this, such as 8GiB; what is not needed at once goes to temporary files")
	f.Int64Var(&l.maxStates, "max-states", 0, "stop after so many states; 0 for no limit")
	f.IntVar(&l.maxDepth, "max-depth", 0, "stop after so many steps from the start; 0 for no limit")
	f.DurationVar(&l.timeout, "timeout", 0, "stop after this time, such as 10m; 0 for no limit")
	return l
}

func (l *limits) check() error {
	return errors.Join(
		workersWithin(l.workers), atLeast("max-states", l.maxStates, 0),
		atLeast("max-depth", l.maxDepth, 0), atLeast("timeout", l.timeout, 0),
		atLeast("checkpoint-every", l.every, 0), l.resumable())
}

func (l *limits) resumable() error {
	if l.resume && l.checkpoint == "" {
		return errors.New("--resume: name the directory that the search was saved in with --checkpoint")
	}
	return nil
}

// context ends when the time is over.
func (l *limits) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, l.timeout)
}

// A runner is `explore run`.
type runner struct {
	*app
	settings *settings
	limits   *limits
	reduce   *scenarios.Reductions
	save     string
	format   string
	// delivered counts the answers to parked requests in the latest search.
	delivered []int64
}

func (a *app) runCommand() *cobra.Command {
	r := &runner{app: a}
	cmd := &cobra.Command{
		Use:   "run SCENARIO...",
		Short: "search ready scenarios or YAML files exhaustively",
		Long: `Run searches every state that a scenario can reach, and says whether its
properties hold; if not, it prints a minimal counterexample. A scenario is a name
(explore list scenarios) or a YAML file. Flags change it: --members 3, --pauses 2,
--mutate ID.
` + statuses,
		Example: "  explore run classic-eager\n  explore run zombie-commit --mutate offset-commit-member-check,offset-commit-generation-check --save zombie.json",
	}
	r.settings, r.limits, r.reduce = newSettings(cmd), newLimits(cmd), reductionFlags(cmd)
	cmd.Flags().StringVar(&r.limits.checkpoint, "checkpoint", "", "save the search in this directory now and then, and when it is stopped")
	cmd.Flags().DurationVar(&r.limits.every, "checkpoint-every", 5*time.Minute, "how often")
	cmd.Flags().BoolVar(&r.limits.resume, "resume", false, "go on from the checkpoint")
	cmd.Flags().StringVar(&r.save, "save", "", "write the counterexample, if there is one, to this file")
	cmd.Flags().StringVar(&r.format, "format", "text", "how to print the counterexample: text or mermaid")
	cmd.Flags().BoolVar(&a.out.json, "json", false, "print one JSON object a scenario")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return r.run(args) }
	return cmd
}

func (r *runner) run(names []string) error {
	if len(names) == 0 {
		return errors.New("run: which scenario? explore list scenarios names them; classic-eager is a good first one")
	}
	if r.save != "" && len(names) > 1 {
		return errors.New("--save: one file has room for one scenario's counterexample; name one scenario")
	}
	if r.limits.checkpoint != "" && len(names) > 1 {
		return errors.New("--checkpoint: one directory has room for one search; name one scenario")
	}
	if err := errors.Join(oneOf("format", r.format, "text", "mermaid"), r.limits.check()); err != nil {
		return err
	}
	var all []*scenarios.Scenario
	for _, name := range names { // all of them, before the first long search
		s, err := r.settings.open(name)
		if err != nil {
			return err
		}
		if _, err := s.Reduced(*r.reduce); err != nil {
			return err
		}
		all = append(all, s)
	}
	for i, s := range all {
		if i > 0 && !r.out.json {
			r.out.linef("")
		}
		if err := r.one(s); err != nil {
			return err
		}
		if r.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// one searches one scenario and reports.
func (r *runner) one(s *scenarios.Scenario) error {
	result, reached, err := r.search(s)
	if err != nil {
		return err
	}
	if result.Err != nil {
		return fmt.Errorf("%s: %w", s.ID, result.Err)
	}
	rep := newReport(s, &result, reached, r.delivered)
	rep.Reductions = r.reduce.Names()
	var c *counterexamples.Counterexample
	if v := result.Violation; v != nil {
		var err error
		if c, err = r.minimal(s, counterexamples.Found{Property: v.Property, Steps: v.Trace.Steps}); err != nil {
			return err
		}
		rep.Violation = newViolation(c)
	}
	r.status = worst(r.status, statusOf(result.Verdict))
	if r.out.json {
		r.out.object(rep)
	} else if err := r.tell(s, rep, &result, c); err != nil {
		return err
	}
	if c != nil && r.save != "" {
		return counterexamples.Save(r.save, c)
	}
	return nil
}

// search explores a scenario; reached names the bounds that kept it from
// going on.
func (r *runner) search(s *scenarios.Scenario) (result search.Result[model.State], reached []string, err error) {
	o := s.Options()
	o.Workers, o.MaxStates, o.MaxDepth, o.Memory = r.limits.workers, r.limits.maxStates, r.limits.maxDepth, int64(r.limits.memory)
	o.Checkpoint, o.CheckpointEvery, o.Resume, o.Identity = r.limits.checkpoint, r.limits.every, r.limits.resume, identity(s, *r.reduce)
	o.Progress = func(p search.Progress) { r.out.progress(progressLine(s.ID, p)) }
	o.ProgressEvery = r.out.progressEvery()
	ctx, cancel := r.limits.context(r.ctx)
	defer cancel()
	result, sys, err := reduced(ctx, s, *r.reduce, o)
	if err != nil {
		return result, nil, err
	}
	r.delivered = sys.Delivered()
	if reached = modelBounds(sys); len(reached) > 0 && result.Violation == nil && result.Stopped == "" {
		// Steps were left out: what holds without them is no proof.
		result.Verdict, result.Complete = search.Incomplete, false
	}
	if result.Stopped != "" {
		reached = append(reached, result.Stopped)
	}
	return result, reached, nil
}

// identity is all that a search of a scenario depends on.
func identity(s *scenarios.Scenario, reduce scenarios.Reductions) string {
	text, err := json.Marshal(s.Definition)
	if err != nil {
		panic(err) // a definition can always be encoded
	}
	return strings.Join(append(reduce.Names(), counterexamples.Version, string(text)), " ")
}

func progressLine(id string, p search.Progress) string {
	rate := int64(float64(p.States) / max(p.Elapsed.Seconds(), 0.001))
	return fmt.Sprintf("%s: %s states, %s/s, depth %d, frontier %s, %d MiB, %s",
		id, thousands(p.States), thousands(rate), p.Depth, thousands(p.Frontier), p.Memory>>20, p.Elapsed.Round(time.Second))
}

// minimal makes the counterexample that is shown. An interrupt makes it do
// with what it has.
func (a *app) minimal(s *scenarios.Scenario, f counterexamples.Found) (*counterexamples.Counterexample, error) {
	ctx, cancel := context.WithTimeout(a.ctx, minimising)
	defer cancel()
	return counterexamples.Minimal(ctx, s, f)
}

func statusOf(v search.Verdict) int {
	return [...]int{search.Holds: statusHolds, search.Violated: statusViolated, search.Incomplete: statusIncomplete, search.Vacuous: statusVacuous}[v]
}

// tell reports to people.
func (r *runner) tell(s *scenarios.Scenario, rep *report, result *search.Result[model.State], c *counterexamples.Counterexample) error {
	o := r.out
	o.linef("%s  %s", s.ID, headline(s, rep, result))
	if c == nil && s.Title != "" {
		o.field("about", "%s", s.Title)
	}
	o.field("checked", "%s", properties(s))
	if len(rep.Mutations) > 0 {
		o.field("without", "%s", strings.Join(rep.Mutations, ", "))
	}
	o.field("within", "%s%s", counterexamples.Bounds(s), reachedText(rep))
	if names := rep.Reductions; len(names) > 0 {
		o.field("reduced", "by %s: fewer states, the same verdict", strings.Join(names, " and "))
	}
	o.field("explored", "%s states, %s transitions, depth %d, in %.2f s (%s states/s, %.1f bytes a state, collision probability %.0e)",
		thousands(rep.States), thousands(rep.Transitions), rep.Depth, rep.Seconds, thousands(int64(rep.StatesPerSecond)), rep.BytesPerState, rep.CollisionProbability)
	if result.Complete && c == nil {
		if never := rep.Coverage.never(); len(never) > 0 {
			o.warn("%s: these operations never occurred: %s", s.ID, strings.Join(never, ", "))
		}
	}
	if c == nil {
		return nil
	}
	o.linef("")
	return show(o.stdout, c, r.format)
}

// headline is the verdict in words.
func headline(s *scenarios.Scenario, rep *report, result *search.Result[model.State]) string {
	switch {
	case rep.Violation != nil:
		return fmt.Sprintf("violated: %s, in %d steps", rep.Violation.Invariant, rep.Violation.Length)
	case result.Verdict == search.Vacuous:
		return "vacuous: nothing was violated, but these witnesses were never seen: " + strings.Join(rep.Coverage.unseen(s), ", ")
	case result.Stopped != "":
		return fmt.Sprintf("incomplete: nothing found before it stopped (%s)", result.Stopped)
	case result.Verdict == search.Incomplete:
		return "incomplete: nothing found, but steps beyond a bound were left out"
	case s.Config.Ranks:
		return "holds, for any number of rebalances"
	}
	return "holds"
}

// reachedText says whether the search was complete within its bounds.
func reachedText(rep *report) string {
	reached, _ := rep.Bounds["reached"].([]string)
	switch {
	case rep.Violation != nil:
		return ""
	case len(reached) > 0:
		return "; not complete: " + strings.Join(reached, " and ")
	}
	return "; complete"
}
