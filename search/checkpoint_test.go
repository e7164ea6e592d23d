package search_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/search"
	"fencecheck/search/examples/twophase"
)

// saved are searches that are killed and resumed.
var saved = map[string]search.Options[twophase.State]{
	"holds": {Invariants: []search.Property[twophase.State]{consistent}},
	"spilling": {
		Invariants: []search.Property[twophase.State]{consistent},
		Memory:     24 << 20,
	},
	"violated": {Invariants: []search.Property[twophase.State]{
		{Name: "few hear", State: func(s *twophase.State) bool { return s.TM != twophase.Committed || s.RM != 0x2aaa }},
	}},
	"goal": {
		Goals: []search.Goal[twophase.State]{{
			Name:  "decided",
			State: func(s *twophase.State) bool { return s.TM != twophase.Working },
			Help:  func(st search.Step) bool { return st.Op != twophase.Abort },
		}},
		TrapStates: 5,
	},
}

// searchSaved searches with checkpoints, or without if dir is empty.
func searchSaved(name, dir string) search.Result[twophase.State] {
	o := saved[name]
	o.Checkpoint, o.CheckpointEvery, o.Identity = dir, time.Millisecond, "7 managers"
	_, err := os.Stat(filepath.Join(dir, "checkpoint"))
	o.Resume = dir != "" && err == nil
	r := search.BreadthFirst(context.Background(), twophase.System{N: 7}, o)
	r.Elapsed, r.Memory = 0, 0 // buffers may have other sizes
	return r
}

// TestKilled kills searches at random moments, twenty times in all. Each is
// resumed until it ends, as one that nobody disturbs. The test runs itself in
// processes of their own.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("SEARCH_DIR"); dir != "" {
		output, err := json.Marshal(searchSaved(os.Getenv("SEARCH_NAME"), dir))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "result"), output, 0o666))
		return
	}
	most := 20
	if testing.Short() {
		most = 4
	}
	random := rand.New(rand.NewPCG(11, uint64(os.Getpid())))
	kills, resumed := 0, 0
	for round := 0; kills < most; round++ {
		for name := range saved {
			if kills >= most {
				break
			}
			dir := t.TempDir()
			for {
				if _, err := os.Stat(filepath.Join(dir, "checkpoint")); err == nil {
					resumed++
				}
				after := time.Duration(20+random.IntN(300)) * time.Millisecond
				if kills >= most {
					after = time.Hour
				}
				if !runAndKill(t, name, dir, after) {
					break
				}
				kills++
			}
			got, err := os.ReadFile(filepath.Join(dir, "result"))
			require.NoError(t, err)
			want, err := json.Marshal(searchSaved(name, ""))
			require.NoError(t, err)
			assert.JSONEq(t, string(want), string(got), name)
		}
	}
	assert.Greater(t, resumed, most/2)
	t.Logf("killed %d times, resumed %d times", kills, resumed)
}

// runAndKill searches in a process of its own, and reports whether it had to be killed.
func runAndKill(t *testing.T, name, dir string, after time.Duration) bool {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "SEARCH_DIR="+dir, "SEARCH_NAME="+name)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	return cmd.Wait() != nil
}

// TestResumeAfterBound stops by a bound, and goes on with another number of workers
// and a higher bound.
func TestResumeAfterBound(t *testing.T) {
	sys := twophase.System{N: 6}
	o := search.Options[twophase.State]{Invariants: []search.Property[twophase.State]{consistent}}
	want := search.BreadthFirst(context.Background(), sys, o)
	o.Checkpoint = t.TempDir()
	for bound := int64(1000); ; bound *= 2 {
		o.MaxStates, o.Workers = bound, 1+int(bound/1000%3)
		r := search.BreadthFirst(context.Background(), sys, o)
		require.NoError(t, r.Err)
		o.Resume = true
		if r.Complete {
			r.Elapsed, r.Memory, want.Elapsed, want.Memory = 0, 0, 0, 0
			assert.Equal(t, want, r)
			return
		}
		require.Equal(t, search.StoppedStates, r.Stopped)
	}
}

// TestCheckpointRefused: what is damaged, cut off, of another system, or not there.
func TestCheckpointRefused(t *testing.T) {
	dir := t.TempDir()
	o := search.Options[twophase.State]{Checkpoint: dir, Identity: "six", MaxStates: 20_000}
	r := search.BreadthFirst(context.Background(), twophase.System{N: 6}, o)
	require.Equal(t, search.StoppedStates, r.Stopped)
	name := filepath.Join(dir, "checkpoint")
	good, err := os.ReadFile(name)
	require.NoError(t, err)

	resume := func(change func(*search.Options[twophase.State])) error {
		o := o
		o.Resume, o.MaxStates = true, 0
		if change != nil {
			change(&o)
		}
		r := search.BreadthFirst(context.Background(), twophase.System{N: 6}, o)
		if r.Err != nil {
			assert.Equal(t, search.Incomplete, r.Verdict)
			assert.Equal(t, search.StoppedError, r.Stopped)
		}
		return r.Err
	}
	require.NoError(t, resume(nil))

	require.NoError(t, os.WriteFile(name, good, 0o666))
	assert.ErrorContains(t, resume(func(o *search.Options[twophase.State]) { o.Identity = "7" }), `it is of another system: "six", this one is "7"`)
	assert.ErrorContains(t, resume(func(o *search.Options[twophase.State]) {
		o.Invariants = []search.Property[twophase.State]{consistent}
	}), "it is of another list of invariants")
	assert.ErrorContains(t, resume(func(o *search.Options[twophase.State]) { o.Checkpoint = t.TempDir() }), "nothing to resume: there is no checkpoint in ")

	r2 := rand.New(rand.NewPCG(2, 3))
	for range 40 {
		bad := append([]byte{}, good...)
		bad[r2.IntN(len(bad))] ^= 1 << r2.IntN(8)
		require.NoError(t, os.WriteFile(name, bad, 0o666))
		assert.ErrorContains(t, resume(nil), "cannot resume from "+name)
		require.NoError(t, os.WriteFile(name, good[:r2.IntN(len(good))], 0o666))
		assert.ErrorContains(t, resume(nil), "it is cut off")
	}
	require.NoError(t, os.WriteFile(name, append(good, 0), 0o666))
	assert.ErrorContains(t, resume(nil), "it is longer than it should be")
}
