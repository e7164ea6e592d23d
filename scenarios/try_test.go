package scenarios

import (
	"context"
	"fmt"
	"os"
	"testing"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

func TestTry(t *testing.T) {
	name := os.Getenv("SC")
	if name == "" {
		t.Skip()
	}
	s, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	var ms model.Mutations
	for _, id := range splitEnv("MU") {
		m, err := MutationByID(id)
		if err != nil {
			t.Fatal(err)
		}
		ms = ms.With(m)
	}
	s = s.With(ms)
	sys := s.System()
	r := search.BreadthFirst(context.Background(), sys, s.Options())
	fmt.Printf("%s complete=%v states=%d trans=%d depth=%d %v bounds=%+v seen=%v\n", r.Verdict, r.Complete, r.States, r.Transitions, r.Depth, r.Elapsed, sys.Bounds(), r.Seen)
	if os.Getenv("V") != "" {
		for i, n := range r.OpCounts {
			fmt.Println("  op", ops.Table[i].Name, n)
		}
		for i, n := range r.OutcomeCounts {
			if n > 0 {
				fmt.Println("  out", ops.Outcomes[i], n)
			}
		}
	}
	if r.Violation != nil {
		fmt.Println(r.Violation.Property, r.Violation.Kind, len(r.Violation.Trace.Steps), r.Violation.Trap)
		i := 0
		search.Replay(sys, r.Violation.Trace, func(before *model.State, st search.Step, after *model.State) {
			i++
			a := ops.Unpack(st.Arg)
			fmt.Println(i, ops.Table[st.Op].Name, a, ops.Outcomes[st.Outcome], "gen", after.Group.Generation, after.Group.State, "off", after.Offsets)
		})
	}
}

func splitEnv(k string) []string {
	var out []string
	cur := ""
	for _, c := range os.Getenv(k) + " " {
		if c == ' ' {
			if cur != "" {
				out = append(out, cur)
			}
			cur = ""
		} else {
			cur += string(c)
		}
	}
	return out
}
