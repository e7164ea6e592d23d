package conform

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"fencecheck/model"
)

// read turns an answer from the wire into the model's terms. fresh is the last id
// that the coordinator has given; it may show later than it was given.
func (x *cue) read(m kmsg.Response, r txnRequest, fresh model.ProducerID) txnAnswer {
	var a txnAnswer
	switch m := m.(type) {
	case *kmsg.InitProducerIDResponse:
		a.Err = model.Error(m.ErrorCode)
		a.pair(x, m.ProducerID, m.ProducerEpoch, fresh)
	case *kmsg.AddPartitionsToTxnResponse:
		readAdded(m, &a)
	case *kmsg.AddOffsetsToTxnResponse:
		a.Err = model.Error(m.ErrorCode)
	case *kmsg.ProduceResponse:
		x.readProduced(m, r, &a)
	case *kmsg.TxnOffsetCommitResponse:
		if len(m.Topics) != 1 || len(m.Topics[0].Partitions) != 1 {
			a.odd("no partition is answered")
			break
		}
		a.Err = model.Error(m.Topics[0].Partitions[0].ErrorCode)
	case *kmsg.EndTxnResponse:
		if a.Err = model.Error(m.ErrorCode); m.GetVersion() >= 5 {
			a.pair(x, m.ProducerID, m.ProducerEpoch, fresh)
		}
	case *kmsg.WriteTxnMarkersResponse:
		if len(m.Markers) != 1 || len(m.Markers[0].Topics) != 1 || len(m.Markers[0].Topics[0].Partitions) != 1 {
			a.odd("no partition is answered")
			break
		}
		a.Err = model.Error(m.Markers[0].Topics[0].Partitions[0].ErrorCode)
	case *kmsg.OffsetCommitResponse:
		var b answer
		readCommit(m, &b)
		a.Err, a.Odd = b.Err, b.Odd
	default:
		x.readObservation(m, r, fresh, &a)
	}
	return a
}

func (a *txnAnswer) odd(format string, args ...any) {
	if a.Odd != "" {
		a.Odd += "; "
	}
	a.Odd += fmt.Sprintf(format, args...)
}

// pair reads a producer id and epoch; those of an error say nothing.
func (a *txnAnswer) pair(x *cue, pid int64, epoch int16, fresh model.ProducerID) {
	if a.Err != model.None || pid == -1 {
		return
	}
	if _, ok := x.names[pid]; !ok {
		if _, taken := x.pids[fresh]; fresh == 0 || taken {
			fresh = strangerPID + model.ProducerID(len(x.names))
		}
		x.bind(fresh, pid)
	}
	a.PID, a.Epoch = x.names[pid], model.Epoch(epoch)
}

func readAdded(m *kmsg.AddPartitionsToTxnResponse, a *txnAnswer) {
	switch {
	case len(m.Topics) == 1 && len(m.Topics[0].Partitions) == 1:
		a.Err = model.Error(m.Topics[0].Partitions[0].ErrorCode)
	case m.GetVersion() >= 4 && m.ErrorCode != 0:
		a.Err = model.Error(m.ErrorCode)
		a.odd("the error of the whole request")
	case len(m.Transactions) == 1 && len(m.Transactions[0].Topics) == 1 && len(m.Transactions[0].Topics[0].Partitions) == 1:
		a.Err = model.Error(m.Transactions[0].Topics[0].Partitions[0].ErrorCode)
	default:
		a.odd("no partition is answered")
	}
}

func (x *cue) readProduced(m *kmsg.ProduceResponse, r txnRequest, a *txnAnswer) {
	if len(m.Topics) != 1 || len(m.Topics[0].Partitions) != 1 {
		a.odd("no partition is answered")
		return
	}
	p := m.Topics[0].Partitions[0]
	if a.Err = model.Error(p.ErrorCode); a.Err == model.None {
		a.Place = int(p.BaseOffset-x.base[r.Step.Place]) + 1
	}
}

func (x *cue) readObservation(m kmsg.Response, r txnRequest, fresh model.ProducerID, a *txnAnswer) {
	switch m := m.(type) {
	case *kmsg.FetchResponse:
		x.readFetched(m, r, a)
	case *kmsg.ListOffsetsResponse:
		if len(m.Topics) != 1 || len(m.Topics[0].Partitions) != 1 {
			a.odd("no partition is answered")
			return
		}
		p := m.Topics[0].Partitions[0]
		if a.Err = model.Error(p.ErrorCode); a.Err == model.None {
			a.Place = int(p.Offset - x.base[r.Step.Place])
		}
	case *kmsg.OffsetFetchResponse:
		x.readOffset(m, a)
	case *kmsg.DescribeTransactionsResponse:
		x.readState(m, fresh, a)
	}
}

func (x *cue) readOffset(m *kmsg.OffsetFetchResponse, a *txnAnswer) {
	if len(m.Groups) != 1 || len(m.Groups[0].Topics) != 1 || len(m.Groups[0].Topics[0].Partitions) != 1 {
		a.odd("no partition is answered")
		return
	}
	p := m.Groups[0].Topics[0].Partitions[0]
	if a.Err = model.Error(p.ErrorCode); m.Groups[0].ErrorCode != 0 {
		a.Err = model.Error(m.Groups[0].ErrorCode)
	}
	if p.Offset >= 0 {
		a.Offset = model.Offset(p.Offset-x.commitOffset) + 1
	}
}

func (x *cue) readState(m *kmsg.DescribeTransactionsResponse, fresh model.ProducerID, a *txnAnswer) {
	if len(m.TransactionStates) != 1 {
		a.odd("%d transactions answered", len(m.TransactionStates))
		return
	}
	s := m.TransactionStates[0]
	if a.Err = model.Error(s.ErrorCode); a.Err != model.None {
		return
	}
	a.pair(x, s.ProducerID, s.ProducerEpoch, fresh)
	var where []string
	for place := range uint8(outs + 1) {
		topic, partition := x.placeOn(place)
		for _, t := range s.Topics {
			if t.Topic == topic && slices.Contains(t.Partitions, partition) {
				where = append(where, placeName(place))
			}
		}
	}
	if a.State = s.State; s.State == model.PrepareCommit.String() || s.State == model.PrepareAbort.String() {
		return // which are left is not modelled
	}
	a.State = strings.Join(append([]string{s.State}, where...), " ")
}

// readFetched reads the log, or what a read_committed consumer makes of it: it
// drops the batches of producers whose abort the broker announces, until their
// ABORT marker (CompletedFetch).
func (x *cue) readFetched(m *kmsg.FetchResponse, r txnRequest, a *txnAnswer) {
	if len(m.Topics) != 1 || len(m.Topics[0].Partitions) != 1 {
		a.odd("no partition is answered")
		return
	}
	p := m.Topics[0].Partitions[0]
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
			a.odd("a batch that cannot be read: %v", err)
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
		if hidden := control || b.Attributes&transactional != 0 && aborted[b.ProducerID]; b.FirstOffset >= x.base[r.Step.Place] && !(r.Step.Stable && hidden) {
			words = append(words, fmt.Sprintf("%d:%s", b.FirstOffset-x.base[r.Step.Place], word))
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
	kind := model.AbortMarker
	if commit {
		kind = model.CommitMarker
	}
	return logged{Kind: kind, Epoch: model.Epoch(b.ProducerEpoch)}.text(), true, commit
}
