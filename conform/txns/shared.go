package txns

import (
	"context"
	"fmt"
	"sync"

	"fencecheck/conform/admin"
	"fencecheck/conform/wire"
	"fencecheck/model"
)

// shared is what workers share: output partitions that one play after the other
// uses, and what the broker says of its coordinators.
type shared struct {
	*admin.Broker
	offsetsPartitions int     // of the group coordinators' log; 0: it has none
	coordinators      []int16 // epochs of the transaction coordinators, by partition of their log

	asking sync.RWMutex // held alone by whoever must not share a question to the coordinator

	mu     sync.Mutex
	topics int
	free   []output
}

// output is one output partition.
type output struct {
	topic     string
	partition int32
	leader    string // its address
}

func newShared(ctx context.Context, b *admin.Broker) (*shared, error) {
	v := &shared{Broker: b}
	if err := b.RefuseWithout(ctx, Versions()); err != nil {
		return nil, err
	}
	if err := b.AwaitTransactions(ctx); err != nil {
		return nil, err
	}
	offsets, err := b.Leaders(ctx, offsetsTopic)
	if err != nil {
		return nil, err
	}
	v.offsetsPartitions = len(offsets)
	transactions, err := b.Leaders(ctx, "__transaction_state")
	for _, l := range transactions {
		v.coordinators = append(v.coordinators, l.Epoch)
	}
	return v, err
}

// take returns partitions that nobody else uses now.
func (v *shared) take(ctx context.Context) ([]output, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.free) < numOutputs {
		if err := v.more(ctx); err != nil {
			return nil, err
		}
	}
	some := v.free[:numOutputs:numOutputs]
	v.free = v.free[numOutputs:]
	return some, nil
}

// more makes another topic.
func (v *shared) more(ctx context.Context) error {
	const partitions = 48
	v.topics++
	name, err := v.NewTopic(ctx, fmt.Sprintf("-out-%d", v.topics), partitions)
	if err != nil {
		return err
	}
	leaders, err := v.Leaders(ctx, name)
	for p, l := range leaders {
		v.free = append(v.free, output{name, int32(p), l.Address})
	}
	if err == nil && len(v.free) < numOutputs {
		err = &wire.BrokerError{Address: v.Address, Problem: "a topic without partitions"}
	}
	return err
}

func (v *shared) giveBack(some []output) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.free = append(v.free, some...)
}

// alone keeps apart what the broker throws together: questions of several
// writers to a transaction coordinator travel in one request, and all of them
// are then told errors as the version of the first one knows them (seen on
// 4.4.0: TransactionDataAndCallbacks of AddPartitionsToTxnManager has one
// supported operation). It returns what ends the exclusion.
func (v *shared) alone(r *request) (end func()) {
	switch {
	case r.Step.Op != produce && r.Step.Op != txnCommit:
		return func() {}
	case model.TransactionAbortable.Told(r.API, r.version().number) != model.TransactionAbortable:
		v.asking.Lock()
		return v.asking.Unlock
	}
	v.asking.RLock()
	return v.asking.RUnlock
}

// partitionOf is where a coordinator's log has a key: Java's String.hashCode.
func partitionOf(key string, partitions int) int {
	if partitions == 0 {
		return 0
	}
	var h int32
	for _, b := range []byte(key) {
		h = 31*h + int32(b)
	}
	return int(h&0x7fffffff) % partitions
}
