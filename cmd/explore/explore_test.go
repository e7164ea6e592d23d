package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"fencecheck/search"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"explore": main})
}

// The scripts run the real main: each command, each exit status, and bad input
// of each kind.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			histories, err := filepath.Abs("../../linearize/testdata")
			env.Setenv("HISTORIES", histories)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status, "objects": objects,
		},
	})
}

// status runs explore and demands an exit status: status 2 run no-such-thing.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N ARGUMENT...")
	}
	err := ts.Exec("explore", args[1:]...)
	got := "0"
	var exit interface{ ExitCode() int }
	if errors.As(err, &exit) {
		got = string(rune('0' + exit.ExitCode()))
	}
	if got != args[0] {
		ts.Fatalf("explore %s: exit status %s, right would be %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// objects demands that standard output has one JSON object a line, each with
// the keys that are named and, where a key is written key=value, that value.
func objects(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.TrimSpace(ts.ReadFile("stdout"))
	for line := range strings.SplitSeq(text, "\n") {
		object := map[string]any{}
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			ts.Fatalf("no JSON object: %v: %s", err, line)
		}
		for _, arg := range args {
			key, want, exact := strings.Cut(arg, "=")
			got, ok := object[key]
			if !ok {
				ts.Fatalf("key %q is missing: %s", key, line)
			}
			if text, _ := json.Marshal(got); exact && strings.Trim(string(text), `"`) != want {
				ts.Fatalf("key %q is %s, right would be %s", key, text, want)
			}
		}
	}
}

// A report has the fields that are promised, and no others.
func TestReportFields(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if got := run(context.Background(), []string{"run", "commit-overtakes-commit", "--json"}, &stdout, &stderr); got != statusViolated {
		t.Fatalf("exit status %d: %s", got, &stderr)
	}
	promised := "scenario verdict complete states transitions depth seconds states_per_second bytes_per_state " +
		"collision_probability bounds coverage mutations violation"
	var keys []string
	d := json.NewDecoder(&stdout)
	var object map[string]json.RawMessage
	if err := d.Decode(&object); err != nil {
		t.Fatal(err)
	}
	for key := range strings.FieldsSeq(promised) {
		if _, ok := object[key]; !ok {
			t.Errorf("%q is missing", key)
		}
		keys = append(keys, key)
		delete(object, key)
	}
	if len(object) > 0 {
		t.Errorf("besides %v there are %v", keys, object)
	}
}

// A full disk under standard output is bad input, not a result.
func TestStandardOutputFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full")
	}
	defer full.Close()
	for _, args := range [][]string{{"run", "commit-overtakes-commit"}, {"run", "commit-overtakes-commit", "--json"}, {"list"}, {"show", "zombie-commit"}, {}} {
		var stderr bytes.Buffer
		if got := run(context.Background(), args, full, &stderr); got != statusUsage || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("explore %v: exit status %d, %s", args, got, &stderr)
		}
	}
}

func TestWorst(t *testing.T) {
	order := []int{statusHolds, statusIncomplete, statusVacuous, statusViolated, statusUsage}
	for i, a := range order {
		for j, b := range order {
			if got := worst(a, b); got != order[max(i, j)] {
				t.Errorf("worst(%d, %d) = %d", a, b, got)
			}
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]size{"8GiB": 8 << 30, "512MiB": 512 << 20, "1.5 GiB": 3 << 29, "100": 100, "2GB": 2e9} {
		var got size
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1GiB", "8GB8", "eight", "1e30GiB", "NaN", "0"} {
		var got size
		if err := got.Set(text); err == nil {
			t.Errorf("%q was taken as %d", text, got)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
}

func TestTwoDigits(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 7: 7, 99: 99, 101: 100, 995: 1000, 123456: 120000, 125000: 130000} {
		if got := twoDigits(n); got != want {
			t.Errorf("%d is rounded to %d", n, got)
		}
	}
}

func TestProgressLine(t *testing.T) {
	p := search.Progress{States: 1200, Frontier: 200, Depth: 7, Elapsed: 10 * time.Second}
	if got, want := progressLine("x", p), "x: 1,200 states, 120/s, depth 7, frontier 200, 0 MiB, 10s"; got != want {
		t.Errorf("without an estimate: %s", got)
	}
	p.Total = 1512
	if got, want := progressLine("x", p), "; about 1,500 in all and 5s to go if levels keep shrinking"; !strings.HasSuffix(got, want) {
		t.Errorf("with an estimate: %s", got)
	}
}
