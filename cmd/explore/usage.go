package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencecheck/scenarios"
)

// unknownCommand suggests the command that may have been meant.
func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return fmt.Errorf("unknown command %q; %s", name, scenarios.Nearest(name, names))
}

// flagError says what is wrong with a flag, and suggests the one that may have
// been meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("unknown flag --%s; %s", name, strings.ReplaceAll(scenarios.Nearest(name, flagNames(cmd)), `"`, ""))
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown flag -%s; flags are long: --help lists them", unknown.GetSpecifiedName())
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s: found %q; right would be %s", invalid.GetFlag().Name, invalid.GetValue(), valueHint(invalid.GetFlag()))
	case errors.As(err, &missing):
		return fmt.Errorf("--%s: a value is missing; right would be %s", missing.GetSpecifiedName(), valueHint(missing.GetFlag()))
	}
	return err
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// valueHint says what a flag's value looks like.
func valueHint(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64", "uint64":
		return "a whole number"
	case "duration":
		return "a duration such as 90s or 10m"
	case "size":
		return "a size such as 512MiB or 8GiB"
	case "bool":
		return "true or false"
	}
	return "a " + f.Value.Type()
}

// A size is a number of bytes that is written with its unit.
type size int64

// String is the number of bytes.
func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type names the kind of value in errors.
func (s *size) Type() string { return "size" }

// Set takes a number with a unit, or a plain number of bytes.
func (s *size) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n >= 1<<62 {
		return errors.New("not a size")
	}
	*s = size(n)
	return nil
}

// oneOf checks a flag whose value is one of a few words.
func oneOf(flag, word string, words ...string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("--%s: found %q; right would be one of: %s", flag, word, strings.Join(words, ", "))
}

// atLeast checks a flag that is a number or a duration.
func atLeast[N int | int64 | time.Duration](flag string, n, least N) error {
	if n < least {
		return fmt.Errorf("--%s: found %v; right would be %v or more", flag, n, least)
	}
	return nil
}

// mostWorkers is far more than help.
const mostWorkers = 256

func workersWithin(n int) error {
	if n < 0 || n > mostWorkers {
		return fmt.Errorf("--workers: found %d; right would be 0 (all processors) to %d", n, mostWorkers)
	}
	return nil
}
