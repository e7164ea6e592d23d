//go:build !unix

package search

func newLines(n int) []line { return make([]line, n) }

func freeLines([]line) {}
