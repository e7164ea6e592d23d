package search

import "fmt"

// A Property is a named predicate over states or over steps: exactly one of
// State and Step is set. As an invariant it must hold everywhere; as a witness
// (Options.Sometimes) it must hold somewhere.
type Property[S any] struct {
	Name  string
	State func(s *S) bool
	Step  func(before *S, st Step, after *S) bool
}

// A Goal demands that from every reachable state some state in which State
// holds stays reachable (AG EF in temporal logic), by steps for which Help
// holds. A nil Help admits every step. Help is how a goal says "once faults
// stop": it refuses the faults.
type Goal[S any] struct {
	Name  string
	State func(s *S) bool
	Help  func(st Step) bool
}

// A Kind says in which way a property was violated.
type Kind uint8

const (
	// Invariant: a state or a step that an invariant forbids.
	Invariant Kind = iota
	// Deadlock: a state without transitions that Options.End does not admit.
	Deadlock
	// Unreachable: a state from which a goal can no longer be reached.
	Unreachable
)

func (k Kind) String() string {
	return [...]string{"invariant", "deadlock", "goal"}[k]
}

// A numbered property remembers its position in the options.
type numbered[S any] struct {
	Property[S]
	index int
}

// split separates the properties of states from those of steps. A malformed
// property is a mistake in the caller's code, hence the panic.
func split[S any](ps []Property[S]) (states, steps []numbered[S]) {
	for i, p := range ps {
		switch {
		case (p.State == nil) == (p.Step == nil):
			panic(fmt.Sprintf("search: property %q must have exactly one of State and Step", p.Name))
		case p.State != nil:
			states = append(states, numbered[S]{p, i})
		default:
			steps = append(steps, numbered[S]{p, i})
		}
	}
	return states, steps
}
