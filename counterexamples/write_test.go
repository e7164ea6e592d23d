package counterexamples

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSaveAndOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zombie.json")
	c := Saved()["zombie-commit"]
	for range 2 { // the second time over an older file
		if err := Save(path, c); err != nil {
			t.Fatal(err)
		}
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if written(t, again, Write) != written(t, c, Write) {
		t.Error("what was saved differs from what was opened")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// A disk that is full leaves the older file, and nothing else.
func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "zombie.json")
	if err := os.WriteFile(path, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of it"); err != nil {
			t.Fatal(err)
		}
		return syscall.ENOSPC
	})
	if !errors.Is(err, syscall.ENOSPC) || !strings.HasPrefix(err.Error(), path+": not written") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "older" {
		t.Errorf("the older file has %q, %v", text, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSaveIntoNoDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "zombie.json")
	if err := Save(path, Saved()["zombie-commit"]); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// What is no regular file stays what it is; a link leads to the file.
func TestSaveOverSomethingElse(t *testing.T) {
	dir := t.TempDir()
	c := Saved()["zombie-commit"]
	for _, path := range []string{dir, os.DevNull} {
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := Save(path, c); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
		if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() {
			t.Errorf("%s was replaced", path)
		}
	}
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "link.json")
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Save(link, c); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(target); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
}
