package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"fencecheck/scenarios"
)

// small tells whether a row of the table is quickly counted again.
var small = regexp.MustCompile(`^\S+ +\S+( +(-|[1-9][0-9]?,[0-9]{3}|[0-9]{1,3}))+$`)

// The table of states with and without reductions has every scenario, and its
// numbers are today's: the small rows are counted again, with -update all.
func TestReductionsTable(t *testing.T) {
	const path = "../../scenarios/REDUCTIONS.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	count := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if status := run(context.Background(), append([]string{"reductions"}, args...), &stdout, &stderr); status != statusHolds {
			t.Fatalf("explore reductions %v: status %d, %s", args, status, &stderr)
		}
		return stdout.String()
	}
	block := quoted.FindSubmatchIndex(text)
	if block == nil {
		t.Fatal("the page has no table")
	}
	if *update {
		now := string(text[:block[4]]) + count() + string(text[block[5]:])
		if err := os.WriteFile(path, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	rows := strings.Split(strings.TrimSpace(string(text[block[4]:block[5]])), "\n")
	wanted, ids := rows[:1], []string{}
	for i, row := range rows[1:] {
		id, _, _ := strings.Cut(row, " ")
		if all := scenarios.All(); i >= len(all) || all[i].ID != id {
			t.Fatalf("row %d is of %s", i+1, id)
		}
		if small.MatchString(row) {
			wanted, ids = append(wanted, row), append(ids, id)
		}
	}
	if len(rows)-1 != len(scenarios.All()) || len(ids) < 10 {
		t.Fatalf("%d rows, %d of them small; there are %d scenarios", len(rows)-1, len(ids), len(scenarios.All()))
	}
	if got := strings.TrimSpace(count(ids...)); got != strings.Join(wanted, "\n") {
		t.Errorf("the table has\n%s\ntoday there are\n%s\n(go test ./cmd/explore -run Reductions -update counts all again)", strings.Join(wanted, "\n"), got)
	}
}
