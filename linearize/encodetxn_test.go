package linearize

import (
	"encoding/json"

	"fencecheck/linearize/kfh"
)

// txnFields is "in" of a transactional request, of a Produce or of a Fetch.
func txnFields(f string, r kfh.Request) map[string]any {
	in := map[string]any{}
	set := func(name string, v any, there bool) {
		if there {
			in[name] = v
		}
	}
	set("x", r.Txn, r.Txn != "")
	set("pid", r.PID, f != kfh.Fetch && r.PID >= 0)
	set("e", r.Epoch, f != kfh.Fetch && r.PID >= 0)
	set("to", r.Timeout, r.Timeout > 0)
	set("tps", r.Partitions, f == kfh.AddParts)
	set("g", r.Group, r.Group != "")
	set("m", r.Member, f == kfh.TxnCommit)
	set("gen", r.Generation, f == kfh.TxnCommit)
	set("off", r.Offsets, f == kfh.TxnCommit)
	set("commit", r.Commit, f == kfh.EndTxn)
	set("tp", r.Log, r.Log != "")
	set("seq", r.Seq, f == kfh.Produce && r.PID >= 0)
	set("from", r.From, f == kfh.Fetch)
	if f == kfh.Produce {
		in["vals"], in["acks"] = raw(r.Values), r.Acks
	}
	if f == kfh.Fetch {
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
func addTxnAnswer(f string, a kfh.Answer, out map[string]any) {
	switch f {
	case kfh.InitPID, kfh.EndTxn:
		if a.PID >= 0 {
			out["pid"], out["e"] = a.PID, a.Epoch
		}
	case kfh.Produce:
		out["base"] = a.Base
	case kfh.Fetch:
		recs := make([][2]any, len(a.Records))
		for i, r := range a.Records {
			recs[i] = [2]any{r.Offset, json.RawMessage(r.Value)}
		}
		out["recs"], out["hw"], out["lso"], out["next"] = recs, a.HW, a.LSO, a.Next
	}
}
