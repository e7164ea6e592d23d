package linearize

import (
	"fmt"
	"slices"
	"testing"

	"fencecheck/linearize/kfh"
	"fencecheck/linearize/txns"
	"fencecheck/model"
)

func simulatedTxns(runs uint64, requests int) []*kfh.History {
	var all []*kfh.History
	for seed := range runs {
		all = append(all, recordTxn(txnRun{seed: seed, style: 1 + int64(seed%2), requests: requests, unknown: int(seed % 3 * 2), kills: int(seed / 2 % 3), slow: seed%4 > 1, delayed: int(seed % 5 * 6)}))
	}
	return all
}

// What the model answered is never refused, whatever it answered.
func TestSimulatedTransactionsAreLegal(t *testing.T) {
	answers := map[string]int{}
	for _, h := range simulatedTxns(90, 250) {
		if r := Check(h, Options{}); r.Verdict != Legal {
			t.Errorf("%s: %s %v", h.Name, r.Verdict, r.Findings)
		}
		for i := range h.Ops {
			answers[h.Ops[i].F+" "+h.Ops[i].Out.Err]++
		}
	}
	for _, want := range []string{"init-pid ", "init-pid CONCURRENT_TRANSACTIONS", "init-pid PRODUCER_FENCED", "end-txn ", "end-txn CONCURRENT_TRANSACTIONS",
		"end-txn INVALID_TXN_STATE", "end-txn PRODUCER_FENCED", "add-parts ", "add-offsets ", "add-parts PRODUCER_FENCED", "produce ", "produce INVALID_PRODUCER_EPOCH",
		"produce OUT_OF_ORDER_SEQUENCE_NUMBER", "produce TRANSACTION_ABORTABLE", "txn-commit ", "txn-commit ILLEGAL_GENERATION", "txn-commit INVALID_PRODUCER_EPOCH", "fetch ", "offset-fetch "} {
		if answers[want] < 3 {
			t.Errorf("%q was answered %d times only", want, answers[want])
		}
	}
}

// A broker without one of its rules is found out, under a name that fits.
func TestMutatedBrokersAreRefused(t *testing.T) {
	const runs = 40
	for _, c := range []struct {
		off   model.Mutation
		names []string
	}{
		{model.InitBumpEpoch, []string{"inconsistent-offsets", "sequence-break"}},
		{model.InitAbortOngoing, []string{"hanging-txn"}},
		{model.InitExpectedEpochCheck, []string{"generation-regression"}},
		{model.InitRetryDetection, []string{"unjustified-fence"}},
		{model.AddPartitionsEpochCheck, []string{"stale-epoch-write"}},
		{model.EndTxnEpochCheck, []string{"stale-epoch-write"}},
		{model.EndTxnStateCheck, []string{txns.WrongTransaction, "torn-transaction"}},
		{model.EndTxnRetryDetection, []string{"unjustified-fence"}},
		{model.EndTxnBumpEpoch, []string{"generation-regression"}},
		{model.FenceBumpsEpoch, []string{"generation-regression", "stale-epoch-write"}},
		{model.DoubleFenceBumpBug, []string{"generation-regression"}},
		{model.MarkerRaisesEpoch, []string{"unjustified-fence"}},
		{model.VerifyBeforeFirstAppend, []string{"stale-epoch-write", "hanging-txn"}},
		{model.ImplicitAddTV2, []string{"hanging-txn"}},
		{model.SequenceCheck, []string{"sequence-break"}},
		{model.DuplicateWindow, []string{"unjustified-fence"}},
		{model.LSOOpenTransaction, []string{"aborted-read", "early-read"}},
		{model.AbortedIndexFilter, []string{"aborted-read"}},
		{model.TxnOffsetCommitMemberCheck, []string{"unknown-member-commit", "stale-generation-commit"}},
		{model.TxnOffsetCommitProducerEpoch, []string{"stale-epoch-write"}},
		{model.TxnOffsetNewestPositionWins, []string{"offset-regression"}},
		{model.TxnOffsetHiddenUntilMarker, []string{"early-offset"}},
		{model.TxnOffsetRegisterPartition, []string{"hanging-txn"}},
		{model.PendingOffsetMarkerApply, []string{"offset-regression"}},
		{model.RequireStable, []string{"unstable-offset-read"}},
	} {
		rules := model.Rules{}
		rules.Off = rules.Off.With(c.off)
		seen := map[string]bool{}
		named := func(f string) bool { return seen[f] }
		for seed := uint64(0); seed < runs && !slices.ContainsFunc(c.names, named); seed++ {
			h := recordTxn(txnRun{seed: seed, style: 1 + int64(seed%2), requests: 250, rules: rules})
			for _, f := range Check(h, Options{}).Findings {
				seen[f.Anomaly] = true
			}
		}
		if !slices.ContainsFunc(c.names, named) {
			t.Errorf("%s: want one of %v, got %v", c.off, c.names, seen)
		}
	}
}

