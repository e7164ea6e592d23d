package counterexamples

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Mermaid tells a counterexample as a Mermaid sequence diagram.
func Mermaid(w io.Writer, c *Counterexample) error {
	s, err := Tell(c)
	if err != nil {
		return err
	}
	d := &diagram{}
	d.line("sequenceDiagram")
	d.line("title %s", escape(s.Scenario+": "+s.Property+" violated"))
	for _, lane := range s.Lanes {
		if id := participant(lane); id != lane {
			d.line("participant %s as %s", id, lane)
			continue
		}
		d.line("participant %s", lane)
	}
	for _, m := range s.Mutations {
		d.note(s.Lanes, "without "+m)
	}
	for i, st := range s.Steps {
		d.step(i+1, s, &st)
	}
	d.note(s.Lanes, "violated: "+s.Ending)
	for _, text := range s.Outlook {
		d.note(s.Lanes, text)
	}
	_, err = io.WriteString(w, d.text.String())
	return err
}

// A diagram is a Mermaid text under way.
type diagram struct{ text strings.Builder }

func (d *diagram) line(format string, args ...any) {
	if d.text.Len() > 0 {
		d.text.WriteString("    ")
	}
	fmt.Fprintf(&d.text, format+"\n", args...)
}

// note writes over all lanes, or over one.
func (d *diagram) note(lanes []string, text string) {
	over := participant(lanes[0])
	if last := participant(lanes[len(lanes)-1]); last != over {
		over += "," + last
	}
	d.line("Note over %s: %s", over, escape(text))
}

func (d *diagram) step(n int, s *Story, st *StoryStep) {
	marked := st.Stale != "" || len(st.Missing) > 0
	if marked {
		d.line("rect rgb(255, 228, 225)")
	}
	d.note([]string{st.Lane}, fmt.Sprintf("step %d: %s", n, st.Does))
	for _, m := range st.Messages {
		if m.Held {
			d.note([]string{m.From}, m.String())
			continue
		}
		d.line("%s%s%s: %s", participant(m.From), arrow(&m), participant(m.To), escape(m.String()))
		if m.Request && !m.Inner && st.Stale != "" {
			d.note([]string{m.To}, "! "+st.Stale)
		}
	}
	for _, text := range st.Missing {
		d.note([]string{decider(s, st)}, "! "+text)
	}
	for _, c := range st.Changes {
		lane, text := c.At, c.What
		if c.Who != c.At {
			text = c.Who + ": " + c.What
		}
		if !slices.Contains(s.Lanes, lane) { // a client that never acts
			lane, text = decider(s, st), c.Who+": "+c.What
		}
		d.note([]string{lane}, text)
	}
	if marked {
		d.line("end")
	}
}

// participant is the id of a lane.
func participant(lane string) string { return strings.ReplaceAll(lane, " ", "_") }

// decider is who had to decide in a step.
func decider(s *Story, st *StoryStep) string {
	for _, m := range st.Messages {
		if m.Request && slices.Contains(s.Lanes, m.To) {
			return m.To
		}
	}
	if slices.Contains(s.Lanes, coordinator) {
		return coordinator
	}
	return st.Lane
}

// arrow is solid for requests and dashed for answers, with an open head for
// what arrives in a later step.
func arrow(m *Message) string {
	switch {
	case m.Request && m.Delayed:
		return "-)"
	case m.Request:
		return "->>"
	case m.Delayed:
		return "--)"
	}
	return "-->>"
}

// escape keeps a text from ending its line, or from being taken for Mermaid.
func escape(text string) string {
	return strings.NewReplacer("#", "#35;", ";", "#59;", "\n", "<br/>", "<", "#lt;", ">", "#gt;").Replace(text)
}
