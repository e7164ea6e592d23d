package txns

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/conform/frame"
	"fencecheck/model"
)

// A row is all that is known of one kind of step: a request, the passage of time,
// or what befalls a broker.
type row struct {
	name     string // in search's coverage
	title    string // in reports, where it is not its API's name
	api      model.API
	weight   int // how often a walk takes it
	versions []version
	rule     frame.Rule // the section of transactions.md that decides it

	// Its tokens: the pairs that it carries, the logs that it can be for, and forms
	// yields it with each of the others; nil: it has none. Apart is not drawn at all.
	pairs   pairs
	logs    logs
	forms   func(c scope, st Step, yield func(Step))
	apart   bool
	outcome bool   // commit or abort
	stable  string // what reports say of read_committed, or RequireStable
	// resolve fills in what the tokens stand for besides the pair; false where they
	// stand for nothing, or for what another token stands for. Nil: nothing.
	resolve func(s *state, r *request, g *game) bool

	// decide lets the model decide. Nil: the request meets the rules, and nothing
	// else.
	decide func(v *view, r *request) answer
	to     receiver
	key    kmsg.Key
	// message is what is sent, but for the version; number is that of the record or
	// commit that it brings. read reads the answer; fresh is the last id that the
	// coordinator has given.
	message func(x *sending, r *request, number int32) kmsg.Request
	read    func(x *sending, m kmsg.Response, r *request, fresh model.ProducerID, a *answer)
	// What reports say of it: its class beyond the pair, the state that decides, and
	// its values beyond the pair.
	words  func(r *request) []string
	class  func(s *state, r *request, g *game) string
	values func(r *request) []string
}

// op is a row of the table.
type op uint8

// The steps.
const (
	initProducer op = iota
	addPartition
	addOffsets
	produce
	txnCommit // TxnOffsetCommit
	endTxn
	writeMarker // WriteTxnMarkers, as a coordinator or an administrator sends it
	memberCommit
	readRecords // Fetch
	lastOffset  // ListOffsets
	readOffset  // OffsetFetch
	describe    // DescribeTransactions
	exhaust     // InitProducerId, until no epoch is left
	timeout     // the transaction takes longer than its timeout
	restart     // the broker is killed and started again
	lateRestart // it is started again when the transaction is overdue
	numOps
)

