package search

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAncestry reads back levels that end within and between blocks.
func TestAncestry(t *testing.T) {
	type record struct {
		parent int64
		how    how
	}
	r := rand.New(rand.NewPCG(5, 6))
	var a ancestry
	var levels [][]record
	var marks []mark
	for range 40 {
		marks = append(marks, a.open())
		level := make([]record, r.IntN(20_000))
		var parent int64
		for i := range level {
			parent += r.Int64N(1 << r.IntN(20))
			level[i] = record{parent, how(r.Uint32() >> r.IntN(32))}
			a.add(level[i].parent, level[i].how)
		}
		levels = append(levels, level)
	}
	require.Greater(t, len(a.blocks), 5)
	for i, level := range levels {
		for range min(20, len(level)) {
			n := r.IntN(len(level))
			parent, how, err := a.at(marks[i], int64(n))
			require.NoError(t, err)
			require.Equal(t, level[n], record{parent, how})
		}
	}
}

func TestFrontier(t *testing.T) {
	var f frontier
	var want [][]byte
	for i := range 3*pageStates + 1 {
		code := make([]byte, i%300)
		for j := range code {
			code[j] = byte(i)
		}
		want = append(want, code)
		f.add(code, int64(i))
	}
	pages := f.take(nil)
	assert.Len(t, pages, 4)
	assert.Empty(t, f.pages)
	var got [][]byte
	for _, p := range pages {
		assert.EqualValues(t, len(got), p.first)
		data, code := p.data, []byte(nil)
		for range p.states {
			code, data = nextCode(data)
			got = append(got, append([]byte{}, code...))
		}
		assert.Empty(t, data)
		f.release(p)
	}
	assert.Equal(t, want, got)

	held := f.bytes
	f.add([]byte("x"), 0)
	assert.Equal(t, held, f.bytes, "a page is used again")
}

// cube is n*n*n states, each of which leads to up to three others.
type cube struct{ n uint8 }

type corner [3]uint8

func (cube) Ops() []string            { return []string{"x", "y", "z"} }
func (cube) Outcomes() []string       { return []string{""} }
func (cube) Init(yield func(*corner)) { yield(&corner{}) }

func (c cube) Next(s, next *corner, emit func(Step)) {
	for i := range s {
		if s[i]+1 < c.n {
			*next = *s
			next[i]++
			emit(Step{Op: uint16(i)})
		}
	}
}

func (cube) Append(dst []byte, s *corner) []byte { return append(dst, s[:]...) }
func (cube) Decode(src []byte, s *corner)        { copy(s[:], src) }

// TestAncestryIsCompact: the package promises two or three bytes a state.
func TestAncestryIsCompact(t *testing.T) {
	e := newEngine(cube{60}, Options[corner]{}.withDefaults())
	defer e.crew.dismiss()
	defer e.release()
	e.seed()
	for len(e.pages) > 0 {
		e.level(t.Context())
	}
	var bytes int
	for i := range e.shards {
		for _, b := range e.shards[i].ancestry.blocks {
			bytes += len(b.data)
		}
	}
	assert.EqualValues(t, 60*60*60, e.states())
	assert.InDelta(t, 2, float64(bytes)/float64(e.states()), 1)
}
