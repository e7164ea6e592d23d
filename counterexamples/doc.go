// Package counterexamples has what a violation is studied by: the shortest
// story that shows it, with the smallest cast.
//
// Minimal turns any violation of a scenario into such a story, Save writes it
// to a file, Open takes it back, Replay steps it through today's model, and
// Text and Mermaid tell it; Tell has what they tell, for other forms. The
// example below goes from a search to a story.
//
// A story's words are in rows. What the actor of a step does is a column of the
// operation (ops.Op.Tells), and how a property is violated one of the property
// (invariants.Ending); what they name in braces gets its name here
// (references.go). What a request carries, what its answer brings, and which of
// its tokens is stale against what, is a row of requestWords in the table of its
// part (grouprequests.go, txnrequests.go); how the state of its actors differs is
// told beside it (groupchanges.go, txnchanges.go).
//
// A saved counterexample names the operations and their parameters, never
// states, so that it outlives changes of the state's layout. Saved has those
// that this package keeps; its tests replay every one of them.
package counterexamples
