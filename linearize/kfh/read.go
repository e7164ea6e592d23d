package kfh

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// MaxLine is the longest line of kfh/1, without its newline.
const MaxLine = 1 << 20

// Read reads a history line by line; name stands for the file in errors, and
// table has the requests that it may name. The error is a *SyntaxError or one of r.
func Read(name string, r io.Reader, table Table) (*History, error) {
	d := &reader{h: &History{Name: name}, table: table, open: map[int]int{}, busy: map[int]int{}, dead: map[int]bool{}, seen: map[int]bool{}, last: -1}
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		raw, err := d.nextLine(lines)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil && len(raw) == 0 {
			break
		}
		if fault := d.line(raw); fault != nil {
			fault.File, fault.Line = name, d.n
			return nil, fault
		}
		if err != nil {
			break
		}
	}
	if d.n == 0 {
		return nil, &SyntaxError{File: name, Line: 1, Found: "an empty file", Want: `a header line {"kfh":1,...}`}
	}
	return d.h, nil
}

// reader holds what has to be remembered between lines.
type reader struct {
	h     *History
	table Table
	n     int          // number of the line
	open  map[int]int  // op id to index in Ops, of requests without completion
	seen  map[int]bool // op ids
	busy  map[int]int  // process to its open op id
	dead  map[int]bool // processes that ended with an unknown outcome
	last  int64        // largest time so far, -1 before the first
}

// nextLine reads a line without its newline; io.EOF comes with the last one.
func (d *reader) nextLine(lines *bufio.Reader) ([]byte, error) {
	var raw []byte
	for {
		piece, err := lines.ReadSlice('\n')
		raw = append(raw, piece...)
		if len(raw) > MaxLine+1 || len(raw) == MaxLine+1 && raw[MaxLine] != '\n' {
			return nil, &SyntaxError{File: d.h.Name, Line: d.n + 1, Found: "a line of more than 1 MiB", Want: "at most 1 MiB"}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(raw, []byte("\n")), err
	}
}

func (d *reader) line(raw []byte) *SyntaxError {
	d.n++
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return &SyntaxError{Found: shorten(raw), Want: "one JSON object (is the line complete?)"}
	}
	if d.n == 1 {
		return d.header(raw)
	}
	return d.event(raw)
}

func (d *reader) header(raw []byte) *SyntaxError {
	o, fault := parseObject("", raw)
	if fault != nil {
		return fault
	}
	if v := string(o.fields["kfh"]); v != "1" {
		if v == "" {
			v = "nothing"
		}
		return &SyntaxError{Field: "kfh", Found: v, Want: "1"}
	}
	h := &d.h.Header
	h.Raw = raw
	h.GroupProtocol = o.Str("group_protocol", false)
	h.Level = o.Str("level", false)
	h.Start = o.Str("start", false)
	h.Restarts = o.Integer("restarts", false, 0, math.MaxInt64, 0)
	h.TxnVersion = o.Integer("txn_version", false, 0, 2, 2)
	h.TxnTimeout = o.Integer("txn_timeout", false, 0, math.MaxInt64, 0)
	o.get("api", false, &h.API, "a map from request to version")
	return o.fault
}

func (d *reader) event(raw []byte) *SyntaxError {
	o, fault := parseObject("", raw)
	if fault != nil {
		return fault
	}
	e := Event{Line: d.n, I: len(d.h.Events), Raw: raw}
	if i := o.Integer("i", true, 0, math.MaxInt, 0); o.fault == nil && i != int64(e.I) {
		o.Fail("i", strconv.FormatInt(i, 10), strconv.Itoa(e.I)+" (indexes are dense and in order)")
	}
	e.T = o.Integer("t", false, 0, math.MaxInt64, -1)
	if e.T >= 0 && e.T < d.last {
		o.Fail("t", strconv.FormatInt(e.T, 10), "at least "+strconv.FormatInt(d.last, 10)+", the time of an earlier event")
	}
	e.K = o.Str("k", true)
	e.P = int(o.Integer("p", e.K != "note", 0, math.MaxInt32, -1))
	e.Op = int(o.Integer("op", e.K != "note", 0, math.MaxInt32, -1))
	e.F = o.Str("f", e.K == "inv" || e.K == "note")
	e.Why = o.Str("why", false)
	e.Local = o.Boolean("local", false)
	e.In, e.Out = o.fields["in"], o.fields["out"]
	if o.fault != nil {
		return o.fault
	}
	d.last = max(d.last, e.T)
	if fault := d.place(&e); fault != nil {
		return fault
	}
	d.h.Events = append(d.h.Events, e)
	return nil
}

