package txns

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
	"fencecheck/model/txn"
)

// read turns an answer from the wire into the model's terms. fresh is the last id
// that the coordinator has given; it may show later than it was given.
func (x *sending) read(m kmsg.Response, r *request, fresh model.ProducerID) (a answer) {
	r.row().read(x, m, r, fresh, &a)
	return a
}

// only is the one entry of an answer; one that has none, or several, is odd.
func only[T any](a *answer, all []T) (x T) {
	if len(all) == 1 {
		return all[0]
	}
	if a.Odd == "" {
		a.Odd.Add("no partition is answered")
	}
	return x
}

func (x *sending) readInit(body kmsg.Response, _ *request, fresh model.ProducerID, a *answer) {
	m := body.(*kmsg.InitProducerIDResponse)
	a.Err = model.Error(m.ErrorCode)
	a.pair(x, m.ProducerID, m.ProducerEpoch, fresh)
}

func (x *sending) readAddedOffsets(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	a.Err = model.Error(body.(*kmsg.AddOffsetsToTxnResponse).ErrorCode)
}

func (x *sending) readEnded(body kmsg.Response, _ *request, fresh model.ProducerID, a *answer) {
	m := body.(*kmsg.EndTxnResponse)
	if a.Err = model.Error(m.ErrorCode); m.GetVersion() >= 5 {
		a.pair(x, m.ProducerID, m.ProducerEpoch, fresh)
	}
}

func (x *sending) readTxnCommit(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	for _, p := range only(a, body.(*kmsg.TxnOffsetCommitResponse).Topics).Partitions {
		if p.ErrorCode != 0 {
			a.Err = model.Error(p.ErrorCode)
		}
	}
}

func (x *sending) readMarked(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	marker := only(a, body.(*kmsg.WriteTxnMarkersResponse).Markers)
	a.Err = model.Error(only(a, only(a, marker.Topics).Partitions).ErrorCode)
}

func (x *sending) readCommit(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	a.Err = model.Error(only(a, only(a, body.(*kmsg.OffsetCommitResponse).Topics).Partitions).ErrorCode)
}

// pair reads a producer id and epoch; those of an error say nothing.
func (a *answer) pair(x *sending, pid int64, epoch int16, fresh model.ProducerID) {
	if a.Err != model.None || pid == -1 {
		return
	}
	a.PID, a.Epoch = x.pids.Read(pid, fresh), model.Epoch(epoch)
}

func (x *sending) readAdded(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	m := body.(*kmsg.AddPartitionsToTxnResponse)
	switch {
	case len(m.Topics) == 1 && len(m.Topics[0].Partitions) == 1:
		a.Err = model.Error(m.Topics[0].Partitions[0].ErrorCode)
	case m.GetVersion() >= 4 && m.ErrorCode != 0:
		a.Err = model.Error(m.ErrorCode)
		a.Odd.Add("the error of the whole request")
	case len(m.Transactions) == 1 && len(m.Transactions[0].Topics) == 1 && len(m.Transactions[0].Topics[0].Partitions) == 1:
		a.Err = model.Error(m.Transactions[0].Topics[0].Partitions[0].ErrorCode)
	default:
		a.Odd.Add("no partition is answered")
	}
}

func (x *sending) readProduced(body kmsg.Response, r *request, _ model.ProducerID, a *answer) {
	p := only(a, only(a, body.(*kmsg.ProduceResponse).Topics).Partitions)
	if a.Err = model.Error(p.ErrorCode); a.Err == model.None && a.Odd == "" {
		a.At = int(p.BaseOffset-x.base[r.Step.Log]) + 1
	}
}

func (x *sending) readListed(body kmsg.Response, r *request, _ model.ProducerID, a *answer) {
	p := only(a, only(a, body.(*kmsg.ListOffsetsResponse).Topics).Partitions)
	if a.Err = model.Error(p.ErrorCode); a.Err == model.None && a.Odd == "" {
		a.At = int(p.Offset - x.base[r.Step.Log])
	}
}

