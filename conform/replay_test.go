package conform

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencecheck/counterexamples"
)

func replayed(t *testing.T, name string) Replayed {
	t.Helper()
	c, err := counterexamples.ByName(name)
	require.NoError(t, err)
	out, err := Replay(context.Background(), bootstrap(), c)
	require.NoError(t, err)
	return out
}

// The holes that need no mutation happen on a real broker.
func TestHolesAreReal(t *testing.T) {
	for _, name := range []string{"commit-in-empty-group", "commit-overtakes-commit"} {
		out := replayed(t, name)
		var text bytes.Buffer
		require.NoError(t, out.WriteText(&text))
		assert.True(t, out.Confirmed, text.String())
		assert.Contains(t, text.String(), "confirmed")
		last := out.Steps[len(out.Steps)-1]
		assert.Contains(t, last.Request, "OffsetFetch")
		assert.Contains(t, last.Broker, "offsets=1 ", "the offset has moved back")
	}
}

// A story that needs a mutation parts from reality where the check is missing.
func TestMutatedStoryIsNotReal(t *testing.T) {
	out := replayed(t, "late-commit")
	assert.False(t, out.Confirmed)
	require.NotEmpty(t, out.Fields)
	assert.Equal(t, Field{Name: "error", Model: "NONE", Broker: "ILLEGAL_GENERATION"}, out.Fields[0])
	assert.Equal(t, out.Step, out.Steps[len(out.Steps)-1].Step)
}
