// Command twophase counts the states of two-phase commit, to compare package
// search with other checkers.
//
//	twophase [-workers W] N
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: 0 the protocol is consistent, 1 it is not, 2 bad usage.
func run(args []string, out, errw io.Writer) int {
	n, workers, err := parse(args)
	if err != nil {
		fmt.Fprintf(errw, "twophase: %v\nusage: twophase [-workers W] N\n", err)
		return 2
	}
	r := search.BreadthFirst(context.Background(), twophase.System{N: n}, search.Options[twophase.State]{
		Invariants: []search.Property[twophase.State]{{Name: "consistent", State: twophase.Consistent}},
		Workers:    workers,
	})
	fmt.Fprintf(out, "distinct=%d generated=%d depth=%d seconds=%.2f verdict=%v\n",
		r.States, r.Transitions, r.Depth, r.Elapsed.Seconds(), r.Verdict)
	if r.Verdict == search.Violated {
		return 1
	}
	return 0
}

// parse reads the arguments.
func parse(args []string) (n, workers int, err error) {
	fs := flag.NewFlagSet("twophase", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.IntVar(&workers, "workers", 0, "")
	if err := fs.Parse(args); err != nil {
		return 0, 0, err
	}
	if workers < 0 {
		return 0, 0, fmt.Errorf("-workers %d: must not be negative (0: one for each processor)", workers)
	}
	if fs.NArg() != 1 {
		return 0, 0, fmt.Errorf("%d arguments, want one: the number of resource managers", fs.NArg())
	}
	n, err = strconv.Atoi(fs.Arg(0))
	if err != nil || n < 1 || n > twophase.MaxManagers {
		return 0, 0, fmt.Errorf("%q resource managers: must be a number from 1 to %d", fs.Arg(0), twophase.MaxManagers)
	}
	return n, workers, nil
}
