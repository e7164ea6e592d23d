package linearize

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"fencecheck/linearize/groups"
	"fencecheck/linearize/kfh"
	"fencecheck/linearize/sequential"
	"fencecheck/model"
)

func ExampleCheck() {
	h, err := Read("zombie.jsonl", strings.NewReader(`{"kfh":1,"group_protocol":"classic"}
{"i":0,"p":0,"k":"inv","op":0,"f":"join","in":{"g":"g","m":""}}
{"i":1,"p":0,"k":"fail","op":0,"out":{"err":"MEMBER_ID_REQUIRED","m":"a"}}
{"i":2,"p":0,"k":"inv","op":1,"f":"join","in":{"g":"g","m":"a"}}
{"i":3,"p":0,"k":"ok","op":1,"out":{"gen":1,"m":"a","leader":"a"}}
{"i":4,"p":1,"k":"inv","op":2,"f":"join","in":{"g":"g","m":""}}
{"i":5,"p":1,"k":"fail","op":2,"out":{"err":"MEMBER_ID_REQUIRED","m":"b"}}
{"i":6,"p":1,"k":"inv","op":3,"f":"join","in":{"g":"g","m":"b"}}
{"i":7,"k":"note","f":"expire","in":{"g":"g","m":"a"}}
{"i":8,"p":1,"k":"ok","op":3,"out":{"gen":2,"m":"b","leader":"b"}}
{"i":9,"p":1,"k":"inv","op":4,"f":"heartbeat","in":{"g":"g","m":"b","gen":2}}
{"i":10,"p":1,"k":"ok","op":4,"out":{}}
{"i":11,"p":0,"k":"inv","op":5,"f":"commit","in":{"g":"g","m":"a","gen":1,"off":{"t-0":7}}}
{"i":12,"p":0,"k":"ok","op":5,"out":{}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range Check(h, Options{}).Findings {
		fmt.Println(f.Anomaly, f.Events)
	}
	// Output: stale-generation-commit [9 10 11 12]
}

func TestEmptyHistory(t *testing.T) {
	h, err := Read("empty", strings.NewReader(testHeader))
	if err != nil {
		t.Fatal(err)
	}
	got := string(mustJSON(Check(h, Options{})))
	if !strings.HasPrefix(got, `{"file":"empty","verdict":"legal","findings":[],`) || !strings.Contains(got, `"note":"nothing checked`) {
		t.Error(got)
	}
}

func TestUnsupportedIsNotJudged(t *testing.T) {
	b := NewBuilder("b")
	b.Invoke(0, "poll", kfh.Request{})
	if r := Check(b.History(), Options{}); r.Verdict != Undecided || !strings.Contains(r.Note, "poll") {
		t.Error(r)
	}
}

// A budget that runs out is no verdict, whatever the truth is.
func TestNoBudgetNoVerdict(t *testing.T) {
	h := Record(Run{Seed: 1, Clients: 3, Requests: 100})
	if r := Check(h, Options{Budget: time.Nanosecond}); r.Verdict != Undecided || len(r.Findings) > 0 || r.Undecided != 1 {
		t.Error(r)
	}
}

// Groups are judged apart, and the findings come in the order of their proofs.
func TestComponents(t *testing.T) {
	a := Record(Run{Seed: 1, Clients: 3, Requests: 100})
	b := NewBuilder("two groups")
	pick := twinsOf(a)
	for n, h := range []*kfh.History{pick[len(pick)/3].apply(a), a, pick[2*len(pick)/3].apply(a)} {
		replay(b, h, n)
	}
	r := Check(b.History(), Options{})
	if r.Components != 3 || r.Verdict != Illegal || len(r.Findings) < 2 {
		t.Fatal(r)
	}
	if !slices.IsSortedFunc(r.Findings, func(x, y Finding) int { return x.Events[len(x.Events)-1] - y.Events[len(y.Events)-1] }) {
		t.Error(r.Findings)
	}
}

// replay repeats a history in another group.
func replay(b *Builder, h *kfh.History, n int) {
	type end struct {
		op     int
		invoke bool
	}
	at := map[int]end{}
	for i, o := range h.Ops {
		at[o.Inv] = end{i, true}
		if o.Ret >= 0 {
			at[o.Ret] = end{i, false}
		}
	}
	number := map[int]int{}
	for i := range h.Events {
		e, known := at[i]
		switch o := &h.Ops[max(e.op, 0)]; {
		case !known:
		case e.invoke:
			in := o.In
			in.Group = fmt.Sprint("g", n)
			number[e.op] = b.Invoke(1000*n+o.P, o.F, in)
		default:
			b.Complete(number[e.op], o.Outcome, o.Out, "")
		}
	}
}

func TestReportsAreRepeatable(t *testing.T) {
	h := Record(Run{Seed: 5, Clients: 4, Simple: 1, Requests: 200, DelayPercent: 20, UnknownPercent: 2})
	all := twinsOf(h)
	for k := 0; k < len(all); k += 1 + len(all)/8 {
		v := all[k].apply(h)
		first := mustJSON(Check(v, Options{}))
		for range 3 {
			if again := mustJSON(Check(v, Options{})); string(again) != string(first) {
				t.Fatalf("%s\n%s", first, again)
			}
		}
	}
	var back Report
	if err := json.Unmarshal(mustJSON(Check(h, Options{})), &back); err != nil || back.Verdict != Legal {
		t.Error(back, err)
	}
}

// held prints what a state of the search holds.
func held(state any) string { return fmt.Sprint(reflect.Indirect(reflect.ValueOf(state))) }

// Step must be a function: same config, same step, same result, and the config
// is not touched (porcupine goes back to it).
func TestStepIsPure(t *testing.T) {
	h := Record(Run{Seed: 3, Clients: 4, Simple: 1, Requests: 120, DelayPercent: 40, UnknownPercent: 4})
	s := groups.Specification(h, kfh.Split(h)[0])
	m := s.PorcupineModel()
	step := m.StepContext
	n := 0
	m.Step = func(state, input, _ any) (bool, any) {
		before := held(state)
		ok1, a := step(sequential.NoDeadline, state, input, nil)
		ok2, b := step(sequential.NoDeadline, state, input, nil)
		if ok1 != ok2 || ok1 && held(a) != held(b) {
			t.Fatalf("step %v gives %v and %v", input, a, b)
		}
		if after := held(state); after != before {
			t.Fatalf("step %v changed %s to %s", input, before, after)
		}
		n++
		return ok1, a
	}
	m.StepContext = nil
	if !porcupine.CheckOperations(m, s.Operations()) || n < len(s.Operations()) {
		t.Error("not linearizable", n)
	}
}

// Whatever a correct coordinator does under any schedule is legal.
func TestSimulatedRunsAreLegal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Run{
			Seed:           rapid.Uint64().Draw(t, "seed"),
			Clients:        rapid.IntRange(1, 4).Draw(t, "clients"),
			Simple:         rapid.IntRange(0, 2).Draw(t, "simple"),
			Requests:       rapid.IntRange(1, 250).Draw(t, "requests"),
			UnknownPercent: rapid.IntRange(0, 6).Draw(t, "unknown"),
			DelayPercent:   rapid.IntRange(0, 60).Draw(t, "delayed"),
		}
		if got := Check(Record(r), Options{}); got.Verdict != Legal {
			t.Fatalf("%+v is %s: %v", r, got.Verdict, got.Findings)
		}
	})
}

