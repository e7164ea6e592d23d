package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// explore searches a cube of n*n*n states, each of which leads to up to three others, with
// nothing but a store.
func explore(t *testing.T, st *store, n byte) {
	t.Helper()
	var p pipeline
	var out expansion
	var adm admission
	recent := new(recentSet)
	admit := func() {
		p.flush(st, &out)
		for id := range st.shards {
			adm.run(st, id, []*expansion{&out}, nil)
		}
		out.reset(0)
	}
	add := func(code []byte, parent int, ordinal int) {
		b, f := p.filling(), hash(code)
		if recent.has(f) {
			return
		}
		b.codes = append(b.codes, code...)
		if b.add(f, uint32(parent), newStepRef(uint32(ordinal), false)) {
			p.advance(st, &out)
		}
	}
	add([]byte{0, 0, 0}, 0, 0)
	var buffer []byte
	for admit(); st.closeLevel(); {
		for pages := st.take(1); len(pages) > 0; pages = st.take(1) {
			out.reset(pages[0].base)
			data, err := pages[0].load(&buffer)
			require.NoError(t, err)
			for parent := range pages[0].states {
				var code []byte
				code, data = nextCode(data)
				for axis := range code {
					if next := append([]byte{}, code...); next[axis]+1 < n {
						next[axis]++
						add(next, parent, axis)
					}
				}
			}
			admit()
			clear(recent[:])
			st.expanded(pages)
		}
	}
}

// TestStore: each state is found once, by a shortest path, which is on record; and the
// records take two or three bytes a state, as the package promises.
func TestStore(t *testing.T) {
	st := newStore(t.TempDir(), false)
	defer st.release()
	explore(t, st, 60)
	assert.EqualValues(t, 60*60*60, st.states())
	assert.Zero(t, st.frontier())
	assert.Equal(t, 3*59, st.depth())
	path, err := st.path(st.depth(), 0)
	require.NoError(t, err)
	var axes [3]int
	for _, axis := range path[1:] {
		axes[axis]++
	}
	assert.Equal(t, [3]int{59, 59, 59}, axes)
	var bytes int
	for i := range st.shards {
		for _, b := range st.shards[i].predecessors.blocks {
			bytes += len(b.data)
		}
	}
	assert.InDelta(t, 2, float64(bytes)/float64(st.states()), 1)
}

func TestLevelSizes(t *testing.T) {
	l := levels{segments: []segment{{count: 1}, {count: 2}, {count: 3}, {count: 4}}, starts: []int{0, 1, 3}}
	assert.Equal(t, []int64{1, 5, 4}, l.sizes())
}
