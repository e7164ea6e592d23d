package main

import (
	"strings"
	"sync"
)

// kept is how much of a log a tail keeps, in bytes.
const kept = 32 << 10

// tail is the end of what was written to it. The broker's log is not a file,
// so that a broker whose folder has vanished can still say so.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the end.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - kept; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

// lines are the last n lines.
func (t *tail) lines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return lastLines(string(t.text), n)
}

// lastLines is the end of a log.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