// mutants are the rules whose absence a client can see, with the least share of
// forty runs in which it must be seen.
var mutants = []struct {
	mutation model.Mutation
	least    int
}{
	{model.JoinMemberIDRequired, 5},
	{model.JoinLeaderStableRebalance, 5},
	{model.JoinMetadataChangeRebalance, 5},
	{model.JoinDropUnjoinedDynamic, 20},
	{model.JoinGenerationIncrement, 30},
	{model.EmptyGenerationIncrement, 10},
	{model.SyncMemberCheck, 20},
	{model.SyncGenerationCheck, 1},
	{model.SyncLeaderOnlyAssign, 20},
	{model.HeartbeatMemberCheck, 20},
	{model.HeartbeatGenerationCheck, 1},
	{model.HeartbeatRebalanceSignal, 1},
	{model.OffsetCommitMemberCheck, 30},
	{model.OffsetCommitGenerationCheck, 5},
	{model.OffsetCommitCompletingCheck, 5},
	{model.OffsetCommitEmptyGroupOnly, 5},
}

func TestBrokenRulesAreSeen(t *testing.T) {
	const runs = 40
	seen := func(rules model.Rules) (n int) {
		for seed := range uint64(runs) {
			h := Record(Run{Seed: seed, Rules: rules, Clients: 2 + int(seed%3), Simple: int(seed % 2), Requests: 150, DelayPercent: 20})
			c := kfh.Split(h)[0]
			j := &judge{h: h, c: c, deadline: time.Now().Add(defaultBudget)}
			if len(necessary(h, c)) > 0 || j.search(h, c) == porcupine.Illegal {
				n++
			}
		}
		return n
	}
	if n := seen(model.Rules{}); n > 0 {
		t.Fatalf("the unbroken rules are found broken in %d of %d runs", n, runs)
	}
	for _, m := range mutants {
		rules := model.Rules{}
		rules.Off = rules.Off.With(m.mutation)
		n := seen(rules)
		t.Logf("%-32s %2d of %d runs", m.mutation, n, runs)
		if n < m.least {
			t.Errorf("%s is seen in %d of %d runs, want at least %d", m.mutation, n, runs, m.least)
		}
	}
}

