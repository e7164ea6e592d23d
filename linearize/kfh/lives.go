package kfh

import (
	"encoding/json"
	"math"
)

// A broker that is killed and started again forgets what is in memory only: the
// generations whose plan was not logged, the ids that it handed out, the
// verifications under way. So a history falls into the lives of its broker.

// Life is what a broker decides between two starts, as indexes of events: what
// was sent after up. It ends between down, the first note that says so, and dead,
// the last one; what was not answered by then was decided before, or never. The
// note of a start comes when the broker is ready, and says nothing more.
type Life struct{ Up, Down, Dead int }

func (l Life) decides(o *Op) bool { return o.Inv > l.Up && o.Inv < l.Dead }

// Lives lists the broker's lives; there is always one.
func (h *History) Lives() []Life {
	const end = math.MaxInt
	all := []Life{{Up: -1, Down: end, Dead: end}}
	for i := range h.Events {
		e := &h.Events[i]
		if e.K != "note" || !ofBroker(e) {
			continue
		}
		last := &all[len(all)-1]
		switch e.F {
		case "kill", "crash":
			last.Down, last.Dead = min(last.Down, i), i
		case "start", "restart":
			if last.Down == end && len(all) == 1 && !h.askedBefore(i) {
				continue // its first start
			}
			if last.Down == end {
				last.Down, last.Dead = i, i
			}
			all = append(all, Life{Up: last.Dead, Down: end, Dead: end})
		}
	}
	if last := all[len(all)-1]; last.Dead < end && len(h.Ops) > 0 && h.Ops[len(h.Ops)-1].Inv > last.Dead {
		all = append(all, Life{Up: last.Dead, Down: end, Dead: end}) // a start that nobody noted
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

// During keeps the requests that were sent while the broker lived.
func (c Component) During(h *History, l Life) Component {
	return c.Only(func(i int) bool { return l.decides(&h.Ops[i]) })
}
