package ops

import "fencecheck/model/cluster"

// Words say in a story what the actor of a step does. Where they name somebody
// or something by its number, in braces, the story puts the name that it has
// there: {client 0}, {partitions 3}, {transaction 5}. Without a number it is the
// step's parameter of that kind, or the transaction that its client is in. What
// else there is to name, package counterexamples says.
type Words func(c *cluster.Config, before, after *cluster.State, a Args) string

// says has the words of an operation that are the same in each state.
func says(text string) Words {
	return func(*cluster.Config, *cluster.State, *cluster.State, Args) string { return text }
}

// Awaited is the request that the application thread of a client waits for, or,
// on lane 1, its heartbeat thread.
func Awaited(cl *cluster.Client, lane uint8) *cluster.Request {
	if lane == 1 {
		return &cl.Beat
	}
	return &cl.App
}
