package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		output string
	}{
		{"-workers 2 10000 128000", 0, " generated=128000 "},
		{"-workers 1 1024 1024", 0, "distinct=1024 generated=1024 "},
		{"1000", 2, "usage: "},
		{"1000 10", 2, "usage: "},
		{"-workers 0 10 100", 2, "usage: "},
	} {
		var output strings.Builder
		assert.Equal(t, c.status, run(strings.Fields(c.args), &output, &output), c.args)
		assert.Contains(t, output.String(), c.output, c.args)
	}
}
