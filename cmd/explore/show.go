package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"fencecheck/conform"
	"fencecheck/counterexamples"
)

// formats has the forms in which a counterexample can be shown.
var formats = map[string]func(io.Writer, *counterexamples.Counterexample) error{
	"text": counterexamples.Text, "mermaid": counterexamples.Mermaid, "json": counterexamples.Write,
}

func show(w io.Writer, c *counterexamples.Counterexample, format string) error {
	return formats[format](w, c)
}

func (a *app) showCommand() *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "show a saved counterexample as text, mermaid or json",
		Long: `Show tells a counterexample that run --save has written, or one of those that
explore keeps (explore list counterexamples).`,
		Example: "  explore show zombie-commit\n  explore show zombie.json --format mermaid",
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, mermaid or json")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if err := oneOf("format", format, "text", "mermaid", "json"); err != nil {
			return err
		}
		c, err := openCounterexample("show", args)
		if err != nil {
			return err
		}
		d, err := counterexamples.Replay(c)
		if err != nil {
			return err
		}
		if d != nil {
			a.out.warn("today's model does not follow this file: %s", d)
		}
		return show(a.out.stdout, c, format)
	}
	return cmd
}

func (a *app) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "step a saved counterexample through today's model, or a real broker",
		Long: `Replay takes the steps of a saved counterexample one by one. Exit status 0 means
that it happens as the file says: every step is possible, the property is violated
at the end and not before, and no listed mutation is superfluous. Exit status 1
means that it does not, and the step where it differs is printed; 2 that the file
cannot be read. With --bootstrap its requests are also sent to a broker, in the
order in which its coordinators decide them; status 1 then also means that the
broker answers otherwise, and the step is printed; 2 that a step is out of every
client's reach, such as a failover.`,
		Example: "  explore replay zombie.json\n  explore replay commit-in-empty-group --bootstrap 127.0.0.1:9092",
	}
	bootstrap := cmd.Flags().String("bootstrap", "", "a broker's host:port")
	cmd.Flags().BoolVar(&a.out.json, "json", false, "print one JSON object")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c, err := openCounterexample("replay", args)
		if err != nil {
			return err
		}
		d, err := counterexamples.Replay(c)
		if err != nil {
			return err
		}
		a.replayed(args[0], c, d)
		if *bootstrap == "" || d != nil {
			return nil
		}
		return a.replayOn(*bootstrap, c)
	}
	return cmd
}

// replayOn plays a counterexample against a broker.
func (a *app) replayOn(bootstrap string, c *counterexamples.Counterexample) error {
	r, err := conform.Replay(a.ctx, bootstrap, c)
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	if !r.Confirmed {
		a.status = statusViolated
	}
	if a.out.json {
		a.out.object(r)
		return nil
	}
	a.out.settle()
	return r.WriteText(a.out.stdout)
}

// A replayReport is what `replay --json` prints.
type replayReport struct {
	File      string   `json:"file"`
	Scenario  string   `json:"scenario"`
	Invariant string   `json:"invariant"`
	Length    int      `json:"length"`
	Mutations []string `json:"mutations"`
	Replays   bool     `json:"replays"`
	Step      int      `json:"step,omitempty"` // where it differs
	Problem   string   `json:"problem,omitempty"`
}

func (a *app) replayed(file string, c *counterexamples.Counterexample, d *counterexamples.Difference) {
	rep := replayReport{File: file, Scenario: c.Scenario.ID, Invariant: c.Property, Length: len(c.Steps), Mutations: mutationNames(c.Scenario), Replays: d == nil}
	if d != nil {
		a.status = statusViolated
		rep.Step, rep.Problem = d.Step, d.Problem
	}
	switch {
	case a.out.json:
		a.out.object(rep)
	case d == nil:
		a.out.linef("%s: replays: %d steps, and then %s is violated", file, len(c.Steps), c.Property)
		if story, err := counterexamples.Tell(c); err == nil { // as it happens today, whatever the file says
			a.out.linef("  %s", story.Ending)
		}
	default:
		a.out.linef("%s: does not replay: %s", file, d)
	}
}

// openCounterexample reads a file, or takes one of those that are kept.
func openCounterexample(command string, args []string) (*counterexamples.Counterexample, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("%s: name one file that run --save has written, or one of: %s", command, strings.Join(counterexamples.SavedNames(), ", "))
	}
	name := args[0]
	c, err := counterexamples.Open(name)
	if errors.Is(err, os.ErrNotExist) && filepath.Ext(name) == "" && filepath.Base(name) == name {
		return counterexamples.ByName(name)
	}
	return c, err
}
