package linearize

import (
	"bufio"
	"encoding/json"
	"io"
)

// Write writes a history as kfh/1. What Read read comes out with the same
// fields and values.
func Write(w io.Writer, h *History) error {
	out := bufio.NewWriter(w)
	writeFields(out, h.Header.Fields)
	for i := range h.Events {
		writeFields(out, h.Events[i].fields())
	}
	return out.Flush()
}

// writeFields writes one line; a failing writer is reported by Flush.
func writeFields(out *bufio.Writer, all []Field) {
	out.WriteByte('{')
	for i, f := range all {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(mustJSON(f.Name))
		out.WriteByte(':')
		out.Write(f.Value)
	}
	out.WriteString("}\n")
}

// mustJSON encodes values that always have an encoding.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("linearize: value without JSON: " + err.Error())
	}
	return raw
}

// fields lists what an event says, in the order in which kfh/1 is written.
func (e *Event) fields() []Field {
	all := []Field{{"i", mustJSON(e.I)}}
	add := func(given bool, name string, v any) {
		if given {
			all = append(all, Field{name, mustJSON(v)})
		}
	}
	add(e.T >= 0, "t", e.T)
	add(e.P >= 0, "p", e.P)
	add(true, "k", e.K)
	add(e.Op >= 0, "op", e.Op)
	add(e.F != "", "f", e.F)
	add(e.In != nil, "in", e.In)
	add(e.Out != nil, "out", e.Out)
	add(e.Why != "", "why", e.Why)
	add(e.Local, "local", e.Local)
	return append(all, e.Extra...)
}