// place puts an event into the history's requests.
func (d *reader) place(e *Event) *SyntaxError {
	switch e.K {
	case "inv":
		return d.invoke(e)
	case "ok", "fail", "info":
		return d.complete(e)
	case "note":
		return nil
	}
	return &SyntaxError{Field: "k", Found: strconv.Quote(e.K), Want: "inv, ok, fail, info or note"}
}

func (d *reader) invoke(e *Event) *SyntaxError {
	row := d.table.Find(e.F)
	switch open, busy := d.busy[e.P]; {
	case row == nil:
		return &SyntaxError{Field: "f", Found: strconv.Quote(e.F), Want: "a request that kfh/1 knows"}
	case d.seen[e.Op]:
		return &SyntaxError{Field: "op", Found: "a second invocation of " + strconv.Itoa(e.Op), Want: "a new number"}
	case d.dead[e.P]:
		return &SyntaxError{Field: "p", Found: "process " + strconv.Itoa(e.P) + " after an unknown outcome", Want: "a new process"}
	case busy:
		return &SyntaxError{Field: "p", Found: "process " + strconv.Itoa(e.P) + " while its op " + strconv.Itoa(open) + " is open", Want: "one request at a time"}
	}
	o, fault := parseObject("in.", e.In)
	if fault != nil {
		return fault
	}
	op := Op{ID: e.Op, P: e.P, F: e.F, Row: row, In: o.request(row), Out: NoAnswer(), Inv: e.I, Ret: -1, Line: e.Line}
	if o.fault != nil {
		return o.fault
	}
	d.seen[e.Op] = true
	d.busy[e.P] = e.Op
	d.open[e.Op] = len(d.h.Ops)
	d.h.Ops = append(d.h.Ops, op)
	return nil
}

func (d *reader) complete(e *Event) *SyntaxError {
	at, open := d.open[e.Op]
	switch {
	case !d.seen[e.Op]:
		return &SyntaxError{Field: "op", Found: "a completion of " + strconv.Itoa(e.Op), Want: "its invocation before it"}
	case !open:
		return &SyntaxError{Field: "op", Found: "a second completion of " + strconv.Itoa(e.Op), Want: "one"}
	}
	op := &d.h.Ops[at]
	switch {
	case op.P != e.P:
		return &SyntaxError{Field: "p", Found: strconv.Itoa(e.P), Want: strconv.Itoa(op.P) + ", the process of the invocation"}
	case e.F != "" && e.F != op.F:
		return &SyntaxError{Field: "f", Found: strconv.Quote(e.F), Want: strconv.Quote(op.F) + ", as in the invocation"}
	}
	delete(d.open, e.Op)
	delete(d.busy, e.P)
	if e.K == "info" {
		d.dead[e.P] = true
		op.Why = e.Why
		return nil
	}
	op.Outcome, op.Ret, op.Local = OK, e.I, e.Local
	if e.K == "fail" {
		op.Outcome = Failed
	}
	out := e.Out
	if out == nil && e.Local {
		out = []byte("{}")
	}
	o, fault := parseObject("out.", out)
	if fault != nil {
		return fault
	}
	op.Out = o.answer(op)
	return o.fault
}
