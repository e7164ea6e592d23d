package search

// checks are the properties as one worker sees them: what must hold, and the
// witnesses that this worker still looks for.
type checks[S any] struct {
	states, steps             []numbered[S]
	unseenStates, unseenSteps []numbered[S]
	seen                      []bool
}

func newChecks[S any](invariants, sometimes []Property[S]) checks[S] {
	c := checks[S]{seen: make([]bool, len(sometimes))}
	c.states, c.steps = split(invariants)
	c.unseenStates, c.unseenSteps = split(sometimes)
	return c
}

// idleStates reports whether no property looks at states: then there is no need
// to decode them.
func (c *checks[S]) idleStates() bool { return len(c.states)+len(c.unseenStates) == 0 }

// idleSteps reports whether no property looks at steps.
func (c *checks[S]) idleSteps() bool { return len(c.steps)+len(c.unseenSteps) == 0 }

// state looks at a state and returns the first invariant that it violates, or -1.
func (c *checks[S]) state(s *S) int {
	for i := len(c.unseenStates) - 1; i >= 0; i-- {
		if c.unseenStates[i].State(s) {
			c.unseenStates = c.seenAt(c.unseenStates, i)
		}
	}
	for i := range c.states {
		if !c.states[i].State(s) {
			return c.states[i].index
		}
	}
	return -1
}

// step looks at a step and returns the first invariant that it violates, or -1.
func (c *checks[S]) step(before *S, st Step, after *S) int {
	for i := len(c.unseenSteps) - 1; i >= 0; i-- {
		if c.unseenSteps[i].Step(before, st, after) {
			c.unseenSteps = c.seenAt(c.unseenSteps, i)
		}
	}
	for i := range c.steps {
		if !c.steps[i].Step(before, st, after) {
			return c.steps[i].index
		}
	}
	return -1
}

// seenAt notes that the i-th unseen witness was seen, and drops it.
func (c *checks[S]) seenAt(unseen []numbered[S], i int) []numbered[S] {
	c.seen[unseen[i].index] = true
	last := len(unseen) - 1
	unseen[i] = unseen[last]
	return unseen[:last]
}
