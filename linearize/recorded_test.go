package linearize

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fencecheck/linearize/kfh"
)

// testdata holds recordings of Apache Kafka 4.4.0 (one broker, clients that
// speak the protocol themselves) and twins of them with one answer changed.
// What ends in -before-kill or -begin is the beginning of a recording. A row with
// twin_of has no file of its own: its edits replace events of the other. In
// marker-skip-902 the broker itself broke its rules.

type recorded struct {
	File    string   `json:"file"`
	Legal   bool     `json:"legal"`
	Ops     int      `json:"ops"`
	Anomaly string   `json:"anomaly"`
	Also    []string `json:"also"`
	Changed []int    `json:"changed"`
	TwinOf  string   `json:"twin_of"`
	Edits   []json.RawMessage
}

// read reads a recording, or makes a twin.
func (r recorded) read() (*kfh.History, error) {
	if r.TwinOf == "" {
		return ReadFile("testdata/" + r.File)
	}
	text, err := os.ReadFile("testdata/" + r.TwinOf)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(text, []byte("\n"))
	for _, e := range r.Edits {
		var at struct{ I int }
		if err := json.Unmarshal(e, &at); err != nil {
			return nil, err
		}
		lines[at.I+1] = e
	}
	return Read(r.File, bytes.NewReader(bytes.Join(lines, []byte("\n"))))
}

func manifest(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("testdata/manifest.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []recorded
	lines := bufio.NewScanner(f)
	for lines.Buffer(nil, kfh.MaxLine); lines.Scan(); {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func TestRecordedHistories(t *testing.T) {
	all := manifest(t)
	files, err := filepath.Glob("testdata/*.jsonl")
	own := 0
	for _, r := range all {
		if r.TwinOf == "" {
			own++
		}
	}
	if err != nil || own != len(files)-1 {
		t.Fatalf("the manifest has rows of %d files for %d files (%v)", own, len(files)-1, err)
	}
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			h, err := want.read()
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			r := Check(h, Options{})
			t.Logf("%d requests in %v, %d explained by silence", r.Ops, time.Since(start).Round(time.Millisecond), r.ExplainedBySilence)
			checkRecorded(t, want, r)
		})
	}
}

func checkRecorded(t *testing.T, want recorded, r Report) {
	t.Helper()
	if r.Ops != want.Ops || r.Components != 1 || r.Checks.Linearization == 0 {
		t.Errorf("checked %+v, want %d requests", r, want.Ops)
	}
	if want.Legal {
		if r.Verdict != Legal || len(r.Findings) != 0 || r.Findings == nil {
			t.Errorf("legal, but %s %+v", r.Verdict, r.Findings)
		}
		return
	}
	at := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Anomaly == want.Anomaly })
	if r.Verdict != Illegal || at < 0 {
		t.Fatalf("want %s, got %s %+v", want.Anomaly, r.Verdict, r.Findings)
	}
	if proof := r.Findings[at].Events; !slices.ContainsFunc(want.Changed, func(i int) bool { return slices.Contains(proof, i) }) {
		t.Errorf("the proof %v lacks the changed events %v", proof, want.Changed)
	}
	for _, f := range r.Findings {
		if f.Anomaly != want.Anomaly && !slices.Contains(want.Also, f.Anomaly) {
			t.Errorf("%s is neither %s nor one of %v", f.Anomaly, want.Anomaly, want.Also)
		}
	}
}

func TestReadFileOfNothing(t *testing.T) {
	if _, err := ReadFile("testdata/none.jsonl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
