package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const checkpointName = "checkpoint"

// SaveCheckpoint writes a checkpoint into a directory. Whoever is killed meanwhile finds
// the one before.
func SaveCheckpoint(dir string, content func(*Archive)) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	name := filepath.Join(dir, checkpointName)
	if err := saveAs(name+".new", content); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("no checkpoint: %w", err)
	}
	if d, err := os.Open(dir); err == nil { // so that the new name survives a crash of the system
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}

func saveAs(name string, content func(*Archive)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	a := &Archive{w: f}
	content(a)
	a.end()
	return errors.Join(a.err, f.Sync(), f.Close())
}

// LoadCheckpoint reads the checkpoint in a directory.
func LoadCheckpoint(dir string, content func(*Archive)) error {
	name := filepath.Join(dir, checkpointName)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing to resume: there is no checkpoint in %s", dir)
	}
	if err != nil {
		return fmt.Errorf("nothing to resume: %w", err)
	}
	defer f.Close()
	a := &Archive{r: f}
	content(a)
	a.end()
	if a.err != nil {
		return fmt.Errorf("cannot resume from %s: %w", name, a.err)
	}
	return nil
}
