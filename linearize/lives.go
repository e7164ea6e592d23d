package linearize

import (
	"encoding/json"
	"math"
)

// A broker that is killed and started again forgets what is in memory only: the
// generations whose plan was not logged, the ids that it handed out, the
// verifications under way. So a history falls into the lives of its broker.

// life is what a broker decides between two starts, as indexes of events: what
// was sent after up. It ends between down, the first note that says so, and dead,
// the last one; what was not answered by then was decided before, or never. The
// note of a start comes when the broker is ready, and says nothing more.
type life struct{ up, down, dead int }

func (l life) decides(o *Op) bool { return o.Inv > l.up && o.Inv < l.dead }

// lives lists the broker's lives; there is always one.
func (h *History) lives() []life {
	const end = math.MaxInt
	all := []life{{up: -1, down: end, dead: end}}
	for i := range h.Events {
		e := &h.Events[i]
		if e.K != "note" || !ofBroker(e) {
			continue
		}
		last := &all[len(all)-1]
		switch e.F {
		case "kill", "crash":
			last.down, last.dead = min(last.down, i), i
		case "start", "restart":
			if last.down == end && len(all) == 1 && !h.askedBefore(i) {
				continue // its first start
			}
			if last.down == end {
				last.down, last.dead = i, i
			}
			all = append(all, life{up: last.dead, down: end, dead: end})
		}
	}
	if last := all[len(all)-1]; last.dead < end && len(h.Ops) > 0 && h.Ops[len(h.Ops)-1].Inv > last.dead {
		all = append(all, life{up: last.dead, down: end, dead: end}) // a start that nobody noted
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
	return c.only(func(i int) bool { return l.decides(&h.Ops[i]) })
}
