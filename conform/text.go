package conform

import (
	"fmt"
	"io"
	"strings"
)

// WriteText writes the report for a reader.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d requests compared in %.0f s\n", r.Broker, r.Requests, r.Seconds)
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "%s: %d requests in %.0f s; triples of request, state and answer: %d reachable, %d covered, %d not provoked",
			p.Name, p.Requests, p.Seconds, p.Reachable, p.Covered, p.Reachable-p.Covered)
		if p.Beyond > 0 {
			fmt.Fprintf(&b, "; %d more beyond the plan", p.Beyond)
		}
		b.WriteString("\n")
	}
	r.writeUnprovoked(&b)
	for i := range r.Differences {
		writeDifference(&b, &r.Differences[i], i+1)
	}
	for _, id := range r.Vanished {
		fmt.Fprintf(&b, "\nthe known difference %s did not occur\n", id)
	}
	known := len(r.Differences) - r.New()
	fmt.Fprintf(&b, "\n%d differences, %d of them known\n", len(r.Differences), known)
	r.writeRemarks(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) writeUnprovoked(b *strings.Builder) {
	by := map[string][]Triple{}
	var reasons []string
	for _, u := range r.Unprovoked {
		if by[u.Reason] == nil {
			reasons = append(reasons, u.Reason)
		}
		by[u.Reason] = append(by[u.Reason], u.Triple)
	}
	for _, reason := range reasons {
		fmt.Fprintf(b, "\nnot provoked (%d): %s\n", len(by[reason]), reason)
		for _, t := range by[reason] {
			fmt.Fprintf(b, "  %s\n", t)
		}
	}
}

func (r *Report) writeRemarks(b *strings.Builder) {
	if r.Unfinished > 0 {
		fmt.Fprintf(b, "%d sequences were given up: the machine was too slow for their timeouts, or the broker chose another leader\n", r.Unfinished)
	}
	if r.Unconfirmed > 0 {
		fmt.Fprintf(b, "%d answers differed once and did not when the same was sent again\n", r.Unconfirmed)
	}
	if r.LeftBehind > 0 {
		fmt.Fprintf(b, "%d groups named %s* could not be deleted\n", r.LeftBehind, Prefix)
	}
	if r.Stopped != "" {
		fmt.Fprintf(b, "stopped early: %s\n", r.Stopped)
	}
}

// writeDifference tells one difference as a story of numbered requests.
func writeDifference(b *strings.Builder, d *Difference, number int) {
	fmt.Fprintf(b, "\ndifference %d", number)
	if d.Known != "" {
		fmt.Fprintf(b, " (known: %s)", d.Known)
	}
	fmt.Fprintf(b, ": %s\n  in %s, met %d times\n", d.Request, d.State, d.Count)
	if d.Rule.ID != "" {
		fmt.Fprintf(b, "  rule %s: %s\n", d.Rule.ID, d.Rule.Text)
	}
	for _, x := range d.Steps {
		fmt.Fprintf(b, "  %2d. %s\n      broker: %s\n", x.Number, x.Request, x.Broker)
		if x.Model != "" {
			fmt.Fprintf(b, "      model:  %s\n", x.Model)
		}
	}
	for _, f := range d.Fields {
		fmt.Fprintf(b, "  %s: the model has %s, the broker %s\n", f.Name, orNothing(f.Model), orNothing(f.Broker))
	}
	if d.Pages != "" {
		fmt.Fprintf(b, "  the protocol pages describe the answer of: %s\n", d.Pages)
	}
	if len(d.Explained) > 0 {
		fmt.Fprintf(b, "  explained by the mutation: %s\n", strings.Join(d.Explained, ", or "))
	}
	if d.Why != "" {
		fmt.Fprintf(b, "  why: %s\n", d.Why)
	}
	fmt.Fprintf(b, "  again: %s\n", d.Rerun)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}
