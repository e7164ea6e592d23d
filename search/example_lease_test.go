package search_test

import (
	"context"
	"fmt"

	"fencecheck/search"
	"fencecheck/search/examples/lease"
)

// A lease alone does not protect a storage from a holder that was paused; one
// that compares fencing tokens is safe, and the witness shows that it had to be.
func ExampleBreadthFirst() {
	for _, fenced := range []bool{true, false} {
		y := lease.System{Fenced: fenced}
		r := search.BreadthFirst(context.Background(), y, search.Options[lease.State]{
			Invariants: []search.Property[lease.State]{lease.InOrder},
			Sometimes:  []search.Property[lease.State]{lease.StaleRefused},
		})
		fmt.Println("fenced:", fenced, r.Verdict)
		if r.Violation == nil {
			continue
		}
		for _, st := range r.Violation.Trace.Steps {
			fmt.Println("  client", st.Arg, y.Ops()[st.Op])
		}
	}
	// Output:
	// fenced: true holds
	// fenced: false violated
	//   client 0 acquire
	//   client 0 expire
	//   client 1 acquire
	//   client 1 write
	//   client 0 write
}
