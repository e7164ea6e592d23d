package counterexamples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fencecheck/model"
	"fencecheck/model/cluster"
	"fencecheck/ops"
	"fencecheck/scenarios"
	"fencecheck/search"
)

// Whatever happens can be told: a step in which the coordinator decided a
// request shows the request and, where it was answered, the answer that was
// counted.
func TestEveryRunCanBeTold(t *testing.T) {
	everyRunCanBeTold(t, runs([]string{"offset-commit-member-check", "client-commit-only-stable"}, nil))
}

// The same with transactions, of any version.
func TestEveryTransactionCanBeTold(t *testing.T) {
	everyRunCanBeTold(t, runsOf(func(t *rapid.T, d *scenarios.Definition) {
		drawProducers(t, d)
		d.Version = rapid.IntRange(1, 2).Draw(t, "version")
		d.BareGroup = rapid.Bool().Draw(t, "bare group")
		for _, b := range []cluster.Budget{cluster.LostAppends, cluster.ProducerExpiries, cluster.IDExpiries} {
			if n := rapid.IntRange(0, 2).Draw(t, b.String()); n > 0 {
				d.Faults[b.String()] = n
			}
		}
	}, []string{"end-txn-epoch-check", "marker-epoch-check", "txn-offset-commit-member-check"}, nil))
}

func everyRunCanBeTold(t *testing.T, all *rapid.Generator[run]) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		r := all.Draw(rt, "run")
		c := &Counterexample{Property: r.scenario.Invariants[0].Name, Kind: Invariant, Scenario: r.scenario, Steps: r.steps}
		s, err := Tell(c)
		if err != nil {
			rt.Fatal(err)
		}
		sys := r.scenario.System()
		var cur, next cluster.State
		cur.Initial(sys.Config())
		for i, told := range s.Steps {
			taken, ok := sys.Take(&cur, &next, r.steps[i])
			if !ok {
				rt.Fatalf("step %d is not enabled", i+1)
			}
			if problem := misToldStep(sys.Config(), &next.Last, taken, &told); problem != "" {
				rt.Fatalf("step %d, %s: %s: %+v", i+1, OpName(taken), problem, told)
			}
			cur = next
		}
	})
}

// misToldStep compares what is told with what happened.
func misToldStep(cfg *cluster.Config, ev *cluster.Event, st search.Step, told *StoryStep) string {
	texts := []string{told.Does, told.Stale}
	for _, m := range told.Messages {
		texts = append(texts, m.String())
	}
	for _, c := range told.Changes {
		texts = append(texts, c.What)
	}
	for _, text := range append(texts, told.Missing...) {
		if strings.Contains(text, "%!") || strings.ContainsAny(text, "{}") {
			return "badly formatted"
		}
	}
	if told.Does == "" || told.Lane == "" {
		return "nothing is done by nobody"
	}
	if ev.API == model.NoAPI || ev.API == model.DeleteGroups {
		return ""
	}
	request := slices.ContainsFunc(told.Messages, func(m Message) bool {
		from := m.From == clientName(cfg, int(ev.Client)) || ev.API == model.WriteTxnMarkers && (m.From == transactions || m.From == oldCoordinator)
		return m.Request && m.API == ev.API.String() && from && !m.Delayed
	})
	if !request {
		return "the request is missing"
	}
	answer := Answer(st)
	answered := slices.ContainsFunc(told.Messages, func(m Message) bool {
		return !m.Request && m.API == ev.API.String() && (m.Held || answer == "parked" || strings.HasPrefix(m.Text, answer))
	})
	if !answered {
		return "the answer " + answer + " is missing"
	}
	return ""
}

// Every request that can be sent has its words, in one part's table.
func TestEveryRequestHasWords(t *testing.T) {
	for _, api := range model.EveryAPI() {
		_, group := groupRequests[api]
		_, producer := transactionRequests[api]
		if group == producer {
			t.Errorf("%s: words of groups %t, of transactions %t", api, group, producer)
		}
		if wordsOf(api).at == nil {
			t.Errorf("%s: nobody decides it", api)
		}
	}
}

// Whatever the words of operations and the endings of properties refer to has a
// name in stories, and no name is there for nothing.
func TestReferences(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../ops/*table.go", "../invariants/*endings.go", "../invariants/invariants.go", "../invariants/groups.go", "../invariants/transactions.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	used := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, literal := range regexp.MustCompile(`"[^"\n]*"`).FindAll(text, -1) {
			for _, ref := range regexp.MustCompile(`\{(\w+)( %d)*\}`).FindAllSubmatch(literal, -1) {
				name := string(ref[1])
				if used[name] = true; references[name] == nil {
					t.Errorf("%s: %s has no name in stories", file, ref[0])
				}
			}
		}
	}
	for name := range references {
		if !used[name] {
			t.Errorf("nobody refers to {%s}", name)
		}
	}
}

// Parameters are read as they are written.
func TestParametersRoundTrip(t *testing.T) {
	cfg := &cluster.Config{Members: 3, Simple: 2, Partitions: 3, Topics: 2}
	cfg.Budgets[cluster.AddedPartitions] = 1
	domains := map[ops.Param][]uint8{
		ops.Client: {0, 1, 2, 3, 4}, ops.Partition: {0, 1, 2, 3}, ops.Lane: {0, 1}, ops.Late: {0, 1, 2}, ops.Topics: {1, 2, 3},
	}
	for client := range 5 {
		for life := range 8 {
			domains[ops.Member] = append(domains[ops.Member], uint8(cluster.NewMemberID(client, life)))
		}
	}
	for kind, values := range domains {
		seen := map[string]bool{}
		for _, v := range values {
			word := paramValue(cfg, kind, v)
			if got, err := parseParam(cfg, kind, word); err != nil || got != v || seen[word] {
				t.Errorf("%s %d is written %q and read %d, %v", kind, v, word, got, err)
			}
			seen[word] = true
		}
	}
	for kind, word := range map[ops.Param]string{
		ops.Client: "m4", ops.Partition: "p4", ops.Lane: "both", ops.Late: "-1", ops.Topics: "t2", ops.Member: "m1.0",
	} {
		if v, err := parseParam(cfg, kind, word); err == nil {
			t.Errorf("%s %q is read as %d", kind, word, v)
		}
	}
}
