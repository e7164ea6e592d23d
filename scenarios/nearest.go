package scenarios

import (
	"fmt"
	"strings"

	"github.com/hbollon/go-edlib"
)

// Unknown is the error for a name that is not there: "unknown scenario "x"; did
// you mean "y"?".
func Unknown(what, name string, known []string) error {
	return fmt.Errorf("unknown %s %q; %s", what, name, Nearest(name, known))
}

// Nearest suggests one of the known names for one that is not there.
func Nearest(name string, known []string) string {
	best, far := "", len(name)/2+1
	for _, k := range known {
		if abbreviates(name, k) {
			best = k
			break
		}
		if d := edlib.OSADamerauLevenshteinDistance(name, k); d < far {
			best, far = k, d
		}
	}
	if best == "" {
		return "there are: " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// abbreviates tells whether every word of a is the beginning of the same word
// of b, as in offset-commit-gen-check.
func abbreviates(a, b string) bool {
	short, long := strings.Split(a, "-"), strings.Split(b, "-")
	if len(short) != len(long) {
		return false
	}
	for i := range short {
		if !strings.HasPrefix(long[i], short[i]) {
			return false
		}
	}
	return true
}
