package counterexamples

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"fencecheck/scenarios"
)

//go:embed *.json
var embedded embed.FS

// Saved has the counterexamples that this package keeps, by name.
var Saved = sync.OnceValue(func() map[string]*Counterexample {
	names, err := fs.Glob(embedded, "*.json")
	if err != nil {
		panic(err)
	}
	all := map[string]*Counterexample{}
	for _, name := range names {
		text, err := embedded.ReadFile(name)
		if err != nil {
			panic(err)
		}
		c, err := Read("counterexamples/"+name, text)
		if err != nil {
			panic(err)
		}
		all[strings.TrimSuffix(name, ".json")] = c
	}
	return all
})

// ByName finds a counterexample that this package keeps.
func ByName(name string) (*Counterexample, error) {
	if c, ok := Saved()[name]; ok {
		return c, nil
	}
	return nil, fmt.Errorf("unknown counterexample %q; %s", name, scenarios.Nearest(name, SavedNames()))
}

// SavedNames lists the counterexamples that this package keeps.
func SavedNames() []string { return slices.Sorted(maps.Keys(Saved())) }
