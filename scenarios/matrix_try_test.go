package scenarios

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"fencecheck/model"
	"fencecheck/search"
)

func TestMatrixTry(t *testing.T) {
	name := os.Getenv("SC")
	if name == "" {
		t.Skip()
	}
	for _, n := range splitEnv("SC") {
		s, err := Open(n)
		if err != nil {
			t.Fatal(err)
		}
		if os.Getenv("NOGOALS") != "" {
			s.Goals = nil
		}
		run := func(label string, s *Scenario) {
			ctx, c := context.WithTimeout(context.Background(), 40*time.Second)
			defer c()
			sys := s.System()
			r := search.BreadthFirst(ctx, sys, s.Options())
			l, p := 0, ""
			if r.Violation != nil {
				l, p = len(r.Violation.Trace.Steps), r.Violation.Property
			}
			missing := ""
			for i, seen := range r.Seen {
				if !seen {
					missing += " !" + s.Witnesses[i].Name
				}
			}
			b := ""
			if bb := sys.Bounds(); bb.Generations || bb.Members || bb.Late {
				b = fmt.Sprintf("%+v", bb)
			}
			fmt.Printf("%-22s %-34s %-10s %-20s %3d states=%d depth=%d %v%s %s %s\n", s.ID, label, r.Verdict, p, l, r.States, r.Depth, r.Elapsed.Round(time.Millisecond), missing, r.Stopped, b)
		}
		run("-", s)
		if os.Getenv("BASE") != "" {
			continue
		}
		for m := model.Mutation(0); m < model.NumMutations; m++ {
			run(m.String(), s.With(model.Mutations{}.With(m)))
		}
	}
}
