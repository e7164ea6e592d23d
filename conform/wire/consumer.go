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

// Subscription is the metadata of a consumer that subscribes to the topics that m
// says, a bit each. The first is a topic that there is; nobody asks for others.
func Subscription(topic string, m model.Meta) []byte {
	c := kmsg.NewConsumerMemberMetadata()
	for i, name := 0, topic; m>>i != 0; i++ {
		if m>>i&1 == 1 {
			c.Topics = append(c.Topics, name)
		}
		name = fmt.Sprintf("%s-other-%d", topic, i+1)
	}
	return c.AppendTo(nil)
}

// mostMeta has every topic that a subscription can name.
const mostMeta = 15

// MetaOf is the inverse of Subscription.
func MetaOf(topic string, b []byte) (model.Meta, bool) {
	for m := model.Meta(0); m <= mostMeta; m++ {
		if bytes.Equal(b, Subscription(topic, m)) {
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
