package linearize

import "encoding/json"

// Builder makes a history out of requests and answers as they happen: an
// exploration's counterexample, or a simulated run. The zero Builder is not
// ready; use NewBuilder.
type Builder struct {
	h History
	t int64
}

// NewBuilder begins a history of classic groups that are empty at the start.
// Further header fields follow the required ones.
func NewBuilder(name string, header ...Field) *Builder {
	b := &Builder{}
	b.h.Name = name
	b.h.Header = Header{GroupProtocol: "classic", Level: "wire", Start: "empty"}
	b.h.Header.Fields = append([]Field{
		{"kfh", mustJSON(1)},
		{"group_protocol", mustJSON("classic")},
		{"level", mustJSON("wire")},
		{"start", mustJSON("empty")},
	}, header...)
	return b
}

// Advance moves the clock; events carry its time.
func (b *Builder) Advance(nanoseconds int64) { b.t += nanoseconds }

// Invoke records that process p sends a request, and returns its number.
func (b *Builder) Invoke(p int, f string, r Request) int {
	op := len(b.h.Ops)
	e := b.event(p, "inv", op)
	e.F, e.In = f, encodeRequest(f, r)
	b.h.Ops = append(b.h.Ops, Op{ID: op, P: p, F: f, In: r, Out: noAnswer(), Inv: e.I, Ret: -1, Line: e.Line})
	return op
}

// Complete records the answer of a request. An Unknown outcome has a reason
// instead of an answer.
func (b *Builder) Complete(op int, outcome Outcome, a Answer, why string) {
	o := &b.h.Ops[op]
	k := map[Outcome]string{Unknown: "info", OK: "ok", Failed: "fail"}[outcome]
	e := b.event(o.P, k, op)
	if outcome == Unknown {
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
func (b *Builder) History() *History { return &b.h }

func (b *Builder) event(p int, k string, op int) *Event {
	n := len(b.h.Events)
	b.h.Events = append(b.h.Events, Event{I: n, T: b.t, P: p, K: k, Op: op, Line: n + 2})
	return &b.h.Events[n]
}

func encodeRequest(f string, r Request) []byte {
	if (&Op{F: f}).isTxn() || f == fRead {
		return mustJSON(txnFields(f, r))
	}
	in := map[string]any{"g": r.Group}
	if f != fFetch {
		in["m"] = r.Member
	}
	if r.Instance != nil {
		in["inst"] = *r.Instance
	}
	switch f {
	case fJoin:
		in["proto"] = append([]string{}, r.Protocols...)
		if r.Meta != "" {
			in["meta"] = json.RawMessage(r.Meta)
		}
	case fSync:
		in["gen"] = r.Generation
		if r.Assign != nil {
			in["assign"] = r.Assign
		}
	case fHeartbeat:
		in["gen"] = r.Generation
	case fCommit:
		in["gen"], in["off"] = r.Generation, r.Offsets
	case fFetch:
		in["tps"] = append([]string{}, r.Partitions...)
		if r.Stable {
			in["stable"] = true
		}
	}
	return mustJSON(in)
}

func encodeAnswer(f string, outcome Outcome, a Answer) []byte {
	out := map[string]any{}
	if outcome == Failed {
		out["err"] = a.Err
		if f == fJoin && a.Member != "" {
			out["m"] = a.Member
		}
		return mustJSON(out)
	}
	switch f {
	case fJoin:
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
	case fSync:
		out["tps"] = append([]string{}, a.Partitions...)
	case fFetch:
		out["off"] = a.Offsets
		if len(a.Errs) > 0 {
			out["errs"] = a.Errs
		}
	default:
		addTxnAnswer(f, a, out)
	}
	return mustJSON(out)
}
