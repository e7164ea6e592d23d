package linearize

import "encoding/json"

// clock is what a header says of time, in nanoseconds; 0 where it says nothing.
type clock struct {
	trusted   bool
	session   int64
	rebalance int64
}

// clockGrain is by how much a broker's timer, which counts whole milliseconds,
// can be early.
const clockGrain = 2_000_000

// clock reads the header. A clock is trusted if all stamps come from one
// monotonic clock of one host, the broker's too.
func (h *History) clock() clock {
	var c struct {
		Unit, Kind, Domain string
		Skew               *int64
	}
	var found clock
	for _, f := range h.Header.Fields {
		var err error
		switch f.Name {
		case "clock":
			err = json.Unmarshal(f.Value, &c)
		case "session_timeout":
			err = json.Unmarshal(f.Value, &found.session)
		case "rebalance_timeout":
			err = json.Unmarshal(f.Value, &found.rebalance)
		}
		if err != nil {
			return clock{}
		}
	}
	if c.Unit != "ns" || c.Kind != "monotonic" || c.Domain != "one-host" || c.Skew == nil || *c.Skew != 0 {
		return clock{}
	}
	found.trusted = true
	return found
}
