package kfh

import (
	"encoding/json"
	"math"
	"strconv"
)

// This file reads the fields of transactional requests, Produce and Fetch.

func (o *object) txnRequest(f string) Request {
	r := Request{PID: -1, Epoch: -1, Seq: -1, Generation: -1}
	needs := f != InitPID && f != Produce
	if f != Fetch {
		r.Txn = o.str("x", needs)
		if needs = needs || f == Produce && r.Txn != ""; needs {
			r.PID = o.integer("pid", true, 0, math.MaxInt64, -1)
			r.Epoch = o.integer("e", true, 0, math.MaxInt16, -1)
		} else {
			r.PID = o.integer("pid", false, -1, math.MaxInt64, -1)
			r.Epoch = o.integer("e", false, -1, math.MaxInt16, -1)
		}
		if (r.PID < 0) != (r.Epoch < 0) {
			o.fail("e", "a producer id or an epoch alone", "both or none")
		}
	}
	switch f {
	case InitPID:
		r.Timeout = o.integer("to", false, 0, math.MaxInt64, 0)
	case AddParts:
		r.Partitions = o.partitions("tps", true)
	case AddOffsets:
		r.Group = o.str("g", true)
	case TxnCommit:
		r.Group = o.str("g", true)
		r.Member = o.str("m", false)
		r.Instance = o.optionalStr("inst")
		r.Generation = int32(o.integer("gen", false, -1, math.MaxInt32, -1))
		r.Offsets = o.offsets("off", true, 0)
	case EndTxn:
		r.Commit = o.requiredBoolean("commit")
	case Produce:
		r.Log = o.partition("tp")
		r.Seq = o.integer("seq", r.PID >= 0, -1, math.MaxInt32, -1)
		r.Values = o.scalars("vals")
		r.Acks = o.integer("acks", false, -1, 1, -1)
	case Fetch:
		r.Log = o.partition("tp")
		r.From = o.integer("from", true, 0, math.MaxInt64, 0)
		r.Committed = o.isolation("iso")
	}
	return r
}

func (o *object) txnAnswer(f string, a *Answer) {
	switch f {
	case InitPID, EndTxn:
		a.PID = o.integer("pid", f == InitPID, -1, math.MaxInt64, -1)
		a.Epoch = o.integer("e", f == InitPID, -1, math.MaxInt16, -1)
	case Produce:
		a.Base = o.integer("base", true, -1, math.MaxInt64, -1)
	case Fetch:
		a.Records = o.records("recs")
		a.HW = o.integer("hw", false, -1, math.MaxInt64, -1)
		a.LSO = o.integer("lso", false, -1, math.MaxInt64, -1)
		a.Next = o.integer("next", false, -1, math.MaxInt64, -1)
	}
}

func (o *object) requiredBoolean(name string) bool {
	var b bool
	o.get(name, true, &b, "true or false")
	return b
}

func (o *object) partition(name string) string {
	tp := o.str(name, true)
	o.checkPartition(name, tp)
	return tp
}

// isolation tells whether only decided records are read, as with the wire's
// default they are not.
func (o *object) isolation(name string) bool {
	switch s := o.str(name, false); s {
	case "read_committed":
		return true
	case "", "read_uncommitted":
	default:
		o.fail(name, strconv.Quote(s), "read_committed or read_uncommitted")
	}
	return false
}

// scalars reads a list of values, as the file spells them.
func (o *object) scalars(name string) []string {
	var raw []json.RawMessage
	if !o.get(name, true, &raw, "a list of JSON scalars") {
		return nil
	}
	list := make([]string, len(raw))
	for i, v := range raw {
		if list[i] = string(v); !isScalar(v) {
			o.fail(name, shorten(v), "a list of JSON scalars")
		}
	}
	return list
}

func isScalar(v json.RawMessage) bool { return len(v) > 0 && v[0] != '{' && v[0] != '[' }

// records reads pairs of offset and value, by rising offset.
func (o *object) records(name string) []LogRecord {
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
			o.fail(name, shorten(o.fields[name]), want)
			return nil
		}
		r.Value = string(pair[1])
	}
	return list
}
