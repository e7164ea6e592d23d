package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencecheck/model"
	"fencecheck/scenarios"
)

// Settings are the flags that change a scenario: those of the table of knobs, and
// what is left out of it.
type settings struct {
	flags    *pflag.FlagSet
	knobs    []setting
	mutate   []string
	property string
}

// A setting is the flag of one knob, and what was given.
type setting struct {
	*scenarios.Knob
	given func() any
}

func newSettings(cmd *cobra.Command) *settings {
	f := cmd.Flags()
	s := &settings{flags: f}
	short := map[string]string{} // from the keys as they are written in files
	for _, k := range scenarios.Knobs {
		if k.Flag == "" {
			continue
		}
		short[strings.ReplaceAll(k.Name(), "_", "-")] = k.Flag
		var given func() any
		switch k.Value(&scenarios.Definition{}).(type) {
		case int:
			given = read(f.Int(k.Flag, 0, k.Doc))
		case bool:
			given = read(f.Bool(k.Flag, false, k.Doc))
		case string:
			given = read(f.String(k.Flag, "", k.Doc))
		case []string:
			given = read(f.StringSlice(k.Flag, nil, k.Doc))
		}
		s.knobs = append(s.knobs, setting{k, given})
	}
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		if flag, ok := short[name]; ok {
			name = flag
		}
		return pflag.NormalizedName(name)
	})
	f.StringSliceVar(&s.mutate, "mutate", nil, "a check to remove or a defect to add; may be repeated (explore list mutations)")
	f.StringVar(&s.property, "property", "", "check only this invariant or goal")
	return s
}

func read[T any](value *T) func() any { return func() any { return *value } }

// open finds a scenario and applies the flags to it.
func (s *settings) open(name string) (*scenarios.Scenario, error) {
	base, err := scenarios.Open(name)
	if err != nil {
		return nil, err
	}
	changed, err := base.Change(s.apply)
	if err != nil {
		return nil, err
	}
	for _, id := range s.mutate {
		m, err := scenarios.MutationByID(id)
		if err != nil {
			return nil, err
		}
		changed = changed.With(model.Mutations{}.With(m))
	}
	if s.property == "" {
		return changed, nil
	}
	return changed.Only(s.property)
}

// apply changes a definition as the flags say. The last rows come first, so that
// --unbounded has the last word on the faults that it names. With ranks,
// generations need no bound.
func (s *settings) apply(d *scenarios.Definition) {
	for _, k := range slices.Backward(s.knobs) {
		if s.flags.Changed(k.Flag) {
			k.Set(d, k.given())
		}
	}
	if s.flags.Changed("ranks") && d.Ranks && !s.flags.Changed("generations") {
		d.Generations = 0
	}
}

// repeat has the flags that were given, for a command that does the same again.
func (s *settings) repeat() string {
	var text strings.Builder
	add := func(name string, value any) {
		switch value := value.(type) {
		case bool:
			fmt.Fprintf(&text, " --%s=%v", name, value)
		case []string:
			fmt.Fprintf(&text, " --%s %s", name, strings.Join(value, ","))
		default:
			fmt.Fprintf(&text, " --%s %v", name, value)
		}
	}
	for _, k := range s.knobs {
		if s.flags.Changed(k.Flag) {
			add(k.Flag, k.given())
		}
	}
	if len(s.mutate) > 0 {
		add("mutate", s.mutate)
	}
	if s.property != "" {
		add("property", s.property)
	}
	return text.String()
}
