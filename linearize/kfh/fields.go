package kfh

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Object is a JSON object whose fields are taken out one by one. The first
// fault is kept; what follows it reads as zero.
type Object struct {
	path   string // prefix of the names in errors, such as "in."
	fields map[string]json.RawMessage
	fault  *SyntaxError // File and Line are filled in by the reader
}

// parseObject reads one JSON object and nothing after it.
func parseObject(path string, raw []byte) (*Object, *SyntaxError) {
	o := &Object{path: path}
	if err := json.Unmarshal(raw, &o.fields); err != nil || o.fields == nil {
		return nil, &SyntaxError{Field: strings.TrimSuffix(path, "."), Found: shorten(raw), Want: "a JSON object"}
	}
	return o, nil
}

// shorten quotes a piece of the file for an error.
func shorten(raw []byte) string {
	const most = 60
	s := string(bytes.ToValidUTF8(raw, []byte("?")))
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

// Fail keeps a fault, if it is the first.
func (o *Object) Fail(name, found, want string) {
	if o.fault == nil {
		o.fault = &SyntaxError{Field: o.path + name, Found: found, Want: want}
	}
}

func (o *Object) has(name string) bool { return o.fields[name] != nil }

// get decodes a field into v; it tells whether the field is there.
func (o *Object) get(name string, required bool, v any, want string) bool {
	raw := o.fields[name]
	if raw == nil {
		if required {
			o.Fail(name, "nothing", want)
		}
		return false
	}
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil {
		o.Fail(name, shorten(raw), want)
		return false
	}
	return true
}

// Str is a string.
func (o *Object) Str(name string, required bool) string {
	var s string
	o.get(name, required, &s, "a string")
	return s
}

// OptionalStr is a string, nil if it is not there.
func (o *Object) OptionalStr(name string) *string {
	if !o.has(name) {
		return nil
	}
	s := o.Str(name, true)
	return &s
}

// Boolean is true or false; a field that is not there is false.
func (o *Object) Boolean(name string, required bool) bool {
	var b bool
	o.get(name, required, &b, "true or false")
	return b
}

// Integer reads a whole number from least to most; absent is what it gives for
// a field that is not there and not required.
func (o *Object) Integer(name string, required bool, least, most, absent int64) int64 {
	want := "a whole number from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
	var n int64
	if !o.get(name, required, &n, want) {
		return absent
	}
	if n < least || n > most {
		o.Fail(name, strconv.FormatInt(n, 10), want)
	}
	return n
}

// Generation is the generation of a request; -1 is none.
func (o *Object) Generation(name string) int32 {
	return int32(o.Integer(name, true, -1, math.MaxInt32, -1))
}

// Scalar is a value of any simple type, as the file spells it.
func (o *Object) Scalar(name string) string {
	raw := o.fields[name]
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		o.Fail(name, shorten(raw), "a JSON scalar")
	}
	return string(raw)
}

// Strings is a list of strings.
func (o *Object) Strings(name string, required bool) []string {
	var raw []*string
	if !o.get(name, required, &raw, "a list of strings") {
		return nil
	}
	list := make([]string, len(raw))
	for i, s := range raw {
		if s == nil {
			o.Fail(name, shorten(o.fields[name]), "a list of strings")
			return nil
		}
		list[i] = *s
	}
	return list
}

// Partitions reads a list of topic-partitions.
func (o *Object) Partitions(name string, required bool) []string {
	list := o.Strings(name, required)
	for _, tp := range list {
		o.checkPartition(name, tp)
	}
	return list
}

// Offsets reads a map from topic-partition to offset; -1 is "none", where the
// least allowed offset says so.
func (o *Object) Offsets(name string, required bool, least int64) map[string]int64 {
	var raw map[string]json.RawMessage
	if !o.get(name, required, &raw, "a map from topic-partition to offset") {
		return nil
	}
	all := make(map[string]int64, len(raw))
	for tp, v := range raw {
		o.checkPartition(name, tp)
		inner := &Object{path: o.path + name + ".", fields: map[string]json.RawMessage{tp: v}}
		all[tp] = inner.Integer(tp, true, least, math.MaxInt64, 0)
		if inner.fault != nil && o.fault == nil {
			o.fault = inner.fault
		}
	}
	return all
}

