package search

import (
	"context"
	"errors"
	"slices"
	"time"
)

// A Verdict is the outcome of a search.
type Verdict uint8

const (
	// Holds: all was explored and everything held.
	Holds Verdict = iota
	// Violated: Result.Violation says what, and how to get there.
	Violated
	// Incomplete: stopped early, with nothing found so far.
	Incomplete
	// Vacuous: everything held, but a witness was never seen.
	Vacuous
)

func (v Verdict) String() string {
	return [...]string{"holds", "violated", "incomplete", "vacuous"}[v]
}

// The reasons for which a search stops before its end, as in Result.Stopped.
const (
	StoppedStates    = "states"
	StoppedDepth     = "depth"
	StoppedMemory    = "memory"
	StoppedTimeout   = "timeout"
	StoppedInterrupt = "interrupt"
	StoppedError     = "error" // Result.Err says which
)

// A Result is what BreadthFirst found. But for the times, the Profile, and a search that
// its context ended, it does not depend on the number of workers.
type Result[S any] struct {
	Verdict  Verdict
	Complete bool   // every reachable state was expanded
	Stopped  string // why the search ended early: one of the Stopped constants, or ""
	Err      error  // what went wrong with a file, where Stopped is StoppedError

	States      int64 // distinct states found
	Transitions int64 // states generated: the initial ones, and each step's
	Depth       int   // steps to the deepest state found
	Elapsed     time.Duration

	BytesPerState float64 // what the visited set costs a state, its free slots included
	Memory        int64   // bytes held at the end by all that the search keeps
	// CollisionProbability estimates the chance that two states shared a
	// fingerprint, so that one of them was taken for visited.
	CollisionProbability float64

	OpCounts      []int64 // steps by System.Ops, those that a Reducer takes at once included
	OutcomeCounts []int64 // steps by System.Outcomes
	Seen          []bool  // by Options.Sometimes

	Violation *Violation[S]
	Profile   *Profile // where Options.Profile asks for one
}

// A Violation is the first one in the order of the search; no shorter trace
// shows any.
type Violation[S any] struct {
	Property string // the name of the invariant or goal, or "deadlock"
	Kind     Kind
	Trace    Trace[S]
	// For a goal: how many states cannot reach it, and the first of them in the
	// order of the search, as many as Options.TrapStates asks for.
	Trap       int64
	TrapStates []S
}

// verdict weighs what was found.
func verdict(violated bool, stopped string, seen []bool) Verdict {
	switch {
	case violated:
		return Violated
	case stopped != "":
		return Incomplete
	case slices.Contains(seen, false):
		return Vacuous
	default:
		return Holds
	}
}

// interruption says why ctx has ended, or "" if it has not.
func interruption(ctx context.Context) string {
	switch err := ctx.Err(); {
	case err == nil:
		return ""
	case errors.Is(err, context.DeadlineExceeded):
		return StoppedTimeout
	default:
		return StoppedInterrupt
	}
}
