package classic

import "fencecheck/model"

// Subscriber is a member as an assignor sees it: subscribers come in member
// order, and Topics are the topics it subscribes to, a bit each.
type Subscriber struct {
	ID     model.MemberID
	Topics model.Meta
}

// Assign computes the plan of the range or round-robin assignor for the
// partitions of one topic list: topicOf gives the topic of each partition,
// partitions of one topic being neighbours. The subscribers' shares are written
// to plan, which is as long as subs. Source: RangeAssignor, RoundRobinAssignor;
// groups.md section 9.
func Assign(p model.Protocol, subs []Subscriber, topicOf []uint8, plan []MemberAssignment) {
	for i, s := range subs {
		plan[i] = MemberAssignment{ID: s.ID}
	}
	if p == model.RoundRobin {
		assignRoundRobin(subs, topicOf, plan)
		return
	}
	for first := 0; first < len(topicOf); {
		end := first
		for end < len(topicOf) && topicOf[end] == topicOf[first] {
			end++
		}
		assignRange(subs, topicOf[first], first, end, plan)
		first = end
	}
}

// assignRange cuts one topic: the first n mod k subscribers get one more.
func assignRange(subs []Subscriber, topic uint8, first, end int, plan []MemberAssignment) {
	k := 0
	for _, s := range subs {
		if s.subscribes(topic) {
			k++
		}
	}
	if k == 0 {
		return
	}
	share, extra := (end-first)/k, (end-first)%k
	for i, s := range subs {
		if !s.subscribes(topic) {
			continue
		}
		n := share
		if extra > 0 {
			n, extra = n+1, extra-1
		}
		for ; n > 0; n-- {
			plan[i].Parts |= model.Part(first)
			first++
		}
	}
}

// assignRoundRobin deals all partitions in order, each to the next subscriber
// of its topic.
func assignRoundRobin(subs []Subscriber, topicOf []uint8, plan []MemberAssignment) {
	next := 0
	for p, topic := range topicOf {
		for tries := 0; tries < len(subs); tries++ {
			i := next
			next = (next + 1) % len(subs)
			if subs[i].subscribes(topic) {
				plan[i].Parts |= model.Part(p)
				break
			}
		}
	}
}

func (s Subscriber) subscribes(topic uint8) bool { return s.Topics>>topic&1 == 1 }
