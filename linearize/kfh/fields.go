package kfh

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// object is a JSON object whose fields are taken out one by one. The first
// fault is kept; what follows it reads as zero.
type object struct {
	path   string // prefix of the names in errors, such as "in."
	fields map[string]json.RawMessage
	fault  *SyntaxError // File and Line are filled in by the reader
}

// parseObject reads one JSON object and nothing after it.
func parseObject(path string, raw []byte) (*object, *SyntaxError) {
	o := &object{path: path}
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

func (o *object) fail(name, found, want string) {
	if o.fault == nil {
		o.fault = &SyntaxError{Field: o.path + name, Found: found, Want: want}
	}
}

func (o *object) has(name string) bool { return o.fields[name] != nil }

// get decodes a field into v; it tells whether the field is there.
func (o *object) get(name string, required bool, v any, want string) bool {
	raw := o.fields[name]
	if raw == nil {
		if required {
			o.fail(name, "nothing", want)
		}
		return false
	}
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil {
		o.fail(name, shorten(raw), want)
		return false
	}
	return true
}

func (o *object) str(name string, required bool) string {
	var s string
	o.get(name, required, &s, "a string")
	return s
}

func (o *object) optionalStr(name string) *string {
	if !o.has(name) {
		return nil
	}
	s := o.str(name, true)
	return &s
}

func (o *object) boolean(name string) bool {
	var b bool
	o.get(name, false, &b, "true or false")
	return b
}

// integer reads a whole number from least to most; absent is what it gives for
// a field that is not there and not required.
func (o *object) integer(name string, required bool, least, most, absent int64) int64 {
	want := "a whole number from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10)
	var n int64
	if !o.get(name, required, &n, want) {
		return absent
	}
	if n < least || n > most {
		o.fail(name, strconv.FormatInt(n, 10), want)
	}
	return n
}

func (o *object) generation(name string) int32 {
	return int32(o.integer(name, true, -1, math.MaxInt32, -1))
}

// scalar is a value of any simple type, as the file spells it.
func (o *object) scalar(name string) string {
	raw := o.fields[name]
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		o.fail(name, shorten(raw), "a JSON scalar")
	}
	return string(raw)
}

func (o *object) strings(name string, required bool) []string {
	var raw []*string
	if !o.get(name, required, &raw, "a list of strings") {
		return nil
	}
	list := make([]string, len(raw))
	for i, s := range raw {
		if s == nil {
			o.fail(name, shorten(o.fields[name]), "a list of strings")
			return nil
		}
		list[i] = *s
	}
	return list
}

// partitions reads a list of topic-partitions.
func (o *object) partitions(name string, required bool) []string {
	list := o.strings(name, required)
	for _, tp := range list {
		o.checkPartition(name, tp)
	}
	return list
}

// offsets reads a map from topic-partition to offset; -1 is "none", where the
// least allowed offset says so.
func (o *object) offsets(name string, required bool, least int64) map[string]int64 {
	var raw map[string]json.RawMessage
	if !o.get(name, required, &raw, "a map from topic-partition to offset") {
		return nil
	}
	all := make(map[string]int64, len(raw))
	for tp, v := range raw {
		o.checkPartition(name, tp)
		inner := &object{path: o.path + name + ".", fields: map[string]json.RawMessage{tp: v}}
		all[tp] = inner.integer(tp, true, least, math.MaxInt64, 0)
		if inner.fault != nil && o.fault == nil {
			o.fault = inner.fault
		}
	}
	return all
}

// plan reads the leader's assignment.
func (o *object) plan(name string) map[string][]string {
	var raw map[string]json.RawMessage
	if !o.get(name, false, &raw, "a map from member to topic-partitions") {
		return nil
	}
	all := make(map[string][]string, len(raw))
	for m, v := range raw {
		inner := &object{path: o.path + name + ".", fields: map[string]json.RawMessage{m: v}}
		all[m] = inner.partitions(m, true)
		if inner.fault != nil && o.fault == nil {
			o.fault = inner.fault
		}
	}
	return all
}

func (o *object) stringMap(name string) map[string]string {
	var m map[string]string
	o.get(name, false, &m, "a map from topic-partition to error")
	return m
}

// checkPartition: the last hyphen splits topic and number.
func (o *object) checkPartition(name, tp string) {
	if i := strings.LastIndexByte(tp, '-'); i > 0 {
		if _, err := strconv.ParseUint(tp[i+1:], 10, 31); err == nil {
			return
		}
	}
	o.fail(name, strconv.Quote(tp), `a topic-partition such as "topic-3"`)
}

// request reads the part of "in" that the checker uses. Requests that are not
// modelled are not looked into.
func (o *object) request(f string) Request {
	switch f {
	case Join, Sync, Heartbeat, Leave, Commit, OffsetFetch:
		return o.groupRequest(f)
	case InitPID, AddParts, AddOffsets, TxnCommit, EndTxn, Produce, Fetch:
		return o.txnRequest(f)
	}
	return Request{}
}

func (o *object) groupRequest(f string) Request {
	r := Request{PID: -1, Epoch: -1, Seq: -1}
	r.Group = o.str("g", true)
	r.Instance = o.optionalStr("inst")
	if f != OffsetFetch {
		r.Member = o.str("m", true)
	}
	if f == Sync || f == Heartbeat || f == Commit {
		r.Generation = o.generation("gen")
	}
	switch f {
	case Join:
		r.Protocols = o.strings("proto", false)
		r.Meta = o.scalar("meta")
	case Sync:
		r.Assign = o.plan("assign")
	case Commit:
		r.Offsets = o.offsets("off", true, 0)
	case OffsetFetch:
		r.Partitions = o.partitions("tps", true)
		r.Stable = o.boolean("stable")
	}
	return r
}

// answer reads the part of "out" that the checker uses.
func (o *object) answer(f string, outcome Outcome, local bool) Answer {
	a := NoAnswer()
	if outcome == Failed {
		a.Err = o.str("err", !local)
		if f == Join {
			a.Member = o.str("m", a.Err == "MEMBER_ID_REQUIRED")
		}
		return a
	}
	if o.has("err") {
		o.fail("err", shorten(o.fields["err"]), `no error in an answer of kind "ok"`)
	}
	switch f {
	case Join:
		a.Generation = int32(o.integer("gen", true, 0, math.MaxInt32, -1))
		a.Member = o.str("m", true)
		a.Leader = o.optionalStr("leader")
		a.Protocol = o.optionalStr("proto")
		a.Members = o.strings("members", false)
		a.Skip = o.boolean("skip")
	case Sync:
		a.Partitions = o.partitions("tps", true)
	case OffsetFetch:
		a.Errs = o.stringMap("errs")
		a.Offsets = o.offsets("off", len(a.Errs) == 0, -1)
	case Commit, TxnCommit, AddParts:
		a.Errs = o.stringMap("errs")
	default:
		o.txnAnswer(f, &a)
	}
	return a
}

// NoAnswer is an answer of which nothing is known.
func NoAnswer() Answer {
	return Answer{Generation: -1, PID: -1, Epoch: -1, Base: -1, HW: -1, LSO: -1, Next: -1}
}
