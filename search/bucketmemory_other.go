//go:build !unix

package search

// growLines extends lines to n of them; the new ones are zero.
func growLines(lines []line, n int) []line {
	bigger := make([]line, n)
	copy(bigger, lines)
	return bigger
}

func freeLines([]line) {}
