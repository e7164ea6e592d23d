// Package txns judges what transactional producers and the readers of their logs
// were answered: by necessary conditions on epochs (producers.go), on outcomes
// (outcomes.go) and on logs (logs.go), and by the sequential specification of each
// transactional id. A request is a row of rows (requests.go).
package txns

import (
	"fmt"
	"math"

	"fencecheck/linearize/kfh"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// row is a request that a transaction coordinator or the leader of a partition
// decides: how a file has it, and how the model decides it. rows is the only list
// of them.
type row struct {
	kfh.Row
	api model.API
	// compile fills in what is the request's own.
	compile func(*problem, *call, *kfh.Op)
	writes  bool // a leader decides it
}

// Versions before the oldest are answered with older errors (transactions.md
// section 0, 2.2).
var rows = []row{
	{
		Row: kfh.Row{
			Name: kfh.InitPID, OfProducer: true, Oldest: 4,
			In: func(o *kfh.Object, r *kfh.Request) {
				r.Txn = o.Str("x", false)
				producer(o, r, false)
				r.Timeout = o.Integer("to", false, 0, math.MaxInt64, 0)
			},
			Out:  func(o *kfh.Object, a *kfh.Answer) { pair(o, a, true) },
			Told: toldPair,
		},
		api: model.InitProducerID,
	},
	{
		Row: kfh.Row{
			Name: kfh.AddParts, OfProducer: true, Oldest: 2,
			In: func(o *kfh.Object, r *kfh.Request) {
				transaction(o, r)
				r.Partitions = o.Partitions("tps", true)
			},
			Out: errs,
		},
		api: model.AddPartitionsToTxn,
		compile: func(p *problem, c *call, o *kfh.Op) {
			for _, tp := range o.In.Partitions {
				c.parts |= model.Part(p.places[tp])
			}
		},
	},
	{
		Row: kfh.Row{
			Name: kfh.AddOffsets, OfProducer: true, Oldest: 2,
			In: func(o *kfh.Object, r *kfh.Request) {
				transaction(o, r)
				r.Group = o.Str("g", true)
			},
		},
		api:     model.AddOffsetsToTxn,
		compile: func(_ *problem, c *call, _ *kfh.Op) { c.parts = model.Part(txn.OffsetsPartition) },
	},
	{
		Row: kfh.Row{
			Name: kfh.TxnCommit, OfProducer: true, InGeneration: true, Oldest: 4, Bumping: 5,
			In: func(o *kfh.Object, r *kfh.Request) {
				transaction(o, r)
				r.Group = o.Str("g", true)
				r.Member = o.Str("m", false)
				r.Instance = o.OptionalStr("inst")
				r.Generation = int32(o.Integer("gen", false, -1, math.MaxInt32, -1))
				r.Offsets = o.Offsets("off", true, 0)
			},
			Out: errs,
		},
		api: model.TxnOffsetCommit, writes: true,
		compile: func(p *problem, c *call, _ *kfh.Op) { c.place = len(p.places) },
	},
	{
		Row: kfh.Row{
			Name: kfh.EndTxn, OfProducer: true, Oldest: 2, Bumping: 5,
			In: func(o *kfh.Object, r *kfh.Request) {
				transaction(o, r)
				r.Commit = o.Boolean("commit", true)
			},
			Out:  func(o *kfh.Object, a *kfh.Answer) { pair(o, a, false) },
			Told: toldPair,
		},
		api: model.EndTxn,
	},
	{
		Row: kfh.Row{
			Name: kfh.Produce, OfProducer: true, Oldest: 11, Bumping: 12,
			In: func(o *kfh.Object, r *kfh.Request) {
				r.Txn = o.Str("x", false)
				producer(o, r, r.Txn != "")
				r.Log = o.Partition("tp")
				r.Seq = o.Integer("seq", r.PID >= 0, -1, math.MaxInt32, -1)
				r.Values = o.Scalars("vals")
				r.Acks = o.Integer("acks", false, -1, 1, -1)
			},
			Out: func(o *kfh.Object, a *kfh.Answer) { a.Base = o.Integer("base", true, -1, math.MaxInt64, -1) },
		},
		api: model.Produce, writes: true,
		compile: func(p *problem, c *call, o *kfh.Op) {
			c.place, c.seq, c.n = p.places[o.In.Log], o.In.Seq, int64(len(o.In.Values))
		},
	},
	{ // decided by necessary conditions alone
		Row: kfh.Row{
			Name: kfh.Fetch,
			In: func(o *kfh.Object, r *kfh.Request) {
				r.Log = o.Partition("tp")
				r.From = o.Integer("from", true, 0, math.MaxInt64, 0)
				r.Committed = o.Isolation("iso")
			},
			Out: func(o *kfh.Object, a *kfh.Answer) {
				a.Records = o.Records("recs")
				a.HW = o.Integer("hw", false, -1, math.MaxInt64, -1)
				a.LSO = o.Integer("lso", false, -1, math.MaxInt64, -1)
				a.Next = o.Integer("next", false, -1, math.MaxInt64, -1)
			},
			Told: func(o *kfh.Op) string { return fmt.Sprintf("offsets up to %d of %s", o.Next(), o.In.Log) },
		},
	},
}

// byName has the rows by what a file calls the request.
var byName = map[string]*row{}

// Requests are the requests of producers and readers of logs, as kfh/1 has them.
var Requests = formats()

func formats() (t kfh.Table) {
	for i := range rows {
		byName[rows[i].Name] = &rows[i]
		t = append(t, rows[i].Row)
	}
	return t
}

// transaction reads the transactional id and the producer of a request that needs
// both.
func transaction(o *kfh.Object, r *kfh.Request) {
	r.Txn = o.Str("x", true)
	producer(o, r, true)
}

// producer reads a producer id with its epoch; -1 is none where it is not needed.
func producer(o *kfh.Object, r *kfh.Request, needed bool) {
	least := int64(-1)
	if needed {
		least = 0
	}
	r.PID = o.Integer("pid", needed, least, math.MaxInt64, -1)
	r.Epoch = o.Integer("e", needed, least, math.MaxInt16, -1)
	if (r.PID < 0) != (r.Epoch < 0) {
		o.Fail("e", "a producer id or an epoch alone", "both or none")
	}
}

// pair reads the producer id and epoch that an answer gives out.
func pair(o *kfh.Object, a *kfh.Answer, needed bool) {
	a.PID = o.Integer("pid", needed, -1, math.MaxInt64, -1)
	a.Epoch = o.Integer("e", needed, -1, math.MaxInt16, -1)
}

func errs(o *kfh.Object, a *kfh.Answer) { a.Errs = o.StringMap("errs") }

func toldPair(o *kfh.Op) string {
	if o.Out.PID < 0 {
		return "ok"
	}
	return fmt.Sprintf("producer %d epoch %d", o.Out.PID, o.Out.Epoch)
}
