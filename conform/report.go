package conform

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Report is what a run has compared, and what differs.
type Report struct {
	Broker      string       `json:"broker"`
	Requests    int          `json:"requests"`    // compared
	Reachable   int          `json:"reachable"`   // triples, in the model, of groups with at most two member ids
	Covered     int          `json:"covered"`     // of those, provoked on the broker with the model's answer
	Beyond      int          `json:"beyond"`      // further triples that the walks provoked, in larger groups
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

// Unprovoked is a reachable triple that did not occur on the broker.
type Unprovoked struct {
	Triple Triple `json:"triple"`
	Reason string `json:"reason"`
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

// report sums up the run.
func (r *run) report(elapsed time.Duration) Report {
	out := Report{Broker: r.name, Requests: r.requests, Unfinished: r.unfinished, Unconfirmed: r.unconfirmed,
		Unprovoked: []Unprovoked{}, Differences: []Difference{}, Vanished: []string{}, Seconds: elapsed.Seconds()}
	out.Differences = r.differences()
	for _, k := range r.o.Known {
		if !k.Avoid && !slices.ContainsFunc(out.Differences, func(d Difference) bool { return d.Known == k.ID }) {
			out.Vanished = append(out.Vanished, k.ID)
		}
	}
	if r.plan != nil {
		r.coverage(&out)
	}
	return out
}

// coverage lists what was not provoked, with the reason.
func (r *run) coverage(out *Report) {
	out.Reachable = len(r.plan.reachable)
	out.triples = slices.SortedFunc(maps.Keys(r.plan.reachable), compareTriples)
	differ := map[Triple]bool{}
	for s := range r.found {
		differ[s.Triple] = true
	}
	for _, t := range out.triples {
		reason, unreal := r.plan.unreal[t]
		switch {
		case r.covered[t]:
			out.Covered++
			continue
		case unreal:
		case differ[t]:
			reason = "the broker answers differently"
		case !r.walking:
			reason = fmt.Sprintf("the run ended after %d requests, before its turn", r.requests)
		default:
			reason = noWalk
		}
		out.Unprovoked = append(out.Unprovoked, Unprovoked{t, reason})
	}
	for t := range r.covered {
		if !r.plan.reachable[t] {
			out.Beyond++
		}
	}
}

// differences lists what was found: of several forms of one difference the
// shortest.
func (r *run) differences() []Difference {
	by := map[string]*Difference{}
	seen := map[*Difference]bool{}
	for _, d := range r.found {
		if len(d.Steps) == 0 || seen[d] {
			continue // the run ended before it was studied, or it is another form
		}
		seen[d] = true
		key := fmt.Sprint(d.Triple, d.Broker)
		if d.Known != "" {
			key = d.Known // one story for each
		}
		if other := by[key]; other != nil {
			count := d.Count + other.Count
			if len(d.Steps) < len(other.Steps) {
				*other = *d
			}
			other.Count = count
			continue
		}
		c := *d
		by[key] = &c
	}
	out := []Difference{}
	for _, d := range by {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(len(a.Steps), len(b.Steps)), compareTriples(a.Triple, b.Triple), cmp.Compare(a.Broker, b.Broker))
	})
	return out
}

// WriteJSON writes the report as one object.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
