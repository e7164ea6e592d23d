package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fencecheck/counterexamples"
	"fencecheck/invariants"
	"fencecheck/model"
	"fencecheck/ops"
	"fencecheck/scenarios"
)

// An entry is one thing that explore knows.
type entry struct {
	Kind    string   `json:"kind"`
	ID      string   `json:"id"`
	Doc     string   `json:"doc"`
	Source  string   `json:"source,omitempty"`
	Omits   string   `json:"omits,omitempty"`
	Museum  string   `json:"museum,omitempty"`
	Params  []string `json:"params,omitempty"`
	Witness string   `json:"witness,omitempty"`
	Breaks  string   `json:"breaks,omitempty"`
	Flag    string   `json:"flag,omitempty"` // of run and walk
	// Redundant says why no scenario needs a mutated rule.
	Redundant string `json:"redundant,omitempty"`
	Expect    string `json:"expect,omitempty"`
}

// A catalogue is all entries of one kind.
type catalogue struct {
	name    string
	entries func() []entry
}

// catalogues has every kind, in the order in which they are listed.
var catalogues = []catalogue{
	{"scenarios", scenarioEntries}, {"protocols", protocolEntries}, {"knobs", knobEntries}, {"mutations", mutationEntries},
	{"invariants", invariantEntries}, {"operations", operationEntries}, {"witnesses", witnessEntries},
	{"counterexamples", counterexampleEntries},
}

func catalogueNames() []string {
	return mapped(catalogues, func(c catalogue) string { return c.name })
}

func (a *app) listCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list [" + strings.Join(catalogueNames(), "|") + "]",
		Short:   "list what there is: scenarios, mutations, invariants, ...",
		Example: "  explore list scenarios\n  explore list mutations --json",
	}
	cmd.Flags().BoolVar(&a.out.json, "json", false, "print one JSON object an entry")
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.list(args) }
	return cmd
}

func (a *app) list(kinds []string) error {
	for _, kind := range kinds {
		if !slices.Contains(catalogueNames(), kind) {
			return fmt.Errorf("list: unknown kind %q; %s", kind, scenarios.Nearest(kind, catalogueNames()))
		}
	}
	for _, c := range catalogues {
		if len(kinds) == 0 || slices.Contains(kinds, c.name) {
			a.listed(c.name, c.entries())
		}
	}
	return nil
}

func (a *app) listed(kind string, entries []entry) {
	widest := 0
	for i := range entries {
		entries[i].Kind = kind
		widest = max(widest, len(entries[i].ID))
	}
	if a.out.json {
		for _, e := range entries {
			a.out.object(e)
		}
		return
	}
	a.out.linef("%s", kind)
	for _, e := range entries {
		a.out.linef("  %-*s  %s", widest, e.ID, e.Doc)
	}
}

func scenarioEntries() []entry {
	return mapped(scenarios.All(), func(s *scenarios.Scenario) entry {
		e := entry{ID: s.ID, Doc: s.Title, Expect: s.Expect.Verdict.String()}
		if s.Expect.Property != "" {
			e.Doc += " (" + s.Expect.Property + " is violated)"
		}
		return e
	})
}

func protocolEntries() []entry {
	count := map[string]int{}
	for _, s := range scenarios.All() {
		count[s.Definition.Protocol]++
	}
	var all []entry
	for _, p := range scenarios.Protocols {
		all = append(all, entry{ID: p.Name, Doc: fmt.Sprintf("%s, %d scenarios", p.Doc, count[p.Name])})
	}
	return all
}

func knobEntries() []entry {
	return mapped(scenarios.Knobs, func(k *scenarios.Knob) entry { return entry{ID: k.Key, Doc: k.Doc, Flag: k.Flag} })
}

func mutationEntries() []entry {
	return mapped(model.Registry[:], func(m model.MutationInfo) entry {
		return entry{ID: m.ID, Doc: m.Rule, Source: m.Source, Breaks: m.Breaks, Redundant: m.Redundant}
	})
}

func invariantEntries() []entry {
	return append(mapped(invariants.All[:], func(i invariants.Invariant) entry {
		return entry{ID: i.Name, Doc: i.Doc, Source: i.Source, Museum: i.Museum, Witness: i.Witness}
	}), mapped(invariants.Goals[:], func(g invariants.Goal) entry {
		return entry{ID: g.Name, Doc: "(goal) " + g.Doc, Source: g.Source, Museum: g.Museum, Witness: g.Witness}
	})...)
}

func operationEntries() []entry {
	return mapped(ops.Table[:], func(o ops.Op) entry {
		e := entry{ID: o.Name, Doc: o.Doc, Source: o.Source, Omits: o.Omits}
		for _, p := range o.Params {
			if p != ops.NoParam {
				e.Params = append(e.Params, p.String())
			}
		}
		return e
	})
}

func witnessEntries() []entry {
	return mapped(invariants.Witnesses[:], func(w invariants.Witness) entry { return entry{ID: w.Name, Doc: w.Doc} })
}

func counterexampleEntries() []entry {
	return mapped(counterexamples.SavedNames(), func(name string) entry {
		c := counterexamples.Saved()[name]
		return entry{ID: name, Doc: fmt.Sprintf("%s in %d steps: %s", c.Property, len(c.Steps), c.Story)}
	})
}