var rows = [numOps]row{
	initProducer: {name: "init", api: model.InitProducerID, weight: 3, pairs: anyPair,
		versions: []version{{number: 4, name: "v4"}, {number: 3, name: "v3"}},
		key:      kmsg.InitProducerID, message: (*sending).initProducer, read: (*sending).readInit, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "1.4", Text: "InitProducerId: a transition under way, the expected pair, the state, the epoch rule"}},
	addPartition: {name: "add-partition", api: model.AddPartitionsToTxn, weight: 5, pairs: aPair, logs: outputs,
		versions: []version{{number: 3, style: model.TV1, name: "v3"}, {number: 1, style: model.TV1, name: "v1"},
			{number: 5, style: model.TV2, name: "v5"}, {number: 5, style: model.TV1, verify: true, name: "v5 verify-only"}},
		key: kmsg.AddPartitionsToTxn, message: (*sending).addPartition, read: (*sending).readAdded, class: (*state).partitionClass, values: (*request).logValue,
		rule: frame.Rule{ID: "1.5", Text: "AddPartitionsToTxn: a transition under way, the producer id, the epoch, the state"}},
	addOffsets: {name: "add-offsets", api: model.AddOffsetsToTxn, weight: 2, pairs: aPair, logs: groupOffsets,
		versions: []version{{number: 4, style: model.TV1, name: "v4"}, {number: 1, style: model.TV1, name: "v1"}},
		key:      kmsg.AddOffsetsToTxn, message: (*sending).addOffsets, read: (*sending).readAddedOffsets, class: (*state).partitionClass,
		rule: frame.Rule{ID: "1.5", Text: "AddOffsetsToTxn: as AddPartitionsToTxn; the group is not looked at"}},
	produce: {name: "produce", api: model.Produce, weight: 12, pairs: aPair, logs: outputs, forms: scope.batches,
		versions: []version{{number: 12, style: model.TV2, name: "v12"}, {number: 11, style: model.TV1, name: "v11"},
			{number: 10, style: model.TV1, name: "v10"}, {number: 12, name: "v12 without transaction"}},
		resolve: (*state).resolveSequence, decide: (*view).produce, to: toLeader, key: kmsg.Produce, message: (*sending).produce, read: (*sending).readProduced,
		words: (*request).sequenceWords, class: (*state).batchClass, values: (*request).batchValues,
		rule: frame.Rule{ID: "2.2 to 2.4", Text: "Produce: the leader's epoch, the coordinator's word, the guard, the sequence"}},
	txnCommit: {name: "txn-commit", api: model.TxnOffsetCommit, weight: 6, pairs: aPair, logs: groupOffsets, forms: scope.credentials,
		versions: []version{{number: 5, style: model.TV2, name: "v5"}, {number: 4, style: model.TV1, name: "v4"}, {number: 3, style: model.TV1, name: "v3"}},
		decide:   (*view).txnCommit, to: toLeader, key: kmsg.TxnOffsetCommit, message: (*sending).txnCommit, read: (*sending).readTxnCommit,
		words: (*request).credentialWords, class: (*state).batchClass, values: (*request).credentialValues,
		rule: frame.Rule{ID: "3.1", Text: "TxnOffsetCommit: the producer first, then the group, then the log"}},
	endTxn: {name: "end", api: model.EndTxn, weight: 8, pairs: aPair, forms: scope.outcomes, outcome: true,
		versions: []version{{number: 5, style: model.TV2, name: "v5"}, {number: 4, style: model.TV1, name: "v4"}, {number: 1, style: model.TV1, name: "v1"}},
		key:      kmsg.EndTxn, message: (*sending).endTxn, read: (*sending).readEnded, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "1.6, 1.7", Text: "EndTxn: a transition under way, the producer id, the epoch, and the outcome"}},
	writeMarker: {name: "marker", api: model.WriteTxnMarkers, weight: 1, logs: outputs | groupOffsets, forms: scope.markers, outcome: true,
		versions: []version{{number: 2, style: model.TV2, name: "v2"}, {number: 2, name: "v2 of style 0"}, {number: 1, name: "v1"}},
		resolve:  (*state).resolveMarker, decide: (*view).marker, to: toLeader, key: kmsg.WriteTxnMarkers, message: (*sending).marker, read: (*sending).readMarked,
		words: (*request).markerWords, class: (*state).leaderClass, values: (*request).markerValues,
		rule: frame.Rule{ID: "2.5", Text: "WriteTxnMarkers: the producer epoch, then the coordinator epoch"}},
	memberCommit: {name: "commit", api: model.OffsetCommit, weight: 1, logs: groupOffsets, versions: []version{{number: 9}},
		decide: (*view).memberCommit, to: toLeader, key: kmsg.OffsetCommit, message: (*sending).memberCommit, read: (*sending).readCommit,
		class: (*state).offsetClass, values: (*request).memberValue,
		rule: frame.Rule{ID: "O9", Text: "a member's commit of the current generation is taken"}},
	readRecords: {name: "fetch", title: "Fetch", weight: 2, logs: outputs, forms: scope.isolations, stable: "read_committed",
		versions: []version{{number: 12}}, decide: (*view).readRecords, to: toLeader, key: kmsg.Fetch, message: (*sending).fetch, read: (*sending).readFetched,
		class: (*state).undecidedClass, values: (*request).logValue,
		rule: frame.Rule{ID: "2.6", Text: "a read_committed reader reads up to the last stable offset, and drops what was aborted"}},
	lastOffset: {name: "list-offsets", title: "ListOffsets", weight: 1, logs: outputs, forms: scope.isolations, stable: "read_committed",
		versions: []version{{number: 7}}, decide: (*view).lastOffset, to: toLeader, key: kmsg.ListOffsets, message: (*sending).listOffsets, read: (*sending).readListed,
		class: (*state).undecidedClass, values: (*request).logValue,
		rule: frame.Rule{ID: "2.6", Text: "the last stable offset lies before the first open transaction"}},
	readOffset: {name: "fetch-offset", api: model.OffsetFetch, weight: 2, logs: groupOffsets, forms: scope.stabilities, stable: "stable",
		versions: []version{{number: 9}}, decide: (*view).readOffset, to: toLeader, key: kmsg.OffsetFetch, message: (*sending).fetchOffset, read: (*sending).readOffset,
		class: (*state).offsetClass,
		rule:  frame.Rule{ID: "3.2, 3.3", Text: "offsets show with the COMMIT marker; RequireStable waits for what is pending"}},
	describe: {name: "describe", title: "DescribeTransactions", weight: 1, versions: []version{{number: 0}}, resolve: (*state).begun,
		decide: (*view).describe, key: kmsg.DescribeTransactions, message: (*sending).describe, read: (*sending).readState, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "1.1", Text: "what the coordinator knows of the transactional id"}},

	exhaust: {name: "exhaust", title: "InitProducerId v4 until no epoch is left", versions: []version{{number: 4}}, apart: true,
		resolve: (*state).unused, decide: (*view).exhaust, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "1.4", Text: "InitProducerId raises the epoch by one, up to 32766"}},
	timeout: {name: "timeout", title: "transaction timeout", weight: 2, versions: []version{{}},
		resolve: (*state).ongoing, decide: (*view).timeout, to: nobody, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "1.8", Text: "an overdue transaction is aborted with a raised epoch"}},
	restart: {name: "restart", title: "restart of the broker", versions: []version{{}}, apart: true,
		decide: (*view).restart, to: nobody, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "5", Text: "another coordinator goes on from its log, and marks again what was decided"}},
	lateRestart: {name: "late-restart", title: "restart of the broker after the timeout", versions: []version{{}}, apart: true,
		resolve: (*state).ongoing, decide: (*view).lateRestart, to: nobody, class: (*state).coordinatorClass,
		rule: frame.Rule{ID: "5", Text: "another coordinator aborts what is overdue, and marks every partition"}},
}

func (o op) row() *row { return &rows[o] }

// request tells whether a step is a request, and not time or fate.
func (o op) request() bool { return o.row().to != nobody }

// opOf is the step that is a request, as stories have it; false if none is.
func opOf(api model.API) (op, bool) {
	for o := range numOps {
		if rows[o].api == api && api != model.NoAPI {
			return o, true
		}
	}
	return 0, false
}
