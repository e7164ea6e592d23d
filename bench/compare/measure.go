//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A row is what was measured of one checker.
type row struct {
	name    string
	states  int64
	seconds []float64
	cpu     []float64 // seconds, of all its processes
	peak    int64     // KiB
}

// measure lets all checkers run in turn, so that what disturbs the machine disturbs
// all of them.
func measure(checkers []checker, runs, slowRuns int) ([]row, error) {
	rows := make([]row, len(checkers))
	for i := range rows {
		rows[i].name = checkers[i].name
	}
	for n := range max(runs, slowRuns) {
		for i, c := range checkers {
			if n >= runs && !c.slow || n >= slowRuns && c.slow {
				continue
			}
			if err := rows[i].run(c); err != nil {
				return nil, err
			}
			fmt.Fprintf(os.Stderr, "%s: %.1f s\n", c.name, rows[i].seconds[len(rows[i].seconds)-1])
		}
	}
	for _, r := range rows {
		if r.states != rows[0].states && len(r.seconds) > 0 {
			return nil, fmt.Errorf("%s finds %d states, %s finds %d", rows[0].name, rows[0].states, r.name, r.states)
		}
	}
	return rows, nil
}

// run runs a checker once.
func (r *row) run(c checker) error {
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Dir = c.dir
	start := time.Now()
	output, err := cmd.CombinedOutput()
	r.seconds = append(r.seconds, time.Since(start).Seconds())
	if err == nil {
		r.states, err = c.read(string(output))
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", c.name, err, output)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r.cpu = append(r.cpu, cpu.Seconds())
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.peak = max(r.peak, int64(usage.Maxrss))
	}
	return nil
}

// read finds the number of distinct states. Checkers may exit with 0 although they
// complain, and print the number for each of their processes.
func (c checker) read(output string) (int64, error) {
	if bad := c.bad.FindString(output); bad != "" {
		return 0, fmt.Errorf("it says %q", bad)
	}
	all := c.states.FindAllStringSubmatch(output, -1)
	if len(all) == 0 {
		return 0, fmt.Errorf("no number of states in its output")
	}
	var most int64
	for _, m := range all {
		n, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// median is the lower one of two in the middle.
func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)/2]
}

// table lists the rows, in which the first is the one that all are compared with.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| checker | seconds | times the first's | CPU seconds | times the first's | states a second | peak MiB |\n")
	b.WriteString("| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		if len(r.seconds) == 0 {
			continue
		}
		s, cpu := median(r.seconds), median(r.cpu)
		fmt.Fprintf(&b, "| %s | %.1f | %.2f | %.1f | %.2f | %.0f | %d |\n", r.name,
			s, s/median(rows[0].seconds), cpu, cpu/median(rows[0].cpu), float64(r.states)/s, r.peak/1024)
	}
	return b.String()
}
