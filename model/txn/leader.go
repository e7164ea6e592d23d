package txn

import (
	"math/bits"

	"fencecheck/model"
)

// KeptBatches is how many batches of one producer a leader remembers
// (ProducerStateEntry.NUM_BATCHES_TO_RETAIN).
const KeptBatches = 5

// NoSequence is the sequence of a batch that has none, as offset commits do.
const NoSequence int32 = -1

// ProducerEntry is what a partition's leader knows of one producer id
// (ProducerStateEntry, VerificationStateEntry; transactions.md 2.1). The zero
// value is a free place.
type ProducerEntry struct {
	PID              model.ProducerID
	Epoch            model.Epoch // NoEpoch: nothing was ever appended
	CoordinatorEpoch int16       // of the last marker; -1 for none
	Last             int32       // sequence of the last batch of this epoch; NoSequence for none
	Kept             uint8       // batches of this epoch that are remembered, the last ones
	Open             bool        // a transaction is open here

	// The rest is in memory only, and gone with the leader. Guard is 0 where no
	// verification is under way.
	Guard      uint8
	Lowest     int32 // smallest sequence that is being verified
	GuardEpoch model.Epoch
	GuardBumps bool // the writer's style is TV2
}

// NewEntry is what a leader knows of a producer that it has not seen.
func NewEntry(pid model.ProducerID) ProducerEntry {
	return ProducerEntry{PID: pid, Epoch: model.NoEpoch, CoordinatorEpoch: -1, Last: NoSequence, Lowest: NoSequence, GuardEpoch: model.NoEpoch}
}

// Durable is what another leader knows of the producer from the log: all but
// what is being verified.
func (e ProducerEntry) Durable() ProducerEntry {
	if e.PID == 0 || e.Epoch == model.NoEpoch {
		return ProducerEntry{}
	}
	e.dropGuard()
	return e
}

func (e *ProducerEntry) dropGuard() {
	e.Guard, e.Lowest, e.GuardEpoch, e.GuardBumps = 0, NoSequence, model.NoEpoch, false
}

// PartitionLeader is a view on the producer state of one partition. The storage
// is the caller's.
type Leader struct {
	Rules   *model.Rules
	Entries []ProducerEntry // sorted by producer id, free places last
	// Fresh is a guard that no request in flight and no entry has.
	Fresh uint8
	Full  bool // Entries had no free place; the call is void
}

// FreshGuard is the first guard that neither an entry has nor a request in flight;
// used has the guards of these, a bit each.
func FreshGuard(entries []ProducerEntry, used uint64) uint8 {
	for i := range entries {
		used |= 1 << entries[i].Guard
	}
	return uint8(bits.TrailingZeros64(^(used | 1)))
}

func (l *Leader) enforces(id model.Mutation) bool { return !l.Rules.Off.Has(id) }

// Find returns the entry of a producer, nil for none.
func (l *Leader) Find(pid model.ProducerID) *ProducerEntry {
	for i := range l.Entries {
		if e := &l.Entries[i]; e.PID == pid && pid != 0 {
			return e
		}
	}
	return nil
}

// entry finds a producer's entry or makes one; nil and Full if there is no room.
func (l *Leader) entry(pid model.ProducerID) *ProducerEntry {
	if e := l.Find(pid); e != nil {
		return e
	}
	n := len(l.Entries)
	if n == 0 || l.Entries[n-1].PID != 0 {
		l.Full = true
		return nil
	}
	i := n - 1
	for i > 0 && (l.Entries[i-1].PID == 0 || l.Entries[i-1].PID > pid) {
		l.Entries[i] = l.Entries[i-1]
		i--
	}
	l.Entries[i] = NewEntry(pid)
	return &l.Entries[i]
}

// verifies tells whether a leader asks the coordinator about a first batch.
func (l *Leader) verifies() bool {
	return !l.Rules.NoVerification && l.enforces(model.VerifyBeforeFirstAppend)
}

// begin looks at a transactional batch before it is appended: may it go on, and
// must the transaction coordinator be asked first? The batch gets its guard.
// Source: ReplicaManager.handleProduceAppend, UnifiedLog.
// maybeStartTransactionVerification; transactions.md 2.2, rows V3 to V7.
func (l *Leader) begin(b *Request) (ask bool, err model.Error) {
	b.Guard = 0
	if !l.verifies() && !b.Version.Bumps() { // V3
		return false, model.None
	}
	e := l.Find(b.PID)
	if e != nil && b.Epoch < e.Epoch && l.checksEpoch(b) { // V5
		return false, model.InvalidProducerEpoch
	}
	if e != nil && e.Open && e.Epoch == b.Epoch { // V6
		return false, model.None
	}
	if b.Version.Bumps() && !l.adds(b) {
		return false, model.None
	}
	if e = l.entry(b.PID); e == nil {
		return false, model.None
	}
	l.startVerification(e, b)
	return true, model.None
}

