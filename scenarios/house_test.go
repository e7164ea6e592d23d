package scenarios

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// arrows says which of our packages each folder may import, tests aside.
var arrows = map[string][]string{
	"search":          {"search"},
	"model":           {},
	"ops":             {"model"},
	"invariants":      {"model"},
	"linearize":       {"model"},
	"scenarios":       {"search", "model", "ops", "invariants"},
	"counterexamples": {"search", "model", "ops", "invariants", "scenarios", "linearize"},
	"conform":         {"search", "model", "ops", "scenarios", "counterexamples"},
	"bench":           {"search"},
	"cmd":             {"search", "model", "ops", "invariants", "scenarios", "linearize", "counterexamples", "conform"},
}

// onlyIn says where a library may be used, tests aside.
var onlyIn = map[string][]string{
	"github.com/goccy/go-yaml":          {"scenarios", "counterexamples", "conform"},
	"github.com/anishathalye/porcupine": {"linearize"},
	"github.com/spf13/cobra":            {"cmd"},
	"github.com/spf13/pflag":            {"cmd"},
	"github.com/twmb/franz-go":          {"conform"},
	"golang.org/x/term":                 {"cmd"},
	"pgregory.net/rapid":                {}, // tests only, here and below
	"github.com/stretchr/testify":       {},
	"github.com/rogpeppe/go-internal":   {},
}

func TestImportArrows(t *testing.T) {
	seen := map[string]bool{}
	for path, imports := range imports(t) {
		folder, _, _ := strings.Cut(path, "/")
		allowed, known := arrows[folder]
		require.True(t, known, "%s: the house has no folder %s", path, folder)
		seen[folder] = true
		for _, name := range imports {
			if own, ok := strings.CutPrefix(name, "fencecheck/"); ok {
				to, _, _ := strings.Cut(own, "/")
				assert.True(t, to == folder && folder != "model" || slices.Contains(allowed, to), "%s imports %s", path, name)
			}
			for library, where := range onlyIn {
				if strings.HasPrefix(name, library) {
					assert.Contains(t, where, folder, "%s imports %s", path, name)
				}
			}
		}
	}
	for folder := range arrows {
		assert.True(t, seen[folder], "no Go file in %s", folder)
	}
}

// imports has what every Go file of the module imports, by its path; tests are
// left out.
func imports(t *testing.T) map[string][]string {
	all := map[string][]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		all[rel] = []string{}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			all[rel] = append(all[rel], name)
		}
		return nil
	})
	require.NoError(t, err)
	return all
}
