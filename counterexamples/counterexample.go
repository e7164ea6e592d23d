package counterexamples

import (
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// Version is fencecheck's version, as a saved counterexample names it.
const Version = "0.1.0"

// Format is the number of the file format that this version reads and writes.
const Format = 1

// The kinds of violations.
const (
	// Invariant: the last step, or the state after it, breaks an invariant.
	Invariant = "invariant"
	// Goal: from the last state a goal cannot be reached any more.
	Goal = "goal"
)

// Counterexample is one run that violates one property.
type Counterexample struct {
	Title   string
	Story   string // the violation in one sentence
	Version string // of the fencecheck that wrote it
	// Confirmed names the broker that gave the story's answers when its requests
	// were sent to it; empty where nobody has tried, or a check is missing that
	// the broker has.
	Confirmed string
	Property  string
	Kind      string
	Scenario  *scenarios.Scenario // checks this property only
	Steps     []search.Step
}

// Found is a violation before it is minimised.
type Found struct {
	Property string
	Steps    []search.Step
}

// A Param is one parameter of a step by its name and value, as files and
// reports have it.
type Param struct{ Name, Value string }

// Params names the parameters of a step.
func Params(cfg *cluster.Config, st search.Step) []Param {
	args := ops.Unpack(st.Arg)
	op := &ops.Table[st.Op]
	var all []Param
	for i, kind := range op.Params {
		if kind != ops.NoParam {
			all = append(all, Param{kind.String(), paramValue(cfg, kind, [2]uint8{args.A, args.B}[i])})
		}
	}
	if args.Pick > 0 {
		all = append(all, Param{pickParam, number(int(args.Pick))})
	}
	if args.Order > 0 {
		all = append(all, Param{orderParam, number(int(args.Order))})
	}
	return all
}

// OpName is the name of a step's operation.
func OpName(st search.Step) string { return ops.Table[st.Op].Name }

// Answer is what the coordinator answered in a step, "" where it decided
// nothing.
func Answer(st search.Step) string { return answerOf(ops.Outcomes[st.Outcome]) }
