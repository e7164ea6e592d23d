package conform

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers are the folders of this package: each uses only those before it.
var layers = []string{"wire", "admin", "frame", "groups", "txns", "."}

// mostLines is how long a file may be.
const mostLines = 450

func TestFoldersUseOnlyThoseBeforeThem(t *testing.T) {
	for i, folder := range layers {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files, folder)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.LessOrEqual(t, bytes.Count(text, []byte("\n")), mostLines, file)
			f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
			require.NoError(t, err)
			for _, spec := range f.Imports {
				name, err := strconv.Unquote(spec.Path.Value)
				require.NoError(t, err)
				if used, ok := strings.CutPrefix(name, "fencecheck/conform/"); ok {
					at := slices.Index(layers, used)
					assert.True(t, at >= 0 && at < i, "%s imports %s", file, name)
				}
			}
		}
	}
	folders, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, file := range folders {
		folder := filepath.Dir(file)
		assert.True(t, slices.Contains(layers, folder) || folder == "apache", "%s has no layer", folder)
	}
}
