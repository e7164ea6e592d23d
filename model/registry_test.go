package model

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
)

// kebab is how ids are written.
var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)+$`)

func TestRegistryIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for m := range NumMutations {
		e := Registry[m]
		assert.Regexp(t, kebab, e.ID)
		assert.False(t, seen[e.ID], "%s is there twice", e.ID)
		assert.NotEmpty(t, e.Rule, e.ID)
		assert.NotEmpty(t, e.Source, e.ID)
		assert.NotEmpty(t, e.Breaks, e.ID)
		seen[e.ID] = true
		found, ok := MutationByID(e.ID)
		assert.True(t, ok)
		assert.Equal(t, m, found)
	}
	_, ok := MutationByID("no-such-check")
	assert.False(t, ok)
}

func TestMutationSets(t *testing.T) {
	set := Mutations{}.With(SyncTimeout).With(JoinSessionBounds)
	assert.Equal(t, []Mutation{JoinSessionBounds, SyncTimeout}, set.List())
	assert.Equal(t, Mutations{}, set.Without(SyncTimeout).Without(JoinSessionBounds))
}

func TestErrorNames(t *testing.T) {
	for _, e := range Errors() {
		back, ok := ErrorByName(e.String())
		assert.True(t, ok)
		assert.Equal(t, e, back)
		if e != None && e != NotLeaderOrFollower { // which kerr has by its older name
			assert.Equal(t, kerr.ErrorForCode(int16(e)).(*kerr.Error).Message, e.String(), "Kafka's name of %d", e)
		}
	}
	_, ok := ErrorByName("NO_SUCH_ERROR")
	assert.False(t, ok)
}
