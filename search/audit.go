package search

import (
	"bytes"
	"fmt"
)

// auditStates is how many states of each shard are audited at least: the first ones, as far
// as they begin a page, with all of their successors.
const auditStates = 64

// An audit looks whether a system's Decode is the inverse of its Append. A mistake there
// makes a search miss states without a word, so it ends in a panic. States themselves are
// not compared: it is up to a system what of them it need not encode.
type audit[S any] struct {
	sys     System[S]
	canon   func(*S)
	decoded S
	codes   [2][]byte
}

func newAudit[S any](sys System[S]) *audit[S] {
	return &audit[S]{sys: sys, canon: canonizer(sys, uncounted)}
}

// code looks at an encoding that the search keeps.
func (a *audit[S]) code(code []byte) {
	a.sys.Decode(code, &a.decoded)
	a.codes[1] = a.sys.Append(a.codes[1][:0], &a.decoded)
	if !bytes.Equal(code, a.codes[1]) {
		panic(fmt.Sprintf("search: Decode is not the inverse of Append: %x was decoded as %+v, which is encoded as %x", code, a.decoded, a.codes[1]))
	}
}

// state looks at a state as the system made it.
func (a *audit[S]) state(s S) {
	if a.canon != nil {
		a.canon(&s)
	}
	a.codes[0] = a.sys.Append(a.codes[0][:0], &s)
	a.code(a.codes[0])
}
