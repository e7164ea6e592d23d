package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fencecheck/model"
	"fencecheck/scenarios"
)

// Settings are the flags that change a scenario.
type settings struct {
	flags    *pflag.FlagSet
	numbers  []number
	faults   [model.NumBudgets]int
	clock    string
	commit   string
	travels  []string
	forever  []string
	ranks    bool
	anyOrder bool
	mutate   []string
	property string
}

// A number is a flag for one number of a scenario's definition.
type number struct {
	name, doc string
	field     func(d *scenarios.Definition) *int
	value     int
}

// shortBudget has the budgets whose flag is shorter than their key.
var shortBudget = map[string]string{"late-requests": "late", "lost-answers": "lost"}

// budgetFlag is the flag for a budget.
func budgetFlag(b model.Budget) string {
	name := strings.ReplaceAll(b.String(), "_", "-")
	if short, ok := shortBudget[name]; ok {
		return short
	}
	return name
}

func newSettings(cmd *cobra.Command) *settings {
	f := cmd.Flags()
	s := &settings{flags: f, numbers: []number{
		{name: "members", doc: "how many members the group has", field: func(d *scenarios.Definition) *int { return &d.Members }},
		{name: "simple", doc: "how many processes assign themselves the partitions", field: func(d *scenarios.Definition) *int { return &d.Simple }},
		{name: "partitions", doc: "how many partitions there are", field: func(d *scenarios.Definition) *int { return &d.Partitions }},
		{name: "topics", doc: "how many topics the partitions belong to", field: func(d *scenarios.Definition) *int { return &d.Topics }},
		{name: "records", doc: "how many records each partition has", field: func(d *scenarios.Definition) *int { return &d.Records }},
		{name: "generations", doc: "the largest generation, 0 for the model's own limit", field: func(d *scenarios.Definition) *int { return &d.Generations }},
	}}
	for i := range s.numbers {
		f.IntVar(&s.numbers[i].value, s.numbers[i].name, 0, s.numbers[i].doc)
	}
	for b := range model.NumBudgets {
		f.IntVar(&s.faults[b], budgetFlag(b), 0, "how often: "+b.Doc())
	}
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		if short, ok := shortBudget[name]; ok {
			name = short
		}
		return pflag.NormalizedName(name)
	})
	f.StringVar(&s.clock, "clock", "", "when timers fire: timely or async")
	f.StringVar(&s.commit, "commit", "", "when applications commit: after, before or on-revoke")
	f.StringSliceVar(&s.travels, "travels", nil, "the requests that may be late or lost, such as OffsetCommit")
	f.StringSliceVar(&s.forever, "unbounded", nil, "the faults that may happen any number of times, such as pauses")
	f.BoolVar(&s.ranks, "ranks", false, "forget the absolute values of generations, so that any number of rebalances is covered")
	f.BoolVar(&s.anyOrder, "any-order", false, "a leader may list the members in any order when it computes a plan, not by number only")
	f.StringSliceVar(&s.mutate, "mutate", nil, "a check to remove or a defect to add; may be repeated (explore list mutations)")
	f.StringVar(&s.property, "property", "", "check only this invariant or goal")
	return s
}

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

// apply changes a definition as the flags say.
func (s *settings) apply(d *scenarios.Definition) {
	for _, n := range s.numbers {
		if s.flags.Changed(n.name) {
			*n.field(d) = n.value
		}
	}
	for b := range model.NumBudgets {
		if s.flags.Changed(budgetFlag(b)) {
			if d.Faults == nil {
				d.Faults = map[string]int{}
			}
			d.Faults[b.String()] = s.faults[b]
			d.Unbounded = slices.DeleteFunc(slices.Clone(d.Unbounded), func(key string) bool { return key == b.String() })
		}
	}
	if s.flags.Changed("clock") {
		d.Clock = s.clock
	}
	if s.flags.Changed("commit") {
		d.Commit = s.commit
	}
	if s.flags.Changed("unbounded") {
		d.Unbounded = slices.Clone(s.forever)
	}
	if s.flags.Changed("ranks") {
		if d.Ranks = s.ranks; d.Ranks && !s.flags.Changed("generations") {
			d.Generations = 0
		}
	}
	if s.flags.Changed("any-order") {
		d.AnyOrder = s.anyOrder
	}
	if s.flags.Changed("travels") {
		d.Travels = slices.Clone(s.travels)
	}
}

// repeat has the flags that were given, for a command that does the same again.
func (s *settings) repeat() string {
	var text strings.Builder
	add := func(name, value string) { text.WriteString(" --" + name + " " + value) }
	for _, n := range s.numbers {
		if s.flags.Changed(n.name) {
			add(n.name, strconv.Itoa(n.value))
		}
	}
	for b := range model.NumBudgets {
		if s.flags.Changed(budgetFlag(b)) {
			add(budgetFlag(b), strconv.Itoa(s.faults[b]))
		}
	}
	for _, f := range [...]struct{ name, value string }{
		{"clock", s.clock}, {"commit", s.commit}, {"travels", strings.Join(s.travels, ",")}, {"unbounded", strings.Join(s.forever, ",")},
		{"mutate", strings.Join(s.mutate, ",")}, {"property", s.property},
	} {
		if f.value != "" {
			add(f.name, f.value)
		}
	}
	if s.flags.Changed("ranks") {
		text.WriteString(" --ranks=" + strconv.FormatBool(s.ranks))
	}
	if s.flags.Changed("any-order") {
		text.WriteString(" --any-order=" + strconv.FormatBool(s.anyOrder))
	}
	return text.String()
}
