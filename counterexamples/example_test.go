package counterexamples_test

import (
	"context"
	"fmt"
	"log"

	"fencecheck/counterexamples"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// A violation that a search has found becomes a story.
func Example() {
	ctx := context.Background()
	s, err := scenarios.ByID("commit-overtakes-commit")
	if err != nil {
		log.Fatal(err)
	}
	r := search.BreadthFirst(ctx, s.System(), s.Options())
	c, err := counterexamples.Minimal(ctx, s, counterexamples.Found{
		Property: r.Violation.Property, Steps: r.Violation.Trace.Steps,
	})
	if err != nil {
		log.Fatal(err)
	}
	story, err := counterexamples.Tell(c)
	if err != nil {
		log.Fatal(err)
	}
	for i, told := range story.Steps[7:] {
		fmt.Printf("%d %s %s\n", i+8, told.Lane, told.Does)
	}
	fmt.Println(story.Ending)
	// Output:
	// 8 m1 gives up on its OffsetCommit, which stays in flight on the old connection
	// 9 m1 processes record 1 of p0
	// 10 m1 commits what it has consumed
	// 11 coordinator decides m1's OffsetCommit
	// 12 coordinator decides the OffsetCommit that m1 gave up on
	// the committed offset of p0 moved back from 2 to 1: whoever reads on from it consumes 1 record again
}
