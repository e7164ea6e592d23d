package ops

import "fencecheck/model/classic"

// arrange puts the members into the order that the step's arguments choose. An
// assignor deals out whole partitions from the first member on, so that where
// all subscribe to the same, only the places matter that get one.
func (x *Exec) arrange(subs []classic.Subscriber) {
	places := len(subs)
	if sameTopics(subs) {
		places = min(places, x.n.Partitions(x.cfg))
	}
	x.orders = 1
	for i := range places {
		x.orders *= len(subs) - i
	}
	if x.orders > MaxOrders {
		x.seen.Members, x.crowded = true, true
		return
	}
	rest := x.order
	for i := range places {
		choices := len(subs) - i
		j := i + rest%choices
		rest /= choices
		subs[i], subs[j] = subs[j], subs[i]
	}
}

func sameTopics(subs []classic.Subscriber) bool {
	for i := range subs {
		if subs[i].Topics != subs[0].Topics {
			return false
		}
	}
	return true
}
