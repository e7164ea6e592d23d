// Package frame plays sequences of steps on a broker and keeps the account: it
// hands them out, draws random ones, makes differences small and sure, and tells
// which of them are known. It knows nothing of the steps themselves: each part of
// the protocol (conform/groups, conform/txns) is a Part.
package frame

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The parts of a run.
const (
	Groups       = "groups"
	Transactions = "transactions"
)

// Triple is the unit of coverage: a class of requests, the state of the
// coordinator that decides, and its answer.
type Triple struct {
	Request string `json:"request"`
	State   string `json:"state"`
	Answer  string `json:"answer"`
}

// String is the triple in a line.
func (t Triple) String() string { return fmt.Sprintf("%s in %s: %s", t.Request, t.State, t.Answer) }

// SortedTriples lists triples in their order, which makes a plan the same for every run.
func SortedTriples[V any](all map[Triple]V) []Triple {
	return slices.SortedFunc(maps.Keys(all), compareTriples)
}

func compareTriples(a, b Triple) int {
	return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.State, b.State), cmp.Compare(a.Answer, b.Answer))
}

// A Signature tells differences apart: what was asked, in which state, and the
// two answers.
type Signature struct {
	Triple        // with the model's answer
	Broker string // the broker's
}

// like is equality but for the state.
func (s Signature) like(o Signature) bool {
	return s.Request == o.Request && s.Answer == o.Answer && s.Broker == o.Broker
}

// Rule is a rule of the protocol pages by its id there.
type Rule struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}
