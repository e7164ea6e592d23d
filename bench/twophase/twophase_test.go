package main

import (
	"fmt"
	"strconv"
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
		{"2 3", 0, `^distinct=16128 `},
		{"-progress 3", 0, `bytes a state in the visited set=`},
		{"", 2, `^twophase: 0 arguments, want one to 3: the number of resource managers of each protocol\nusage: `},
		{"16", 2, `^twophase: "16" resource managers: must be a number from 1 to 15\n`},
		{"-workers -2 3", 2, `^twophase: -workers -2: must not be negative`},
		{"-x 3", 2, `^twophase: flag provided but not defined: -x\n`},
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, c.status, run(strings.Fields(c.args), &stdout, &stderr), c.args)
		assert.Regexp(t, c.output, stdout.String()+stderr.String(), c.args)
	}
}

// TestFormula counts by hand. While the transaction manager is undecided, each
// resource manager is working, has aborted, or is prepared and was heard or not: 4.
// Once it has committed, each is prepared or has committed: 2. Once it has aborted,
// each that never prepared is working or has aborted, and each that did is prepared
// or has aborted, and was heard or not: 6.
func TestFormula(t *testing.T) {
	power := func(base, n int) int {
		product := 1
		for range n {
			product *= base
		}
		return product
	}
	for n := 1; n <= 7; n++ {
		var stdout, stderr strings.Builder
		run([]string{strconv.Itoa(n)}, &stdout, &stderr)
		want := power(4, n) + power(2, n) + power(6, n)
		assert.Contains(t, stdout.String(), fmt.Sprintf("distinct=%d ", want))
	}
}
