package storage

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMatch compares match, which may be in assembly, with Go: also where only a half of
// a word is equal, and where the last word, which is no slot, is.
func TestMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var lookups [BatchSize]lookup
	for range 500 {
		for i := range lookups {
			p := &lookups[i]
			p.bucket, p.word = new(bucket), r.Uint64()
			for k := range p.bucket {
				p.bucket[k] = [...]uint64{p.word, 0, r.Uint64(), p.word ^ 1<<63, p.word ^ 1}[r.IntN(5)]
			}
		}
		n := r.IntN(BatchSize + 1)
		var got, want [BatchSize]uint16
		prefetch(&lookups, n)
		match(&lookups, &got, n)
		matchSlots(&lookups, &want, n)
		assert.Equal(t, want, got)
	}
}
