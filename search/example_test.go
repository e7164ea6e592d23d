package search_test

import (
	"context"
	"fmt"

	"fencecheck/search"
)

// Jugs are two jugs, of three and of five gallons, beside a fountain.
type Jugs struct{ Small, Big uint8 }

// Fountain is the puzzle of Die Hard 3: is there a way to measure four gallons?
type Fountain struct{}

func (Fountain) Init(yield func(*Jugs)) { yield(&Jugs{}) }
func (Fountain) Outcomes() []string     { return []string{""} }
func (Fountain) Ops() []string {
	return []string{"fill small", "fill big", "empty small", "empty big", "small to big", "big to small"}
}

func (Fountain) Next(s, next *Jugs, emit func(search.Step)) {
	toBig, toSmall := min(s.Small, 5-s.Big), min(s.Big, 3-s.Small)
	for op, after := range []Jugs{
		{3, s.Big}, {s.Small, 5}, {0, s.Big}, {s.Small, 0},
		{s.Small - toBig, s.Big + toBig}, {s.Small + toSmall, s.Big - toSmall},
	} {
		*next = after
		emit(search.Step{Op: uint16(op)})
	}
}

func (Fountain) Append(dst []byte, s *Jugs) []byte { return append(dst, s.Small, s.Big) }
func (Fountain) Decode(src []byte, s *Jugs)        { s.Small, s.Big = src[0], src[1] }

// A puzzle is solved by claiming that it cannot be: the counterexample is the
// shortest solution.
func Example() {
	jugs := Fountain{}
	r := search.BreadthFirst(context.Background(), jugs, search.Options[Jugs]{
		Invariants: []search.Property[Jugs]{
			{Name: "never four", State: func(s *Jugs) bool { return s.Big != 4 }},
		},
	})
	fmt.Println(r.Violation.Property, r.Verdict)
	err := search.Replay(jugs, r.Violation.Trace, func(_ *Jugs, st search.Step, after *Jugs) {
		fmt.Printf("%-12s -> %d, %d\n", jugs.Ops()[st.Op], after.Small, after.Big)
	})
	fmt.Println(err)
	// Output:
	// never four violated
	// fill big     -> 0, 5
	// big to small -> 3, 2
	// empty small  -> 0, 2
	// big to small -> 2, 0
	// fill big     -> 2, 5
	// big to small -> 3, 4
	// <nil>
}

// A trace is told by its system, which knows the names.
func ExampleTrace_Text() {
	jugs := Fountain{}
	r := search.BreadthFirst(context.Background(), jugs, search.Options[Jugs]{
		Invariants: []search.Property[Jugs]{
			{Name: "never two", State: func(s *Jugs) bool { return s.Big != 2 }},
		},
	})
	fmt.Print(r.Violation.Trace.Text(jugs))
	// Output:
	// 0                   {Small:0 Big:0}
	// 1  fill big(0)      {Small:0 Big:5}
	// 2  big to small(0)  {Small:3 Big:2}
}
