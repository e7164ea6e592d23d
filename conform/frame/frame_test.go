package frame

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/model"
)

func TestKnownFiles(t *testing.T) {
	assert.NotEmpty(t, KfakeKnown())
	for _, k := range KfakeKnown() {
		assert.NotEmpty(t, k.Rule, k.ID)
		if k.Explained != "" {
			_, ok := model.MutationByID(k.Explained)
			assert.True(t, ok, k.Explained)
		}
	}
	file := filepath.Join(t.TempDir(), "known.json")
	require.NoError(t, os.WriteFile(file, []byte(`[{"id":"x","rule":"J1","why":"y","request":"*","state":"*","model":"*","broker":"*"}]`), 0o600))
	all, err := ReadKnown(file)
	require.NoError(t, err)
	assert.Len(t, all, 1)
	for _, bad := range []string{
		`[{"id":"x"}]`, `[{"id":"x","why":"y"}]`, `- id: x`, `{`,
		`[{"id":"x","why":"y","request":"[","state":"*","model":"*","broker":"*"}]`,
		`[{"id":"x","why":"y","requests":"*"}]`,
	} {
		_, err := ParseKnown([]byte(bad))
		assert.Error(t, err, bad)
	}
	_, err = ReadKnown(filepath.Join(t.TempDir(), "none"))
	assert.Error(t, err)
}

// Of ten steps the difference needs the third and the last; the fifth and sixth
// left everything as it was.
func TestShrinkFindsTheStepsThatMatter(t *testing.T) {
	steps := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	idle := make([]bool, len(steps))
	idle[4], idle[5] = true, true
	var smallest []int
	var first []int
	require.NoError(t, shrink(steps, idle, time.Minute, func(less []int) (bool, error) {
		if first == nil {
			first = less
		}
		needed := less[len(less)-1] == 10 && slices.Contains(less, 3)
		if needed {
			smallest = less
		}
		return needed, nil
	}))
	assert.Equal(t, []int{1, 2, 3, 4, 7, 8, 9, 10}, first, "what is idle goes first")
	assert.Equal(t, []int{3, 10}, smallest)
}

func TestBindingNamesWhatTheBrokerMakesUp(t *testing.T) {
	b := NewBinding[model.MemberID, string](100)
	b.Bind(0, "")
	assert.Equal(t, model.MemberID(1), b.Read("a", 1), "the id that was to be made up")
	assert.Equal(t, model.MemberID(1), b.Read("a", 2), "it is known by now")
	assert.Equal(t, model.MemberID(102), b.Read("b", 1), "it was made up, and nobody asked")
	b.Forget(1)
	assert.False(t, b.Known(1))
	assert.Equal(t, model.MemberID(1), b.Read("c", 1))
	b.Forget(0)
	assert.True(t, b.Known(0), "nobody is always nobody")
}

// A play goes on after a known difference that changed nothing, but not at the
// difference that it is to stop at.
func TestRecordGoesOnAfterWhatIsKnown(t *testing.T) {
	s := Signature{Triple{"Heartbeat", "Empty", "NONE"}, "error 1"}
	harmless := Known{ID: "harmless", Request: "Heart*", State: "*", Model: "NONE", Broker: "*", GoesOn: true}
	never := func(model.Mutation) bool { return false }
	r := Record[int]{Steps: []int{1}, Known: []Known{harmless}}
	assert.True(t, r.Differ(Mismatch{Signature: s}, true, never))
	assert.Equal(t, "harmless", r.Passed[0].Known)
	assert.False(t, r.Differ(Mismatch{Signature: s}, false, never), "it changed something")
	assert.Len(t, r.mismatches(), 2)
	r = Record[int]{Steps: []int{1}, Known: []Known{harmless}, Stop: &s}
	assert.False(t, r.Differ(Mismatch{Signature: s}, true, never))
	explained := Known{ID: "explained", Request: "*", State: "*", Model: "*", Broker: "*", Explained: model.HeartbeatMemberCheck.String()}
	r = Record[int]{Steps: []int{1}, Known: []Known{explained}}
	assert.True(t, r.Differ(Mismatch{Signature: s}, false, func(m model.Mutation) bool { return m == model.HeartbeatMemberCheck }))
}

// Steps that leave a state as it is share one way there.
func TestRoutesShareTheirWay(t *testing.T) {
	r := &Trail[string]{start: "s", origins: map[string]origin[string]{"s": {}}, first: map[Triple]origin[string]{}, stays: map[Triple]bool{}, unreal: map[Triple]string{}}
	pass := func(from, to, step string) {
		r.pass(from, to, Transition[string]{Step: step, Triple: Triple{step, from, to}, Answered: true})
	}
	pass("s", "a", "go")
	pass("a", "a", "ask")
	pass("a", "a", "look")
	routes := r.routes()
	require.Len(t, routes, 2)
	assert.Equal(t, []string{"go", "ask", "look"}, routes[0].Steps)
	assert.Equal(t, 1, routes[0].Way)
	assert.Equal(t, []string{"go", "look"}, routes[0].rest(2).Steps, "what is left after a difference at the first goal")
	assert.Equal(t, []string{"go"}, routes[1].Steps)
}
