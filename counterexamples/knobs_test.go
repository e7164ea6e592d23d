package counterexamples

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"fencecheck/scenarios"
	"fencecheck/search"
)

// otherValues has another value for each knob than the one that is plain, and
// what the scenario needs for it; a fault without a row happens once.
var otherValues = map[string]struct {
	value any
	first func(d *scenarios.Definition) // what the plain scenario has too
	with  func(d *scenarios.Definition) // what has to change with it
}{
	"protocol":                   {"eos-v2", groupOnly, nil},
	"members":                    {3, groupOnly, nil},
	"partitions":                 {3, nil, nil},
	"records":                    {2, nil, nil},
	"simple":                     {1, nil, nil},
	"topics":                     {2, nil, nil},
	"first_topic_only":           {true, nil, nil},
	"writers":                    {2, nil, func(d *scenarios.Definition) { d.IDs = []int{0, 1, 0, 0} }},
	"transactions":               {2, nil, nil},
	"outputs":                    {2, nil, nil},
	"transactional_ids":          {[]int{1, 0, 0}, nil, nil},
	"transaction_version":        {1, nil, nil},
	"broker_transaction_version": {1, nil, nil},
	"bare_group":                 {true, nil, nil},
	"no_verification":            {true, nil, nil},
	"max_epoch":                  {4, nil, nil},
	"epochs":                     {4, nil, nil},
	"assignors":                  {[][]string{{"range"}, {"roundrobin", "range"}}, nil, nil},
	"sessions":                   {[]string{"too-long", "within-bounds"}, nil, nil},
	"join_v3":                    {true, nil, nil},
	"commit":                     {"before", nil, nil},
	"initial_delays":             {1, nil, nil},
	"group_max_size":             {1, nil, nil},
	"generations":                {4, nil, nil},
	"unbounded":                  {[]string{"pauses"}, nil, nil},
	"travels":                    {[]string{"Heartbeat"}, nil, nil},
	"any_order":                  {true, nil, nil},
	"clock":                      {"async", nil, func(d *scenarios.Definition) { d.Faults = map[string]int{"expiries": 1} }},
	"ranks":                      {true, groupOnly, nil},
	"faults.late_requests":       {1, travelling, nil},
	"faults.lost_answers":        {1, travelling, nil},
	"faults.expiries":            {2, func(d *scenarios.Definition) { d.Clock, d.Faults = "async", map[string]int{"expiries": 1} }, nil},
	"faults.zombie_coordinators": {1, func(d *scenarios.Definition) { d.Faults = map[string]int{"coordinator_failovers": 1} }, nil},
}

func groupOnly(d *scenarios.Definition) {
	d.Protocol, d.Writers, d.Transactions, d.IDs = "classic-eager", 0, 0, nil
}

func travelling(d *scenarios.Definition) { d.Travels = []string{"OffsetCommit"} }

// varied is a scenario as it is plain, and one in which a knob has another value.
func varied(t *testing.T, k *scenarios.Knob) (plain, other *scenarios.Scenario) {
	t.Helper()
	base, err := scenarios.ByID("eos-group-metadata")
	if err != nil {
		t.Fatal(err)
	}
	row, listed := otherValues[k.Key]
	switch {
	case !listed && !strings.HasPrefix(k.Key, "faults."):
		t.Fatalf("%s has no row above", k.Key)
	case !listed:
		row.value = 1
	}
	changed := func(change ...func(d *scenarios.Definition)) *scenarios.Scenario {
		s, err := base.Change(func(d *scenarios.Definition) {
			*d = scenarios.Definition{ID: d.ID, Protocol: d.Protocol, Members: 2, Partitions: 2, Records: 1, Writers: 1, Transactions: 1,
				IDs: []int{0, 1, 0}, Invariants: []string{"single-owner"}, Expect: scenarios.Expectation{Verdict: "holds"}}
			for _, f := range change {
				if f != nil {
					f(d)
				}
			}
		})
		switch {
		case err != nil && strings.Contains(err.Error(), "unknown part"):
			t.Skip(err) // a test of model adds rows of a part that does not exist
		case err != nil:
			t.Fatal(err)
		}
		return s
	}
	return changed(row.first), changed(row.first, func(d *scenarios.Definition) { k.Set(d, row.value) }, row.with)
}

// Whatever a scenario assumes, a result says so, to people and to programs, and a
// saved counterexample keeps it.
func TestEveryKnobIsToldAndKept(t *testing.T) {
	for _, k := range scenarios.Knobs {
		t.Run(k.Key, func(t *testing.T) {
			plain, other := varied(t, k)
			if plain.Within() == other.Within() {
				t.Errorf("people are not told of it: %s", plain.Within())
			}
			was, is := fmt.Sprint(plain.Bounds()[k.Name()]), fmt.Sprint(other.Bounds()[k.Name()])
			if was == is || is == fmt.Sprint(nil) {
				t.Errorf("programs are not told of it: %s", is)
			}
			c := &Counterexample{Property: "single-owner", Kind: Invariant, Scenario: other, Steps: []search.Step{{}}}
			var text bytes.Buffer
			if err := Write(&text, c); err != nil {
				t.Fatal(err)
			}
			back, err := Read("x.json", text.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(back.Scenario.Config, other.Config) || reflect.DeepEqual(back.Scenario.Config, plain.Config) {
				t.Errorf("it is lost in\n%s", &text)
			}
		})
	}
}

// rested has the keys that the meaning of a property rests on, or that only say
// how far the model goes.
var rested = map[string]bool{"protocol": true, "commit": true, "bare_group": true, "transactional_ids": true,
	"transaction_version": true, "broker_transaction_version": true, "generations": true, "epochs": true}

// What a minimiser takes away, it takes from every knob but those; when it is
// through, all others are plain.
func TestMinimiserReachesEveryKnob(t *testing.T) {
	for _, k := range scenarios.Knobs {
		t.Run(k.Key, func(t *testing.T) {
			_, other := varied(t, k)
			least := other
			for again := true; again; {
				again = false
				for _, change := range least.Definition.Smaller() {
					changes := false
					if s, err := least.Change(func(d *scenarios.Definition) { changes = change(d) }); err == nil && changes {
						least, again = s, true
					}
				}
			}
			kept := fmt.Sprint(k.Value(&least.Definition)) == fmt.Sprint(k.Value(&other.Definition))
			if k.Key == "transactional_ids" { // each goes with its producer, and the last one stays
				kept = len(least.Definition.IDs) == 1
			}
			if kept != rested[k.Key] {
				t.Errorf("was %v and is %v in the smallest scenario: %s", k.Value(&other.Definition), k.Value(&least.Definition), least.Within())
			}
		})
	}
}
