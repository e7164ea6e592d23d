package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// checkWithin refuses what --within cannot go with.
func (r *runner) checkWithin() error {
	if !r.settings.flags.Changed("within") {
		return nil
	}
	switch {
	case r.within <= 0:
		return fmt.Errorf("--within: found %v; right would be a duration such as 10m", r.within)
	case r.limits.checkpoint != "":
		return errors.New("--within: it makes many searches, and a checkpoint has room for one; leave --checkpoint out, or --within")
	case r.limits.maxDepth > 0:
		return errors.New("--within: a search that --max-depth cuts off completes nothing; leave it out, or bound each search by --max-states or --timeout")
	case r.profile:
		return errors.New("--within: it makes many searches, and --profile is of one; leave one of them out")
	}
	return nil
}

// gates raises the faults of each scenario as far as the time goes. What one
// scenario leaves of its share, the others have.
func (r *runner) gates(all []*scenarios.Scenario) error {
	end := time.Now().Add(r.within)
	for i, s := range all {
		r.gap(i)
		share := time.Until(end) / time.Duration(len(all)-i)
		if err := r.gate(s, share).run(); err != nil {
			return err
		}
	}
	return nil
}

// A gate finds the largest budgets of one scenario's faults within which a search
// can be completed in a given time.
type gate struct {
	*runner
	scenario *scenarios.Scenario
	time     time.Duration
	faults   []cluster.Budget // those that are raised
	own      budgets
	ceilings map[cluster.Budget]string // why a fault can be raised no further
	climb    climb
	reasons  map[budgets]string // why something was not completed
	results  map[budgets]*found
	violated *budgets
	start    time.Time
}

func (r *runner) gate(s *scenarios.Scenario, share time.Duration) *gate {
	g := &gate{runner: r, scenario: s, time: share, own: s.Config.Budgets, start: time.Now(),
		ceilings: map[cluster.Budget]string{}, reasons: map[budgets]string{}, results: map[budgets]*found{}}
	for f := range cluster.NumBudgets {
		if g.own[f] > 0 && !s.Config.Unbounded[f] {
			g.faults = append(g.faults, f)
		}
	}
	return g
}

// run searches the scenario's own bounds first, in at most three quarters of
// the time. If they can be completed it goes up from there, and if not, from below.
func (g *gate) run() error {
	ctx, cancel := context.WithTimeout(g.ctx, g.time)
	defer cancel()
	if err := g.first(ctx); err != nil {
		return err
	}
	if len(g.climb.done) > 0 {
		g.climb.from, g.climb.to = g.own, g.highest()
	} else {
		g.climb.from, g.climb.to = g.lowest(), g.own
	}
	for ctx.Err() == nil && g.violated == nil {
		b, ok := g.climb.next()
		if !ok {
			break
		}
		if err := g.try(ctx, b); err != nil {
			return err
		}
	}
	return g.conclude()
}

// first searches the scenario's own bounds, and leaves time for lower ones where
// there are any.
func (g *gate) first(ctx context.Context) error {
	share := g.time
	if len(g.faults) > 0 {
		share = share / 4 * 3
	}
	ctx, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	return g.try(ctx, g.own)
}

// changed is the scenario with other budgets.
func (g *gate) changed(b budgets) (*scenarios.Scenario, error) {
	return g.scenario.Change(func(d *scenarios.Definition) {
		for _, f := range g.faults {
			d.Faults[f.String()] = int(b[f])
		}
	})
}

// highest is as far as the model allows each fault to be raised. Why no further is
// kept.
func (g *gate) highest() budgets {
	all := g.own
	for _, f := range g.faults {
		for g.ceilings[f] == "" {
			if _, err := g.changed(g.own.with(f, all[f]+1)); err != nil {
				g.ceilings[f] = err.Error()
			} else {
				all[f]++
			}
		}
	}
	return all
}

