// Package kfh reads histories of the format kfh/1 and says what a history says by
// itself: its requests and their outcomes, which of them belong together, the lives
// of the broker, and its clock. Which requests there are, it is told by a Table.
package kfh

import (
	"encoding/json"
	"fmt"
	"iter"
)

// Outcome says what is known about the effect of a request.
type Outcome uint8

const (
	// Unknown: no answer, or one that leaves the outcome open. The request may
	// take effect at any time after its invocation, or never.
	Unknown Outcome = iota
	// OK: answered without an error.
	OK
	// Failed: answered with an error that settles the outcome.
	Failed
)

// Header is the first line of a history: Raw is the line, the rest is what the
// checker reads of it.
type Header struct {
	Raw           json.RawMessage
	GroupProtocol string
	TxnVersion    int64 // style of the transactional requests, 2 if not given
	TxnTimeout    int64 // 0 if not given
	Level         string
	Start         string
	Restarts      int64
	API           map[string]int64 // request version by name, where given
}

// Event is one line of a history. Raw, In and Out keep the file's bytes.
type Event struct {
	I     int
	T     int64 // time since the start of the run, -1 if not given
	P     int   // process, -1 if not given
	K     string
	Op    int // -1 if not given
	F     string
	In    json.RawMessage
	Out   json.RawMessage
	Why   string
	Local bool
	Raw   json.RawMessage
	Line  int
}

// Request is what a client sent.
type Request struct {
	Group      string
	Member     string
	Instance   *string
	Generation int32
	Protocols  []string
	Meta       string              // a JSON scalar as the file spells it, "" if not given
	Assign     map[string][]string // the leader's plan; nil if not given
	Offsets    map[string]int64
	Partitions []string
	Stable     bool

	Txn     string // transactional id, "" for none
	PID     int64  // -1 for none, as is Epoch
	Epoch   int64
	Timeout int64 // of transactions, in the clock's unit; 0 if not given
	Commit  bool  // EndTxn
	Log     string
	Seq     int64    // of the first record; -1 for none
	Values  []string // JSON scalars, as the file spells them
	Acks    int64    // -1: answered when all replicas have it
	From    int64    // where a fetch begins
	// Committed: a fetch with isolation level read_committed.
	Committed bool
}

// LogRecord is a record that a fetch returned.
type LogRecord struct {
	Offset int64
	Value  string
}

// Answer is what the coordinator answered.
type Answer struct {
	Err        string
	Errs       map[string]string
	Generation int32
	Member     string
	Leader     *string
	Protocol   *string
	Members    []string // nil if not given
	Skip       bool
	Partitions []string
	Offsets    map[string]int64

	PID, Epoch int64 // InitProducerId, EndTxn v5; PID -1 if not given
	Base       int64 // offset of the first record of a Produce
	Records    []LogRecord
	// HW and LSO are -1 if a fetch does not tell them. Next is the offset after
	// the last batch that it read.
	HW, LSO, Next int64
}

// Op is a request with its answer. Inv and Ret are indexes of events; Ret is
// -1 if there was no answer.
type Op struct {
	ID      int
	P       int
	F       string // the name of the request
	Row     *Row   // and all else that is known of it
	In      Request
	Out     Answer
	Outcome Outcome
	Why     string // of an unknown outcome
	Local   bool   // failed before it was sent
	Inv     int
	Ret     int
	Line    int // of the invocation
}

// History is a recorded history, as Read returns it.
type History struct {
	Name   string
	Header Header
	Events []Event
	Ops    []Op // in the order of invocation
}

// Each goes through requests, given by their indexes.
func (h *History) Each(ops []int) iter.Seq2[int, *Op] {
	return func(yield func(int, *Op) bool) {
		for _, i := range ops {
			if !yield(i, &h.Ops[i]) {
				return
			}
		}
	}
}

// SyntaxError says that a file is not a kfh/1 history, and where.
type SyntaxError struct {
	File  string
	Line  int
	Field string // the field at fault, "" if the line as a whole is
	Found string
	Want  string
}

// Error names the position, what was found and what would be right.
func (e *SyntaxError) Error() string {
	field := ""
	if e.Field != "" {
		field = " " + e.Field + ":"
	}
	return fmt.Sprintf("%s:%d:%s found %s, want %s", e.File, e.Line, field, e.Found, e.Want)
}

// UnsupportedError says that a history uses a part of the protocol that is not
// modelled, so that none of it was judged.
type UnsupportedError struct {
	File string
	Line int
	What string
}

// Error names the position and the part that is not modelled.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s:%d: %s: not modelled yet, so the history is not judged", e.File, e.Line, e.What)
}
