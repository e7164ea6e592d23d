package classic

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"fencecheck/model"
)

func TestAssignors(t *testing.T) {
	subs := []Subscriber{{1, 1}, {2, 1}}
	three := []uint8{0, 0, 0}
	plan := make([]MemberAssignment, 2)
	Assign(model.Range, subs, three, plan)
	assert.Equal(t, []MemberAssignment{{1, 0b011}, {2, 0b100}}, plan)
	Assign(model.RoundRobin, subs, three, plan)
	assert.Equal(t, []MemberAssignment{{1, 0b101}, {2, 0b010}}, plan)

	// Two topics of one partition each: range gives the first subscriber both.
	Assign(model.Range, subs, []uint8{0, 1}, []MemberAssignment{{}, {}})
	Assign(model.Range, []Subscriber{{1, 3}, {2, 3}}, []uint8{0, 1}, plan)
	assert.Equal(t, []MemberAssignment{{1, 0b11}, {2, 0}}, plan)
	Assign(model.RoundRobin, []Subscriber{{1, 3}, {2, 3}}, []uint8{0, 1}, plan)
	assert.Equal(t, []MemberAssignment{{1, 0b01}, {2, 0b10}}, plan)

	// Who is not subscribed to a topic gets none of it.
	Assign(model.RoundRobin, []Subscriber{{1, 2}, {2, 1}}, []uint8{0, 0, 1}, plan)
	assert.Equal(t, []MemberAssignment{{1, 0b100}, {2, 0b011}}, plan)
}

// Every partition of a subscribed topic has exactly one owner that subscribes
// to it, and nobody has two more than another of one topic.
func TestAssignmentsAreCompleteAndFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topics := rapid.IntRange(1, 3).Draw(t, "topics")
		var topicOf []uint8
		for topic := range topics {
			for range rapid.IntRange(1, 4).Draw(t, "partitions") {
				topicOf = append(topicOf, uint8(topic))
			}
		}
		var subs []Subscriber
		var wanted model.Meta
		for i := range rapid.IntRange(1, 5).Draw(t, "members") {
			s := Subscriber{model.MemberID(i + 1), model.Meta(rapid.IntRange(0, 1<<topics-1).Draw(t, "topics of member"))}
			subs, wanted = append(subs, s), wanted|s.Topics
		}
		p := rapid.SampledFrom([]model.Protocol{model.Range, model.RoundRobin}).Draw(t, "assignor")
		plan := make([]MemberAssignment, len(subs))
		Assign(p, subs, topicOf, plan)
		for part, topic := range topicOf {
			owners := 0
			for i, a := range plan {
				if a.Parts.Has(part) {
					owners++
					if !subs[i].subscribes(topic) {
						t.Fatalf("member %d owns partition %d of topic %d", i, part, topic)
					}
				}
			}
			if want := int(wanted >> topic & 1); owners != want {
				t.Fatalf("partition %d has %d owners, right would be %d", part, owners, want)
			}
		}
		if p == model.Range {
			fairByTopic(t, subs, topicOf, plan)
		}
	})
}

func fairByTopic(t *rapid.T, subs []Subscriber, topicOf []uint8, plan []MemberAssignment) {
	for topic := range uint8(3) {
		low, high := 99, 0
		for i, s := range subs {
			if !s.subscribes(topic) {
				continue
			}
			n := 0
			for p, of := range topicOf {
				if of == topic && plan[i].Parts.Has(p) {
					n++
				}
			}
			low, high = min(low, n), max(high, n)
		}
		if high > low+1 {
			t.Fatalf("topic %d: one member has %d partitions, another %d", topic, low, high)
		}
	}
}
