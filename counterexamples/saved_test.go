package counterexamples

import (
	"bytes"
	"context"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fencecheck/model"
	"fencecheck/scenarios"
	"fencecheck/search"
)

var update = flag.Bool("update", false, "search the saved counterexamples again, and rewrite the golden files")

// saved says where each saved counterexample comes from.
var saved = []struct {
	name, scenario string
	mutate         []string
	property       string // "" for whatever is found first
	confirmed      string // the broker that answers so; .ci/run asks it again
}{
	{"zombie-commit", "zombie-commit", []string{"offset-commit-generation-check", "offset-commit-member-check"}, "", ""},
	{"late-commit", "late-commit", []string{"offset-commit-generation-check"}, "", ""},
	{"commit-in-empty-group", "commit-in-empty-group", nil, "", "Apache Kafka 4.4.0"},
	{"commit-overtakes-commit", "commit-overtakes-commit", nil, "", "Apache Kafka 4.4.0"},
	{"ghost-members", "ghost-members", nil, "", "Apache Kafka 4.4.0"},
	{"dead-member-keeps-partition", "classic-eager", []string{"session-expiry"}, "group-recovers", ""},
	{"two-owners-in-one-generation", "zombie-commit", []string{"join-generation-increment"}, "single-owner", ""},
	{"lost-partitions-kept", "zombie-commit", []string{"client-lost-on-reset"}, "single-owner", ""},
	{"skipped-record", "at-least-once", []string{"client-commit-processed"}, "", ""},
	{"live-member-expelled", "classic-eager", []string{"session-skip-parked"}, "no-false-fence", ""},
	{"eos-bare-group-id", "eos-bare-group-id", nil, "", "Apache Kafka 4.4.0"},
	{"delayed-end-txn-tv1", "delayed-end-txn-tv1", nil, "", "Apache Kafka 4.4.0"},
	{"late-produce-tv1", "late-produce-tv1", nil, "", "Apache Kafka 4.4.0"},
	{"hanging-transaction-tv1", "late-produce-tv1", nil, "no-hanging-transaction", "Apache Kafka 4.4.0"},
	{"marker-skip", "marker-skip", nil, "", ""},
	{"zombie-coordinator-tv1", "zombie-coordinator-tv1", nil, "", ""},
	{"renew-at-last-epoch", "renew-at-last-epoch", nil, "", ""},
	{"zombie-group-metadata", "eos-group-metadata", []string{"txn-offset-commit-member-check"}, "", ""},
	{"old-positions-new-generation", "restamped-commit", []string{"offset-commit-completing-check"}, "", ""},
}

func mutated(t testing.TB, id string, mutate []string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.ByID(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mutate {
		m, err := scenarios.MutationByID(name)
		if err != nil {
			t.Fatal(err)
		}
		s = s.With(model.Mutations{}.With(m))
	}
	return s
}

// search looks for the shortest violation with a number of workers.
func searched(t testing.TB, s *scenarios.Scenario, property string, workers int) *Counterexample {
	t.Helper()
	if property != "" {
		var err error
		if s, err = s.Only(property); err != nil {
			t.Fatal(err)
		}
	}
	o := s.Options()
	o.Workers = workers
	r := search.BreadthFirst(context.Background(), s.System(), o)
	if r.Violation == nil {
		t.Fatalf("%s with %v: %s", s.ID, s.Config.Rules.Off.List(), r.Verdict)
	}
	c, err := Minimal(context.Background(), s, Found{r.Violation.Property, r.Violation.Trace.Steps})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Steps) > len(r.Violation.Trace.Steps) {
		t.Errorf("%s: %d steps, the search needs %d", s.ID, len(c.Steps), len(r.Violation.Trace.Steps))
	}
	return c
}

func written(t testing.TB, c *Counterexample, write func(io.Writer, *Counterexample) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// golden compares with a file, or rewrites it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./counterexamples -update rewrites it):\n%s", path, got)
	}
}

// A saved counterexample is what a search finds today, whatever the number of
// workers, and reads as it did.
func TestSaved(t *testing.T) {
	for _, entry := range saved {
		t.Run(entry.name, func(t *testing.T) {
			t.Parallel()
			s := mutated(t, entry.scenario, entry.mutate)
			c := searched(t, s, entry.property, 1)
			c.Confirmed = entry.confirmed
			text := written(t, c, Write)
			golden(t, entry.name+".json", text)
			again := searched(t, s, entry.property, 3)
			again.Confirmed = entry.confirmed
			if again := written(t, again, Write); again != text {
				t.Errorf("three workers give another counterexample than one:\n%s", again)
			}
			golden(t, filepath.Join("testdata", entry.name+".txt"), written(t, c, Text))
			diagram := written(t, c, Mermaid)
			golden(t, filepath.Join("testdata", entry.name+".mmd"), diagram)
			lintMermaid(t, diagram)
		})
	}
}

// Every file that is embedded replays, reads back as it was written, and is one
// of those above.
func TestSavedReplay(t *testing.T) {
	names := map[string]bool{}
	for _, entry := range saved {
		names[entry.name] = true
	}
	if got, want := SavedNames(), slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) {
		t.Errorf("saved are %v, described above are %v", got, want)
	}
	for name, c := range Saved() {
		if d, err := Replay(c); err != nil || d != nil {
			t.Errorf("%s: %v, %v", name, d, err)
		}
		if c.Scenario.Expect.Length != len(c.Steps) {
			t.Errorf("%s: expects %d steps, has %d", name, c.Scenario.Expect.Length, len(c.Steps))
		}
		text, err := embedded.ReadFile(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if again := written(t, c, Write); again != string(text) {
			t.Errorf("%s changes when it is read and written:\n%s", name, again)
		}
		noStepToSpare(t, name, c)
	}
}

// noStepToSpare demands that no single step can be left out.
func noStepToSpare(t *testing.T, name string, c *Counterexample) {
	t.Helper()
	g, err := newTrial(context.Background(), c.Scenario, c.Property)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Steps {
		if _, ok := g.try(slices.Delete(slices.Clone(c.Steps), i, i+1)); ok {
			t.Errorf("%s: step %d (%s) can be left out", name, i+1, OpName(c.Steps[i]))
		}
	}
}

var mermaidLine = regexp.MustCompile(`^    (?:title [^;#]*|participant \w+(?: as [\w ]+)?|rect rgb\(\d+, \d+, \d+\)|end` +
	`|Note over \w+(?:,\w+)?: .+|\w+(?:->>|-->>|-\)|--\))\w+: .+)$`)

var mermaidEntity = regexp.MustCompile(`#(?:\d+|lt|gt);`)

// lintMermaid demands lines of the few kinds that a diagram is made of, between
// participants that were introduced, without a character that ends a line.
func lintMermaid(t *testing.T, diagram string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(diagram, "\n"), "\n")
	if lines[0] != "sequenceDiagram" {
		t.Errorf("begins with %q", lines[0])
	}
	open := 0
	for _, line := range lines[1:] {
		if !mermaidLine.MatchString(line) {
			t.Errorf("no line of a sequence diagram: %q", line)
		}
		if rest := mermaidEntity.ReplaceAllString(line, ""); strings.ContainsAny(rest, "#;") {
			t.Errorf("not escaped: %q", line)
		}
		switch strings.Fields(line)[0] {
		case "rect":
			open++
		case "end":
			open--
		}
	}
	if open != 0 {
		t.Errorf("%d rects are not closed", open)
	}
}
