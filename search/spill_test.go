package search

import (
	"encoding/binary"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// subsets are those of n elements, found by adding ever greater elements.
// The levels are wide, and the encodings long.
type subsets struct{ n int }

type subset uint32

func (subsets) Ops() []string            { return []string{"add"} }
func (subsets) Outcomes() []string       { return []string{""} }
func (subsets) Init(yield func(*subset)) { yield(new(subset)) }

func (u subsets) Next(s, next *subset, emit func(Step)) {
	for i := bits.Len32(uint32(*s)); i < u.n; i++ {
		*next = *s | 1<<i
		emit(Step{Arg: uint32(i)})
	}
}

func (subsets) Append(dst []byte, s *subset) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(*s)), make([]byte, 200)...)
}

func (subsets) Decode(src []byte, s *subset) { *s = subset(binary.LittleEndian.Uint32(src)) }

// bounded searches within so much memory, and returns how many bytes were spilled.
func bounded(t *testing.T, n int, o Options[subset]) (Result[subset], int64) {
	t.Helper()
	o.TempDir = t.TempDir()
	e := newBreadthFirst(subsets{n}, o.withDefaults())
	r := e.search(t.Context())
	r.Elapsed = 0
	left, err := os.ReadDir(o.TempDir)
	require.NoError(t, err)
	assert.Empty(t, left, "no file is left behind")
	return r, e.store.Spilled
}

// TestSpill: a search that has to spill finds the same, for any number of workers,
// in less memory.
func TestSpill(t *testing.T) {
	for name, o := range map[string]Options[subset]{
		"holds":     {},
		"violation": {Invariants: []Property[subset]{{Name: "few", State: func(s *subset) bool { return bits.OnesCount32(uint32(*s)) < 14 }}}},
		"goal":      {Goals: []Goal[subset]{{Name: "without 3 and 5", State: func(s *subset) bool { return *s&(1<<3|1<<5) == 0 }}}, TrapStates: 3},
	} {
		t.Run(name, func(t *testing.T) {
			n, less, passed := 18, int64(85), 0
			if o.Goals != nil {
				n, less = 17, 60
			}
			free, spilled := bounded(t, n, o)
			assert.Zero(t, spilled)
			o.Memory = free.Memory
			for {
				o.Memory = o.Memory * less / 100
				o.Workers = 1
				tight, spilled := bounded(t, n, o)
				if tight.Stopped != "" {
					assert.Equal(t, StoppedMemory, tight.Stopped)
					break
				}
				assert.Positive(t, spilled)
				assert.LessOrEqual(t, tight.Memory, o.Memory)
				o.Workers = 3
				same, _ := bounded(t, n, o)
				require.Equal(t, tight, same)
				passed++
				tight.Memory = free.Memory
				require.Equal(t, free, tight)
			}
			assert.Positive(t, passed)
		})
	}
}

// TestDiskFull: where nothing can be written, the search says so.
func TestDiskFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full")
	}
	name := filepath.Join(t.TempDir(), "full") // a link, since the search removes its files
	require.NoError(t, os.Symlink("/dev/full", name))
	full := func() (*os.File, error) { return os.OpenFile(name, os.O_RDWR, 0) }
	for name, o := range map[string]Options[subset]{
		"no space left": {},
		"no such file":  {TempDir: filepath.Join(t.TempDir(), "missing")},
	} {
		o.Memory = 40 << 20
		e := newBreadthFirst(subsets{19}, o.withDefaults())
		if name == "no space left" {
			e.store.CreateFiles(full)
		}
		r := e.search(t.Context())
		assert.Equal(t, Incomplete, r.Verdict, name)
		assert.Equal(t, StoppedError, r.Stopped, name)
		assert.ErrorContains(t, r.Err, name)
	}
}