// adds tells whether a TV2 leader adds its partition to the transaction.
func (l *Leader) adds(b *Request) bool {
	if b.Sequence == NoSequence {
		return l.enforces(model.TxnOffsetRegisterPartition)
	}
	return l.enforces(model.ImplicitAddTV2)
}

// startVerification: row V7. Whoever finds a verification under way shares it
// (VerificationStateEntry.maybeUpdateLowestSequenceAndEpoch).
func (l *Leader) startVerification(e *ProducerEntry, b *Request) {
	switch {
	case e.Guard == 0:
		if e.Guard = l.Fresh; !l.enforces(model.VerificationGuardUnique) {
			e.Guard = 1
		}
		e.GuardEpoch, e.Lowest, e.GuardBumps = b.Epoch, b.Sequence, b.Version.Bumps()
	case b.Epoch > e.GuardEpoch: // the style stays that of whoever began it
		e.GuardEpoch, e.Lowest = b.Epoch, b.Sequence
	case b.Epoch == e.GuardEpoch && b.Sequence < e.Lowest:
		e.Lowest = b.Sequence
	}
	b.Guard = e.Guard
}

// told is the table of transactions.md 2.2. Requests of the newest kind of each
// style are modelled: Produce v12 or v11, TxnOffsetCommit v5 or v4.
func (r *Request) told(err model.Error) model.Error {
	offsets := r.API == model.TxnOffsetCommit
	switch err {
	case model.ProducerFenced:
		return model.InvalidProducerEpoch
	case model.ConcurrentTransactions:
		if !offsets && !r.Version.Bumps() {
			return model.NotEnoughReplicas
		}
	case model.CoordinatorLoadInProgress, model.CoordinatorNotAvailable, model.NotCoordinator:
		if !offsets {
			return model.NotEnoughReplicas
		}
	}
	return err
}

// checksEpoch tells whether a batch of an older epoch is refused.
func (l *Leader) checksEpoch(b *Request) bool {
	if b.Sequence == NoSequence {
		return l.enforces(model.TxnOffsetCommitProducerEpoch)
	}
	return l.enforces(model.PartitionEpochCheck)
}

// append decides whether a batch enters the log, and remembers it. A duplicate
// is answered with success and changes nothing; back says how many batches ago
// it was appended. Source: UnifiedLog.analyzeAndValidateProducerState,
// ProducerAppendInfo.appendDataBatch; transactions.md 2.3, rows L1 to L6.
func (l *Leader) append(b *Request) (back int, duplicate bool, err model.Error) {
	e := l.Find(b.PID)
	if e == nil {
		e = &ProducerEntry{}
		*e = NewEntry(b.PID)
	}
	if back, duplicate = l.duplicate(e, b); duplicate { // L1
		return back, true, model.None
	}
	if err := l.check(e, b); err != model.None {
		return 0, false, err
	}
	if e = l.entry(b.PID); e == nil {
		return 0, false, model.None
	}
	e.append(b)
	return 0, false, model.None
}

func (l *Leader) duplicate(e *ProducerEntry, b *Request) (back int, ok bool) {
	if b.Sequence == NoSequence || b.Epoch != e.Epoch || !l.enforces(model.DuplicateWindow) {
		return 0, false
	}
	back = int(e.Last - b.Sequence)
	return back, back >= 0 && back < int(e.Kept)
}

func (l *Leader) check(e *ProducerEntry, b *Request) model.Error {
	first := b.Transactional && !(e.Open && e.Epoch == b.Epoch)
	if first && b.Epoch < e.Epoch && l.checksEpoch(b) && l.enforces(model.EpochBeforeGuard) { // L2
		return model.InvalidProducerEpoch
	}
	if first && l.verifies() && l.guarded(b) && (b.Guard == 0 || b.Guard != e.Guard) { // L3
		return model.InvalidTxnState
	}
	if b.Epoch < e.Epoch && l.checksEpoch(b) { // L4
		return model.InvalidProducerEpoch
	}
	if b.Sequence != NoSequence { // L5
		if err := l.checkSequence(e, b); err != model.None {
			return err
		}
	}
	if !b.Transactional && e.Open && l.enforces(model.NontxnInTxnCheck) { // L6
		return model.InvalidTxnState
	}
	return model.None
}

