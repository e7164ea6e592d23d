package scenarios

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const good = `id: mine
protocol: classic-eager
members: 2
partitions: 1
records: 1
faults: {pauses: 1}
travels: [OffsetCommit]
invariants: [no-stale-commit]
expect: {verdict: holds}
`

// Every refusal has the place, what was found, and what would be right.
func TestInputErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"members: 2", "menbers: 2", `mine.yaml:3:1: unknown key "menbers"; did you mean "members"?`},
		{"members: 2", "members: 9", "mine.yaml:3:10: members: found 9; right would be 1 to 5"},
		{"members: 2", "members: two", `mine.yaml:3:10: found "two"; right would be a whole number`},
		{"records: 1", "records: 1.5", "mine.yaml:5:10: records: found 1.5; right would be a whole number from 0 to 8"},
		{"travels: [OffsetCommit]", "travels: OffsetCommit", "mine.yaml:7:10: string was used where sequence is expected"},
		{"[no-stale-commit]", "[no-stale-commit, no-stale-commit]", "mine.yaml:8:31: invariants[1]: no-stale-commit is named twice"},
		{"protocol:", "clock: async\nprotocol:", "mine.yaml:2:8: clock: under the async clock timers fire without a reason"},
		{"expect: {verdict: holds}\n", "expect: {verdict: holds}\n---\nid: other\n", "mine.yaml:11:3: a second document begins here"},
		{"pauses: 1", "pauses: 99", "mine.yaml:6:18: faults.pauses: found 99; right would be 0 to 9"},
		{"pauses: 1", "pawses: 1", `mine.yaml:6:18: faults.pawses: unknown fault "pawses"; did you mean "pauses"?`},
		{"pauses: 1", "pauses: -1", "mine.yaml:6:18: faults.pauses: found -1; right would be 0 to 9"},
		{"pauses: 1", "expiries: 1", "mine.yaml:6:20: faults.expiries: timers fire without a reason under `clock: async` only"},
		{"travels: [OffsetCommit]", "travels: [OfsetCommit]", `mine.yaml:7:11: travels[0]: found "OfsetCommit"; right would be one of: ` + strings.Join(travelling(), ", ")},
		{"[no-stale-commit]", "[no-stale-comit]", `mine.yaml:8:14: invariants[0]: unknown invariant "no-stale-comit"; did you mean "no-stale-commit"?`},
		{"classic-eager", "classic", `mine.yaml:2:11: protocol: found "classic"; right would be one of: classic-eager`},
		{"verdict: holds", "verdict: fine", `mine.yaml:9:19: expect.verdict: found "fine"; right would be one of: holds, violated`},
		{"invariants: [no-stale-commit]", "mutations: [offset-commit-check]", `mine.yaml:8:13: mutations[0]: unknown mutation "offset-commit-check"`},
		{"invariants: [no-stale-commit]\n", "", "nothing is checked; name at least one under invariants or goals"},
		{"records: 1", "records: 1\nrecords: 2", "mine.yaml:6:1: "},
		{"faults: {pauses: 1}", "faults: {pauses: 1", "mine.yaml:7:1: "},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		require.NotEqual(t, good, text)
		_, err := Parse("mine.yaml", []byte(text))
		if assert.Error(t, err, c.to) {
			assert.Contains(t, err.Error(), c.want)
			assert.NotContains(t, err.Error(), "\n", "an error is one line")
		}
	}
	for _, text := range []string{"", "# nothing yet\n", "---\n", " \n"} {
		_, err := Parse("mine.yaml", []byte(text))
		assert.ErrorContains(t, err, "mine.yaml:1:1: the file is empty", text)
	}
}

func TestOpen(t *testing.T) {
	_, err := Open("zombie-comit")
	assert.EqualError(t, err, `unknown scenario "zombie-comit"; did you mean "zombie-commit"?`)
	_, err = Open("something-else-entirely")
	assert.ErrorContains(t, err, "there are: added-partition, async-clock")
	path := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(path, []byte(good), 0o644))
	s, err := Open(path)
	require.NoError(t, err)
	assert.Equal(t, "mine", s.ID)
	_, err = Open(path + ".yaml")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// A definition survives being written as JSON, which is how counterexamples
// keep it.
func TestDefinitionsAsJSON(t *testing.T) {
	for _, s := range All() {
		text, err := json.Marshal(s.Definition)
		require.NoError(t, err)
		back, err := Parse("x.json", text)
		require.NoError(t, err)
		assert.Equal(t, s.Config, back.Config, s.ID)
		assert.Equal(t, s.Caught, back.Caught, s.ID)
	}
}

func TestChange(t *testing.T) {
	s, err := ByID("zombie-commit")
	require.NoError(t, err)
	three, err := s.Change(func(d *Definition) { d.Members = 3; d.Faults["pauses"] = 2 })
	require.NoError(t, err)
	assert.Equal(t, 3, three.Config.Members)
	assert.Equal(t, 1, s.Definition.Faults["pauses"], "the original is as it was")
	_, err = s.Change(func(d *Definition) { d.Members = 30 })
	assert.EqualError(t, err, "zombie-commit: members: found 30; right would be 1 to 5")
}

func TestNearNames(t *testing.T) {
	_, err := MutationByID("offset-commit-gen-check")
	assert.EqualError(t, err, `unknown mutation "offset-commit-gen-check"; did you mean "offset-commit-generation-check"?`)
}
