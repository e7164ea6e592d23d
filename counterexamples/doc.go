// Package counterexamples has what a violation is studied by: the shortest
// story that shows it, with the smallest cast.
//
// Minimal turns any violation of a scenario into such a story, Save writes it
// to a file, Open takes it back, Replay steps it through today's model, and
// Text and Mermaid tell it; Tell has what they tell, for other forms. The
// example below goes from a search to a story.
//
// A saved counterexample names the operations and their parameters, never
// states, so that it outlives changes of the state's layout. Saved has those
// that this package keeps; its tests replay every one of them.
package counterexamples