// txnTwins lists twins whose proof is written apart from the conditions: one
// answer is changed, and one or two others contradict it by real time alone.
func txnTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	switch {
	case o.RefusedAs("PRODUCER_FENCED") && o.F != kfh.InitPID && epochKnown(h, o, o.In.Epoch+2):
		out := accepted()
		if o.F == kfh.EndTxn && h.StyleOf(o) == 2 {
			out.PID, out.Epoch = o.In.PID, o.In.Epoch+1
		}
		return []twin{{"stale-epoch-write", i, out, kfh.OK, nil}}
	case o.RefusedAs("INVALID_PRODUCER_EPOCH") && o.F == kfh.TxnCommit && o.In.Generation < 0 && o.In.Member == "" && ownerKnown(h, o):
		return []twin{{"stale-epoch-write", i, accepted(), kfh.OK, nil}}
	case o.F == kfh.InitPID && o.Outcome == kfh.OK && epochKnown(h, &kfh.Op{In: kfh.Request{PID: o.Out.PID}, Inv: o.Inv}, o.Out.Epoch-1) && o.Out.Epoch > 2:
		out := o.Out
		out.Epoch -= 2
		return []twin{{"generation-regression", i, out, kfh.OK, nil}}
	case (o.F == kfh.AddParts || o.F == kfh.AddOffsets) && o.Outcome == kfh.OK && addedAfter(h, o):
		return []twin{{"unjustified-fence", i, refused("PRODUCER_FENCED"), kfh.Failed, nil}}
	case o.F == kfh.Fetch && o.Outcome == kfh.OK:
		return readTwins(h, i)
	case o.F == kfh.OffsetFetch && o.Outcome == kfh.OK:
		return earlyTwins(h, i)
	}
	return nil
}

// epochKnown: before the request, its producer id had an epoch as large.
func epochKnown(h *kfh.History, o *kfh.Op, epoch int64) bool {
	return slices.ContainsFunc(h.Ops, func(p kfh.Op) bool { return p.Out.PID == o.In.PID && p.Out.Epoch >= epoch && precedes(&p, o) })
}

// ownerKnown: before the request, somebody had become the new owner.
func ownerKnown(h *kfh.History, o *kfh.Op) bool {
	return slices.ContainsFunc(h.Ops, func(p kfh.Op) bool {
		return p.F == kfh.InitPID && p.Out.PID == o.In.PID && p.Out.Epoch > o.In.Epoch && precedes(&p, o)
	})
}

// addedAfter: the epoch had been given out before, and was in force later.
func addedAfter(h *kfh.History, o *kfh.Op) bool {
	return epochKnown(h, o, o.In.Epoch) && slices.ContainsFunc(h.Ops, func(p kfh.Op) bool {
		return (p.F == kfh.AddParts || p.F == kfh.AddOffsets) && p.Outcome == kfh.OK && p.In.PID == o.In.PID && p.In.Epoch == o.In.Epoch && precedes(o, &p)
	})
}

func readTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	var all []twin
	changed := func(anomaly string, recs []kfh.LogRecord, end int64) {
		out := o.Out
		out.Records, out.LSO, out.Next = recs, max(out.LSO, end), max(out.Next, end)
		all = append(all, twin{anomaly, i, out, kfh.OK, nil})
	}
	if n := len(o.Out.Records); n > 0 && !o.In.Committed {
		changed("lost-write", o.Out.Records[:n-1], 0)
		changed("duplicate", append(slices.Clone(o.Out.Records), kfh.LogRecord{Offset: o.Out.HW, Value: o.Out.Records[0].Value}), o.Out.HW+1)
	}
	if !o.In.Committed || h.Header.TxnVersion != 2 {
		return all
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		if p.F != kfh.Produce || p.Outcome != kfh.OK || p.In.Log != o.In.Log || o.Returned(p.Out.Base) || !precedes(p, o) {
			continue
		}
		commits, later := false, false
		for y := range h.Ops {
			e := &h.Ops[y]
			if e.F == kfh.EndTxn && e.In.PID == p.In.PID && e.In.Epoch == p.In.Epoch && e.In.Commit && (e.Open() || e.Outcome == kfh.OK) {
				commits, later = commits || e.Inv < o.Ret, true
			}
		}
		if commits {
			continue
		}
		recs := append(slices.Clone(o.Out.Records), kfh.LogRecord{Offset: p.Out.Base, Value: p.In.Values[0]})
		slices.SortFunc(recs, func(a, b kfh.LogRecord) int { return int(a.Offset - b.Offset) })
		name := "aborted-read"
		if later {
			name = "early-read"
		}
		changed(name, recs, p.Out.Base+1)
		break
	}
	return all
}

// earlyTwins: a fetch returns what a transaction brought before anybody asked to
// commit it.
func earlyTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	for x := range h.Ops {
		p := &h.Ops[x]
		if p.F != kfh.TxnCommit || p.Outcome != kfh.OK || h.StyleOf(p) != 2 || !precedes(p, o) {
			continue
		}
		if slices.ContainsFunc(h.Ops, func(e kfh.Op) bool {
			return e.F == kfh.EndTxn && e.In.PID == p.In.PID && e.In.Epoch == p.In.Epoch && e.In.Commit && e.Inv < o.Ret
		}) {
			continue
		}
		for tp, v := range p.In.Offsets {
			out := o.Out
			out.Offsets, out.Errs = map[string]int64{tp: v}, nil
			return []twin{{"early-offset", i, out, kfh.OK, nil}}
		}
	}
	return nil
}

func TestTxnTwinsAreFound(t *testing.T) {
	all := simulatedTxns(10, 200)
	for _, f := range []string{"txn-tv2-107", "txn-unknown-111", "restart-txn-113"} {
		h, err := ReadFile(fmt.Sprintf("testdata/%s.jsonl", f))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	found := map[string]int{}
	for _, h := range all {
		perName := map[string]int{}
		for i := range h.Ops {
			for _, w := range txnTwins(h, i) {
				if perName[w.anomaly]++; perName[w.anomaly]%9 != 1 {
					continue // a sample
				}
				r := Check(w.apply(h), Options{})
				if r.Verdict != Illegal || !has(r, w.anomaly) {
					t.Errorf("%s: op %d should be %s, is %s %v", h.Name, h.Ops[w.op].ID, w.anomaly, r.Verdict, r.Findings)
				}
				found[w.anomaly]++
			}
		}
	}
	for _, anomaly := range []string{"stale-epoch-write", "generation-regression", "unjustified-fence", "lost-write", "duplicate", "aborted-read", "early-read", "early-offset"} {
		if found[anomaly] < 3 {
			t.Errorf("only %d twins of %s", found[anomaly], anomaly)
		}
	}
	t.Log(found)
}

// A budget that runs out is no verdict on transactions either.
func TestNoBudgetNoVerdictOnTransactions(t *testing.T) {
	for _, h := range simulatedTxns(6, 100) {
		if r := Check(h, Options{Budget: 1}); r.Verdict != Undecided || len(r.Findings) > 0 {
			t.Errorf("%s: %s %v", h.Name, r.Verdict, r.Findings)
		}
	}
}
