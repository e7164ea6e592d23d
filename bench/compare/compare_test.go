//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		checker checker
		output  string
		want    int64
	}{
		{checker{states: oursSay, bad: violated}, "distinct=288 generated=1146 verdict=holds\n", 288},
		{checker{states: oursSay, bad: violated}, "distinct=288 generated=1146 verdict=violated\n", 0},
		{checker{states: spinSays, bad: spinComplains}, "cpu1: 7 states, stored\n     8832 states, stored\n errors: 0", 8832},
		{checker{states: spinSays, bad: spinComplains}, "8832 states, stored\nerrors: 1", 0},
		{checker{states: tlcSays, bad: tlcComplains}, "58146 states generated, 8832 distinct states found, 0 states left on queue.", 8832},
		{checker{states: tlcSays, bad: tlcComplains}, "8832 distinct states found, 17 states left on queue.", 0},
	} {
		got, err := c.checker.read(c.output)
		assert.Equal(t, c.want, got, c.output)
		assert.Equal(t, c.want == 0, err != nil, c.output)
	}
}

func TestTable(t *testing.T) {
	got := table([]row{
		{name: "a", states: 100, seconds: []float64{3, 1, 2}, cpu: []float64{4}, peak: 2048},
		{name: "b", states: 100, seconds: []float64{5}, cpu: []float64{2}, peak: 1024},
		{name: "c"},
	})
	assert.Contains(t, got, "| a | 2.0 | 1.00 | 4.0 | 1.00 | 50 | 2 |\n| b | 5.0 | 2.50 | 2.0 | 0.50 | 20 | 1 |\n")
	assert.NotContains(t, got, "| c |")
}
