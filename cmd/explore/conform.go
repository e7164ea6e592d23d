package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"fencecheck/conform"
	"fencecheck/counterexamples"
	"fencecheck/model"
	"fencecheck/scenarios"
)

// A conformer is one call of conform.
type conformer struct {
	*app
	options conform.Options
	mutate  []string
	known   string
	junit   string
	timeout time.Duration
}

func (a *app) conformCommand() *cobra.Command {
	c := &conformer{app: a}
	cmd := &cobra.Command{
		Use:   "conform",
		Short: "hold a broker to the model's answers, over the wire",
		Long: `Conform draws request sequences from the model, plays them against a broker and
compares every answer: first a shortest sequence to each reachable combination of
request, coordinator state and answer, then random ones. A difference is shrunk to
the shortest sequence that shows it. Without --bootstrap the broker is franz-go's
kfake, in this process. On another broker only groups and topics whose names begin
with "` + conform.Prefix + `" are touched, and they are removed at the end.

Exit status: 0 nothing differs but what is known, 1 something does, 2 bad usage or
no broker, 3 the run ended early with nothing new found.`,
		Example: "  explore conform\n  explore conform --bootstrap 127.0.0.1:9092 --requests 100000 --junit conform.xml\n  explore conform --mutate offset-commit-generation-check",
	}
	f := cmd.Flags()
	f.StringVar(&c.options.Bootstrap, "bootstrap", "", "the broker's host:port; left out, kfake in this process")
	f.StringVar(&c.options.Only, "only", "", "compare only this part: groups or transactions; left out, both")
	f.IntVar(&c.options.Requests, "requests", 0, "how many requests of each part to compare; 0 for the planned sequences only")
	f.Uint64Var(&c.options.Seed, "seed", 0, "where the random sequences begin; drawn and printed if it is left out")
	f.StringSliceVar(&c.mutate, "mutate", nil, "a check to remove from the model, so that the broker differs there (explore list mutations)")
	f.StringVar(&c.known, "known", "", "a file of differences that are known; kfake's are, unless this is given")
	f.StringVar(&c.junit, "junit", "", "write a JUnit XML report to this file too")
	f.IntVar(&c.options.Parallel, "parallel", 0, "how many groups, or transactional ids, are played at once; 0 for the default")
	f.DurationVar(&c.timeout, "timeout", 0, "stop after this time, such as 10m; 0 for no limit")
	f.BoolVar(&a.out.json, "json", false, "print one JSON object")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return fmt.Errorf("conform: found %q; it takes flags only, such as --bootstrap 127.0.0.1:9092", args[0])
		}
		if !cmd.Flags().Changed("seed") {
			c.options.Seed = rand.Uint64N(1 << 32)
		}
		return c.conform()
	}
	return cmd
}

func (c *conformer) conform() error {
	o := &c.options
	if err := errors.Join(atLeast("requests", o.Requests, 0), atLeast("parallel", o.Parallel, 0), atLeast("timeout", c.timeout, 0)); err != nil {
		return err
	}
	if o.Only != "" && o.Only != conform.Groups && o.Only != conform.Transactions {
		return fmt.Errorf("conform: --only %q; it is %s or %s", o.Only, conform.Groups, conform.Transactions)
	}
	for _, id := range c.mutate {
		m, err := scenarios.MutationByID(id)
		if err != nil {
			return err
		}
		o.Mutations = o.Mutations.With(m)
	}
	if c.known != "" {
		known, err := conform.ReadKnown(c.known)
		if err != nil {
			return err
		}
		o.Known = known
	}
	next := c.out.progressEvery()
	o.Progress = func(p conform.Progress) {
		if p.Elapsed >= next {
			next = p.Elapsed + c.out.progressEvery()
			c.out.progress(fmt.Sprintf("conform: %s: %s requests, %d of %d combinations, %d differences, %s",
				p.Part, thousands(int64(p.Requests)), p.Covered, p.Reachable, p.Differences, p.Elapsed.Round(time.Second)))
		}
	}
	ctx, cancel := (&limits{timeout: c.timeout}).context(c.ctx)
	defer cancel()
	r, err := conform.Run(ctx, *o)
	return c.report(&r, err)
}

// report tells what was compared, also when the run came to an early end.
func (c *conformer) report(r *conform.Report, failure error) error {
	if failure != nil && r.Requests == 0 && !errors.Is(failure, context.Canceled) && !errors.Is(failure, context.DeadlineExceeded) {
		return fmt.Errorf("conform: %w", failure)
	}
	c.status = conform.ExitStatus(*r)
	if c.out.json {
		c.out.object(r)
	} else {
		c.out.settle()
		if err := r.WriteText(c.out.stdout); err == nil {
			c.out.linef("seed %d%s", c.options.Seed, mutatedText(c.options.Mutations))
		}
	}
	if c.junit != "" {
		return counterexamples.WriteFile(c.junit, r.WriteJUnit)
	}
	return nil
}

func mutatedText(set model.Mutations) string {
	text := ""
	for _, m := range set.List() {
		text += ", the model without " + m.String()
	}
	return text
}
