package linearize

import (
	"testing"
)

func simulatedTxns(runs uint64, requests int) []*History {
	var all []*History
	for seed := range runs {
		all = append(all, recordTxn(txnRun{seed: seed, style: 1 + int64(seed%2), requests: requests, unknown: int(seed % 3 * 2), kills: int(seed / 2 % 3)}))
	}
	return all
}

// What the model answered is never refused.
func TestSimulatedTransactionsAreLegal(t *testing.T) {
	refusals := map[string]int{}
	for _, h := range simulatedTxns(60, 250) {
		if r := Check(h, Options{}); r.Verdict != Legal {
			t.Errorf("%s: %s %v", h.Name, r.Verdict, r.Findings)
		}
		for i := range h.Ops {
			refusals[h.Ops[i].F+" "+h.Ops[i].Out.Err]++
		}
	}
	t.Log(refusals)
}
