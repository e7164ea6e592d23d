package scenarios

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// apart has the keys that say what is asked, checked and expected. All else that
// a file can say is assumed, and has a row in Knobs.
var apart = []string{"id", "title", "doc", "faults", "mutations", "invariants", "goals", "witnesses", "expect", "caught"}

func TestEveryKeyIsAKnobOrApart(t *testing.T) {
	var keys, flags []string
	for _, k := range Knobs {
		assert.NotContains(t, keys, k.Key, "the key is taken twice")
		keys = append(keys, k.Key)
		if k.Flag != "" {
			assert.NotContains(t, flags, k.Flag, "the flag is taken twice")
			flags = append(flags, k.Flag)
		}
		assert.NotEmpty(t, k.Doc, k.Key)
		assert.NotNil(t, k.smaller, "%s: how does it shrink?", k.Key)
		assert.True(t, (k.at == nil) != (k.load == nil), "%s: it has one place in the configuration, or code that loads it", k.Key)
	}
	for i := range reflect.TypeFor[Definition]().NumField() {
		key := reflect.TypeFor[Definition]().Field(i).Tag.Get("yaml")
		assert.NotEqual(t, slices.Contains(keys, key), slices.Contains(apart, key), key)
	}
}

// What is given to a client leaves with it, and the last writer takes with it what
// only producers have.
func TestClientsLeaveWithWhatIsTheirs(t *testing.T) {
	d := Definition{Protocol: eosV2, Members: 2, Simple: 1, Writers: 2, Transactions: 1, IDs: []int{0, 1, 2, 3},
		Sessions: []string{"too-short", "too-long"}}
	var left []Definition
	for _, change := range d.Smaller() {
		if got := d; change(&got) && got.Members+got.Writers < 4 {
			left = append(left, Definition{IDs: got.IDs, Sessions: got.Sessions})
		}
	}
	assert.Equal(t, []Definition{
		{IDs: []int{1, 2, 3}, Sessions: []string{"too-long"}}, {IDs: []int{0, 2, 3}, Sessions: []string{"too-short"}},
		{IDs: []int{0, 1, 3}, Sessions: d.Sessions}, {IDs: []int{0, 1, 2}, Sessions: d.Sessions},
	}, left)
	d = Definition{Protocol: classicEager, Members: 1, Writers: 1, Transactions: 3, Outputs: 2, IDs: []int{0}, NoVerification: true}
	for _, change := range d.Smaller() {
		if got := d; change(&got) && got.Writers == 0 {
			assert.Equal(t, Definition{Protocol: classicEager, Members: 1, IDs: []int{}}, got)
			return
		}
	}
	assert.Fail(t, "the writer stays")
}
