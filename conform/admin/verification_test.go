package admin

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The setting of the broker that a story needs is put back.
func TestVerificationIsPutBack(t *testing.T) {
	if os.Getenv("FENCECHECK_BOOTSTRAP") == "" {
		t.Skip("FENCECHECK_BOOTSTRAP names no broker")
	}
	ctx := context.Background()
	b, err := Open(ctx, os.Getenv("FENCECHECK_BOOTSTRAP"), 10*time.Second, nil)
	require.NoError(t, err)
	defer b.Close(ctx)
	is := func(value string, own bool) {
		t.Helper()
		got, set, err := b.verification(ctx, 1)
		require.NoError(t, err)
		assert.Equal(t, value, got)
		assert.Equal(t, own, set)
	}
	restore, err := b.WithoutVerification(ctx)
	require.NoError(t, err)
	is("false", true)
	restore()
	assert.Eventually(t, func() bool { value, _, err := b.verification(ctx, 1); return err == nil && value == "true" }, b.Patience, 20*time.Millisecond)
	is("true", false)
}
