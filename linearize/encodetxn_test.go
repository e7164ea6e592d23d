package linearize

import "encoding/json"

// txnFields is "in" of a transactional request, of a Produce or of a Fetch.
func txnFields(f string, r Request) map[string]any {
	in := map[string]any{}
	set := func(name string, v any, there bool) {
		if there {
			in[name] = v
		}
	}
	set("x", r.Txn, r.Txn != "")
	set("pid", r.PID, f != fRead && r.PID >= 0)
	set("e", r.Epoch, f != fRead && r.PID >= 0)
	set("to", r.Timeout, r.Timeout > 0)
	set("tps", r.Partitions, f == fAddParts)
	set("g", r.Group, r.Group != "")
	set("m", r.Member, f == fTxnCommit)
	set("gen", r.Generation, f == fTxnCommit)
	set("off", r.Offsets, f == fTxnCommit)
	set("commit", r.Commit, f == fEnd)
	set("tp", r.Log, r.Log != "")
	set("seq", r.Seq, f == fProduce && r.PID >= 0)
	set("from", r.From, f == fRead)
	if f == fProduce {
		in["vals"], in["acks"] = raw(r.Values), r.Acks
	}
	if f == fRead {
		in["iso"] = "read_uncommitted"
		set("iso", "read_committed", r.Committed)
	}
	return in
}

func raw(values []string) []json.RawMessage {
	all := make([]json.RawMessage, len(values))
	for i, v := range values {
		all[i] = json.RawMessage(v)
	}
	return all
}

// addTxnAnswer fills in "out" of an accepted one.
func addTxnAnswer(f string, a Answer, out map[string]any) {
	switch f {
	case fInit, fEnd:
		if a.PID >= 0 {
			out["pid"], out["e"] = a.PID, a.Epoch
		}
	case fProduce:
		out["base"] = a.Base
	case fRead:
		recs := make([][2]any, len(a.Records))
		for i, r := range a.Records {
			recs[i] = [2]any{r.Offset, json.RawMessage(r.Value)}
		}
		out["recs"], out["hw"], out["lso"], out["next"] = recs, a.HW, a.LSO, a.Next
	}
}
