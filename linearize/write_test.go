package linearize

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"

	"fencecheck/linearize/kfh"
)

// Field is one field of a JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
}

// orderedFields lists the fields of a valid JSON object in its own order.
func orderedFields(raw []byte) []Field {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	var all []Field
	for dec.More() {
		name, err := dec.Token()
		var f Field
		if err != nil || dec.Decode(&f.Value) != nil {
			return all
		}
		f.Name, _ = name.(string)
		all = append(all, f)
	}
	return all
}

// Write writes a history as kfh/1. What Read read comes out with the same
// fields and values.
func Write(w io.Writer, h *kfh.History) error {
	out := bufio.NewWriter(w)
	writeFields(out, orderedFields(h.Header.Raw))
	for i := range h.Events {
		writeFields(out, fieldsOf(&h.Events[i]))
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

func field(name string, v any) Field { return Field{Name: name, Value: mustJSON(v)} }

// mustJSON encodes values that always have an encoding.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("linearize: value without JSON: " + err.Error())
	}
	return raw
}

// fieldsOf lists what an event says, in the order in which kfh/1 is written.
func fieldsOf(e *kfh.Event) []Field {
	all := []Field{field("i", e.I)}
	add := func(given bool, name string, v any) {
		if given {
			all = append(all, field(name, v))
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
	for _, f := range orderedFields(e.Raw) { // what kfh/1 does not define
		if !slices.Contains([]string{"i", "t", "p", "k", "op", "f", "in", "out", "why", "local"}, f.Name) {
			all = append(all, f)
		}
	}
	return all
}
