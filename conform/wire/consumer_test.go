package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

func TestSubscriptionNamesATopicForEachBit(t *testing.T) {
	for m := model.Meta(0); m <= mostMeta; m++ {
		b := Subscription("own", m)
		back, ok := MetaOf("own", b)
		assert.True(t, ok)
		assert.Equal(t, m, back)
		c := kmsg.NewConsumerMemberMetadata()
		require.NoError(t, c.ReadFrom(b))
		bits := 0
		for i := range 4 {
			bits += int(m >> i & 1)
		}
		assert.Len(t, c.Topics, bits)
		if m&1 == 1 {
			assert.Contains(t, c.Topics, "own")
		} else {
			assert.NotContains(t, c.Topics, "own")
		}
	}
	_, ok := MetaOf("another", Subscription("own", 1))
	assert.False(t, ok)
}
