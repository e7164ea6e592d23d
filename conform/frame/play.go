package frame

import "fencecheck/model"

// A Play is one sequence on the broker, as it went.
type Play[T any] interface {
	// Shown is what it has shown.
	Shown() *Record[T]
	// Exchange writes down a request, and what the broker answered.
	Exchange(at int) (request, broker string)
	// Explains tells whether the rules under these mutations explain all that was
	// seen up to a mismatch, or at least the answer there.
	Explains(at int, off model.Mutations) bool
	// IDs lists what the names in its exchanges were on the wire.
	IDs() map[string]string
}

// Record is what a play has shown.
type Record[T any] struct {
	Steps    []T        // as they were played, with the choices that the broker made
	Classes  []string   // of the requests, and the states that they met
	Idle     []bool     // whether the step left the state as it was
	Requests int        // among the steps
	Triples  []Triple   // with the model's answer
	Wrong    *Mismatch  // where the play ended
	Passed   []Mismatch // where it went on, since the difference is known
	Whole    bool       // it is told as it is, not made small

	Known []Known
	Stop  *Signature // a difference at which it ends, known or not
}

// Shown is the record itself, for plays that embed it.
func (r *Record[T]) Shown() *Record[T] { return r }

// A Mismatch is where the model and the broker part.
type Mismatch struct {
	At int // index of the step
	Signature
	Rule   Rule
	Fields []Field
	Model  string // what it says instead
	Known  string // id of the known difference that it is
}

// Differ notes that the last step was answered in another way, and tells whether
// the play goes on: after a known difference it does where nothing has changed,
// or where it can follow a mutation that explains the broker.
func (r *Record[T]) Differ(m Mismatch, unchanged bool, follow func(model.Mutation) bool) bool {
	m.At = len(r.Steps) - 1
	if m.Known = r.goesOn(m.Signature, unchanged, follow); m.Known != "" {
		r.Passed = append(r.Passed, m)
		return true
	}
	r.Wrong = &m
	return false
}

// goesOn finds the known difference after which the play can go on, "" if there
// is none.
func (r *Record[T]) goesOn(s Signature, unchanged bool, follow func(model.Mutation) bool) string {
	if r.Stop != nil && s.like(*r.Stop) {
		return ""
	}
	for i := range r.Known {
		k := &r.Known[i]
		if k.Avoid || !k.likeSignature(s) {
			continue
		}
		m, explained := model.MutationByID(k.Explained)
		if k.GoesOn && unchanged || explained && follow(m) {
			return k.ID
		}
	}
	return ""
}

// mismatches are all of them, in the order in which they were met.
func (r *Record[T]) mismatches() []Mismatch {
	if r.Wrong == nil {
		return r.Passed
	}
	return append(r.Passed[:len(r.Passed):len(r.Passed)], *r.Wrong)
}
