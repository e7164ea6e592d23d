package txns

import (
	"slices"

	"fencecheck/model"
)

// The vectors of transactions.md section 11: sequences whose answers were seen
// on a real broker before there was a model. What needs a look between a
// decision and its markers is left to the model's own test.

// vector is one of them.
type vector struct {
	name  string
	lines []line
}

// line is a request with its values, and what it is answered: an error, or a
// pair as "1,0" for the first id with epoch 0. "" is: whatever the model says.
type line struct {
	request request
	answer  string
}

// with is a request of the play's first producer, with an epoch.
func with(st Step, e model.Epoch) request {
	r := newRequest(st)
	r.PID, r.Epoch = 1, e
	return r
}

func lineInit(pid model.ProducerID, e model.Epoch) request {
	r := with(Step{Op: initProducer}, e)
	r.PID = pid
	return r
}

func lineEnd(style uint8, e model.Epoch, commit bool) request {
	return with(Step{Op: endTxn, Style: style, Commit: commit}, e)
}

func commit5(e model.Epoch) request { return lineEnd(0, e, true) }
func abort5(e model.Epoch) request  { return lineEnd(0, e, false) }
func commit4(e model.Epoch) request { return lineEnd(1, e, true) }
func abort4(e model.Epoch) request  { return lineEnd(1, e, false) }

func another(r request) request { r.PID = strangerPID; return r }

func lineProduce(style, log uint8, e model.Epoch, sequence int32) request {
	r := with(Step{Op: produce, Style: style, Log: log}, e)
	r.Sequence = sequence
	return r
}

func produce12(log uint8, e model.Epoch, sequence int32) request {
	return lineProduce(0, log, e, sequence)
}

func plain12(e model.Epoch, sequence int32) request {
	return lineProduce(noTransaction, 0, e, sequence)
}

func add3(e model.Epoch) request { return with(Step{Op: addPartition}, e) }

// lineMarker is a marker of a coordinator so many epochs after the present one.
func lineMarker(style uint8, e model.Epoch, after int16, commit bool) request {
	r := with(Step{Op: writeMarker, Style: style, Commit: commit}, e)
	r.CoordinatorEpoch = after
	return r
}

func lineCommit(style uint8, e model.Epoch, c credentials) request {
	return with(Step{Op: txnCommit, Style: style, Cred: c}, e)
}

var (
	firstInit    = lineInit(0, model.NoEpoch)
	overdueTxn   = newRequest(Step{Op: timeout})
	stableFetch  = newRequest(Step{Op: readOffset, Stable: true})
	plainFetch   = newRequest(Step{Op: readOffset})
	useUpEpochs  = newRequest(Step{Op: exhaust})
	brokerAgain  = newRequest(Step{Op: restart})
	committedLSO = newRequest(Step{Op: lastOffset, Stable: true})
)

const (
	answered48 = "INVALID_TXN_STATE"
	answered47 = "INVALID_PRODUCER_EPOCH"
	answered51 = "CONCURRENT_TRANSACTIONS"
	answered90 = "PRODUCER_FENCED"
	answered45 = "OUT_OF_ORDER_SEQUENCE_NUMBER"
	answered52 = "TRANSACTION_COORDINATOR_FENCED"
	answeredOK = "NONE"
)