// lowest has as few faults as the scenario makes sense with.
func (g *gate) lowest() budgets {
	all := g.own
	for _, f := range g.faults {
		if _, err := g.changed(g.own.with(f, 0)); err == nil {
			all[f] = 0
		} else {
			all[f] = 1
		}
	}
	return all
}

// try searches with some budgets, and keeps what comes of it.
func (g *gate) try(ctx context.Context, b budgets) error {
	s, err := g.changed(b)
	if err != nil { // two limits that only together are one
		g.fail(b, err.Error())
		return nil
	}
	ctx, cancel := g.limits.context(ctx)
	defer cancel()
	f := g.search(ctx, s, fmt.Sprintf("%s: %s", s.ID, b.words(g.faults)))
	f.iteration = len(g.results) + 1
	g.results[b] = &f
	switch {
	case f.Violation != nil:
		g.violated = &b
		g.tellIteration(b, &f)
		return g.report(s, &f)
	case f.Err != nil:
		return fmt.Errorf("%s: %w", s.ID, f.Err)
	case f.Complete:
		g.climb.done = append(g.climb.done, b)
	default:
		g.fail(b, strings.Join(f.reached, " and "))
	}
	g.tellIteration(b, &f)
	if g.out.json {
		rep := newReport(s, &f.Result, f.reached, f.delivered)
		rep.Iteration = f.iteration
		g.out.object(rep)
	}
	return nil
}

func (g *gate) fail(b budgets, reason string) {
	g.climb.failed = append(g.climb.failed, b)
	g.reasons[b] = reason
}

// tellIteration says on standard error what came of a search; with --json the
// objects do.
func (g *gate) tellIteration(b budgets, f *found) {
	text := f.Verdict.String()
	if g.reasons[b] != "" {
		text += " (" + g.reasons[b] + ")"
	}
	g.out.note("%s: %s: %s, %s states, depth %d, in %.2f s", g.scenario.ID, b.words(g.faults), text, thousands(f.States), f.Depth, f.Elapsed.Seconds())
}

// verdict is that of all searches together. What was seen within some budgets can
// be seen within larger ones.
func (g *gate) verdict() search.Verdict {
	if g.violated != nil {
		return search.Violated
	}
	verdict := search.Incomplete
	for _, b := range g.climb.done {
		switch v := g.results[b].Verdict; {
		case !g.own.below(b):
		case v == search.Holds:
			return v
		default:
			verdict = v
		}
	}
	return verdict
}

// conclude reports all searches together.
func (g *gate) conclude() error {
	g.status = worst(g.status, statusOf(g.verdict()))
	switch {
	case g.out.json:
		g.out.object(g.summary())
	case g.violated == nil:
		g.tell()
	}
	return nil
}

// A climbReport is the last object that --within --json prints for a scenario.
type climbReport struct {
	Scenario         string           `json:"scenario"`
	Verdict          string           `json:"verdict"`
	Iterations       int              `json:"iterations"`
	Seconds          float64          `json:"seconds"`
	Within           float64          `json:"within_seconds"` // the time that there was
	States           int64            `json:"states"`         // of all searches
	OwnBounds        map[string]int   `json:"own_bounds"`
	OwnCompleted     bool             `json:"own_completed"`
	LargestCompleted []map[string]int `json:"largest_completed"`
	ViolatedWithin   map[string]int   `json:"violated_within,omitempty"`
	Stopped          []stoppedReport  `json:"stopped"`
	Limits           []limitReport    `json:"limits"`
	Unseen           []string         `json:"unseen,omitempty"` // witnesses that no search saw
	Mutations        []string         `json:"mutations"`
}

// A stoppedReport is bounds that were not completed.
type stoppedReport struct {
	Bounds map[string]int `json:"bounds"`
	Reason string         `json:"reason"`
}

// A limitReport is a fault that was raised as far as the model allows.
type limitReport struct {
	Fault string `json:"fault"`
	Most  int    `json:"most"`
	Why   string `json:"why"`
}

