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
	"regexp"
	"strings"

	"fencecheck/scenarios"
)

// A file is a counterexample as JSON has it.
type file struct {
	Format     int                  `json:"format"`
	Fencecheck string               `json:"fencecheck"`
	Title      string               `json:"title"`
	Story      string               `json:"story"`
	Property   string               `json:"property"`
	Kind       string               `json:"kind"`
	Confirmed  string               `json:"confirmed,omitempty"`
	Scenario   scenarios.Definition `json:"scenario"`
	Steps      []fileStep           `json:"steps"`
}

type fileStep struct {
	Op     string     `json:"op"`
	Params fileParams `json:"params,omitempty"`
}

// fileParams are an object whose keys are in the order of the parameters.
type fileParams []Param

// MarshalJSON writes the object.
func (all fileParams) MarshalJSON() ([]byte, error) {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = fmt.Sprintf("%q: %q", p.Name, p.Value)
	}
	return []byte("{" + strings.Join(words, ", ") + "}"), nil
}

// Write writes a counterexample as JSON, one step a line and the keys always in
// the same order, so that two of them can be compared line by line.
func Write(w io.Writer, c *Counterexample) error {
	f := file{Format: Format, Fencecheck: c.Version, Title: c.Title, Story: c.Story, Property: c.Property, Kind: c.Kind,
		Confirmed: c.Confirmed, Scenario: c.Scenario.Definition}
	for _, st := range c.Steps {
		f.Steps = append(f.Steps, fileStep{OpName(st), Params(&c.Scenario.Config, st)})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(f); err != nil {
		return err
	}
	_, err := w.Write(joined(b.Bytes()))
	return err
}

var (
	deepComma   = regexp.MustCompile(`,\n\t{3,}`)
	deepBracket = regexp.MustCompile(`([\[{])\n\t{3,}|\n\t{2,}([\]}])`)
)

// joined has each key of the scenario, and each step, in one line.
func joined(indented []byte) []byte {
	lines := deepBracket.ReplaceAll(deepComma.ReplaceAll(indented, []byte(", ")), []byte("$1$2"))
	return bytes.ReplaceAll(lines, []byte("\t"), []byte("  ")) // in strings a tab is escaped
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