// Plan reads the leader's assignment.
func (o *Object) Plan(name string) map[string][]string {
	var raw map[string]json.RawMessage
	if !o.get(name, false, &raw, "a map from member to topic-partitions") {
		return nil
	}
	all := make(map[string][]string, len(raw))
	for m, v := range raw {
		inner := &Object{path: o.path + name + ".", fields: map[string]json.RawMessage{m: v}}
		all[m] = inner.Partitions(m, true)
		if inner.fault != nil && o.fault == nil {
			o.fault = inner.fault
		}
	}
	return all
}

// StringMap is a map from topic-partition to error.
func (o *Object) StringMap(name string) map[string]string {
	var m map[string]string
	o.get(name, false, &m, "a map from topic-partition to error")
	return m
}

// checkPartition: the last hyphen splits topic and number.
func (o *Object) checkPartition(name, tp string) {
	if i := strings.LastIndexByte(tp, '-'); i > 0 {
		if _, err := strconv.ParseUint(tp[i+1:], 10, 31); err == nil {
			return
		}
	}
	o.Fail(name, strconv.Quote(tp), `a topic-partition such as "topic-3"`)
}

// request reads the part of "in" that the checker uses.
func (o *Object) request(row *Row) Request {
	r := NoRequest()
	if row.In != nil {
		row.In(o, &r)
	}
	return r
}

// NoRequest is a request that names nothing.
func NoRequest() Request { return Request{Generation: -1, PID: -1, Epoch: -1, Seq: -1} }

// answer reads the part of "out" that the checker uses.
func (o *Object) answer(op *Op) Answer {
	a := NoAnswer()
	read := op.Row.Out
	if op.Outcome == Failed {
		a.Err = o.Str("err", !op.Local)
		read = op.Row.Refusal
	} else if o.has("err") {
		o.Fail("err", shorten(o.fields["err"]), `no error in an answer of kind "ok"`)
	}
	if read != nil {
		read(o, &a)
	}
	return a
}

// NoAnswer is an answer of which nothing is known.
func NoAnswer() Answer {
	return Answer{Generation: -1, PID: -1, Epoch: -1, Base: -1, HW: -1, LSO: -1, Next: -1}
}

// Partition is one topic-partition.
func (o *Object) Partition(name string) string {
	tp := o.Str(name, true)
	o.checkPartition(name, tp)
	return tp
}

// Isolation tells whether only decided records are read, as with the wire's
// default they are not.
func (o *Object) Isolation(name string) bool {
	switch s := o.Str(name, false); s {
	case "read_committed":
		return true
	case "", "read_uncommitted":
	default:
		o.Fail(name, strconv.Quote(s), "read_committed or read_uncommitted")
	}
	return false
}

// Scalars reads a list of values, as the file spells them.
func (o *Object) Scalars(name string) []string {
	var raw []json.RawMessage
	if !o.get(name, true, &raw, "a list of JSON scalars") {
		return nil
	}
	list := make([]string, len(raw))
	for i, v := range raw {
		if list[i] = string(v); !isScalar(v) {
			o.Fail(name, shorten(v), "a list of JSON scalars")
		}
	}
	return list
}

func isScalar(v json.RawMessage) bool { return len(v) > 0 && v[0] != '{' && v[0] != '[' }

// Records reads pairs of offset and value, by rising offset.
func (o *Object) Records(name string) []LogRecord {
	const want = "a list of pairs [offset, value] by rising offset"
	var raw [][]json.RawMessage
	if !o.get(name, true, &raw, want) {
		return nil
	}
	list := make([]LogRecord, len(raw))
	for i, pair := range raw {
		r := &list[i]
		if len(pair) != 2 || json.Unmarshal(pair[0], &r.Offset) != nil || r.Offset < 0 || !isScalar(pair[1]) ||
			i > 0 && r.Offset <= list[i-1].Offset {
			o.Fail(name, shorten(o.fields[name]), want)
			return nil
		}
		r.Value = string(pair[1])
	}
	return list
}
