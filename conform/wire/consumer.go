package wire

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// ProtocolType is what consumers call themselves.
const ProtocolType = "consumer"

// Partitions is how many a play's topic has, as many as a scenario can have.
const Partitions = 4

// protocolNames are the names on the wire.
var protocolNames = [...]string{"", "range", "roundrobin", "sticky"}

// ProtocolName is a protocol on the wire.
func ProtocolName(p model.Protocol) string {
	if int(p) < len(protocolNames) {
		return protocolNames[p]
	}
	return fmt.Sprintf("protocol %d", p)
}

// ProtocolByName is the inverse of ProtocolName; "" is no protocol.
func ProtocolByName(name string) (model.Protocol, bool) {
	p := slices.Index(protocolNames[:], name)
	return model.Protocol(max(p, 0)), p >= 0
}

// Subscription is the metadata of a consumer that subscribes to as many topics
// as m says, so that equal numbers are equal bytes.
func Subscription(m model.Meta) []byte {
	c := kmsg.NewConsumerMemberMetadata()
	for i := range int(m) {
		c.Topics = append(c.Topics, fmt.Sprintf("%stopic-%d", Prefix, i+1))
	}
	return c.AppendTo(nil)
}

// mostMeta is the largest number that stands for a subscription.
const mostMeta = 15

// MetaOf is the inverse of Subscription.
func MetaOf(b []byte) (model.Meta, bool) {
	for m := model.Meta(0); m <= mostMeta; m++ {
		if bytes.Equal(b, Subscription(m)) {
			return m, true
		}
	}
	return 0, false
}

// Assignment is what a leader assigns: no bytes for nothing.
func Assignment(topic string, set model.PartSet) []byte {
	if set == 0 {
		return nil
	}
	t := kmsg.NewConsumerMemberAssignmentTopic()
	t.Topic = topic
	for p := range Partitions {
		if set.Has(p) {
			t.Partitions = append(t.Partitions, int32(p))
		}
	}
	a := kmsg.NewConsumerMemberAssignment()
	a.Topics = append(a.Topics, t)
	return a.AppendTo(nil)
}

// PartsOf is the inverse of Assignment.
func PartsOf(topic string, b []byte) (model.PartSet, bool) {
	for set := model.PartSet(0); set < 1<<Partitions; set++ {
		if bytes.Equal(b, Assignment(topic, set)) {
			return set, true
		}
	}
	return 0, false
}
