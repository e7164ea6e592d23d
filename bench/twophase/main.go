// Command twophase counts the states of two-phase commit, to compare package
// search with other checkers.
//
//	twophase [-workers W] [-progress] N [N [N]]
//
// With several numbers it is as many protocols side by side, whose states
// multiply.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: 0 the protocol is consistent, 1 it is not, 2 bad usage.
func run(args []string, out, errw io.Writer) int {
	sizes, workers, progress, err := parse(args)
	if err != nil {
		fmt.Fprintf(errw, "twophase: %v\nusage: twophase [-workers W] [-progress] N [N [N]]\n", err)
		return 2
	}
	report := func(p search.Progress) {
		fmt.Fprintf(errw, "%d states, depth %d, frontier %d, %d MiB, %.0f s\n", p.States, p.Depth, p.Frontier, p.Memory>>20, p.Elapsed.Seconds())
	}
	if !progress {
		report = nil
	}
	if len(sizes) > 1 {
		return explore(twophase.NewSeveral(sizes...), twophase.AllConsistent, workers, report, out)
	}
	return explore(twophase.System{N: sizes[0]}, twophase.Consistent, workers, report, out)
}

// explore searches one of the systems.
func explore[S any](sys search.System[S], consistent func(*S) bool, workers int, report func(search.Progress), out io.Writer) int {
	r := search.BreadthFirst(context.Background(), sys, search.Options[S]{
		Invariants:    []search.Property[S]{{Name: "consistent", State: consistent}},
		Workers:       workers,
		Progress:      report,
		ProgressEvery: 10 * time.Second,
	})
	fmt.Fprintf(out, "distinct=%d generated=%d depth=%d seconds=%.2f verdict=%v\n",
		r.States, r.Transitions, r.Depth, r.Elapsed.Seconds(), r.Verdict)
	if report != nil {
		fmt.Fprintf(out, "bytes a state in the visited set=%.2f in all=%.2f collision probability=%.1e\n",
			r.BytesPerState, float64(r.Memory)/float64(r.States), r.CollisionProbability)
	}
	if r.Verdict == search.Violated {
		return 1
	}
	return 0
}

// parse reads the arguments.
func parse(args []string) (sizes []int, workers int, progress bool, err error) {
	fs := flag.NewFlagSet("twophase", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.IntVar(&workers, "workers", 0, "")
	fs.BoolVar(&progress, "progress", false, "")
	if err := fs.Parse(args); err != nil {
		return nil, 0, false, err
	}
	if workers < 0 {
		return nil, 0, false, fmt.Errorf("-workers %d: must not be negative (0: one for each processor)", workers)
	}
	if n := fs.NArg(); n < 1 || n > twophase.MaxProtocols {
		return nil, 0, false, fmt.Errorf("%d arguments, want one to %d: the number of resource managers of each protocol", n, twophase.MaxProtocols)
	}
	for _, word := range fs.Args() {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > twophase.MaxManagers {
			return nil, 0, false, fmt.Errorf("%q resource managers: must be a number from 1 to %d", word, twophase.MaxManagers)
		}
		sizes = append(sizes, n)
	}
	return sizes, workers, progress, nil
}
