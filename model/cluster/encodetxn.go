package cluster

import (
	"fencecheck/model"
	"fencecheck/model/txn"
)

// The encoding of what transactions need, behind the rest of a state.

func (l *Layout) appendTransactions(dst []byte, s *State) []byte {
	t, c := &s.Txns, l.cfg
	dst = appendTransactionSide(dst, t)
	for i := range c.TransactionalIDs() {
		dst = appendTransactional(dst, &t.IDs[i])
		if t.Zombie {
			dst = appendTransactional(dst, &t.Old[i])
		}
	}
	for p := range t.Logs {
		if c.HasLog(p) {
			dst = appendLog(dst, &t.Logs[p])
		}
	}
	for i := range c.Clients() {
		cl := &s.Clients[i].ClientState
		if !c.HasProducer(i) {
			continue
		}
		dst = appendProducer(dst, &cl.Producer, MaxOutputs)
		if c.Transactional && c.IsMember(i) {
			dst = appendClientStateMetadata(dst, cl, &ranks{})
		}
		for n := range t.Works[i] {
			dst = appendWork(dst, &t.Works[i][n])
		}
	}
	if c.Transactional {
		dst = appendTransactionSideOffsets(dst, t, l.partitions)
		for i := range t.Pending {
			if o := &t.Pending[i]; o.PID == 0 {
				dst = append(dst, 0)
			} else {
				dst = appendPending(dst, o)
			}
		}
	}
	return dst
}

func (l *Layout) decodeTransactions(src []byte, s *State) {
	t, c := &s.Txns, l.cfg
	*t = TransactionSide{}
	src = decodeTransactionSide(src, t)
	for i := range c.TransactionalIDs() {
		src = decodeTransactional(src, &t.IDs[i])
		if t.Zombie {
			src = decodeTransactional(src, &t.Old[i])
		}
	}
	for p := range t.Logs {
		if c.HasLog(p) {
			src = decodeLog(src, &t.Logs[p])
		}
	}
	for i := range c.Clients() {
		cl := &s.Clients[i].ClientState
		if !c.HasProducer(i) {
			continue
		}
		src = decodeProducer(src, &cl.Producer, MaxOutputs)
		if c.Transactional && c.IsMember(i) {
			src = decodeClientStateMetadata(src, cl)
		}
		for n := range t.Works[i] {
			src = decodeWork(src, &t.Works[i][n])
		}
	}
	if c.Transactional {
		src = decodeTransactionSideOffsets(src, t, l.partitions)
		for i := range t.Pending {
			if src[0] == 0 {
				src = src[1:]
			} else {
				src = decodePending(src, &t.Pending[i])
			}
		}
	}
}

// appendTransactional writes what the log holds only where it differs from what
// is in memory.
func appendTransactional(dst []byte, t *Transactional) []byte {
	same := t.Log == t.Txn.Durable()
	dst = put(dst, bit(same)|bit(t.Unsure)<<1|bit(t.Outbox != txn.Marker{})<<2, 1)
	dst = appendKnown(dst, &t.Txn)
	if !same {
		dst = appendKnown(dst, &t.Log)
	}
	if t.Outbox != (txn.Marker{}) {
		dst = appendMarker(dst, &t.Outbox)
	}
	return dst
}

func decodeTransactional(src []byte, t *Transactional) []byte {
	flags := src[0]
	t.Unsure = flags>>1&1 == 1
	src = decodeKnown(src[1:], &t.Txn)
	if t.Log = t.Txn.Durable(); flags&1 == 0 {
		src = decodeKnown(src, &t.Log)
	}
	if flags>>2 == 1 {
		src = decodeMarker(src, &t.Outbox)
	}
	return src
}

// appendKnown writes a zero for a transactional id that is not known.
func appendKnown(dst []byte, t *txn.Transaction) []byte {
	if t.State == txn.NoTransaction {
		return append(dst, 0)
	}
	return appendTransaction(dst, t)
}

func decodeKnown(src []byte, t *txn.Transaction) []byte {
	if src[0] == 0 {
		*t = txn.Transaction{}
		return src[1:]
	}
	return decodeTransaction(src, t)
}

const (
	_ = uint(15 - MaxProducerIDs)
	_ = uint(15 - MaxLog)
)

// appendLog writes what is being verified only where anything is, which is the
// sixth bit of an entry.
func appendLog(dst []byte, l *PartitionLog) []byte {
	n := 0
	for n < MaxProducerIDs && l.Entries[n].PID != 0 {
		n++
	}
	length := l.Len()
	dst = append(dst, byte(n)|byte(length)<<4)
	for i := range l.Entries[:n] {
		e, at := &l.Entries[i], len(dst)
		if dst = appendProducerEntry(dst, e); e.Guard != 0 {
			dst[at] |= 1 << 5
			dst = appendProducerEntryGuard(dst, e)
		}
	}
	for i := range l.Log[:length] {
		dst = appendEntry(dst, &l.Log[i])
	}
	return dst
}

func decodeLog(src []byte, l *PartitionLog) []byte {
	n, length := src[0]&15, src[0]>>4
	src = src[1:]
	for i := range l.Entries[:n] {
		e, guarded := &l.Entries[i], src[0]>>5&1 == 1
		*e = txn.NewEntry(0)
		if src = decodeProducerEntry(src, e); guarded {
			src = decodeProducerEntryGuard(src, e)
		}
	}
	for i := range l.Log[:length] {
		src = decodeEntry(src, &l.Log[i])
	}
	return src
}

// style is the version of a transaction whose end raises the epoch, or not.
func style(bumps bool) model.TransactionVersion {
	if bumps {
		return model.TV2
	}
	return model.TV1
}
