package conform

import (
	"bytes"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// protocolType is what consumers call themselves.
const protocolType = "consumer"

// protocolNames are the names on the wire.
var protocolNames = [...]string{"", "range", "roundrobin", "sticky"}

func protocolName(p model.Protocol) string {
	if int(p) < len(protocolNames) {
		return protocolNames[p]
	}
	return fmt.Sprintf("protocol %d", p)
}

// subscription is the metadata of a consumer that subscribes to as many topics
// as m says, so that equal numbers are equal bytes.
func subscription(m model.Meta) []byte {
	c := kmsg.NewConsumerMemberMetadata()
	for i := range int(m) {
		c.Topics = append(c.Topics, fmt.Sprintf("%stopic-%d", Prefix, i+1))
	}
	return c.AppendTo(nil)
}

// mostMeta is the largest number that stands for a subscription.
const mostMeta = 15

// metaOf is the inverse of subscription.
func metaOf(b []byte) (model.Meta, bool) {
	for m := model.Meta(0); m <= mostMeta; m++ {
		if bytes.Equal(b, subscription(m)) {
			return m, true
		}
	}
	return 0, false
}

// assignment is what a leader assigns: no bytes for nothing.
func assignment(topic string, set model.PartSet) []byte {
	if set == 0 {
		return nil
	}
	t := kmsg.NewConsumerMemberAssignmentTopic()
	t.Topic = topic
	for p := range parts {
		if set.Has(p) {
			t.Partitions = append(t.Partitions, int32(p))
		}
	}
	a := kmsg.NewConsumerMemberAssignment()
	a.Topics = append(a.Topics, t)
	return a.AppendTo(nil)
}

// partsOf is the inverse of assignment.
func partsOf(topic string, b []byte) (model.PartSet, bool) {
	for set := model.PartSet(0); set < 1<<parts; set++ {
		if bytes.Equal(b, assignment(topic, set)) {
			return set, true
		}
	}
	return 0, false
}
