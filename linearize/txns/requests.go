package txns

import (
	"fmt"
	"math"

	"fencecheck/linearize/kfh"
)

// Requests are the requests of producers and readers of logs, as kfh/1 has them.
// Versions before the oldest are answered with older errors (transactions.md
// section 0, 2.2).
var Requests = kfh.Table{
	{
		Name: kfh.InitPID, OfProducer: true, Oldest: 4,
		In: func(o *kfh.Object, r *kfh.Request) {
			r.Txn = o.Str("x", false)
			producer(o, r, false)
			r.Timeout = o.Integer("to", false, 0, math.MaxInt64, 0)
		},
		Out:  func(o *kfh.Object, a *kfh.Answer) { pair(o, a, true) },
		Told: toldPair,
	},
	{
		Name: kfh.AddParts, OfProducer: true, Oldest: 2,
		In: func(o *kfh.Object, r *kfh.Request) {
			transaction(o, r)
			r.Partitions = o.Partitions("tps", true)
		},
		Out: errs,
	},
	{
		Name: kfh.AddOffsets, OfProducer: true, Oldest: 2,
		In: func(o *kfh.Object, r *kfh.Request) {
			transaction(o, r)
			r.Group = o.Str("g", true)
		},
	},
	{
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
	{
		Name: kfh.EndTxn, OfProducer: true, Oldest: 2, Bumping: 5,
		In: func(o *kfh.Object, r *kfh.Request) {
			transaction(o, r)
			r.Commit = o.Boolean("commit", true)
		},
		Out:  func(o *kfh.Object, a *kfh.Answer) { pair(o, a, false) },
		Told: toldPair,
	},
	{
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
	{
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
