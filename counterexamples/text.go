package counterexamples

import (
	"fmt"
	"io"
	"strings"
)

// width is where long lines are broken.
const width = 110

// Text tells a counterexample as numbered steps: who does what, what is sent
// and answered, and whose state changes.
func Text(w io.Writer, c *Counterexample) error {
	s, err := Tell(c)
	if err != nil {
		return err
	}
	var b page
	b.heading(s)
	for i, st := range s.Steps {
		b.step(i+1, s, &st)
	}
	b.entry("", 0, "violated", 10, s.Property+": "+s.Ending)
	for _, line := range s.Outlook {
		b.entry("", 10, "", 0, line)
	}
	_, err = io.WriteString(w, b.text.String())
	return err
}

// A page is text under way.
type page struct{ text strings.Builder }

func (b *page) heading(s *Story) {
	b.entry("", 0, "", 0, s.Scenario+": "+s.Title)
	b.entry("", 0, "property", 10, s.Property+": "+s.Claim)
	for i, m := range s.Mutations {
		label := "without"
		if i > 0 {
			label = ""
		}
		b.entry("", 0, label, 10, m)
	}
	b.entry("", 0, "cast", 10, s.Bounds)
	if s.Names != "" {
		b.entry("", 0, "names", 10, s.Names)
	}
	if s.Confirmed != "" {
		b.entry("", 0, "confirmed", 10, "over the wire: "+s.Confirmed+" gave these answers")
	}
	b.text.WriteByte('\n')
}

// step writes one step: its number and lane, what its actor does, and what came of it.
func (b *page) step(n int, s *Story, st *StoryStep) {
	lane := 0
	for _, name := range s.Lanes {
		lane = max(lane, len(name))
	}
	b.entry(fmt.Sprintf("%2d  ", n), 0, st.Lane, lane+2, st.Does)
	const label = 9
	indent := 4 + lane + 2 + 2
	for _, m := range st.Messages {
		b.entry("", indent, messageLabel(&m, st.Lane), label, messageText(&m, st.Lane))
		if m.Request && !m.Inner && st.Stale != "" {
			b.entry("", indent, "", label, "! "+st.Stale)
		}
	}
	for _, text := range st.Missing {
		b.entry("", indent, "", label, "! "+text)
	}
	for _, c := range st.Changes {
		b.entry("", indent, c.Who, label, c.What)
	}
	b.text.WriteByte('\n')
}

func messageLabel(m *Message, lane string) string {
	switch {
	case m.Request && m.From == lane:
		return "sends"
	case m.Request:
		if m.Inner && m.To != lane {
			return "in turn"
		}
		return "request"
	case m.Inner && m.To != lane:
		return ""
	case m.To == lane || m.Held || m.toBroker():
		return "answer"
	}
	return "to " + m.To
}

// toBroker tells whether a message goes to a coordinator.
func (m *Message) toBroker() bool { return m.To == transactions || m.To == oldCoordinator }

// messageText leaves the name of the request out of an answer that stands
// below it.
func messageText(m *Message, lane string) string {
	switch {
	case m.Inner && m.Request && m.From != lane && m.To != lane:
		return fmt.Sprintf("%s asks the %s: %s", m.From, m.To, m)
	case !m.Request && (m.To == lane || m.Held || m.toBroker()):
		return m.Text + onItsWay(m)
	case m.Inner && !m.Request && m.To != lane:
		return "the answer: " + m.Text
	}
	return m.String()
}

// String is a message in one line.
func (m *Message) String() string {
	text := m.API
	switch {
	case m.Text == "":
	case m.Request:
		text += ": " + m.Text
	default:
		text += " " + m.Text
	}
	return text + onItsWay(m)
}

func onItsWay(m *Message) string {
	if m.Delayed {
		return " (on its way)"
	}
	return ""
}

// entry writes a label, padded, and a text that is broken where it is too long
// and goes on under its beginning.
func (b *page) entry(lead string, indent int, label string, pad int, text string) {
	start := lead + strings.Repeat(" ", indent) + fmt.Sprintf("%-*s", pad, label)
	if pad > 0 && len(label) >= pad {
		start += " "
	}
	margin := strings.Repeat(" ", len(start))
	line := start
	empty := true
	for word := range strings.FieldsSeq(text) {
		if !empty && len(line)+1+len(word) > width {
			b.text.WriteString(line + "\n")
			line, empty = margin, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	b.text.WriteString(strings.TrimRight(line, " ") + "\n")
}
