// Command fence counts the states of FENCE, a small model of a consumer group
// that fences by generation, to compare package search with other checkers.
// FENCE.md beside it is the model.
//
//	fence [-workers W] [-bug i2|i3] N P G K B
//
// N members, P partitions, generations to G, offsets to K, at most B commits in
// flight. With -bug the coordinator forgets to compare generations, and only the
// named invariant is checked.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"

	"fencecheck/search"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: fence [-workers W] [-bug i2|i3] N P G K B
  N members     1 to 3
  P partitions  1 to 4
  G generations 0 to 4
  K offsets     0 to 3
  B in flight   0 or more
`

// run is the command: 0 the invariants hold, 1 one is violated, 2 bad usage.
func run(args []string, stdout, errw io.Writer) int {
	f, o, err := parse(args)
	if err != nil {
		fmt.Fprintf(errw, "fence: %v\n%s", err, usage)
		return 2
	}
	r := search.BreadthFirst(context.Background(), f, o)
	fmt.Fprintf(stdout, "distinct=%d generated=%d depth=%d seconds=%.2f verdict=%v\n",
		r.States, r.Transitions, depth(r), r.Elapsed.Seconds(), r.Verdict)
	if r.Verdict == search.Violated {
		return 1
	}
	return 0
}

// depth is that of the violation, if there is one.
func depth(r search.Result[state]) int {
	if r.Violation != nil {
		return len(r.Violation.Trace.Steps)
	}
	return r.Depth
}

// parse reads the arguments.
func parse(args []string) (*model, search.Options[state], error) {
	f := new(model)
	o := search.Options[state]{Invariants: []search.Property[state]{disjoint, notStale, notRegress}}
	fs := flag.NewFlagSet("fence", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.IntVar(&o.Workers, "workers", 0, "")
	bug := fs.String("bug", "", "")
	if err := fs.Parse(args); err != nil {
		return nil, o, err
	}
	switch *bug {
	case "":
	case "i2":
		f.bug, o.Invariants = true, []search.Property[state]{notStale}
	case "i3":
		f.bug, f.regressFirst, o.Invariants = true, true, []search.Property[state]{notRegress}
	default:
		return nil, o, fmt.Errorf("-bug %s: must be i2 or i3", *bug)
	}
	if o.Workers < 0 {
		return nil, o, fmt.Errorf("-workers %d: must not be negative (0: one for each processor)", o.Workers)
	}
	return f, o, f.size(fs.Args())
}

// size sets the parameters.
func (f *model) size(args []string) error {
	parameters := []struct {
		name     string
		value    *int
		min, max int
	}{
		{"N", &f.members, 1, maxMembers},
		{"P", &f.partitions, 1, maxPartitions},
		{"G", &f.generations, 0, maxGenerations},
		{"K", &f.offsets, 0, maxOffset},
		{"B", &f.inFlight, 0, 1 << 30},
	}
	if len(args) != len(parameters) {
		return fmt.Errorf("%d arguments, want five: N P G K B", len(args))
	}
	for i, p := range parameters {
		n, err := strconv.Atoi(args[i])
		if err != nil || n < p.min || n > p.max {
			return fmt.Errorf("%s is %q: must be a number from %d to %d", p.name, args[i], p.min, p.max)
		}
		*p.value = n
	}
	return nil
}
