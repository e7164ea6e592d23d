package model

// Rules says which coordinator decides: what is configured, and which checks
// are switched off. It does not change during a run.
type Rules struct {
	Off     Mutations
	MaxSize int // group.max.size; 0 is no limit
	// PromptTimers: a timer that is armed with no time to run fires within the
	// same step. It is a step of its own in Kafka too, but on the wire nothing
	// comes between.
	PromptTimers bool
	// Feature is transaction.version; 0 is that of Kafka 4.x, 2. It decides how
	// a coordinator ends a transaction of its own accord.
	Feature TransactionVersion
	// MaxEpoch is the largest producer epoch; 0 is Kafka's, 32767.
	MaxEpoch Epoch
	// NoVerification is transaction.partition.verification.enable=false.
	NoVerification bool
	// Subscriptions: topics are asked for that a group subscribes to, as OffsetDelete
	// does. A JoinGroup's Meta is a set of them then.
	Subscriptions bool
	InitialDelays uint8 // how often group.initial.rebalance.delay.ms can be extended before the rebalance timeout is used up
}

// Exhausted tells whether no further transaction may use an epoch.
func (r *Rules) Exhausted(e Epoch) bool { return e >= r.LargestEpoch()-1 }

// LargestEpoch is the largest producer epoch that there is.
func (r *Rules) LargestEpoch() Epoch {
	if r.MaxEpoch == 0 {
		return MaxEpoch
	}
	return r.MaxEpoch
}

// Bump is the next epoch. It stays at the largest one; where nothing keeps
// epochs from overflowing, it becomes negative, as a short does.
func (r *Rules) Bump(e Epoch) Epoch {
	switch {
	case e < r.LargestEpoch():
		return e + 1
	case r.Off.Has(EpochExhaustionRotation):
		return -r.LargestEpoch() - 1
	}
	return e
}
