package storage

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFrontier(t *testing.T) {
	var f frontier
	var want [][]byte
	for i := range 3*PageStates + 1 {
		code := make([]byte, i%300)
		for j := range code {
			code[j] = byte(i)
		}
		want = append(want, code)
		f.add(code, int64(i))
	}
	pages := f.drain(nil)
	assert.Len(t, pages, 4)
	assert.Empty(t, f.pages)
	var got [][]byte
	for _, p := range pages {
		assert.EqualValues(t, len(got), p.First)
		data, code := p.Data, []byte(nil)
		for range p.States {
			code, data = NextCode(data)
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
