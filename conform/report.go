package conform

import (
	"encoding/json"
	"io"
	"slices"
	"time"

	"fencecheck/conform/frame"
)

// Report is what a run has compared, and what differs.
type Report struct {
	Broker      string       `json:"broker"`
	Parts       []Part       `json:"parts"`       // groups and transactions, each for itself
	Requests    int          `json:"requests"`    // compared
	Reachable   int          `json:"reachable"`   // triples, in the model's plans
	Covered     int          `json:"covered"`     // of those, provoked on the broker with the model's answer
	Beyond      int          `json:"beyond"`      // further triples that the walks provoked
	Unprovoked  []Unprovoked `json:"unprovoked"`  // the others
	Differences []Difference `json:"differences"` // the known ones too
	Vanished    []string     `json:"vanished"`    // known differences that did not occur
	Unfinished  int          `json:"unfinished"`  // sequences given up: too slow a machine, or other choices of the broker
	Unconfirmed int          `json:"unconfirmed"` // differences that did not occur again when the same was sent
	LeftBehind  int          `json:"left_behind"` // groups that the broker did not delete
	Seconds     float64      `json:"seconds"`
	Stopped     string       `json:"stopped,omitempty"` // why the run ended early

	triples []Triple
}

// New counts the differences that are not known.
func (r *Report) New() int {
	n := 0
	for i := range r.Differences {
		if r.Differences[i].Known == "" {
			n++
		}
	}
	return n
}

// ExitStatus is 0 if nothing differs but what is known, 1 if something does,
// and 3 if the run ended early with nothing new found.
func ExitStatus(r Report) int {
	switch {
	case r.New() > 0:
		return 1
	case r.Stopped != "":
		return 3
	}
	return 0
}

// newReport is a report of nothing yet.
func newReport(broker string) Report {
	return Report{Broker: broker, Parts: []Part{}, Unprovoked: []Unprovoked{}, Differences: []Difference{}, Vanished: []string{}}
}

// add adds what a part has shown.
func (r *Report) add(p frame.Result) {
	r.Parts = append(r.Parts, p)
	r.Requests += p.Requests
	r.Reachable += p.Reachable
	r.Covered += p.Covered
	r.Beyond += p.Beyond
	r.Unprovoked = append(r.Unprovoked, p.Unprovoked...)
	r.Differences = append(r.Differences, p.Differences...)
	r.Unfinished += p.Unfinished
	r.Unconfirmed += p.Unconfirmed
	r.triples = append(r.triples, p.Triples...)
}

// close notes which known differences did not occur.
func (r *Report) close(known []Known, elapsed time.Duration) {
	r.Seconds = elapsed.Seconds()
	for _, k := range known {
		if !k.Avoid && !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Known == k.ID }) {
			r.Vanished = append(r.Vanished, k.ID)
		}
	}
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
