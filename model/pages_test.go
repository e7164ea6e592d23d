package model

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	citation = regexp.MustCompile(`(groups|transactions)\.md(?:\s|//)+(?:section )?((?:\d+(?:\.\d+)?(?:, | and |; )?)+)(?: row (\d+))?`)
	number   = regexp.MustCompile(`\d+(\.\d+)?`)
	heading  = regexp.MustCompile(`(?m)^##+ (\d+(?:\.\d+)?)[. ]`)
)

// What the code cites of the protocol pages is there: every section, and every
// row that is cited by its number. Every mutation has its place.
func TestPagesHaveWhatIsCited(t *testing.T) {
	pages, sections := map[string]string{}, map[string]bool{}
	for _, page := range []string{"groups", "transactions"} {
		text, err := os.ReadFile(page + ".md")
		require.NoError(t, err)
		pages[page] = string(text)
		for _, m := range heading.FindAllStringSubmatch(pages[page], -1) {
			sections[page+" "+m[1]] = true
		}
	}
	cited := 0
	root := os.DirFS("..")
	require.NoError(t, fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		for _, m := range citation.FindAllStringSubmatch(string(text), -1) {
			for _, n := range number.FindAllString(m[2], -1) {
				cited++
				assert.True(t, sections[m[1]+" "+n], "%s cites %s.md %s", path, m[1], n)
			}
			if m[3] != "" {
				row := regexp.MustCompile(`(?m)^\| [A-Z]` + m[3] + ` \|`)
				assert.True(t, row.MatchString(pages[m[1]]), "%s cites %s.md %s row %s", path, m[1], m[2], m[3])
			}
		}
		return err
	}))
	assert.Greater(t, cited, 150)
	for m := range NumMutations {
		assert.True(t, strings.Contains(pages["groups"]+pages["transactions"], m.String()), "no page has %s", m)
	}
}

// names are what the pages set as code: of Go, or of Kafka in capitals only.
var names = regexp.MustCompile("`([A-Za-z]\\w*)`")

// What the pages say about the code is there: every name that they have of it.
func TestPagesNameWhatExists(t *testing.T) {
	known := map[string]bool{}
	root := os.DirFS("..")
	require.NoError(t, fs.WalkDir(root, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := fs.ReadFile(root, path)
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(string(text), -1) {
			known[word] = true
		}
		return err
	}))
	for _, page := range []string{"groups.md", "transactions.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range names.FindAllStringSubmatch(string(text), -1) {
			if strings.ToUpper(m[1]) != m[1] { // not an abbreviation of a class of Kafka's
				assert.True(t, known[m[1]], "%s names %s, and nothing in the code is called so", page, m[1])
			}
		}
	}
}
