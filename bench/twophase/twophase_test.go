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
		{"3", 0, `^distinct=288 generated=1146 depth=10 seconds=\d+\.\d\d verdict=holds\n$`},
		{"-workers 2 5", 0, `^distinct=8832 generated=58146 depth=16 `},
		{"", 2, `^twophase: 0 arguments, want one: the number of resource managers\nusage: `},
		{"16", 2, `^twophase: "16" resource managers: must be a number from 1 to 15\n`},
		{"-workers -2 3", 2, `^twophase: -workers -2: must not be negative`},
		{"-x 3", 2, `^twophase: flag provided but not defined: -x\n`},
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, c.status, run(strings.Fields(c.args), &stdout, &stderr), c.args)
		assert.Regexp(t, c.output, stdout.String()+stderr.String(), c.args)
	}
}
