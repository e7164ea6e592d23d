// Package search explores the states of any transition system: an explicit-state
// model checker as a library.
//
// A system is a Go type that yields its initial states, emits the successors of
// a state, and encodes states as bytes (System). Properties are plain functions
// of states or steps. BreadthFirst then visits every reachable state, on all
// processors, and either reports that everything held or returns a shortest
// trace to a violation:
//
//	r := search.BreadthFirst(ctx, twophase.System{N: 3}, search.Options[twophase.State]{
//		Invariants: []search.Property[twophase.State]{
//			{Name: "consistent", State: twophase.Consistent},
//		},
//	})
//	fmt.Println(r.Verdict, r.States, r.Depth) // holds 288 10
//
// Where r.Violation is not nil, r.Violation.Trace.Text tells its trace step by step.
//
// The example below is a whole program. examples/twophase and examples/lease
// are systems of a more serious kind.
//
// # What can be checked
//
// An invariant holds in every state, or in every step (Options.Invariants). A
// deadlock is a state without transitions that Options.End does not admit. A
// goal stays reachable from wherever the system has got to (Options.Goals). And a
// witness (Options.Sometimes) occurs at least once: where it does not, the
// verdict is Vacuous, since nothing was at stake. OpCounts and OutcomeCounts
// tell how often each operation and outcome occurred; look for zeros.
//
// DepthFirst explores the same states without a frontier, and Walk takes random
// runs, where a space is too large to be exhausted.
//
// # Fewer states
//
// A system may say that states stand for each other (Canonizer), such as those that
// differ in the order of equal processes, and that steps need not be interleaved
// with others (Reducer), such as those within one process. Searches then see fewer
// states and find the same. Unfold shows a violation without either.
//
// # Large searches
//
// Under Options.Memory, what is not needed at once goes to temporary files. With
// Options.Checkpoint a search saves itself now and then, and with Options.Resume a
// killed one goes on, and ends as if nothing had happened. Options.Progress shows
// how far it has come, with an estimate of the whole where the levels give ground for
// one, and Options.Profile what it spends its time on.
//
// # What to rely on
//
// Everything in a Result but the elapsed time and the Profile is the same for any number of
// workers: the counts, which of several violations is reported, and its trace.
// Only a search that its context ends stops where it happens to be.
//
// States are told apart by 89-bit fingerprints of their encodings, so that two
// states may be taken for one; Result.CollisionProbability says how likely that
// was: less than 1e-9 among a billion states. The visited set stores of a
// fingerprint only what the place of the entry leaves open. From a million states
// on it takes less than 10 bytes a state, whatever their number, and some 5 bytes a
// state of that one of its 64 parts which a worker makes grow. The rest is two or three bytes a
// state for traces, and the encodings of one level, the frontier. With goals the
// encodings of all levels are kept, and for each state and goal one step that may help,
// in 16 bytes: of that at most a gigabyte, or a quarter of Options.Memory. Beyond, and
// after Options.Resume, goals take longer, since transitions are made a second time.
// A transition allocates nothing, as long as the system's methods do not.
//
// A search panics where a system contradicts itself: where Decode does not give back
// the state that Append encoded (see Comparer), where two steps of a state have the same Op
// and Arg or a step has no name, as tried on some of the first states, or where a
// trace cannot be repeated.
package search
