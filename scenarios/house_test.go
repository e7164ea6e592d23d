package scenarios

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// arrows says which of our packages each folder may import, and whatever is below
// it, tests aside. A folder below one of these may have a row of its own.
var arrows = map[string][]string{
	"search":          {"search"},
	"model":           {},
	"model/offsets":   {"model"}, // a part imports the root; another part only through an interface of its own
	"model/classic":   {"model"},
	"model/txn":       {"model"},
	"model/cluster":   {"model"},
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
		folder, top := arrowsOf(filepath.ToSlash(filepath.Dir(path))), strings.Split(path, "/")[0]
		allowed, known := arrows[folder]
		require.True(t, known, "%s: the house has no folder %s", path, folder)
		seen[folder] = true
		for _, name := range imports {
			if own, ok := strings.CutPrefix(name, "fencecheck/"); ok {
				assert.True(t, mayImport(folder, own, allowed), "%s imports %s", path, name)
			}
			for library, where := range onlyIn {
				if strings.HasPrefix(name, library) {
					assert.Contains(t, where, top, "%s imports %s", path, name)
				}
			}
		}
	}
	for folder := range arrows {
		assert.True(t, seen[folder], "no Go file in %s", folder)
	}
}

// arrowsOf is the row of arrows that a folder is below.
func arrowsOf(folder string) string {
	for folder != "." {
		if _, ok := arrows[folder]; ok {
			return folder
		}
		folder = filepath.ToSlash(filepath.Dir(folder))
	}
	return folder
}

// mayImport: parts of the model import its root alone, but for the one that puts
// them together.
func mayImport(folder, to string, allowed []string) bool {
	if folder == "model/cluster" && strings.HasPrefix(to, "model") {
		return to != folder
	}
	if strings.HasPrefix(folder, "model") {
		return slices.Contains(allowed, to)
	}
	top, _, _ := strings.Cut(to, "/")
	return top == folder || slices.Contains(allowed, top)
}

// A file that is longer than this has more than one subject.
const longest = 450

func TestFilesAreShort(t *testing.T) {
	for path, text := range sources(t) {
		assert.LessOrEqual(t, strings.Count(text, "\n"), longest, "%s: split it by what it is about", path)
	}
}

// byOrder finds comparisons of a request, a budget or a mutation with another one,
// as if their numbers meant something: which part of the protocol it is in, a row
// says.
var byOrder = regexp.MustCompile(`(?:[<>]=?|for \w+ := )\s*(?:\w+\.)?(` + strings.Join(numbered(), "|") + `)\b`)

// numbered are the names of all requests, budgets and mutations in Go.
func numbered() (names []string) {
	for file, kind := range map[string]string{"apis.go": "API", "mutations.go": "Mutation", "cluster/budgets.go": "Budget"} {
		text, err := os.ReadFile("../model/" + file)
		if err != nil {
			panic(err)
		}
		block := regexp.MustCompile(`(?s)\t(\w+) ` + kind + ` = iota\n(.*?)\n\)`).FindStringSubmatch(string(text))
		for _, name := range append(strings.Fields(block[2]), block[1]) {
			if !strings.HasPrefix(name, "Num") {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

func TestNothingIsComparedByOrder(t *testing.T) {
	assert.True(t, byOrder.MatchString("r.API >= model.InitProducerID"), "the test finds what it looks for")
	for path, text := range sources(t) {
		if !strings.HasSuffix(path, "house_test.go") {
			assert.Empty(t, byOrder.FindAllString(text, -1), "%s", path)
		}
	}
}

// sources has every Go file of the module, tests included, by its path.
func sources(t *testing.T) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		all[filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))] = string(text)
		return err
	}))
	return all
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
