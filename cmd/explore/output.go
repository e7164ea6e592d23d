package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"
)

// The rules of all output:
//
//   - Results go to standard output, everything else to standard error.
//   - With --json standard output has one object a line and nothing else.
//   - Errors are one line, `explore: place: what was found; what would be
//     right`, and set exit status 2.
//   - Warnings are lines that begin with `explore: warning:`; they are left out
//     with --json, whose objects say the same.
//   - Progress is shown when something takes longer than a second: a line that
//     rewrites itself on a terminal, a plain line every few seconds elsewhere.
type output struct {
	stdout   *latch
	stderr   io.Writer
	terminal bool // standard error is one
	json     bool
	dirty    bool // a line of progress stands there
}

func newOutput(stdout, stderr io.Writer) *output {
	return &output{stdout: &latch{w: stdout}, stderr: stderr, terminal: isTerminal(stderr)}
}

// A latch remembers that a write failed.
type latch struct {
	w   io.Writer
	err error
}

func (l *latch) Write(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.w.Write(p)
	l.err = err
	return n, err
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// broken is the first error that standard output had.
func (o *output) broken() error { return o.stdout.err }

// text writes a result for people.
func (o *output) text(text string) {
	o.settle()
	io.WriteString(o.stdout, text)
}

// linef writes one line of a result for people.
func (o *output) linef(format string, args ...any) { o.text(fmt.Sprintf(format+"\n", args...)) }

// field writes a labelled line of a result for people.
func (o *output) field(label, format string, args ...any) {
	o.linef("  %-10s %s", label, fmt.Sprintf(format, args...))
}

// object writes a result for programs.
func (o *output) object(v any) {
	o.settle()
	e := json.NewEncoder(o.stdout)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && o.stdout.err == nil {
		panic(err) // our own types can always be encoded
	}
}

// warn says what a result does not, to people.
func (o *output) warn(format string, args ...any) {
	o.note("explore: warning: "+format, args...)
}

// note says how a command goes on, to people.
func (o *output) note(format string, args ...any) {
	if !o.json {
		o.settle()
		fmt.Fprintf(o.stderr, format+"\n", args...)
	}
}

// fail says why the command came to nothing.
func (o *output) fail(err error) {
	o.settle()
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) { // the place comes first, as with every other error
		text = fmt.Sprintf("%s: %s", file.Path, file.Err)
	}
	fmt.Fprintf(o.stderr, "explore: %s\n", strings.ReplaceAll(strings.TrimSpace(text), "\n", "; "))
}

// progress shows how far a search has come.
func (o *output) progress(line string) {
	if o.terminal {
		fmt.Fprintf(o.stderr, "\r\x1b[K%s", line)
		o.dirty = true
		return
	}
	fmt.Fprintln(o.stderr, line)
}

// progressEvery is how often progress is shown.
func (o *output) progressEvery() time.Duration {
	if o.terminal {
		return time.Second
	}
	return 5 * time.Second
}

// settle takes the line of progress away before anything else is written.
func (o *output) settle() {
	if o.dirty {
		fmt.Fprint(o.stderr, "\r\x1b[K")
		o.dirty = false
	}
}

// thousands writes a number so that it can be read at a glance.
func thousands(n int64) string { return humanize.Comma(n) }

// twoDigits rounds a number that is not known any better.
func twoDigits(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