// Histories that break no necessary condition and have no legal order all the
// same: the search finds them, and says which answer cannot be explained.
func TestSearchExplains(t *testing.T) {
	alone := []string{
		`{"i":0,"p":0,"k":"inv","op":0,"f":"join","in":{"g":"g","m":""}}`,
		`{"i":1,"p":0,"k":"fail","op":0,"out":{"err":"MEMBER_ID_REQUIRED","m":"a"}}`,
		`{"i":2,"p":0,"k":"inv","op":1,"f":"join","in":{"g":"g","m":"a"}}`,
		`{"i":3,"p":0,"k":"ok","op":1,"out":{"gen":1,"m":"a","leader":"a","members":["a"]}}`,
		`{"i":4,"p":0,"k":"inv","op":2,"f":"sync","in":{"g":"g","m":"a","gen":1,"assign":{"a":["t-0"]}}}`,
		`{"i":5,"p":0,"k":"ok","op":2,"out":{"tps":["t-0"]}}`,
	}
	for _, c := range []struct {
		name, anomaly, why string
		events             []string
	}{
		{"a rebalance that nobody began", "unjustified-fence", "op 3", append(slices.Clone(alone),
			`{"i":6,"p":0,"k":"inv","op":3,"f":"heartbeat","in":{"g":"g","m":"a","gen":1}}`,
			`{"i":7,"p":0,"k":"fail","op":3,"out":{"err":"REBALANCE_IN_PROGRESS"}}`)},
		{"a group that cannot have members", "unjustified-fence", "the coordinator answers NONE", []string{
			`{"i":0,"p":0,"k":"inv","op":0,"f":"commit","in":{"g":"g","m":"","gen":-1,"off":{"t-0":1}}}`,
			`{"i":1,"p":0,"k":"fail","op":0,"out":{"err":"UNKNOWN_MEMBER_ID"}}`}},
		{"a generation from nowhere", "generation-regression", "op 1", append(slices.Clone(alone[:3]),
			strings.Replace(alone[3], `"gen":1`, `"gen":3`, 1))},
		{"an assignment from nowhere", "dual-owner", "the coordinator assigns []", append(slices.Clone(alone[:4]),
			`{"i":4,"p":0,"k":"inv","op":2,"f":"sync","in":{"g":"g","m":"a","gen":1}}`, alone[5])},
		{"a commit before the plan", NotLinearizable, "REBALANCE_IN_PROGRESS would be explained", append(slices.Clone(alone[:4]),
			`{"i":4,"p":0,"k":"inv","op":2,"f":"commit","in":{"g":"g","m":"a","gen":1,"off":{"t-0":1}}}`, `{"i":5,"p":0,"k":"ok","op":2,"out":{}}`)},
		{"a commit under a pending id", "unknown-member-commit", "UNKNOWN_MEMBER_ID would be explained", append(slices.Clone(alone[:2]),
			`{"i":2,"p":0,"k":"inv","op":1,"f":"commit","in":{"g":"g","m":"a","gen":0,"off":{"t-0":1}}}`, `{"i":3,"p":0,"k":"ok","op":1,"out":{}}`)},
		{"a heartbeat ahead of its time", "stale-generation-heartbeat", "ILLEGAL_GENERATION would be explained", append(slices.Clone(alone),
			`{"i":6,"p":0,"k":"inv","op":3,"f":"heartbeat","in":{"g":"g","m":"a","gen":2}}`, `{"i":7,"p":0,"k":"ok","op":3,"out":{}}`)},
		{"a heartbeat in no generation", "stale-generation-heartbeat", "ILLEGAL_GENERATION would be explained", append(slices.Clone(alone),
			`{"i":6,"p":0,"k":"inv","op":3,"f":"heartbeat","in":{"g":"g","m":"a","gen":-1}}`, `{"i":7,"p":0,"k":"ok","op":3,"out":{}}`)},
		{"a read of something else", "phantom-offset", "no accepted commit", []string{
			`{"i":0,"p":2,"k":"inv","op":2,"f":"offset-fetch","in":{"g":"g","tps":["t-0"]}}`, `{"i":1,"p":2,"k":"ok","op":2,"out":{"off":{"t-0":1}}}`}},
		{"there and back again", "offset-regression", "t-0", []string{
			`{"i":0,"p":0,"k":"inv","op":0,"f":"commit","in":{"g":"g","m":"","gen":-1,"off":{"t-0":1}}}`,
			`{"i":1,"p":1,"k":"inv","op":1,"f":"commit","in":{"g":"g","m":"","gen":-1,"off":{"t-0":2}}}`,
			`{"i":2,"p":2,"k":"inv","op":2,"f":"offset-fetch","in":{"g":"g","tps":["t-0"]}}`, `{"i":3,"p":2,"k":"ok","op":2,"out":{"off":{"t-0":1}}}`,
			`{"i":4,"p":2,"k":"inv","op":3,"f":"offset-fetch","in":{"g":"g","tps":["t-0"]}}`, `{"i":5,"p":2,"k":"ok","op":3,"out":{"off":{"t-0":2}}}`,
			`{"i":6,"p":2,"k":"inv","op":4,"f":"offset-fetch","in":{"g":"g","tps":["t-0"]}}`, `{"i":7,"p":2,"k":"ok","op":4,"out":{"off":{"t-0":1}}}`}},
	} {
		h, err := Read(c.name, strings.NewReader(lines(c.events...)))
		if err != nil {
			t.Fatal(err)
		}
		if n := necessary(h, kfh.Split(h)[0]); len(n) > 0 && c.anomaly != "phantom-offset" {
			t.Errorf("%s: breaks a necessary condition: %v", c.name, n)
		}
		r := Check(h, Options{})
		if r.Verdict != Illegal || r.Findings[0].Anomaly != c.anomaly || !strings.Contains(r.Findings[0].Why, c.why) {
			t.Errorf("%s: %s %+v, want %s and %q", c.name, r.Verdict, r.Findings, c.anomaly, c.why)
		}
	}
}

// A group goes on, after its broker was killed, as the log has it.
func TestKilledBrokersAreLegal(t *testing.T) {
	kills := 0
	for i := range 80 {
		h := Record(Run{Seed: uint64(i), Clients: 2 + i%3, Simple: i % 2, Requests: 100 + i%4*40, UnknownPercent: i % 4, DelayPercent: i % 3 * 15, Kills: 1 + i%3})
		kills += len(h.Lives()) - 1
		if r := Check(h, Options{}); r.Verdict != Legal {
			t.Errorf("%s: %s %v", h.Name, r.Verdict, r.Findings)
		}
	}
	if kills < 80 {
		t.Errorf("the broker was killed %d times only", kills)
	}
}