// guarded: a batch that was not to be verified at all carries no guard.
func (l *Leader) guarded(b *Request) bool { return !b.Version.Bumps() || l.adds(b) }

// checkSequence: row L5 (ProducerAppendInfo.checkSequence; transactions.md 2.4).
func (l *Leader) checkSequence(e *ProducerEntry, b *Request) model.Error {
	ok := true
	switch {
	case e.Guard != 0 && e.GuardBumps && e.Kept == 0 && b.Sequence != 0 && l.enforces(model.SequenceZeroTV2NoState):
		ok = false
	case e.Guard != 0 && b.Sequence > e.Lowest && l.enforces(model.LowestSequenceHold):
		ok = false
	case b.Epoch != e.Epoch:
		ok = b.Sequence == 0 || e.Epoch == model.NoEpoch || !l.enforces(model.SequenceZeroOnNewEpoch)
	default:
		ok = b.Sequence == e.Last+1 || !l.enforces(model.SequenceCheck)
	}
	if !ok {
		return model.OutOfOrderSequenceNumber
	}
	return model.None
}

// append is the effect of a batch.
func (e *ProducerEntry) append(b *Request) {
	e.enter(b.Epoch)
	if b.Sequence != NoSequence {
		e.Last = b.Sequence
		e.Kept = min(e.Kept+1, KeptBatches)
	}
	if b.Transactional {
		e.Open = true
		e.dropGuard()
	}
}

// enter forgets the batches of another epoch.
func (e *ProducerEntry) enter(epoch model.Epoch) {
	if e.Epoch != epoch {
		e.Epoch, e.Last, e.Kept = epoch, NoSequence, 0
	}
}

// writeMarker decides a marker, and ends the producer's open transaction. Source:
// ProducerAppendInfo.checkProducerEpoch, checkCoordinatorEpoch,
// appendEndTxnMarker; transactions.md 2.5, rows M1 to M4. It tells whether one
// was open.
func (l *Leader) writeMarker(m *Request) (closed bool, err model.Error) {
	e := l.Find(m.PID)
	if e == nil {
		e = &ProducerEntry{}
		*e = NewEntry(m.PID)
	}
	if !l.mayEnd(e, m) { // M1, M2
		return false, model.InvalidProducerEpoch
	}
	if e.CoordinatorEpoch > m.CoordinatorEpoch && l.enforces(model.MarkerCoordinatorEpochCheck) { // M3
		return false, model.TransactionCoordinatorFenced
	}
	if e = l.entry(m.PID); e == nil {
		return false, model.None
	}
	if e.Epoch == model.NoEpoch || l.enforces(model.MarkerRaisesEpoch) {
		e.enter(m.Epoch)
	}
	closed, e.Open, e.CoordinatorEpoch = e.Open, false, m.CoordinatorEpoch
	// The first write of the next transaction may have been added already.
	next := e.GuardBumps && e.GuardEpoch == m.Epoch && l.enforces(model.GuardKeptForNextTV2)
	if !next && l.enforces(model.GuardClearedByMarker) {
		e.dropGuard()
	}
	return closed, model.None
}

// mayEnd compares the epochs of a marker and of the producer: rows M1 and M2.
func (l *Leader) mayEnd(e *ProducerEntry, m *Request) bool {
	switch {
	case m.Epoch > e.Epoch:
		return true
	case m.Epoch < e.Epoch:
		return !l.enforces(model.MarkerEpochCheck)
	case !m.Version.Bumps() || !l.enforces(model.MarkerStrictEpochTV2) || m.Epoch == l.Rules.LargestEpoch():
		return true
	}
	return !e.Open && l.enforces(model.MarkerRepeatAccept) // taken for a repeat (KAFKA-19999)
}

// ExpireProducers forgets producers without an open transaction, as
// producer.id.expiration.ms does, and their epochs with them.
func (l *Leader) ExpireProducers() {
	l.replace(func(e ProducerEntry) ProducerEntry {
		if !e.Open {
			return ProducerEntry{}
		}
		return e
	})
}

// Elect leaves what another leader knows: that which is in the log.
func (l *Leader) Elect() { l.replace(ProducerEntry.Durable) }

// replace puts what becomes of each entry in its place, and drops what is zero.
func (l *Leader) replace(become func(ProducerEntry) ProducerEntry) {
	n := 0
	for _, e := range l.Entries {
		if e = become(e); e.PID != 0 {
			l.Entries[n] = e
			n++
		}
	}
	clear(l.Entries[n:])
}
