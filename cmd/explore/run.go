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
	"fencecheck/model/cluster"
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
	profile  bool
	pprof    string        // a file for pprof
	within   time.Duration // raise the faults as far as this time goes; 0: do not
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

With --within it raises the faults of each scenario, one at a time and in turn,
until the time is over, and says which bounds were completed. That is for a release
gate: exit status 0 says that at least the scenario's own bounds were.
` + statuses,
		Example: "  explore run classic-eager\n  explore run zombie-commit --mutate offset-commit-member-check,offset-commit-generation-check --save zombie.json",
	}
	r.settings, r.limits, r.reduce = newSettings(cmd), newLimits(cmd), reductionFlags(cmd)
	cmd.Flags().StringVar(&r.limits.checkpoint, "checkpoint", "", "save the search in this directory now and then, and when it is stopped")
	cmd.Flags().DurationVar(&r.limits.every, "checkpoint-every", 5*time.Minute, "how often")
	cmd.Flags().BoolVar(&r.limits.resume, "resume", false, "go on from the checkpoint")
	cmd.Flags().StringVar(&r.save, "save", "", "write the counterexample, if there is one, to this file")
	cmd.Flags().StringVar(&r.format, "format", "text", "how to print the counterexample: text or mermaid")
	cmd.Flags().DurationVar(&r.within, "within", 0, "raise the numbers of faults step by step as far as this time goes, such as 10m")
	cmd.Flags().BoolVar(&r.profile, "profile", false, "also say where the time went: by operation, invariant, witness, goal")
	cmd.Flags().StringVar(&r.pprof, "cpuprofile", "", "write a profile of the processor to this file, for go tool pprof")
	cmd.Flags().BoolVar(&a.out.json, "json", false, "print one JSON object a scenario")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return r.run(args) }
	return cmd
}

func (r *runner) run(names []string) (err error) {
	if err := r.check(names); err != nil {
		return err
	}
	all, err := openAll(names, func(name string) (*scenarios.Scenario, error) {
		s, err := r.settings.open(name)
		if err != nil {
			return nil, err
		}
		if _, err := s.Reduced(*r.reduce); err != nil {
			return nil, fmt.Errorf("%s: %w", s.ID, err)
		}
		return s, nil
	})
	if err != nil {
		return err
	}
	if r.pprof != "" {
		stop, err := profileProcessor(r.pprof)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	if r.within > 0 {
		return r.gates(all)
	}
	for i, s := range all {
		r.gap(i)
		if err := r.one(s); err != nil {
			return err
		}
		if r.ctx.Err() != nil {
			break
		}
	}
	return nil
}

// check refuses flags that make no sense together.
func (r *runner) check(names []string) error {
	if len(names) == 0 {
		return errors.New("run: which scenario? explore list scenarios names them; classic-eager is a good first one")
	}
	if r.save != "" && len(names) > 1 {
		return errors.New("--save: one file has room for one scenario's counterexample; name one scenario")
	}
	if r.limits.checkpoint != "" && len(names) > 1 {
		return errors.New("--checkpoint: one directory has room for one search; name one scenario")
	}
	if r.profile && r.limits.resume {
		return errors.New("--profile: a search that goes on with --resume has a beginning that nobody timed; profile a whole one")
	}
	return errors.Join(oneOf("format", r.format, "text", "mermaid"), r.limits.check(), r.checkWithin())
}

// gap separates what is told of several scenarios.
func (r *runner) gap(i int) {
	if i > 0 && !r.out.json {
		r.out.linef("")
	}
}

// one searches one scenario and reports.
func (r *runner) one(s *scenarios.Scenario) error {
	ctx, cancel := r.limits.context(r.ctx)
	defer cancel()
	f := r.search(ctx, s, s.ID)
	return r.report(s, &f)
}

// report tells what a search found, a violation as a minimal counterexample.
func (r *runner) report(s *scenarios.Scenario, f *found) error {
	if f.Err != nil {
		return fmt.Errorf("%s: %w", s.ID, f.Err)
	}
	rep := newReport(s, &f.Result, f.reached, f.delivered)
	rep.Iteration, rep.Reductions = f.iteration, r.reduce.Names()
	c, err := r.minimal(s, f.Violation)
	if err != nil {
		return err
	}
	if c != nil {
		rep.Violation = newViolation(c)
		rep.Violation.Trap = newTrap(s, f.Violation)
	}
	r.status = worst(r.status, statusOf(f.Verdict))
	if !r.out.json {
		r.tell(s, rep, &f.Result)
	}
	return r.result(rep, c, r.format, r.save)
}

// result ends a report: an object for programs, and the counterexample, if there
// is one, for people; then it is saved.
func (a *app) result(rep any, c *counterexamples.Counterexample, format, save string) error {
	if a.out.json {
		a.out.object(rep)
	} else if c != nil {
		a.out.linef("")
		if err := show(a.out.stdout, c, format); err != nil {
			return err
		}
	}
	if c == nil || save == "" {
		return nil
	}
	return counterexamples.Save(save, c)
}

// found is the result of a search, and what the command says besides.
type found struct {
	search.Result[cluster.State]
	reached   []string // the bounds that kept it from going on
	delivered []int64  // the answers to parked requests
	iteration int      // with --within, counted from 1
}

// search explores a scenario; label stands before its progress.
func (r *runner) search(ctx context.Context, s *scenarios.Scenario, label string) (f found) {
	o := s.Options()
	o.Workers, o.MaxStates, o.MaxDepth, o.Memory = r.limits.workers, r.limits.maxStates, r.limits.maxDepth, int64(r.limits.memory)
	o.Checkpoint, o.CheckpointEvery, o.Resume, o.Identity = r.limits.checkpoint, r.limits.every, r.limits.resume, identity(s, *r.reduce)
	o.TrapStates, o.Profile = trapStates, r.profile
	o.Progress = func(p search.Progress) { r.out.progress(progressLine(label, p)) }
	o.ProgressEvery = r.out.progressEvery()
	var sys *scenarios.System
	f.Result, sys = reduced(ctx, s, *r.reduce, o)
	if f.Err != nil {
		return f
	}
	f.delivered = sys.Delivered()
	if f.reached = modelBounds(sys); len(f.reached) > 0 && f.Violation == nil && f.Stopped == "" {
		// Steps were left out: what holds without them is no proof.
		f.Verdict, f.Complete = search.Incomplete, false
	}
	if f.Stopped != "" {
		f.reached = append(f.reached, f.Stopped)
	}
	return f
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
	line := fmt.Sprintf("%s: %s states, %s/s, depth %d, frontier %s, %d MiB, %s",
		id, thousands(p.States), thousands(rate), p.Depth, thousands(p.Frontier), p.Memory>>20, p.Elapsed.Round(time.Second))
	if p.Total > 0 {
		line += fmt.Sprintf("; about %s in all and %s to go if levels keep shrinking", thousands(twoDigits(p.Total)), p.Left().Round(time.Second))
	}
	return line
}

// minimal makes the counterexample that is shown, nil where nothing is violated.
// An interrupt makes it do with what it has.
func (a *app) minimal(s *scenarios.Scenario, v *search.Violation[cluster.State]) (*counterexamples.Counterexample, error) {
	if v == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(a.ctx, minimising)
	defer cancel()
	return counterexamples.Minimal(ctx, s, counterexamples.Found{Property: v.Property, Steps: v.Trace.Steps})
}

func statusOf(v search.Verdict) int {
	return [...]int{search.Holds: statusHolds, search.Violated: statusViolated, search.Incomplete: statusIncomplete, search.Vacuous: statusVacuous}[v]
}

// tell reports to people.
func (r *runner) tell(s *scenarios.Scenario, rep *report, result *search.Result[cluster.State]) {
	o := r.out
	o.about(s, headline(s, rep, result), rep.Violation == nil)
	o.field("within", "%s%s", s.Within(), reachedText(rep))
	if names := rep.Reductions; len(names) > 0 {
		o.field("reduced", "by %s: fewer states, the same verdict", strings.Join(names, " and "))
	}
	o.field("explored", "%s states, %s transitions, depth %d, in %.2f s (%s states/s, %.1f bytes a state, collision probability %.0e)",
		thousands(rep.States), thousands(rep.Transitions), rep.Depth, rep.Seconds, thousands(int64(rep.StatesPerSecond)), rep.BytesPerState, rep.CollisionProbability)
	if result.Complete && rep.Violation == nil {
		if never := rep.Coverage.never(); len(never) > 0 {
			o.warn("%s: these operations never occurred: %s", s.ID, strings.Join(never, ", "))
		}
	}
	if rep.Profile != nil {
		o.tellProfile(rep.Profile)
	}
	if v := rep.Violation; v != nil && v.Trap != nil {
		o.field("trap", "%s of these states can no longer reach it; among the first:", thousands(v.Trap.States))
		for _, line := range v.Trap.First {
			o.field("", "  %s", line)
		}
	}
}

// about says what was found, of which scenario, and what was asked.
func (o *output) about(s *scenarios.Scenario, headline string, title bool) {
	o.linef("%s  %s", s.ID, headline)
	if title && s.Title != "" {
		o.field("about", "%s", s.Title)
	}
	o.field("checked", "%s", properties(s))
	if names := mutationNames(s); len(names) > 0 {
		o.field("without", "%s", strings.Join(names, ", "))
	}
}

// headline is the verdict in words.
func headline(s *scenarios.Scenario, rep *report, result *search.Result[cluster.State]) string {
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
