package search

import (
	"fmt"
	"runtime"
	"time"
)

// Options say what BreadthFirst checks, and when it gives up. The zero value
// checks nothing and explores everything.
type Options[S any] struct {
	Invariants []Property[S]
	// Sometimes are witnesses: a search in which one of them never held proves
	// nothing about the danger that it stands for, and its verdict is Vacuous.
	Sometimes []Property[S]
	Goals     []Goal[S]
	// End, when set, demands freedom from deadlock: a state without transitions
	// must satisfy it.
	End func(s *S) bool

	// TrapStates is how many states a Violation of a goal lists of those that
	// cannot reach it.
	TrapStates int

	Workers int // 0: one for each processor (GOMAXPROCS)

	// The bounds, and the context, are looked at between rounds of some ten
	// thousand states, so that MaxStates may be passed by what one round finds.
	MaxStates int64 // 0: none
	MaxDepth  int   // 0: none; states at this depth are found but not expanded
	// Memory bounds the bytes that the search holds; 0: no bound. Beyond it, what is
	// not needed at once is put into temporary files. Where even that does not
	// help, the search stops before it admits states for which there might be no
	// room.
	Memory  int64
	TempDir string // for those files; "": the system's

	// Checkpoint, when set, is a directory in which the search saves itself now and
	// then, and when a bound or the context stops it between rounds. With Resume it
	// goes on from there, and ends as if nothing had happened; everything but the
	// bounds, Workers, and what is for files must then be as it was. The names of
	// operations, outcomes and properties are compared, and Identity, which should
	// say all else that the system depends on.
	Checkpoint      string
	CheckpointEvery time.Duration // 0: every five minutes
	Resume          bool
	Identity        string

	// Profile asks where the time goes. Without it nothing is spent on that; with it a
	// search takes a little longer, and the Profile says how much. It is not for a
	// search that is resumed, whose beginning nobody has timed.
	Profile bool

	Progress      func(Progress) // called now and then from the goroutine of BreadthFirst
	ProgressEvery time.Duration  // 0: every second
}

// Progress describes a search under way.
type Progress struct {
	States, Transitions int64
	Depth               int
	Frontier            int64 // states found but not yet expanded
	Memory              int64 // bytes held
	Elapsed             time.Duration
	// Total estimates how many states there are in all, where the levels have begun
	// to shrink: it assumes that each goes on to be smaller by at least the ratio of the last
	// two. Where that holds it is too large rather than too small; a system whose levels
	// grow again later deceives it. 0: there is no ground for an estimate.
	Total int64
}

// withDefaults fills in what the caller left open, and refuses nonsense.
func (o Options[S]) withDefaults() Options[S] {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.ProgressEvery <= 0 {
		o.ProgressEvery = time.Second
	}
	if o.CheckpointEvery <= 0 {
		o.CheckpointEvery = 5 * time.Minute
	}
	if o.Resume && o.Checkpoint == "" {
		panic("search: Resume without a Checkpoint to go on from")
	}
	if o.Resume && o.Profile {
		panic("search: no Profile of a search that is resumed")
	}
	for _, g := range o.Goals {
		if g.State == nil {
			panic(fmt.Sprintf("search: goal %q has no State", g.Name))
		}
	}
	return o
}