func (x *sending) readOffset(body kmsg.Response, _ *request, _ model.ProducerID, a *answer) {
	g := only(a, body.(*kmsg.OffsetFetchResponse).Groups)
	p := only(a, only(a, g.Topics).Partitions)
	if a.Err = model.Error(p.ErrorCode); g.ErrorCode != 0 {
		a.Err = model.Error(g.ErrorCode)
	}
	if p.Offset >= 0 && a.Odd == "" {
		a.Offset = model.Offset(p.Offset-x.firstOffset) + 1
	}
}

func (x *sending) readState(body kmsg.Response, _ *request, fresh model.ProducerID, a *answer) {
	m := body.(*kmsg.DescribeTransactionsResponse)
	if len(m.TransactionStates) != 1 {
		a.Odd.Add("%d transactions answered", len(m.TransactionStates))
		return
	}
	s := m.TransactionStates[0]
	if a.Err = model.Error(s.ErrorCode); a.Err != model.None {
		return
	}
	a.pair(x, s.ProducerID, s.ProducerEpoch, fresh)
	var where []string
	for log := range uint8(numOutputs + 1) {
		topic, partition := x.on(log)
		for _, t := range s.Topics {
			if t.Topic == topic && slices.Contains(t.Partitions, partition) {
				where = append(where, logName(log))
			}
		}
	}
	if a.State = s.State; s.State == txn.PrepareCommit.String() || s.State == txn.PrepareAbort.String() {
		return // which are left is not modelled
	}
	a.State = strings.Join(append([]string{s.State}, where...), " ")
}

// readFetched reads the log, or what a read_committed consumer makes of it: it
// drops the batches of producers whose abort the broker announces, until their
// ABORT marker (CompletedFetch).
func (x *sending) readFetched(body kmsg.Response, r *request, _ model.ProducerID, a *answer) {
	p := only(a, only(a, body.(*kmsg.FetchResponse).Topics).Partitions)
	if a.Err = model.Error(p.ErrorCode); a.Err != model.None {
		return
	}
	announced := p.AbortedTransactions
	slices.SortFunc(announced, func(a, b kmsg.FetchResponseTopicPartitionAbortedTransaction) int {
		return int(a.FirstOffset - b.FirstOffset)
	})
	aborted := map[int64]bool{}
	var words []string
	for raw := p.RecordBatches; len(raw) >= 12; {
		n := 12 + int(binary.BigEndian.Uint32(raw[8:]))
		if n > len(raw) {
			break
		}
		var b kmsg.RecordBatch
		if err := b.ReadFrom(raw[:n]); err != nil {
			a.Odd.Add("a batch that cannot be read: %v", err)
			return
		}
		raw = raw[n:]
		for len(announced) > 0 && announced[0].FirstOffset <= b.FirstOffset {
			aborted[announced[0].ProducerID] = true
			announced = announced[1:]
		}
		word, control, commit := batchText(&b)
		if control && !commit {
			delete(aborted, b.ProducerID)
		}
		if hidden := control || b.Attributes&transactional != 0 && aborted[b.ProducerID]; b.FirstOffset >= x.base[r.Step.Log] && !(r.Step.Stable && hidden) {
			words = append(words, fmt.Sprintf("%d:%s", b.FirstOffset-x.base[r.Step.Log], word))
		}
	}
	a.Reads = strings.Join(words, " ")
}

// batchText is a batch as logged.text writes it.
func batchText(b *kmsg.RecordBatch) (text string, control, commit bool) {
	record := kmsg.NewRecord()
	if err := record.ReadFrom(b.Records); err != nil {
		return fmt.Sprintf("a record that cannot be read: %v", err), false, false
	}
	if b.Attributes&0x20 == 0 {
		return "r" + string(record.Value), false, false
	}
	commit = len(record.Key) >= 4 && record.Key[3] == 1
	kind := txn.AbortMarker
	if commit {
		kind = txn.CommitMarker
	}
	return logged{Kind: kind, Epoch: model.Epoch(b.ProducerEpoch)}.text(), true, commit
}
