package linearize

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows says which folders of this one each may import, tests aside. The parts
// know the frame below them; of each other they know what is listed here.
var arrows = map[string][]string{
	"kfh":        {},
	"proof":      {"kfh"},
	"sequential": {},
	"groups":     {"kfh", "proof", "sequential"},
	"txns":       {"kfh", "proof", "sequential"},
	"offsets":    {"kfh", "proof", "txns"},
}

func TestImportArrows(t *testing.T) {
	files, err := filepath.Glob("*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		folder := filepath.Dir(file)
		allowed, known := arrows[folder]
		if !known {
			t.Errorf("%s: no arrows are known for its folder", file)
		}
		seen[folder] = true
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			if to, ours := strings.CutPrefix(path, "fencecheck/linearize"); ours && !slices.Contains(allowed, strings.TrimPrefix(to, "/")) {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
	if len(seen) != len(arrows) {
		t.Errorf("arrows are known for %d folders, %d have files", len(arrows), len(seen))
	}
}

func TestRequestsAreNamedOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range requests {
		if r.Name == "" || seen[r.Name] {
			t.Errorf("request %q has no name or two rows", r.Name)
		}
		seen[r.Name] = true
		if requests.Find(r.Name).Name != r.Name {
			t.Errorf("%s is not found", r.Name)
		}
	}
	if requests.Find("joyn") != nil {
		t.Error("a request that there is not is found")
	}
}
