package scenarios

import (
	"fmt"
	"strings"
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
		if d := distance(name, k); d < far {
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

// distance is the number of letters to insert, delete, replace, or exchange
// with their neighbours, to get from a to b.
func distance(a, b string) int {
	var before, row []int
	next := make([]int, len(b)+1)
	for j := range next {
		next[j] = j
	}
	for i := range len(a) {
		before, row, next = row, next, make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
	}
	return next[len(b)]
}
