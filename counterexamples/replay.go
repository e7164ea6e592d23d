package counterexamples

import (
	"context"
	"fmt"

	"fencecheck/model"
	"fencecheck/model/cluster"
)

// A Difference is where today's model does not follow a counterexample.
type Difference struct {
	Step    int // counted from 1; one more than there are: at the end
	Problem string
}

// String says where the difference is, and what it is.
func (d *Difference) String() string { return fmt.Sprintf("step %d: %s", d.Step, d.Problem) }

// Replay steps a counterexample through today's model. It returns nil if each
// step is enabled, the property is violated at the end and not before, and the
// story is blocked as soon as one of its mutations is taken back.
func Replay(c *Counterexample) (*Difference, error) {
	g, err := newTrial(context.Background(), c.Scenario, c.Property)
	if err != nil {
		return nil, err
	}
	if d := g.replay(c); d != nil {
		return d, nil
	}
	for _, m := range c.Scenario.Config.Rules.Off.List() {
		if !blocked(c, m) {
			return &Difference{len(c.Steps) + 1, fmt.Sprintf("the story happens also without the mutation %s", m)}, nil
		}
	}
	return nil, nil
}

func (g *trial) replay(c *Counterexample) *Difference {
	s := g.start()
	var next cluster.State
	for i, st := range c.Steps {
		if _, ok := g.sys.Take(&s, &next, st); !ok {
			return &Difference{i + 1, fmt.Sprintf("%s is not possible here", g.describe(st))}
		}
		broken := g.broken(&s, &next)
		switch last := i == len(c.Steps)-1; {
		case broken && !last:
			return &Difference{i + 1, fmt.Sprintf("%s is violated already here, before the last step", c.Property)}
		case !broken && last && g.invariant != nil:
			return &Difference{i + 1, fmt.Sprintf("%s is not violated by the last step", c.Property)}
		}
		s = next
	}
	if g.goal != nil && !g.isTrap(&s) {
		return &Difference{len(c.Steps) + 1, fmt.Sprintf("%s can still be reached from the last state", c.Property)}
	}
	return nil
}

// blocked tells whether the steps do not show the violation any more when one
// mutation is taken back.
func blocked(c *Counterexample, m model.Mutation) bool {
	s, err := c.Scenario.WithoutMutation(m)
	if err != nil {
		return true
	}
	g, err := newTrial(context.Background(), s, c.Property)
	return err != nil || g.replay(&Counterexample{Property: c.Property, Steps: c.Steps}) != nil
}
