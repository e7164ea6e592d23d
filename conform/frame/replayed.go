package frame

import (
	"errors"
	"fmt"
	"io"
)

// Replayed is what came of a counterexample on a real broker.
type Replayed struct {
	Broker string `json:"broker"`
	// Confirmed: the broker answered every request as the story says.
	Confirmed bool `json:"confirmed"`
	// Step is the counterexample's step, counted from 1, at which the broker
	// differs; 0 if it does not. Where checks are missing that the broker has,
	// that alone confirms nothing: something must be Seen.
	Step   int            `json:"step"`
	Fields []Field        `json:"fields,omitempty"` // in which it differs
	Steps  []ReplayedStep `json:"steps"`
	// Seen is what clients of the broker saw that they should not see.
	Seen []string `json:"seen,omitempty"`
}

// ReplayedStep is one step in which the coordinator decided something.
type ReplayedStep struct {
	Step    int    `json:"step"` // of the counterexample
	Op      string `json:"op"`
	Request string `json:"request"`
	Broker  string `json:"broker"`
	Model   string `json:"model,omitempty"` // where it says something else
}

// Note adds a step, which differs from the story if fields do.
func (r *Replayed) Note(s ReplayedStep, differs bool, fields []Field) {
	if differs {
		r.Confirmed, r.Step, r.Fields = false, s.Step, fields
	}
	r.Steps = append(r.Steps, s)
}

// WriteText tells the replay.
func (r *Replayed) WriteText(w io.Writer) error {
	for _, s := range r.Steps {
		if _, err := fmt.Fprintf(w, "%3d. %s\n     broker: %s\n", s.Step, s.Request, s.Broker); err != nil {
			return err
		}
		if s.Model != "" {
			if _, err := fmt.Fprintf(w, "     story:  %s\n", s.Model); err != nil {
				return err
			}
		}
	}
	for _, what := range r.Seen {
		if _, err := fmt.Fprintf(w, "     seen:   %s\n", what); err != nil {
			return err
		}
	}
	verdict := "confirmed: the broker answers every request as the story says"
	switch {
	case r.Confirmed:
	case r.Step == 0:
		verdict = "not confirmed: nothing differs, but nothing shows either of what the missing checks would allow"
	default:
		verdict = fmt.Sprintf("the broker differs at step %d", r.Step)
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", r.Broker, verdict)
	return err
}

// An Unplayable counterexample has a step that nobody can bring about from
// outside a broker.
type Unplayable struct {
	Step int // of the counterexample, from 1; 0: the scenario as a whole
	Op   string
	Why  string
}

// Error says which step it is, and why.
func (u *Unplayable) Error() string {
	if u.Step == 0 {
		return "it cannot be played on a broker: " + u.Why
	}
	return fmt.Sprintf("it cannot be played on a broker: step %d, %s: %s", u.Step, u.Op, u.Why)
}

// replayTries is how often a story is played for the broker to choose the same
// leader, and for the machine to be fast enough.
const replayTries = 12

// Replay plays a story until the broker takes the turns that it assumes, with
// longer and longer timeouts.
func Replay(play func(scale int) (Replayed, error)) (Replayed, error) {
	var last error
	for try := range replayTries {
		out, err := play(1 + try/3)
		if !errors.Is(err, ErrTiming) && !errors.Is(err, ErrImpossible) {
			return out, err
		}
		last = err
	}
	return Replayed{}, fmt.Errorf("the story could not be played in %d tries: %w", replayTries, last)
}