var vectors = []vector{
	{"v1", []line{{firstInit, "1,0"}, {commit5(0), answered48}, {abort5(0), "1,1"}, {abort5(0), "1,1"}, {commit5(0), answered48},
		{commit5(1), answered48}, {abort5(1), "1,2"}, {abort5(7), answered90}}},
	{"v2", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {commit5(0), "1,1"}, {commit5(0), "1,1"}, {abort5(0), answered48},
		{commit5(1), answered48}, {abort5(1), "1,2"}, {produce12(0, 0, 1), answered47}, {produce12(1, 0, 0), answered47}, {produce12(1, 9, 0), answered47}}},
	{"v3", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {firstInit, answered51}, {commit5(0), answered48}, {abort5(0), "1,1"},
		{produce12(0, 1, 0), answeredOK}, {firstInit, answered51}, {firstInit, "1,3"}}},
	{"v4", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {overdueTxn, ""}, {lineInit(1, 0), "1,1"}, {lineInit(1, 0), "1,1"},
		{lineInit(1, 1), "1,2"}, {lineInit(1, 1), "1,2"}, {lineInit(1, 0), answered90}, {firstInit, "1,3"}, {lineInit(1, 2), answered90}}},
	{"v5", []line{{firstInit, "1,0"}, {firstInit, "1,1"}, {firstInit, "1,2"}, {firstInit, "1,3"}, {produce12(0, 3, 0), answeredOK},
		{lineInit(1, 1), answered51}, {lineInit(1, 1), answered90}, {produce12(0, 3, 1), answered47}, {abort5(3), "1,4"}}},
	{"v6", []line{{firstInit, "1,0"}, {commit4(0), answered48}, {abort4(0), answered48}, {lineProduce(1, 0, 0, 0), "TRANSACTION_ABORTABLE"},
		{lineProduce(2, 0, 0, 0), answered48}, {add3(0), answeredOK}, {lineProduce(1, 0, 0, 0), answeredOK}, {commit4(0), answeredOK},
		{commit4(0), answeredOK}, {abort4(0), answered48}, {lineProduce(1, 0, 0, 1), "TRANSACTION_ABORTABLE"}}},
	{"v7", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {commit4(0), answeredOK}, {commit5(0), answered48}, {abort5(0), "1,1"}}},
	{"v8 and v9", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {lineMarker(0, 0, 5, false), answered47}, {lineMarker(0, 1, 5, false), answeredOK},
		{lineMarker(0, 1, 5, true), answeredOK}, {lineMarker(0, 1, 4, false), answered52}, {lineMarker(0, 2, 4, false), answered52},
		{lineMarker(1, 0, 1, false), answered47}, {lineMarker(2, 0, 1, false), answered47},
		{commit5(0), "1,1"}, {commit5(0), answered51}, {another(commit5(0)), answered51}, {firstInit, answered51}, {another(add3(0)), answered51},
		{commit4(0), answered90}, {commit4(1), answered51}, {another(commit4(0)), "INVALID_PRODUCER_ID_MAPPING"}}},
	{"v10", []line{{firstInit, "1,0"}, {produce12(0, 0, 0), answeredOK}, {commit5(0), "1,1"}, {produce12(0, 1, 0), answeredOK},
		{lineMarker(0, 1, 0, false), answered47}, {committedLSO, ""}, {lineMarker(1, 1, 0, false), answeredOK}, {committedLSO, ""},
		{produce12(0, 1, 1), answeredOK}, {commit5(1), "1,2"}}},
	{"v11", []line{{firstInit, "1,0"}, {lineCommit(0, 0, wrongGen), "ILLEGAL_GENERATION"}, {lineCommit(0, 0, wrongMember), "UNKNOWN_MEMBER_ID"},
		{lineCommit(0, 0, member), answeredOK}, {stableFetch, "UNSTABLE_OFFSET_COMMIT"}, {plainFetch, answeredOK}, {lineCommit(0, 0, bare), answeredOK},
		{lineCommit(0, 0, withoutGen), "ILLEGAL_GENERATION"}, {commit5(0), "1,1"}, {stableFetch, answeredOK}, {lineCommit(0, 0, member), answered47},
		{lineCommit(1, 1, member), "TRANSACTION_ABORTABLE"}, {lineCommit(2, 1, member), answered48}}},
	{"v12", []line{{useUpEpochs, "1,32766"}, {lineInit(1, 5), "UNKNOWN_SERVER_ERROR"}, {lineInit(1, 32766), "2,0"}, {lineInit(1, 32766), "2,0"},
		{lineInit(1, 32766), answered90}}},
	{"v13", []line{{useUpEpochs, "1,32766"}, {produce12(0, 32766, 0), answeredOK}, {commit5(32766), "2,0"}, {commit5(32766), "2,0"},
		{abort5(32766), answered48}, {plain12(32766, 1), answered47}, {plain12(32767, 0), answeredOK}}},
	{"v15", []line{{firstInit, "1,0"}, {produce12(0, 0, 5), answered45}, {produce12(0, 0, 0), answeredOK}, {plain12(0, 1), answered48},
		{produce12(0, 0, 1), answeredOK}, {produce12(0, 0, 2), answeredOK}, {produce12(0, 0, 3), answeredOK}, {produce12(0, 0, 4), answeredOK},
		{produce12(0, 0, 5), answeredOK}, {produce12(0, 0, 6), answeredOK}, {produce12(0, 0, 6), answeredOK}, {produce12(0, 0, 2), answeredOK},
		{produce12(0, 0, 1), answered45}, {produce12(0, 0, 9), answered45}}},
	{"v16", []line{{another(plain12(0, 7)), answeredOK}, {another(plain12(1, 3)), answered45}, {another(plain12(1, 0)), answeredOK},
		{another(plain12(0, 8)), answered47}}},
}

// restartVectors are those for which the broker is killed and started again.
var restartVectors = []vector{
	{"v9, its end", append(vectors[7].lines[:10:10], line{brokerAgain, ""}, line{firstInit, answered51})},
	{"v14", []line{{firstInit, "1,0"}, {lineInit(1, 0), "1,1"}, {brokerAgain, ""}, {lineInit(1, 0), answered90}}},
}

// vectorNames are those that need no restart.
func vectorNames() (names []string) {
	for i := range vectors {
		names = append(names, vectors[i].name)
	}
	return names
}

func vectorNamed(name string) *vector {
	if i := slices.IndexFunc(vectors, func(v vector) bool { return v.name == name }); i >= 0 {
		return &vectors[i]
	}
	return &restartVectors[slices.IndexFunc(restartVectors, func(v vector) bool { return v.name == name })]
}

// on is a line's request where the coordinator has an epoch.
func (l line) on(g *game) request {
	r := l.request
	if r.Step.Op == writeMarker {
		r.CoordinatorEpoch += g.coordinator
	}
	return r
}

// waits tells whether a transaction times out in it.
func (v *vector) waits() bool {
	return slices.ContainsFunc(v.lines, func(l line) bool { return l.request.Step.waits() })
}
