package scenarios

import (
	"fmt"
	"os"
	"testing"

	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/search"
)

func TestNaiveGoal(t *testing.T) {
	name := os.Getenv("SC")
	if name == "" {
		t.Skip()
	}
	s, _ := Open(name)
	sys := s.System()
	o := s.Options()
	idx := map[string]int{}
	var states []model.State
	var pred [][]int
	good := []bool{}
	add := func(st *model.State) int {
		k := string(sys.Append(nil, st))
		if i, ok := idx[k]; ok {
			return i
		}
		var back model.State
		sys.Decode([]byte(k), &back)
		cp := *st
		cp.Last = model.Event{}
		if back != cp {
			t.Fatalf("roundtrip\n%+v\n%+v", back, cp)
		}
		i := len(states)
		idx[k] = i
		states = append(states, cp)
		pred = append(pred, nil)
		good = append(good, o.Goals[0].State(st))
		return i
	}
	sys.Init(func(st *model.State) { add(st) })
	for i := 0; i < len(states); i++ {
		st := states[i]
		var next model.State
		sys.Next(&st, &next, func(step search.Step) {
			j := add(&next)
			if !ops.Table[step.Op].Fault {
				pred[j] = append(pred[j], i)
			}
		})
	}
	reach := make([]bool, len(states))
	var todo []int
	for i, g := range good {
		if g {
			reach[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range pred[n] {
			if !reach[p] {
				reach[p] = true
				todo = append(todo, p)
			}
		}
	}
	traps := 0
	for i := range reach {
		if !reach[i] {
			if traps == 0 {
				fmt.Printf("first trap %d %+v\n", i, states[i])
			}
			traps++
		}
	}
	fmt.Println("states", len(states), "traps", traps)
}
