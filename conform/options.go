package conform

import (
	"time"

	"fencecheck/model"
)

// Options say which broker is held against the model, and for how long.
type Options struct {
	// Bootstrap is the broker's host:port. Empty is franz-go's kfake, started
	// in this process.
	Bootstrap string
	// Only is Groups or Transactions; empty is both.
	Only string
	// Requests is how many requests of each part are compared at least: the
	// sequences to every reachable triple first, then random walks. 0: the
	// sequences only. Fewer than the sequences need end the part early, and are
	// said.
	Requests int
	// Seed of the random walks.
	Seed uint64
	// Mutations are switched on in the model, not in the broker: what then
	// differs was planted.
	Mutations model.Mutations
	// Known differences are reported and do no harm. Nil is what is shipped
	// for the embedded broker, and nothing for another.
	Known []Known
	// Parallel is how many groups, or transactional ids, are played at once; 0: 24.
	Parallel int
	// Patience is how long a broker may take for an answer that it does not
	// hold back; 0: 10 seconds. After it the broker hangs, and the run ends.
	Patience time.Duration
	// Progress is called about once a second.
	Progress func(Progress)
}

// Progress is a glance at a run under way.
type Progress struct {
	Part        string
	Requests    int
	Reachable   int // triples
	Covered     int
	Differences int
	Elapsed     time.Duration
}

// plays tells whether a part is wanted.
func (o *Options) plays(part string) bool { return o.Only == "" || o.Only == part }

// withDefaults fills in what the caller left open.
func (o Options) withDefaults() Options {
	if o.Parallel <= 0 {
		o.Parallel = 24
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	if o.Known == nil && o.Bootstrap == "" {
		o.Known = KfakeKnown()
	}
	return o
}
