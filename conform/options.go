package conform

import (
	"fmt"
	"strings"
	"time"

	"fencecheck/conform/frame"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

// Prefix begins every name of a group or topic that this package touches.
const Prefix = wire.Prefix

// The parts of a run.
const (
	Groups       = frame.Groups
	Transactions = frame.Transactions
)

// What reports are made of.
type (
	Triple     = frame.Triple
	Difference = frame.Difference
	Exchange   = frame.Exchange
	Field      = frame.Field
	Rule       = frame.Rule
	Known      = frame.Known
	Part       = frame.Result
	Unprovoked = frame.Unprovoked
	Progress   = frame.Progress
	Replayed   = frame.Replayed
)

// A BrokerError says that a broker died, hung, or answered rubbish.
type BrokerError = wire.BrokerError

// An Unplayable counterexample has a step that nobody can bring about from
// outside a broker.
type Unplayable = frame.Unplayable

// ReadKnown reads a file of known differences.
func ReadKnown(file string) ([]Known, error) { return frame.ReadKnown(file) }

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
		o.Known = frame.KfakeKnown()
	}
	return o
}

// config is what a part is told.
func (o Options) config(part string) frame.Config {
	words := []string{"explore conform --only " + part}
	if o.Bootstrap != "" {
		words = append(words, "--bootstrap "+o.Bootstrap)
	}
	for _, m := range o.Mutations.List() {
		words = append(words, "--mutate "+m.String())
	}
	words = append(words, fmt.Sprintf("--requests %d --seed %d", o.Requests, o.Seed))
	return frame.Config{Requests: o.Requests, Parallel: o.Parallel, Seed: o.Seed, Mutations: o.Mutations,
		Known: frame.Of(o.Known, part), Rerun: strings.Join(words, " "), Progress: o.Progress}
}
