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
	var says struct {
		Clock struct {
			Unit, Kind, Domain string
			Skew               *int64
		}
		Session   int64 `json:"session_timeout"`
		Rebalance int64 `json:"rebalance_timeout"`
	}
	c := &says.Clock
	if json.Unmarshal(h.Header.Raw, &says) != nil ||
		c.Unit != "ns" || c.Kind != "monotonic" || c.Domain != "one-host" || c.Skew == nil || *c.Skew != 0 {
		return Clock{}
	}
	return Clock{Trusted: true, Session: says.Session, Rebalance: says.Rebalance}
}
