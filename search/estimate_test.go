package search

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		why   string
		sizes []int64
		want  int64
	}{
		{"nothing is known yet", nil, 0},
		{"three levels are too few", []int64{400, 200, 100}, 0},
		{"levels grow", []int64{1, 2, 4, 8, 16}, 0},
		{"levels have only begun to shrink", []int64{100, 200, 190, 150}, 0},
		{"halves: the rest is as much as the last level", []int64{1, 800, 400, 200, 100}, 1601},
		{"ever faster: the last ratio counts", []int64{1000, 900, 720, 360}, 2980 + 360},
		{"more slowly: what held may not go on", []int64{1000, 500, 250, 200}, 0},
		{"too slowly: the rest might be anything", []int64{1000, 990, 980, 970}, 0},
		{"a second hump", []int64{1000, 800, 640, 512, 600}, 0},
		{"the end", []int64{8, 4, 2, 0}, 14},
	} {
		assert.Equal(t, tt.want, estimate(tt.sizes), tt.why)
	}
}

// A bell, as the levels of most systems are: once an estimate is made it is not
// below the truth, and comes down to it.
func TestEstimateOfBell(t *testing.T) {
	bell := []int64{1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1}
	var all []int64
	for n := range bell {
		if total := estimate(bell[:n+1]); total != 0 {
			all = append(all, total)
		}
	}
	assert.Equal(t, []int64{1040, 1025, 1024}, all)
}

func TestLeft(t *testing.T) {
	p := Progress{States: 1200, Frontier: 200, Elapsed: 10 * time.Second}
	assert.Zero(t, p.Left(), "without an estimate there is none")
	p.Total = 1500
	assert.Equal(t, 5*time.Second, p.Left())
	p.Frontier = 1200
	assert.Zero(t, p.Left(), "nothing is expanded yet")
}
