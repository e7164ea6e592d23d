package storage

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// explore searches a cube of n*n*n states, each of which leads to up to three others, with
// nothing but a store.
func explore(t *testing.T, st *Store, n byte) {
	t.Helper()
	var p Pipeline
	var out Expansion
	var adm Admission
	recent := new(RecentSet)
	admit := func() {
		p.Flush(st, &out)
		for id := range st.shards {
			adm.Run(st, id, []*Expansion{&out}, nil)
		}
		out.Reset(0)
	}
	add := func(code []byte, parent int, ordinal int) {
		b, f := p.Filling(), Hash(code)
		if recent.Has(f) {
			return
		}
		b.Codes = append(b.Codes, code...)
		if b.Add(f, uint32(parent), NewStepRef(uint32(ordinal), false)) {
			p.Advance(st, &out)
		}
	}
	add([]byte{0, 0, 0}, 0, 0)
	var buffer []byte
	for admit(); st.CloseLevel(); {
		for pages := st.Take(1); len(pages) > 0; pages = st.Take(1) {
			out.Reset(pages[0].Base)
			data, err := pages[0].Load(&buffer)
			require.NoError(t, err)
			for parent := range pages[0].States {
				var code []byte
				code, data = NextCode(data)
				for axis := range code {
					if next := append([]byte{}, code...); next[axis]+1 < n {
						next[axis]++
						add(next, parent, axis)
					}
				}
			}
			admit()
			clear(recent[:])
			st.Expanded(pages)
		}
	}
}

// TestStore: each state is found once, by a shortest path, which is on record; and the
// records take two or three bytes a state, as the package promises.
func TestStore(t *testing.T) {
	st := NewStore(t.TempDir(), false)
	defer st.Release()
	explore(t, st, 60)
	assert.EqualValues(t, 60*60*60, st.States())
	assert.Zero(t, st.Frontier())
	assert.Equal(t, 3*59, st.Depth())
	path, err := st.Path(st.Depth(), 0)
	require.NoError(t, err)
	var axes [3]int
	for _, axis := range path[1:] {
		axes[axis]++
	}
	assert.Equal(t, [3]int{59, 59, 59}, axes)
	var bytes int
	for i := range st.shards {
		for _, b := range st.shards[i].predecessors.blocks {
			bytes += len(b.Data)
		}
	}
	assert.InDelta(t, 2, float64(bytes)/float64(st.States()), 1)
}

func TestLevelSizes(t *testing.T) {
	l := levels{segments: []segment{{count: 1}, {count: 2}, {count: 3}, {count: 4}}, starts: []int{0, 1, 3}}
	assert.Equal(t, []int64{1, 5, 4}, l.sizes())
}
