package model

// A ProtocolPart is a part of the protocol that has state and rules of its own.
// Requests, mutations and budgets say in their rows which one they belong to;
// nothing else does.
type ProtocolPart uint8

// The parts.
const (
	// AnyPart: it concerns every configuration.
	AnyPart ProtocolPart = iota
	// ClassicPart is the classic group: membership and rebalances.
	ClassicPart
	// OffsetsPart is what a group has committed, whatever kind of group it is.
	OffsetsPart
	// TransactionsPart is the transaction coordinator, the leaders of
	// partitions, and offsets in transactions.
	TransactionsPart
)

// String names the part in messages: whose requests and faults are its own.
func (p ProtocolPart) String() string {
	switch p {
	case AnyPart:
		return "any"
	case ClassicPart:
		return "a group"
	case OffsetsPart:
		return "a consumer"
	case TransactionsPart:
		return "a producer"
	}
	return "an unknown part"
}

// API names a request by Kafka's name for it.
type API uint8

// The requests that are modelled. A new one comes last: which of two equally short
// counterexamples a search finds depends on how states are encoded.
const (
	NoAPI API = iota
	JoinGroup
	SyncGroup
	Heartbeat
	LeaveGroup
	OffsetCommit
	OffsetFetch
	DeleteGroups
	InitProducerID
	AddPartitionsToTxn
	AddOffsetsToTxn
	TxnOffsetCommit
	EndTxn
	Produce
	WriteTxnMarkers
	OffsetDelete
	NumAPIs
)

// APIInfo describes one request.
type APIInfo struct {
	Name string // Kafka's
	Part ProtocolPart
	// Admin: an administrator sends it, none of the clients that exploration has.
	Admin bool
	// Old has the errors that old versions of the request do not know
	// (transactions.md section 0, 2.2).
	Old []OldError
}

// OldError is an error that versions before Since do not know, and what they are
// told in its place.
type OldError struct {
	Err     Error
	Since   int16
	Instead Error
}

// APIs has a row for every request, at its own index.
var APIs = [NumAPIs]APIInfo{
	NoAPI:              {},
	JoinGroup:          {Name: "JoinGroup", Part: ClassicPart},
	SyncGroup:          {Name: "SyncGroup", Part: ClassicPart},
	Heartbeat:          {Name: "Heartbeat", Part: ClassicPart},
	LeaveGroup:         {Name: "LeaveGroup", Part: ClassicPart},
	OffsetCommit:       {Name: "OffsetCommit", Part: OffsetsPart},
	OffsetFetch:        {Name: "OffsetFetch", Part: OffsetsPart},
	DeleteGroups:       {Name: "DeleteGroups", Part: OffsetsPart, Admin: true},
	InitProducerID:     {Name: "InitProducerId", Part: TransactionsPart, Old: []OldError{{ProducerFenced, 4, InvalidProducerEpoch}}}, // KIP-588
	AddPartitionsToTxn: {Name: "AddPartitionsToTxn", Part: TransactionsPart, Old: []OldError{{ProducerFenced, 2, InvalidProducerEpoch}}},
	AddOffsetsToTxn:    {Name: "AddOffsetsToTxn", Part: TransactionsPart, Old: []OldError{{ProducerFenced, 2, InvalidProducerEpoch}}},
	TxnOffsetCommit:    {Name: "TxnOffsetCommit", Part: TransactionsPart, Old: []OldError{{TransactionAbortable, 4, InvalidTxnState}}}, // KIP-890
	EndTxn:             {Name: "EndTxn", Part: TransactionsPart, Old: []OldError{{ProducerFenced, 2, InvalidProducerEpoch}}},
	Produce:            {Name: "Produce", Part: TransactionsPart, Old: []OldError{{TransactionAbortable, 11, InvalidTxnState}}},
	WriteTxnMarkers:    {Name: "WriteTxnMarkers", Part: TransactionsPart},
	OffsetDelete:       {Name: "OffsetDelete", Part: OffsetsPart, Admin: true},
}

// String is Kafka's name of the request.
func (a API) String() string { return APIs[a].Name }

// Part is the part of the protocol that the request belongs to; AnyPart for
// none.
func (a API) Part() ProtocolPart { return APIs[a].Part }

// EveryAPI lists the requests in the order of their rows.
func EveryAPI() []API {
	var all []API
	for a := range APIs {
		if APIs[a].Name != "" {
			all = append(all, API(a))
		}
	}
	return all
}

// APIByName finds a request by Kafka's name for it.
func APIByName(name string) (API, bool) {
	for _, a := range EveryAPI() {
		if a.String() == name {
			return a, true
		}
	}
	return NoAPI, false
}

// Told is what a request of a version is told of an error: old versions do not
// know every one (KafkaApis, AddPartitionsToTxnManager).
func (e Error) Told(api API, version int16) Error {
	for _, old := range APIs[api].Old {
		if old.Err == e && version < old.Since {
			return old.Instead
		}
	}
	return e
}
