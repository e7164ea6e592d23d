package linearize

import (
	"bufio"
	"bytes"
	"encoding/json"

	"fencecheck/linearize/kfh"
)

// Builder makes a history out of requests and answers as they happen: an
// exploration's counterexample, or a simulated run. The zero Builder is not
// ready; use NewBuilder.
type Builder struct {
	h kfh.History
	t int64
}

// NewBuilder begins a history of classic groups that are empty at the start.
// Further header fields follow the required ones.
func NewBuilder(name string, header ...Field) *Builder {
	b := &Builder{}
	b.h.Name = name
	b.h.Header = kfh.Header{GroupProtocol: "classic", Level: "wire", Start: "empty"}
	var line bytes.Buffer
	out := bufio.NewWriter(&line)
	writeFields(out, append([]Field{
		field("kfh", 1),
		field("group_protocol", "classic"),
		field("level", "wire"),
		field("start", "empty"),
	}, header...))
	out.Flush()
	b.h.Header.Raw = line.Bytes()
	return b
}

// Advance moves the clock; events carry its time.
func (b *Builder) Advance(nanoseconds int64) { b.t += nanoseconds }

// Invoke records that process p sends a request, and returns its number.
func (b *Builder) Invoke(p int, f string, r kfh.Request) int {
	op := len(b.h.Ops)
	e := b.event(p, "inv", op)
	e.F, e.In = f, encodeRequest(f, r)
	b.h.Ops = append(b.h.Ops, kfh.Op{ID: op, P: p, F: f, Row: requests.Find(f), In: r, Out: kfh.NoAnswer(), Inv: e.I, Ret: -1, Line: e.Line})
	return op
}

// Complete records the answer of a request. An Unknown outcome has a reason
// instead of an answer.
func (b *Builder) Complete(op int, outcome kfh.Outcome, a kfh.Answer, why string) {
	o := &b.h.Ops[op]
	k := map[kfh.Outcome]string{kfh.Unknown: "info", kfh.OK: "ok", kfh.Failed: "fail"}[outcome]
	e := b.event(o.P, k, op)
	if outcome == kfh.Unknown {
		e.Why, o.Why = why, why
		return
	}
	e.Out = encodeAnswer(o.F, outcome, a)
	o.Outcome, o.Out, o.Ret = outcome, a, e.I
}

// Note records something that is not a request, such as a pause.
func (b *Builder) Note(f, who string) {
	e := b.event(-1, "note", -1)
	e.F, e.In = f, mustJSON(map[string]string{"who": who})
}

// History is what was recorded so far.
func (b *Builder) History() *kfh.History { return &b.h }

func (b *Builder) event(p int, k string, op int) *kfh.Event {
	n := len(b.h.Events)
	b.h.Events = append(b.h.Events, kfh.Event{I: n, T: b.t, P: p, K: k, Op: op, Line: n + 2})
	return &b.h.Events[n]
}

func encodeRequest(f string, r kfh.Request) []byte {
	if requests.Find(f).OfProducer || f == kfh.Fetch {
		return mustJSON(txnFields(f, r))
	}
	in := map[string]any{"g": r.Group}
	if f != kfh.OffsetFetch {
		in["m"] = r.Member
	}
	if r.Instance != nil {
		in["inst"] = *r.Instance
	}
	switch f {
	case kfh.Join:
		in["proto"] = append([]string{}, r.Protocols...)
		if r.Meta != "" {
			in["meta"] = json.RawMessage(r.Meta)
		}
	case kfh.Sync:
		in["gen"] = r.Generation
		if r.Assign != nil {
			in["assign"] = r.Assign
		}
	case kfh.Heartbeat:
		in["gen"] = r.Generation
	case kfh.Commit:
		in["gen"], in["off"] = r.Generation, r.Offsets
	case kfh.OffsetFetch:
		in["tps"] = append([]string{}, r.Partitions...)
		if r.Stable {
			in["stable"] = true
		}
	}
	return mustJSON(in)
}

func encodeAnswer(f string, outcome kfh.Outcome, a kfh.Answer) []byte {
	out := map[string]any{}
	if outcome == kfh.Failed {
		out["err"] = a.Err
		if f == kfh.Join && a.Member != "" {
			out["m"] = a.Member
		}
		return mustJSON(out)
	}
	switch f {
	case kfh.Join:
		out["gen"], out["m"] = a.Generation, a.Member
		if a.Leader != nil {
			out["leader"] = *a.Leader
		}
		if a.Protocol != nil {
			out["proto"] = *a.Protocol
		}
		if a.Members != nil {
			out["members"] = a.Members
		}
	case kfh.Sync:
		out["tps"] = append([]string{}, a.Partitions...)
	case kfh.OffsetFetch:
		out["off"] = a.Offsets
		if len(a.Errs) > 0 {
			out["errs"] = a.Errs
		}
	default:
		addTxnAnswer(f, a, out)
	}
	return mustJSON(out)
}
