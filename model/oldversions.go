package model

// newErrors has the errors that old versions of a request do not know, the
// first version that does, and what an older one is told in their place.
var newErrors = []struct {
	err     Error
	api     API
	since   int16
	instead Error
}{
	{ProducerFenced, InitProducerID, 4, InvalidProducerEpoch}, // KIP-588
	{ProducerFenced, AddPartitionsToTxn, 2, InvalidProducerEpoch},
	{ProducerFenced, AddOffsetsToTxn, 2, InvalidProducerEpoch},
	{ProducerFenced, EndTxn, 2, InvalidProducerEpoch},
	{TransactionAbortable, Produce, 11, InvalidTxnState}, // KIP-890
	{TransactionAbortable, TxnOffsetCommit, 4, InvalidTxnState},
}

// Told is what a request of a version is told of an error: old versions do not
// know every one (KafkaApis, AddPartitionsToTxnManager; transactions.md section
// 0, 2.2).
func (e Error) Told(api API, version int16) Error {
	for _, n := range newErrors {
		if n.err == e && n.api == api && version < n.since {
			return n.instead
		}
	}
	return e
}
