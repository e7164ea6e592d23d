package linearize

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// testdata holds recordings of Apache Kafka 4.4.0 (one broker, clients that
// speak the protocol themselves) and twins of them with one answer changed.
// restart-classic-112-before-kill is the part of a recording before its broker
// is killed.

type recorded struct {
	File    string   `json:"file"`
	Legal   bool     `json:"legal"`
	Ops     int      `json:"ops"`
	Anomaly string   `json:"anomaly"`
	Also    []string `json:"also"`
	Changed []int    `json:"changed"`
}

func manifest(t *testing.T) []recorded {
	t.Helper()
	f, err := os.Open("testdata/manifest.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []recorded
	for lines := bufio.NewScanner(f); lines.Scan(); {
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
	if err != nil || len(all) != len(files)-1 {
		t.Fatalf("the manifest has %d rows for %d files (%v)", len(all), len(files)-1, err)
	}
	for _, want := range all {
		t.Run(want.File, func(t *testing.T) {
			h, err := ReadFile("testdata/" + want.File)
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
	if r.Verdict != Illegal || r.Findings[0].Anomaly != want.Anomaly {
		t.Fatalf("want %s first, got %s %+v", want.Anomaly, r.Verdict, r.Findings)
	}
	if !slices.Contains(r.Findings[0].Events, want.Changed[0]) {
		t.Errorf("the proof %v lacks the changed event %d", r.Findings[0].Events, want.Changed[0])
	}
	for _, f := range r.Findings[1:] {
		if !slices.Contains(want.Also, f.Anomaly) {
			t.Errorf("%s is neither %s nor one of %v", f.Anomaly, want.Anomaly, want.Also)
		}
	}
}

func TestReadFileOfNothing(t *testing.T) {
	if _, err := ReadFile("testdata/none.jsonl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
