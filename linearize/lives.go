package linearize

import (
	"encoding/json"
	"math"
)

// A broker that is killed and started again forgets what is in memory only: the
// generations whose plan was not logged, the ids that it handed out, the
// verifications under way. So a history falls into the lives of its broker.

// life is the time between two starts of the broker, as indexes of events. What
// was not answered by down was decided before it, or never.
type life struct{ up, down int }

// lives lists the broker's lives; there is always one.
func (h *History) lives() []life {
	all := []life{{up: -1, down: math.MaxInt}}
	for i := range h.Events {
		e := &h.Events[i]
		if e.K != "note" || !ofBroker(e) {
			continue
		}
		last := &all[len(all)-1]
		switch e.F {
		case "kill", "crash":
			last.down = min(last.down, i)
		case "start", "restart":
			if len(all) == 1 && last.down > i && !h.askedBefore(i) {
				continue // its first start
			}
			last.down = min(last.down, i)
			all = append(all, life{up: i, down: math.MaxInt})
		}
	}
	return all
}

// askedBefore tells whether a request was sent before the event.
func (h *History) askedBefore(event int) bool { return len(h.Ops) > 0 && h.Ops[0].Inv < event }

// ofBroker tells whether a note names the broker.
func ofBroker(e *Event) bool {
	var in struct{ Who any }
	return json.Unmarshal(e.In, &in) == nil && in.Who == "broker"
}

// during keeps the requests that were sent while the broker lived.
func (c component) during(h *History, l life) component {
	return c.only(func(i int) bool { return h.Ops[i].Inv > l.up && h.Ops[i].Inv < l.down })
}
