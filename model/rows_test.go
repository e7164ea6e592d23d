package model

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsOfFiles are the tables whose rows may have any order, with rows of a part of
// the protocol that does not exist. kept is the constant that is none of them.
var rowsOfFiles = []struct {
	file, kept, kind string
	strangers        []string
	table, rows      string
}{
	{"model/apis.go", "NoAPI", "API", []string{"ShareFetch", "ShareAcknowledge"}, "var APIs = [NumAPIs]APIInfo{",
		"\tShareFetch: {Name: \"ShareFetch\", Part: 99},\n\tShareAcknowledge: {Name: \"ShareAcknowledge\", Part: 99},\n"},
	{"model/cluster/budgets.go", "", "Budget", []string{"ShareExpiries"}, "var BudgetRows = [NumBudgets]BudgetInfo{",
		"\tShareExpiries: {Key: \"share_expiries\", Doc: \"acquisition locks of share groups\", Part: 99},\n"},
}

// Requests and budgets are rows, and say which part they belong to: turned round,
// with a stranger before them and one behind, nothing else changes. The tests of
// whoever reads the rows are run with such tables. It takes minutes, and so only
// where FENCECHECK_ROWS is set (.ci/run).
func TestRowsHaveNoOrder(t *testing.T) {
	if os.Getenv("FENCECHECK_ROWS") == "" {
		t.Skip("FENCECHECK_ROWS is not set")
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for _, r := range rowsOfFiles {
		from, err := filepath.Abs(filepath.Join("..", r.file))
		require.NoError(t, err)
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		to := filepath.Join(dir, filepath.Base(r.file))
		require.NoError(t, os.WriteFile(to, []byte(turned(t, string(text), r.kept, r.kind, r.strangers, r.table, r.rows)), 0o644))
		replace[from] = to
	}
	overlay := filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, text, 0o644))
	cmd := exec.Command("go", "test", "-short", "-overlay", overlay, "./model/...", "./ops", "./invariants", "./scenarios")
	cmd.Dir = ".."
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "FENCECHECK_ROWS=") })
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", regexp.MustCompile(`(?m)^.*(FAIL|panic:|\.go:\d+:)(.{0,200})`).FindAllString(string(out), 20))
}

// turned is a file whose constants of a kind have another order, with strangers
// among them.
func turned(t *testing.T, text, kept, kind string, strangers []string, table, rows string) string {
	t.Helper()
	block := regexp.MustCompile(`\t(\w+) ` + kind + ` = iota\n((?:\t\w+\n)+?)\tNum`)
	at := block.FindStringSubmatchIndex(text)
	require.NotNil(t, at, "no block of constants is of the kind %s", kind)
	names := strings.Fields(text[at[4]:at[5]])
	if first := text[at[2]:at[3]]; first != kept {
		names = append([]string{first}, names...)
	}
	slices.Reverse(names)
	names = append(append(strangers[:1:1], names...), strangers[1:]...)
	if kept != "" {
		names = append([]string{kept}, names...)
	}
	names[0] += " " + kind + " = iota"
	text = text[:at[2]] + strings.Join(names, "\n\t") + "\n" + text[at[5]:]
	require.Contains(t, text, table)
	return strings.Replace(text, table+"\n", table+"\n"+rows, 1)
}
