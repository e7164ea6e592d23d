package linearize

import (
	"slices"
	"testing"

	"fencecheck/linearize/kfh"
)

// A twin is a legal history with one answer changed such that two or three
// answers contradict each other. The proofs here are written apart from the
// necessary conditions: quadratic, one anomaly each, on real-time order only.

type twin struct {
	anomaly string
	op      int // whose answer is changed
	out     kfh.Answer
	outcome kfh.Outcome
	proof   []int
}

func (w twin) apply(h *kfh.History) *kfh.History {
	v := *h
	v.Ops = slices.Clone(h.Ops)
	o := &v.Ops[w.op]
	o.Out, o.Outcome = w.out, w.outcome
	return &v
}

func accepted() kfh.Answer          { return kfh.NoAnswer() }
func refused(err string) kfh.Answer { return kfh.Answer{Generation: -1, Err: err} }
func done(o *kfh.Op) bool           { return o.Ret >= 0 && !o.Open() }
func precedes(a, b *kfh.Op) bool    { return done(a) && a.Ret < b.Inv }
func proofGen(o *kfh.Op) (int32, bool) {
	switch {
	case !done(o) || o.Outcome != kfh.OK:
		return 0, false
	case o.F == kfh.Join:
		return o.Out.Generation, true
	case (o.F == kfh.Heartbeat || o.F == kfh.Commit || o.F == kfh.Sync) && o.In.Generation >= 0:
		return o.In.Generation, true
	}
	return 0, false
}

// twinsOf lists every twin that can be proved.
func twinsOf(h *kfh.History) []twin {
	var all []twin
	for i := range h.Ops {
		for _, make := range []func(*kfh.History, int) []twin{staleTwins, unknownTwins, simpleTwins, fenceTwins, ownerTwins, offsetTwins, generationTwins, splitTwins} {
			all = append(all, make(h, i)...)
		}
	}
	return all
}

func staleTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if !(o.RefusedAs("ILLEGAL_GENERATION") || o.RefusedAs("UNKNOWN_MEMBER_ID")) || o.F != kfh.Commit && o.F != kfh.Heartbeat || o.In.Generation < 0 {
		return nil
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		g, ok := proofGen(p)
		if ok && (precedes(p, o) && g > o.In.Generation || precedes(o, p) && g < o.In.Generation) {
			return []twin{{"stale-generation-" + o.F, i, accepted(), kfh.OK, []int{x}}}
		}
	}
	return nil
}

func unknownTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Commit || !o.RefusedAs("UNKNOWN_MEMBER_ID") || o.In.Generation < 0 {
		return nil
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		if p.F == kfh.Leave && p.Outcome == kfh.OK && p.In.Member == o.In.Member && precedes(p, o) {
			return []twin{{"unknown-member-commit", i, accepted(), kfh.OK, []int{x}}}
		}
	}
	return nil
}

func simpleTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Commit || !o.RefusedAs("UNKNOWN_MEMBER_ID") || o.In.Generation >= 0 {
		return nil
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		if p.F != kfh.Heartbeat && p.F != kfh.Commit || p.Outcome != kfh.OK || p.In.Generation < 0 || !precedes(p, o) {
			continue
		}
		for y := range h.Ops {
			q := &h.Ops[y]
			if (q.F == kfh.Heartbeat || q.F == kfh.Commit) && q.Outcome == kfh.OK && q.In.Member == p.In.Member && q.In.Generation >= 0 && precedes(o, q) {
				return []twin{{"unknown-member-commit", i, accepted(), kfh.OK, []int{x, y}}}
			}
		}
	}
	return nil
}

func fenceTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Heartbeat && o.F != kfh.Commit && o.F != kfh.Sync || o.Outcome != kfh.OK || o.In.Generation < 0 {
		return nil
	}
	// Only a heartbeat tells Stable from PreparingRebalance.
	same := func(p *kfh.Op) bool {
		return p.F == kfh.Heartbeat && p.Outcome == kfh.OK && p.In.Member == o.In.Member && p.In.Generation == o.In.Generation
	}
	for x := range h.Ops {
		for y := range h.Ops {
			p, q := &h.Ops[x], &h.Ops[y]
			if same(p) && same(q) && precedes(p, o) && precedes(o, q) {
				return []twin{
					{"unjustified-fence", i, refused("REBALANCE_IN_PROGRESS"), kfh.Failed, []int{x, y}},
					{"unjustified-fence", i, refused("ILLEGAL_GENERATION"), kfh.Failed, []int{x, y}},
					{"unjustified-fence", i, refused("UNKNOWN_MEMBER_ID"), kfh.Failed, []int{x, y}},
				}
			}
		}
	}
	return nil
}

func ownerTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Sync || o.Outcome != kfh.OK {
		return nil
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		if p.F == kfh.Sync && p.Outcome == kfh.OK && p.In.Generation == o.In.Generation && p.In.Member != o.In.Member && len(p.Out.Partitions) > 0 {
			out := o.Out
			out.Partitions = append(slices.Clone(o.Out.Partitions), p.Out.Partitions[0])
			return []twin{{"dual-owner", i, out, kfh.OK, []int{x}}}
		}
	}
	return nil
}

func offsetTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.OffsetFetch || o.Outcome != kfh.OK {
		return nil
	}
	writes := func(tp string, v int64) (last int, n int) {
		for x := range h.Ops {
			if p := &h.Ops[x]; p.F == kfh.Commit && p.Outcome != kfh.Failed {
				if w, named := p.In.Offsets[tp]; named && w == v {
					last, n = x, n+1
				}
			}
		}
		return last, n
	}
	for _, tp := range kfh.SortedKeys(o.Out.Offsets) {
		for x := range h.Ops {
			p := &h.Ops[x]
			v, named := p.In.Offsets[tp]
			if p.F != kfh.Commit || p.Outcome != kfh.OK || !named {
				continue
			}
			for y := range h.Ops {
				q := &h.Ops[y]
				u, again := q.In.Offsets[tp]
				if q.F != kfh.Commit || q.Outcome != kfh.OK || !again || u == v || !precedes(p, q) || !precedes(q, o) {
					continue
				}
				if _, n := writes(tp, v); n != 1 {
					continue
				}
				out := o.Out
				out.Offsets = map[string]int64{}
				for k, w := range o.Out.Offsets {
					out.Offsets[k] = w
				}
				out.Offsets[tp] = v
				return []twin{{"offset-regression", i, out, kfh.OK, []int{x, y}}}
			}
		}
	}
	return nil
}

func generationTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Join || o.Outcome != kfh.OK {
		return nil
	}
	for x := range h.Ops {
		if g, ok := proofGen(&h.Ops[x]); ok && g > 1 && precedes(&h.Ops[x], o) {
			out := o.Out
			out.Generation = g - 1
			return []twin{{"generation-regression", i, out, kfh.OK, []int{x}}}
		}
	}
	return nil
}

func splitTwins(h *kfh.History, i int) []twin {
	o := &h.Ops[i]
	if o.F != kfh.Join || o.Outcome != kfh.OK || o.Out.Leader == nil || o.Out.Members != nil {
		return nil
	}
	for x := range h.Ops {
		p := &h.Ops[x]
		if x != i && p.F == kfh.Join && p.Outcome == kfh.OK && p.Out.Generation == o.Out.Generation && *p.Out.Leader == *o.Out.Leader && *o.Out.Leader != o.Out.Member {
			out := o.Out
			out.Leader = &o.Out.Member
			return []twin{{"split", i, out, kfh.OK, []int{x}}}
		}
	}
	return nil
}

func has(r Report, anomaly string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Anomaly == anomaly })
}

// legalHistories are recordings and simulated runs.
func legalHistories(t *testing.T, runs uint64) []*kfh.History {
	t.Helper()
	var all []*kfh.History
	for _, f := range []string{"classic-101", "simple-103", "restart-classic-112-before-kill"} {
		h, err := ReadFile("testdata/" + f + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	for seed := range runs {
		all = append(all, Record(Run{Seed: seed, Clients: 2 + int(seed%3), Simple: int(seed % 2), Requests: 200, DelayPercent: int(seed%3) * 15, UnknownPercent: int(seed % 4)}))
	}
	return all
}

func TestTwinsAreFound(t *testing.T) {
	const stride = 7 // a sample of the twins of simulated runs; all of the recorded
	found := map[string]int{}
	for n, h := range legalHistories(t, 16) {
		for k, w := range twinsOf(h) {
			if n > 2 && k%stride != 0 || n <= 2 && k%2 != 0 {
				continue
			}
			r := Check(w.apply(h), Options{})
			if r.Verdict != Illegal || !has(r, w.anomaly) {
				t.Errorf("%s: op %d should be %s (proof %v), is %s %v", h.Name, h.Ops[w.op].ID, w.anomaly, w.proof, r.Verdict, r.Findings)
			}
			found[w.anomaly]++
		}
	}
	for _, anomaly := range []string{"stale-generation-commit", "stale-generation-heartbeat", "unknown-member-commit", "unjustified-fence",
		"dual-owner", "split", "generation-regression", "offset-regression"} {
		if found[anomaly] < 5 {
			t.Errorf("only %d twins of %s", found[anomaly], anomaly)
		}
	}
	t.Log(found)
}

// Two independent changes in one history are both named.
func TestTwinsOfTwinsAreFound(t *testing.T) {
	n := 0
	for _, h := range legalHistories(t, 4) {
		all := twinsOf(h)
		for k := 0; k+1 < len(all); k += 1 + len(all)/12 {
			a, b := all[k], all[(k+len(all)/2)%len(all)]
			apart := h.Ops[a.op].Inv - h.Ops[b.op].Inv
			if apart > -50 && apart < 50 {
				continue
			}
			n++
			if r := Check(b.apply(a.apply(h)), Options{}); r.Verdict != Illegal || !has(r, a.anomaly) || !has(r, b.anomaly) {
				t.Errorf("%s: ops %d and %d should be %s and %s, are %s %v", h.Name, h.Ops[a.op].ID, h.Ops[b.op].ID, a.anomaly, b.anomaly, r.Verdict, r.Findings)
			}
		}
	}
	t.Log(n, "combinations")
}
