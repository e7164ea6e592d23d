package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fencecheck/linearize"
)

func (a *app) historyCommand() *cobra.Command {
	var budget time.Duration
	cmd := &cobra.Command{
		Use:   "history FILE.jsonl...",
		Short: "judge recorded histories: could a correct coordinator have answered so?",
		Long: `History reads recorded kfh/1 files and says of each whether a correct coordinator
could have given the recorded answers; if not, which anomaly it shows and which
events prove it. Classic groups with dynamic members, transactions and restarts of
the broker are judged; files with static or KIP-848 members are refused as a whole.

Exit status: 0 every history is legal, 1 one is illegal, 2 one cannot be read or
is not supported (nothing is judged then), 3 one could not be decided in time.`,
		Example: "  explore history run.jsonl\n  explore history recorded/*.jsonl --json",
	}
	cmd.Flags().DurationVar(&budget, "budget", 0, "the time for each part of a history; 0 for the default")
	cmd.Flags().BoolVar(&a.out.json, "json", false, "print one JSON object a file")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New("history: name at least one kfh/1 file, such as run.jsonl")
		}
		if err := atLeast("budget", budget, 0); err != nil {
			return err
		}
		return a.histories(args, linearize.Options{Budget: budget})
	}
	return cmd
}

// histories reads all files before it judges the first one.
func (a *app) histories(files []string, o linearize.Options) error {
	all, err := openAll(files, linearize.ReadFile)
	if err != nil {
		return err
	}
	for i, h := range all {
		if a.ctx.Err() != nil {
			a.status = worst(a.status, statusIncomplete)
			return nil
		}
		r := linearize.Check(h, o)
		r.File = files[i]
		a.judged(&r)
	}
	return nil
}

// judged reports on one history.
func (a *app) judged(r *linearize.Report) {
	switch r.Verdict {
	case linearize.Illegal:
		a.status = worst(a.status, statusViolated)
	case linearize.Undecided:
		a.status = worst(a.status, statusIncomplete)
	}
	if a.out.json {
		a.out.object(r)
		return
	}
	a.out.linef("%s  %s", r.File, r.Verdict)
	a.out.field("checked", "%d requests in %d parts, %d of them with an unknown outcome, %d refusals that only a timer explains",
		r.Ops, r.Components, r.UnknownOutcomes, r.ExplainedBySilence)
	if r.Note != "" {
		a.out.field("note", "%s", r.Note)
	}
	for _, f := range r.Findings {
		a.out.field("anomaly", "%s, events %s", f.Anomaly, strings.Trim(fmt.Sprint(f.Events), "[]"))
		a.out.field("", "%s", f.Why)
	}
}
