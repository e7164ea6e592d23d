package conform

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The form of a JUnit report that CI systems read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML, with a test case for each triple:
// one that differs in a new way has failed; one that was not provoked, or that
// differs in a known way, was skipped. A difference at a triple that is not
// among the planned ones has a case of its own, and so has a run that ended
// early.
func (r *Report) WriteJUnit(w io.Writer) error {
	s := junitSuite{Name: "fencecheck conform " + r.Broker, Time: fmt.Sprintf("%.3f", r.Seconds)}
	skipped := map[Triple]string{}
	for _, u := range r.Unprovoked {
		skipped[u.Triple] = u.Reason
	}
	at := map[Triple]*Difference{}
	for i := range r.Differences {
		if d := &r.Differences[i]; at[d.Triple] == nil || at[d.Triple].Known != "" {
			at[d.Triple] = d
		}
	}
	for _, t := range r.triples {
		s.add(t, at[t], skipped[t])
		delete(at, t)
	}
	for i := range r.Differences {
		if d := &r.Differences[i]; at[d.Triple] == d {
			s.add(d.Triple, d, "")
		}
	}
	if r.Stopped != "" {
		s.Errors++
		s.Cases = append(s.Cases, junitCase{Class: "run", Name: "the run comes to its end", Error: &junitMessage{Message: r.Stopped}})
	}
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// add adds the case of one triple.
func (s *junitSuite) add(t Triple, d *Difference, skipped string) {
	c := junitCase{Class: t.Request, Name: t.State + ": " + t.Answer}
	switch {
	case d != nil && d.Known == "":
		var story strings.Builder
		writeDifference(&story, d, 1)
		c.Failure = &junitMessage{Message: "the broker: " + d.Broker, Text: story.String()}
		s.Failures++
	case d != nil:
		c.Skipped = &junitMessage{Message: "known difference " + d.Known + ": " + d.Why}
		s.Skipped++
	case skipped != "":
		c.Skipped = &junitMessage{Message: skipped}
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}
