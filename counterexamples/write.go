package counterexamples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fencecheck/model"
	"fencecheck/search"
)

// Write writes a counterexample as JSON, one step a line and the keys always in
// the same order, so that two of them can be compared line by line.
func Write(w io.Writer, c *Counterexample) error {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  \"format\": %d,\n", Format)
	for _, f := range [...]struct{ key, value string }{
		{"fencecheck", c.Version}, {"title", c.Title}, {"story", c.Story}, {"property", c.Property}, {"kind", c.Kind},
	} {
		fmt.Fprintf(&b, "  %q: %s,\n", f.key, quote(f.value))
	}
	if c.Confirmed != "" {
		fmt.Fprintf(&b, "  \"confirmed\": %s,\n", quote(c.Confirmed))
	}
	if err := writeScenario(&b, c); err != nil {
		return err
	}
	b.WriteString("  \"steps\": [")
	for i, st := range c.Steps {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    " + stepLine(&c.Scenario.Config, st))
	}
	b.WriteString("\n  ]\n}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quote is a JSON string. Nothing in it is escaped for the sake of HTML.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a string can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeScenario writes the definition, one key a line.
func writeScenario(b *strings.Builder, c *Counterexample) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.Scenario.Definition); err != nil {
		return err
	}
	d := json.NewDecoder(&text)
	if _, err := d.Token(); err != nil { // the opening brace
		return err
	}
	b.WriteString("  \"scenario\": {")
	for separator := ""; d.More(); separator = "," {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		fmt.Fprintf(b, "%s\n    %q: %s", separator, key, spaced(value))
	}
	b.WriteString("\n  },\n")
	return nil
}

// spaced puts a blank behind the commas and colons of compact JSON.
func spaced(compact []byte) string {
	var b strings.Builder
	inside := false
	for i, c := range compact {
		b.WriteByte(c)
		switch {
		case c == '"' && (i == 0 || compact[i-1] != '\\'):
			inside = !inside
		case !inside && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// stepLine is one step as JSON.
func stepLine(cfg *model.Config, st search.Step) string {
	line := fmt.Sprintf(`{"op": %q`, OpName(st))
	if params := Params(cfg, st); len(params) > 0 {
		words := make([]string, len(params))
		for i, p := range params {
			words[i] = fmt.Sprintf("%q: %q", p.Name, p.Value)
		}
		line += `, "params": {` + strings.Join(words, ", ") + "}"
	}
	return line + "}"
}

// Save writes a counterexample to a file, as WriteFile does.
func Save(path string, c *Counterexample) error {
	return WriteFile(path, func(w io.Writer) error { return Write(w, c) })
}

// WriteFile writes a file: to a temporary one beside it, which takes its place
// when it is whole. When that fails nothing is left behind, and an older file
// of that name stays as it was.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: not written: %w", name, reason(err))
		}
	}()
	path, err := plainFile(name)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// plainFile follows links, and refuses to put a file in the place of a device
// or a directory.
func plainFile(path string) (string, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return path, errors.New("it is there already, and is no regular file")
	}
	return path, nil
}

// reason is an error without the temporary name that nobody asked about.
func reason(err error) error {
	var atPath *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &atPath):
		return atPath.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
