package counterexamples

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"fencecheck/scenarios"
)

// broken are files that must be refused: what is changed in a good one, and
// what the error must say.
var broken = []struct {
	name     string
	from, to string
	want     []string
}{
	{"format", `"format": 1`, `"format": 2`, []string{"x.json:2:13", "format: found 2", "reads format 1"}},
	{"no format", `"format": 1,`, ``, []string{"x.json:1:1", `"format": 1`}},
	{"format as a word", `"format": 1`, `"format": "1"`, []string{"found 1"}},
	{"unknown key", `"title"`, `"titel"`, []string{"x.json:4:3", `unknown key "titel"`, `did you mean "title"?`}},
	{"key twice", `"title"`, `"story"`, []string{"x.json:5:3", "found this key twice"}},
	{"operation gone", `"op": "pause"`, `"op": "paus"`, []string{"@", "step 7", `unknown operation "paus"`, `did you mean "pause"?`}},
	{"mutation gone", `"offset-commit-member-check"]`, `"offset-commit-member-chek"]`, []string{"x.json:", "mutations", `did you mean "offset-commit-member-check"?`}},
	{"property gone", `"property": "no-stale-commit",
  "kind"`, `"property": "no-stale-commits",
  "kind"`, []string{"x.json:6:15", `did you mean "no-stale-commit"?`}},
	{"kind", `"kind": "invariant"`, `"kind": "goal"`, []string{"x.json:7:11", `is of kind "invariant"`}},
	{"parameter gone", `"process", "params": {"client": "m1", "partition": "p0"}`, `"process", "params": {"client": "m1", "parttion": "p0"}`,
		[]string{"@", "step 6", `unknown key "parttion"`, `did you mean "partition"?`}},
	{"parameter missing", `"process", "params": {"client": "m1", "partition": "p0"}`, `"process", "params": {"client": "m1"}`,
		[]string{"step 6", `"partition" is missing`}},
	{"no such client", `"pause", "params": {"client": "m1"}`, `"pause", "params": {"client": "m2"}`, []string{"step 7, client", `found "m2"; right would be m1`}},
	{"no such partition", `"partition": "p0"`, `"partition": "p1"`, []string{"step 6, partition", `found "p1"; right would be p0`}},
	{"no such member", `"m1.1"`, `"m1.9"`, []string{"step 8, member", `found "m1.9"`}},
	{"number for a word", `"client": "m1"`, `"client": 1`, []string{"found 1; right would be a string"}},
	{"cut off", `"op": "resume"`, "", nil},
	{"scenario key", `"records": 1`, `"recrods": 1`, []string{"@", `did you mean "records"?`}},
	{"scenario number", `"members": 1`, `"members": 9`, []string{"members: found 9; right would be 1 to 5"}},
	{"no JSON", `"format": 1,`, `"format": ,`, []string{"x.json:2:", "not JSON"}},
	{"more behind", "\n  ]\n}\n", "\n  ]\n}\n{}", []string{"found more behind the end"}},
	{"no steps", `"steps": [`, `"setps": [`, []string{`unknown key "setps"`}},
}

func goodFile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/readable.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestReadRefuses(t *testing.T) {
	good := goodFile(t)
	for _, b := range broken {
		t.Run(b.name, func(t *testing.T) {
			text := strings.Replace(good, b.from, b.to, 1)
			if text == good {
				t.Fatalf("%q is not in the file", b.from)
			}
			_, err := Read("x.json", []byte(text))
			if err == nil {
				t.Fatal("was taken")
			}
			var input *scenarios.InputError
			if !errors.As(err, &input) || input.Line == 0 || input.Column == 0 {
				t.Errorf("no place in %q", err)
			}
			for _, want := range b.want {
				if want == "@" { // the line that was changed
					want = fmt.Sprintf("x.json:%d:", 1+strings.Count(text[:strings.Index(text, b.to)], "\n"))
				}
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
		})
	}
}

// A file that was cut off anywhere is refused with the place.
func TestReadRefusesTruncated(t *testing.T) {
	good := strings.TrimRight(goodFile(t), "\n")
	for n := range len(good) {
		_, err := Read("x.json", []byte(good[:n]))
		if err == nil {
			t.Fatalf("the first %d bytes were taken", n)
		}
		if !strings.HasPrefix(err.Error(), "x.json:") {
			t.Fatalf("the first %d bytes: %q has no place", n, err)
		}
		if n > 0 && !strings.Contains(err.Error(), "cut off") && !strings.Contains(err.Error(), "not JSON") {
			t.Fatalf("the first %d bytes: %q", n, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format": 1}`))
	for name := range Saved() {
		text, err := embedded.ReadFile(name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Read("x.json", text)
		if err != nil || c.Kind == Goal { // whether a goal is out of reach may take a long search
			return
		}
		if _, err := Replay(c); err != nil {
			t.Error(err)
		}
	})
}
