package kfh

import "encoding/json"

// Clock is what a header says of time, in nanoseconds; 0 where it says nothing.
type Clock struct {
	Trusted   bool
	Session   int64
	Rebalance int64
}

// ClockGrain is by how much a broker's timer, which counts whole milliseconds,
// can be early.
const ClockGrain = 2_000_000

// Clock reads the header. A clock is trusted if all stamps come from one
// monotonic clock of one host, the broker's too.
func (h *History) Clock() Clock {
	var c struct {
		Unit, Kind, Domain string
		Skew               *int64
	}
	var found Clock
	for _, f := range h.Header.Fields {
		var err error
		switch f.Name {
		case "clock":
			err = json.Unmarshal(f.Value, &c)
		case "session_timeout":
			err = json.Unmarshal(f.Value, &found.Session)
		case "rebalance_timeout":
			err = json.Unmarshal(f.Value, &found.Rebalance)
		}
		if err != nil {
			return Clock{}
		}
	}
	if c.Unit != "ns" || c.Kind != "monotonic" || c.Domain != "one-host" || c.Skew == nil || *c.Skew != 0 {
		return Clock{}
	}
	found.Trusted = true
	return found
}