func (g *gate) summary() *climbReport {
	rep := &climbReport{Scenario: g.scenario.ID, Verdict: g.verdict().String(), Iterations: len(g.results),
		Seconds: rounded(time.Since(g.start).Seconds()), Within: rounded(g.time.Seconds()),
		OwnBounds: g.own.keys(g.faults), OwnCompleted: g.ownCompleted(), LargestCompleted: []map[string]int{},
		Stopped: []stoppedReport{}, Limits: g.reachedLimits(), Unseen: g.unseen(), Mutations: mutationNames(g.scenario)}
	for _, f := range g.results {
		rep.States += f.States
	}
	for _, b := range g.climb.largest() {
		rep.LargestCompleted = append(rep.LargestCompleted, b.keys(g.faults))
	}
	for _, b := range g.climb.smallestFailed() {
		rep.Stopped = append(rep.Stopped, stoppedReport{b.keys(g.faults), g.reasons[b]})
	}
	if g.violated != nil {
		rep.ViolatedWithin = g.violated.keys(g.faults)
	}
	return rep
}

func (g *gate) ownCompleted() bool { return slices.ContainsFunc(g.climb.done, g.own.below) }

// reachedLimits lists the faults that were raised as far as they can be.
func (g *gate) reachedLimits() []limitReport {
	all := []limitReport{}
	for _, f := range g.faults {
		most := uint8(0)
		for _, b := range g.climb.done {
			most = max(most, b[f])
		}
		if g.ceilings[f] != "" && most == g.climb.to[f] {
			all = append(all, limitReport{f.String(), int(most), g.ceilings[f]})
		}
	}
	return all
}

// tell reports all searches together to people.
func (g *gate) tell() {
	o, rep := g.out, g.summary()
	o.about(g.scenario, g.headline(), true)
	o.field("within", "%s, and more as below", g.scenario.Within())
	for _, b := range g.climb.largest() {
		o.field("completed", "%s (%s states)", b.words(g.faults), thousands(g.results[b].States))
	}
	for _, b := range g.climb.smallestFailed() {
		o.field("stopped", "%s: %s", b.words(g.faults), g.reasons[b])
	}
	for _, l := range rep.Limits {
		o.field("limit", "%s %d is the most: %s", strings.ReplaceAll(l.Fault, "_", " "), l.Most, l.Why)
	}
	if len(g.faults) == 0 {
		o.field("limit", "it has no bounded fault that could be raised; --pauses 1 and the like add one")
	}
	o.field("explored", "%s, %s states, in %.2f s of %v", searches(rep.Iterations), thousands(rep.States), rep.Seconds, g.time.Round(time.Millisecond))
}

// headline is the verdict in words.
func (g *gate) headline() string {
	var words []string
	for _, b := range g.climb.largest() {
		words = append(words, b.words(g.faults))
	}
	if len(g.faults) == 0 && g.verdict() == search.Holds {
		return "holds; there was no fault to raise"
	}
	completed := strings.Join(words, "; and within ")
	switch v := g.verdict(); {
	case v == search.Holds:
		return "holds within " + completed
	case v == search.Vacuous:
		return "vacuous within " + completed + ": nothing was violated, but these witnesses were never seen: " + strings.Join(g.unseen(), ", ")
	case completed != "":
		return fmt.Sprintf("incomplete: nothing found, but its own bounds (%s) were not completed; it holds within %s", g.own.words(g.faults), completed)
	}
	return "incomplete: nothing found, and nothing completed"
}

// unseen lists the witnesses that no search saw.
func (g *gate) unseen() (names []string) {
	for i, w := range g.scenario.Witnesses {
		seen := false
		for _, f := range g.results {
			seen = seen || f.Seen[i]
		}
		if !seen {
			names = append(names, w.Name)
		}
	}
	return names
}

func searches(n int) string {
	if n == 1 {
		return "1 search"
	}
	return fmt.Sprintf("%d searches", n)
}
