package counterexamples

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// shrink minimises better than rapid can, and a saved counterexample is what
// keeps a failure, so rapid need do neither.
func init() {
	for name, value := range map[string]string{"rapid.shrinktime": "0s", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// longest bounds a random run.
const longest = 150

// drawDefinition draws a scenario, larger than those that are searched
// exhaustively: who takes part, which faults may happen, and what must hold.
func drawDefinition(t *rapid.T, d *scenarios.Definition) {
	*d = scenarios.Definition{
		ID: "random", Title: "a random scenario", Protocol: "classic-eager", Expect: scenarios.Expectation{Verdict: "holds"},
		Members:    rapid.IntRange(3, 5).Draw(t, "members"),
		Partitions: rapid.IntRange(2, 4).Draw(t, "partitions"),
		Records:    rapid.IntRange(0, 6).Draw(t, "records"),
		Commit:     rapid.SampledFrom([]string{"after", "before", "on-revoke"}).Draw(t, "commit"),
		Clock:      rapid.SampledFrom([]string{"timely", "async"}).Draw(t, "clock"),
		JoinV3:     rapid.IntRange(0, 3).Draw(t, "join v3") == 0,
		Faults:     map[string]int{},
	}
	d.Simple = rapid.IntRange(0, min(1, cluster.MaxClients-d.Members)).Draw(t, "simple")
	d.Topics = rapid.IntRange(1, 2).Draw(t, "topics")
	d.InitialDelays = rapid.IntRange(0, 2).Draw(t, "initial delays")
	lists := [][]string{{"range"}, {"roundrobin"}, {"range", "roundrobin"}, {"roundrobin", "range"}}
	alike := rapid.IntRange(0, 3).Draw(t, "assignors alike") > 0
	for i := range d.Members {
		if i == 0 || !alike {
			d.Assignors = append(d.Assignors, rapid.SampledFrom(lists).Draw(t, "assignors"))
			continue
		}
		d.Assignors = append(d.Assignors, d.Assignors[0])
	}
	drawFaults(t, d)
	d.Invariants = applicable(d)
}

func drawFaults(t *rapid.T, d *scenarios.Definition) {
	for b := range cluster.NumBudgets {
		if b.Part() == model.TransactionsPart {
			continue
		}
		least, most := 0, 3
		switch b {
		case cluster.LateRequests, cluster.LostAnswers:
			most = 2 * rapid.IntRange(0, 1).Draw(t, "requests travel")
		case cluster.AddedPartitions:
			most = min(1, cluster.MaxPartitions-d.Partitions)
		case cluster.Subscriptions:
			most = d.Topics - 1
		case cluster.Expiries:
			if d.Clock != "async" {
				continue
			}
			least = 1
		}
		if n := rapid.IntRange(least, most).Draw(t, b.String()); n > 0 {
			d.Faults[b.String()] = n
		}
	}
	if d.Faults["late_requests"]+d.Faults["lost_answers"] > 0 {
		drawTravels(t, d, func(part model.ProtocolPart) bool { return part != model.TransactionsPart })
		if len(d.Travels) == 0 {
			d.Travels = []string{"OffsetCommit"}
		}
	}
}

// drawTravels draws which requests of some parts of the protocol may travel.
func drawTravels(t *rapid.T, d *scenarios.Definition, of func(model.ProtocolPart) bool) {
	for _, api := range model.EveryAPI() {
		if of(api.Part()) && !model.APIs[api].Admin && rapid.Bool().Draw(t, api.String()+" travels") {
			d.Travels = append(d.Travels, api.String())
		}
	}
}

// applicable has the invariants that a correct Kafka keeps in a scenario.
// Commits that are late, or of simple consumers, move offsets back, and what is
// read twice for that reason, or from a group that was deleted, is also
// processed twice.
func applicable(d *scenarios.Definition) []string {
	names := []string{"single-owner", "no-stale-commit", "generation-monotone"}
	calm := d.Simple == 0 && d.Faults["late_requests"] == 0
	if calm {
		names = append(names, "offset-monotone")
	}
	switch d.Commit {
	case "before":
		if calm && d.Faults["deletions"] == 0 {
			names = append(names, "no-duplicate-output")
		}
	default:
		names = append(names, "no-lost-input")
	}
	if d.Clock == "timely" {
		names = append(names, "no-false-fence")
	}
	if d.Simple > 0 {
		names = append(names, "no-stranger-commit")
	}
	return names
}

// A run is a random one: its scenario, its steps, and what it violated.
type run struct {
	scenario *scenarios.Scenario
	steps    []search.Step
	violated string
}

// runs draws a scenario with some mutations on, and then its interleaving, step
// by step from those that are enabled and change something: the schedule is
// data.
func runs(mutations []string, change func(d *scenarios.Definition)) *rapid.Generator[run] {
	return runsOf(drawDefinition, mutations, change)
}

// runsOf draws the scenario in a given way.
func runsOf(draw func(t *rapid.T, d *scenarios.Definition), mutations []string, change func(d *scenarios.Definition)) *rapid.Generator[run] {
	base, err := scenarios.ByID("classic-eager")
	if err != nil {
		panic(err)
	}
	return rapid.Custom(func(t *rapid.T) run {
		s, err := base.Change(func(d *scenarios.Definition) {
			draw(t, d)
			if change != nil {
				change(d)
			}
			d.Mutations = mutations
		})
		if err != nil {
			t.Fatal(err)
		}
		r := run{scenario: s}
		r.walk(t)
		return r
	})
}

func (r *run) walk(t *rapid.T) {
	sys, o := r.scenario.System(), r.scenario.Options()
	var cur, next cluster.State
	cur.Initial(sys.Config())
	var enabled []search.Step
	for len(r.steps) < longest {
		enabled = enabled[:0]
		sys.Next(&cur, &next, func(st search.Step) {
			if next.Last = cur.Last; next != cur {
				enabled = append(enabled, st)
			}
		})
		if len(enabled) == 0 {
			return
		}
		st := enabled[rapid.IntRange(0, len(enabled)-1).Draw(t, "step")]
		if _, ok := sys.Take(&cur, &next, st); !ok {
			t.Fatalf("%s was enabled and cannot be taken", OpName(st))
		}
		r.steps = append(r.steps, st)
		for _, p := range o.Invariants {
			if p.State != nil && !p.State(&next) || p.Step != nil && !p.Step(&cur, st, &next) {
				r.violated = p.Name
				return
			}
		}
		cur = next
	}
}

// Without mutations no random run violates anything, in scenarios that are too
// large to be exhausted.
func TestRandomScenarios(t *testing.T) {
	randomRunsHold(t, 60, runs(nil, nil))
}

// The same with transactions.
func TestRandomTransactions(t *testing.T) {
	randomRunsHold(t, 40, runsOf(drawProducers, nil, nil))
}

func randomRunsHold(t *testing.T, rounds int, all *rapid.Generator[run]) {
	t.Helper()
	dir := ""
	steps := 0
	for range rounds {
		rapid.Check(t, func(rt *rapid.T) {
			r := all.Draw(rt, "run")
			steps += len(r.steps)
			if r.violated == "" {
				return
			}
			if dir == "" {
				var err error
				if dir, err = os.MkdirTemp("", "fencecheck-"); err != nil {
					rt.Fatal(err)
				}
			}
			rt.Fatal(explain(rt, &r, filepath.Join(dir, "counterexample.json")))
		})
	}
	t.Logf("%d random steps", steps)
}

// explain minimises a failure by shrink, saves it and tells it.
func explain(t rapid.TB, r *run, path string) string {
	steps, err := shrunk(r.scenario, Found{r.violated, r.steps})
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCounterexample(context.Background(), r.scenario, r.violated, steps)
	if err != nil {
		t.Fatal(err)
	}
	if err := Save(path, c); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := Text(&text, c); err != nil {
		t.Fatal(err)
	}
	return text.String() + "\nrepeat it with: go run ./cmd/explore replay " + path
}

// sought has mutations that random runs must find. Where runs of every kind
// would rarely come near, the scenario is narrowed.
var sought = []struct {
	mutations []string
	narrow    func(d *scenarios.Definition)
}{
	{[]string{"join-generation-increment"}, nil},
	{[]string{"client-commit-processed"}, func(d *scenarios.Definition) { d.Commit, d.Invariants = "after", []string{"no-lost-input"} }},
	{[]string{"client-lost-on-reset"}, nil},
	{[]string{"offset-commit-empty-group-only"}, func(d *scenarios.Definition) {
		d.Members, d.Simple, d.Assignors, d.Invariants = 3, 1, nil, []string{"no-stranger-commit"}
	}},
	{[]string{"offset-commit-generation-check", "offset-commit-member-check"}, func(d *scenarios.Definition) {
		d.Invariants = []string{"no-stale-commit"}
	}},
}

// With a rule gone, random runs find it.
func TestRandomScenariosFindMutations(t *testing.T) {
	const most = 400
	for _, target := range sought {
		name := strings.Join(target.mutations, " ")
		all := runs(target.mutations, target.narrow)
		found := false
		for seed := 0; seed < most && !found; seed++ {
			r := all.Example(seed)
			if found = r.violated != ""; !found {
				continue
			}
			steps, err := shrunk(r.scenario, Found{r.violated, r.steps})
			if err != nil {
				t.Fatal(err)
			}
			noStepToSpare(t, name, &Counterexample{Property: r.violated, Scenario: r.scenario, Steps: steps})
			t.Logf("%s: %s, seed %d, %d steps, minimised %d", name, r.violated, seed, len(r.steps), len(steps))
			path := filepath.Join(t.TempDir(), "found.json")
			if text := explain(t, &r, path); !strings.Contains(text, "replay "+path) {
				t.Errorf("the explanation does not say how to repeat it:\n%s", text)
			}
			c, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if d, err := Replay(c); err != nil || d != nil && !slices.Contains(target.mutations, "offset-commit-generation-check") {
				t.Errorf("%s: %v, %v", name, d, err)
			}
		}
		if !found {
			t.Errorf("%s: not found by %d random runs", name, most)
		}
	}
}
