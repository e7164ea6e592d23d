package kfh

import "slices"

// The requests of kfh/1 that are modelled, by their names in the file.
const (
	Join        = "join"
	Sync        = "sync"
	Heartbeat   = "heartbeat"
	Leave       = "leave"
	Commit      = "commit"
	OffsetFetch = "offset-fetch"
	InitPID     = "init-pid"
	AddParts    = "add-parts"
	AddOffsets  = "add-offsets"
	TxnCommit   = "txn-commit"
	EndTxn      = "end-txn"
	Produce     = "produce"
	Fetch       = "fetch"
)

// Row is what is known of one request of kfh/1: its fields, and how it is told.
type Row struct {
	Name string
	// In reads the fields of the request; nil if nothing of it is modelled.
	In func(*Object, *Request)
	// Out reads what an accepted one is answered, and Refusal what stands beside
	// the error of another; nil where that is nothing.
	Out, Refusal func(*Object, *Answer)
	// Told puts an accepted answer in words; nil: there is nothing to tell.
	Told func(*Op) string
	// Wrong is the anomaly if an accepted answer is wrong, where that does not depend
	// on what would be right; Right says what would be.
	Wrong, Right string
	// BorneOut: what it is answered shows in what the clients do next.
	BorneOut bool
	// InGeneration: the request names a generation of a group.
	InGeneration bool
	// OfProducer: the request carries a producer.
	OfProducer bool
	// Oldest is the version before which requests are answered with other errors,
	// and Bumping the one from which on they are of the style of
	// transaction.version 2; 0 for none.
	Oldest, Bumping int64
}

// Table has the requests that a history may name.
type Table []Row

// Find is the row of a request, nil if there is none.
func (t Table) Find(name string) *Row {
	i := slices.IndexFunc(t, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &t[i]
}
