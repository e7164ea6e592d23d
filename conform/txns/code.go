package txns

import (
	"fencecheck/conform/frame"
	"fencecheck/model"
	"fencecheck/model/txn"
)

// parts codes a set, of which only the logs of a play are used.
func codeParts(c *frame.Coder, set *model.PartSet) {
	var bits uint8
	for log := range uint8(numOutputs + 1) {
		if set.Has(logIndex(log)) {
			bits |= 1 << log
		}
	}
	frame.Code(c, &bits)
	*set = 0
	for log := range uint8(numOutputs + 1) {
		if bits>>log&1 != 0 {
			*set |= model.Part(logIndex(log))
		}
	}
}

// code codes a canonical state.
func (s *state) code(c *frame.Coder) {
	t := &s.Txn
	frame.Code(c, &t.State)
	frame.Code(c, &t.Pending)
	frame.Code(c, &t.PID)
	frame.Code(c, &t.Prev)
	frame.Code(c, &t.Next)
	frame.Code(c, &t.Epoch)
	frame.Code(c, &t.LastEpoch)
	frame.Code(c, &t.Version)
	codeParts(c, &t.Partitions)
	frame.Flag(c, &t.FailedFence)
	frame.Flag(c, &t.ByFence)
	frame.Flag(c, &s.Outbox.Stuck)
	for log := range s.Entries {
		for i := range s.Entries[log] {
			codeEntry(c, &s.Entries[log][i])
		}
	}
	for log := range s.Logs {
		codeLog(c, &s.Logs[log])
	}
	s.codeOffsets(c)
}

func codeEntry(c *frame.Coder, e *txn.ProducerEntry) {
	frame.Code(c, &e.PID)
	if e.PID == 0 {
		*e = txn.ProducerEntry{}
		return
	}
	frame.Code(c, &e.Epoch)
	frame.Code(c, &e.CoordinatorEpoch)
	frame.Code(c, &e.Last)
	frame.Code(c, &e.Kept)
	frame.Flag(c, &e.Open)
	frame.Code(c, &e.Guard)
	frame.Code(c, &e.Lowest)
	frame.Code(c, &e.GuardEpoch)
	frame.Flag(c, &e.GuardBumps)
}

// codeLog: a canonical log is empty, or one record that is undecided.
func codeLog(c *frame.Coder, log *[]logged) {
	l := logged{}
	if len(*log) > 0 {
		l = (*log)[0]
	}
	frame.Code(c, &l.PID)
	if *log = nil; l.PID != 0 {
		*log = []logged{{Kind: txn.TransactionalRecord, PID: l.PID}}
	}
}

func (s *state) codeOffsets(c *frame.Coder) {
	frame.Code(c, &s.Offset)
	frame.Code(c, &s.OffsetAt)
	for i := range s.Pending {
		p := &s.Pending[i]
		frame.Code(c, &p.PID)
		if p.PID != 0 {
			frame.Code(c, &p.Partition)
			frame.Code(c, &p.Offset)
			frame.Code(c, &p.At)
		}
	}
	frame.Code(c, &s.Given)
}
